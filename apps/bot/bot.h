/* apps/bot/bot.h -- what the files of `starbase bot` share.
 *
 * For:      bot.c (the command line, the run, the summary) and bot_events.c (a line per event).
 */
#ifndef SB_APPS_BOT_H
#define SB_APPS_BOT_H

#include "load/manifest_file.h"
#include "run/player_loop.h"

#include <stdio.h>

enum {
    BOT_COUNT_MAX = 120, /* more than any server takes */
    BOT_MANIFESTS_MAX = 8,
    BOT_NAME_BYTES = SB_CLIENT_NAME_MAX + 8,
    BOT_REASON_BYTES = 320,
    BOT_WAITING_BYTES = 1 << 16,
};

/* Lines on their way to a reader, for whom no player waits: what he does not take is kept, and what
 * there is no room for is lost. */
typedef struct bot_output {
    int      descriptor, errors; /* stdout, stderr */
    FILE    *line;               /* that is being made, into ... */
    char    *text;
    size_t   size;
    char     waiting[BOT_WAITING_BYTES]; /* not taken yet: from `first` to `end` */
    size_t   first, end;
    uint64_t lost; /* lines */
    bool     gone; /* nobody reads any more */
} bot_output;

typedef struct bot_player {
    char            name[BOT_NAME_BYTES];
    sb_client_phase phase;                        /* before the end */
    sb_time         began_at, joined_at, left_at; /* 0: not yet */
    bool            failed, lost;
    sb_leave_reason how; /* after left_at */
    int32_t         kills, deaths, score;
    uint32_t        ships, shots;
    sb_time         round_trip_us;
} bot_player;

typedef struct bot_job {
    sb_player_loop    *loop;
    bot_player         bots[BOT_COUNT_MAX];
    size_t             count;
    sb_endpoint        server;
    const char        *name, *password, *ship;
    sb_pilot_config    pilot;
    sb_time            time_us; /* 0: stay */
    bool               quiet, json;
    sb_data            data;
    const sb_manifest *manifests[BOT_MANIFESTS_MAX];
    const char        *manifest_files[BOT_MANIFESTS_MAX];
    size_t             manifest_count;
    int                signals;
    sb_time            started_at, give_up_at;
    bool               leaving, told_to_stop;
    bot_output         output;
    bool               arrived[256]; /* by peer id: to be told once the name is known */
} bot_job;

/* Seconds between two times. */
double bot_seconds(sb_time start, sb_time now);

/* False: the system refused. Ends with bot_output_close, in either case. */
bool bot_output_open(bot_output *o);
/* The line that was written to o->line is complete. */
void bot_output_end_line(bot_output *o);
/* As much as the reader takes now. True: there is nothing left for him. */
bool bot_output_send(bot_output *o);
/* On stderr, likewise. */
void bot_output_error(bot_output *o, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Says how many lines were lost. */
void bot_output_close(bot_output *o);

/* The `tell` of the loop; context is the bot_job. */
void bot_handle_event(void *context, size_t index, const sb_client *client,
                      const sb_client_event *event);
/* A player could not join; told once, also with --quiet: then nothing else would say why there is
 * nobody. */
void bot_report_failure(bot_job *j, size_t index, const char *reason);
/* The time is up; a player who is not in the game yet has failed. */
void bot_report_too_late(bot_job *j, size_t index);
/* Who has come into the game since the last time. */
void bot_report_arrivals(bot_job *j, size_t index);

#endif
