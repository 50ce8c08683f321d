/* apps/bot/bot.h -- types and functions that the files of `starbase bot` share.
 *
 * For:      bot.c     the command line, the run, the summary
 *           events.c  a line or JSON object per event
 *           score.c   scores over several matches
 *           output.c  non-blocking output
 */
#ifndef SB_APPS_BOT_H
#define SB_APPS_BOT_H

#include "common/waiting.h"
#include "load/manifest_file.h"
#include "run/player_loop.h"

#include <stdio.h>

enum {
    BOT_COUNT_MAX = 120, /* more than any server accepts */
    BOT_MANIFESTS_MAX = 8,
    BOT_NAME_BYTES = SB_CLIENT_NAME_MAX + 8,
    BOT_REASON_BYTES = 320,
    BOT_WAITING_BYTES = 1 << 16,
};

/* Output that never blocks the players. If the reader is slow, lines are buffered; if the buffer is
 * full, lines are lost and counted. */
typedef struct bot_output {
    int        descriptor, errors; /* stdout, stderr */
    FILE      *line;               /* the line under construction; writes into `text` */
    char      *text;
    size_t     size;                       /* bytes in `text` */
    char       waiting[BOT_WAITING_BYTES]; /* buffered bytes, from `first` to `end` */
    size_t     first, end;
    uint64_t   lost;   /* lines */
    bool       gone;   /* the reader has closed stdout */
    sb_waiting notice; /* "waiting for HOST" */
} bot_output;

typedef struct bot_score {
    long long kills, deaths, score;
} bot_score;

typedef struct bot_player {
    char            name[BOT_NAME_BYTES];
    sb_client_phase phase;                               /* the last one before SB_CLIENT_OVER */
    sb_time         join_started_at, joined_at, left_at; /* 0: not yet */
    bool            failed, lost;
    sb_leave_reason how;     /* valid if left_at is not 0 */
    bot_score       match;   /* the current match */
    bot_score       earlier; /* all matches before it */
    uint32_t        ships, shots;
    sb_time         round_trip_us;
} bot_player;

typedef struct bot_job {
    sb_player_loop    *loop;
    bot_player         bots[BOT_COUNT_MAX];
    size_t             count;
    sb_endpoint        server;
    const char        *name, *password, *ship, *host; /* host: as the user typed it */
    sb_pilot_config    pilot;
    sb_time            time_us; /* leave after this time; 0: no limit */
    bool               quiet, json;
    sb_data            data;
    const sb_manifest *manifests[BOT_MANIFESTS_MAX];
    const char        *manifest_files[BOT_MANIFESTS_MAX];
    size_t             manifest_count;
    int                signals;
    sb_time            started_at, give_up_at;
    bool               leaving, stop_requested;
    bot_output         output;
    bool               arrived[256]; /* by peer id: report the arrival once the name is known */
} bot_job;

/* Takes over the bot's score in the current match; NULL: not known now. */
void bot_update_score(bot_player *b, const sb_seen_player *self);
/* Adds the current match to the earlier ones. */
void      bot_finish_match(bot_player *b);
bot_score bot_total_score(const bot_player *b);

/* Seconds between two times. */
double bot_seconds(sb_time start, sb_time now);

/* False: the system refused. Call bot_output_close in either case. */
bool bot_output_open(bot_output *o);
/* Queues the line that was written to o->line. */
void bot_output_end_line(bot_output *o);
/* Writes as much as the reader accepts. True: nothing is left. */
bool bot_output_send(bot_output *o);
/* Writes a line to stderr without blocking. */
void bot_output_error(bot_output *o, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Shows the line "waiting for HOST" when it is due; `heard` removes it for good, as any other line
 * does. */
void bot_output_show_waiting(bot_output *o, sb_time now, bool heard);
/* Reports lost lines and closes the output. */
void bot_output_close(bot_output *o);

/* The on_event callback of the loop; context is the bot_job. */
void bot_handle_event(void *context, size_t index, const sb_client *client,
                      const sb_client_event *event);
/* Reports once that a player could not join; with --quiet, on stderr. */
void bot_report_failure(bot_job *j, size_t index, const char *reason);
/* Reports a failure if the player has not joined when the time is up. */
void bot_report_too_late(bot_job *j, size_t index);
/* Reports players who have entered the game since the last call. */
void bot_report_arrivals(bot_job *j, size_t index);

#endif
