/* src/platform/log.h -- lines about what happens: for people as text, for programs as JSON.
 *
 * For:      programs that run for long. Each line has time, level, subsystem and, if it is about
 *           one, the room; JSON lines have named values besides.
 * May use:  one file descriptor, usually stderr.
 * Never:    waits: a reader of the log who does not read loses lines (counted), and the game goes
 *           on. Never allocates. A line leaves with one write, so threads do not mix theirs.
 *
 *     sb_log_line line;
 *     if (sb_log_start(&line, log, SB_LOG_INFO, "join", room)) {
 *         sb_log_text(&line, "%s is in the game", name);
 *         sb_log_value_text(&line, "player", name_span);     // in JSON only
 *         sb_log_end(&line);
 *     }
 */
#ifndef SB_PLATFORM_LOG_H
#define SB_PLATFORM_LOG_H

#include <pthread.h>
#include <starbase/base.h>

typedef enum sb_log_level {
    SB_LOG_ERROR,
    SB_LOG_WARNING,
    SB_LOG_INFO,
    SB_LOG_DEBUG,
    SB_LOG_LEVELS
} sb_log_level;

/* "error", "warning", "info", "debug"; ends with NULL. */
extern const char *const sb_log_level_words[SB_LOG_LEVELS + 1];
const char              *sb_log_level_text(sb_log_level level);

enum {
    SB_LOG_LINE_MAX = 2048, /* bytes; what is longer is cut at the end of a character */
    SB_LOG_RECENT = 64,     /* lines that are remembered for a display ... */
    SB_LOG_RECENT_MAX = 240 /* ... and bytes of each, with a NUL */
};

typedef struct sb_log_options {
    int          descriptor; /* -1: lines are only remembered */
    sb_log_level level;      /* what is less important is not written */
    bool         json, colour;
} sb_log_options;

/* Shared by all threads once it is open. */
typedef struct sb_log {
    sb_log_options  options;
    pthread_mutex_t lock;     /* of everything below */
    int             terminal; /* of a terminal: so that nobody waits for it; -1: none */
    uint64_t        lost;     /* lines nobody took */
    uint64_t        count;
    char            recent[SB_LOG_RECENT][SB_LOG_RECENT_MAX]; /* text, whatever is written */
} sb_log;

void sb_log_open(sb_log *log, const sb_log_options *options);
void sb_log_close(sb_log *log);
/* Where lines go from now on; -1: nowhere. For a display that takes the terminal for itself. */
void sb_log_redirect(sb_log *log, int descriptor);
void sb_log_set_level(sb_log *log, sb_log_level level);
/* Copies the line that is `back` lines before the latest. False: there is none so old. */
bool sb_log_recent_line(sb_log *log, unsigned back, char out[SB_LOG_RECENT_MAX]);

enum { SB_LOG_NO_ROOM = 0 }; /* rooms are counted from 1 */

/* A line that is being made. */
typedef struct sb_log_line {
    sb_log      *log;
    sb_log_level level;
    unsigned     room;
    const char  *subsystem;
    char         text[SB_LOG_LINE_MAX / 2];
    size_t       text_size;
    char         values[SB_LOG_LINE_MAX / 2]; /* JSON: ,"key":value... */
    size_t       values_size;
} sb_log_line;

/* Lines of this level are written. */
bool sb_log_wants(const sb_log *log, sb_log_level level);
/* False: the level is not wanted, and nothing is to be done. `subsystem`: a word, borrowed. */
bool sb_log_start(sb_log_line *line, sb_log *log, sb_log_level level, const char *subsystem,
                  unsigned room);
/* A line that somebody has asked for: it is written whatever the level. */
void sb_log_start_answer(sb_log_line *line, sb_log *log, const char *subsystem, unsigned room);
/* Adds to the sentence. What base/utf8.h does not call visible becomes '?', bytes that are no UTF-8
 * likewise. */
void sb_log_text(sb_log_line *line, const char *format, ...) __attribute__((format(printf, 2, 3)));
void sb_log_span(sb_log_line *line, sb_span text);
/* Values for programs; keys are plain words. A value that does not fit is left out. */
void sb_log_value_text(sb_log_line *line, const char *key, sb_span text);
void sb_log_value_word(sb_log_line *line, const char *key, const char *text);
void sb_log_value_number(sb_log_line *line, const char *key, int64_t value);
void sb_log_value_figure(sb_log_line *line, const char *key, double value);
void sb_log_end(sb_log_line *line);

/* All of it for a plain sentence, or for an answer. */
void sb_log_answer(sb_log *log, const char *subsystem, unsigned room, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void sb_log_message(sb_log *log, sb_log_level level, const char *subsystem, unsigned room,
                    const char *format, ...) __attribute__((format(printf, 5, 6)));

/* ---- what comes too often ---- */

/* One kind of line of one room, so many in a second. Starts as { 0 }; not shared. */
typedef struct sb_log_limit {
    sb_time  second_ends_at;
    unsigned used; /* in this second */
    uint64_t skipped;
} sb_log_limit;

/* True: write it; *skipped is how many were not since the last one. */
bool sb_log_limit_spend(sb_log_limit *limit, sb_time now, unsigned per_second, uint64_t *skipped);

#endif
