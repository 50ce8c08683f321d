/* src/platform/log.h -- log lines, as text for people or as JSON for programs.
 *
 * For:      long-running programs. Each line has time, level, subsystem, the room if it is about
 *           one, and a sentence; JSON lines also have named values.
 * May use:  one file descriptor, usually stderr.
 * Never:    blocks or allocates. If the reader of the descriptor falls behind, lines are dropped
 *           and counted. Each line is one write, so the lines of threads do not mix.
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
    SB_LOG_LINE_MAX = 2048, /* bytes of a line; a longer one is cut after a whole character */
    SB_LOG_BYTES_MAX = 2 * SB_LOG_LINE_MAX, /* bytes of a formatted line */
    SB_LOG_VALUES_MAX = 3328, /* bytes of the named values of a line: results of 16 players */
    SB_LOG_RECENT = 64,       /* recent lines kept for a display */
    SB_LOG_RECENT_MAX = 480   /* bytes kept of a recent line, with its NUL */
};

typedef struct sb_log_line sb_log_line;

typedef struct sb_log_options {
    int          descriptor; /* -1: lines are only kept as recent lines */
    sb_log_level level;      /* less important lines are not written */
    bool         json, colour;
    bool         priorities; /* lines begin with <3>, <4>, <6> or <7>, which a journal reads */
    /* Takes each complete line instead of the descriptor: for answers to commands. NULL: the
     * descriptor. The log then needs no sb_log_open, and one thread uses it. */
    void (*take)(void *context, const sb_log_line *line);
    void *take_context;
} sb_log_options;

/* A copy of each line as JSON, for those who follow the log. Called with the lock of the log, on
 * any thread: it must not wait, nor write lines itself. */
typedef void (*sb_log_tap)(void *context, const char *json, size_t size);

/* Thread-safe once it is open. */
typedef struct sb_log {
    sb_log_options  options;
    pthread_mutex_t lock;     /* protects options.descriptor and all below */
    int             terminal; /* a second, non-blocking descriptor of a terminal; -1: no terminal */
    uint64_t        lost;     /* lines dropped because the reader fell behind */
    uint64_t        count;    /* lines so far */
    int             prompt;   /* an eventfd, written after each line; -1: no prompt */
    sb_log_tap      tap;      /* NULL: nobody follows */
    void           *tap_context;
    bool            has_tap; /* atomic: lines collect their values, in a text log, too */
    char            recent[SB_LOG_RECENT][SB_LOG_RECENT_MAX]; /* as text, also in JSON mode */
} sb_log;

/* True if the descriptor leads to the journal of systemd (JOURNAL_STREAM). */
bool sb_log_is_journal(int descriptor);
void sb_log_open(sb_log *log, const sb_log_options *options);
void sb_log_close(sb_log *log);
/* Writes further lines to `descriptor`; -1: to none. For a display that draws on the terminal. */
void sb_log_redirect(sb_log *log, int descriptor);
void sb_log_set_level(sb_log *log, sb_log_level level);
/* Lines dropped so far because the reader fell behind. */
uint64_t sb_log_lost(sb_log *log);
/* Further lines erase the line of the terminal in which a prompt is, and then tell the owner of the
 * prompt by the eventfd to draw it again; -1: there is no prompt any more. */
void sb_log_set_prompt(sb_log *log, int eventfd);
/* Passes further lines on to `tap`, too; NULL: no more. When it returns, the last tap is not called
 * any more. */
void sb_log_set_tap(sb_log *log, sb_log_tap tap, void *context);
/* Copies the line that is `back` lines before the latest. False: it is not kept any more. */
bool sb_log_recent_line(sb_log *log, unsigned back, char out[SB_LOG_RECENT_MAX]);

enum { SB_LOG_NO_ROOM = 0 }; /* rooms are counted from 1 */

/* A line under construction. */
struct sb_log_line {
    sb_log      *log;
    sb_log_level level;
    unsigned     room;
    const char  *subsystem;
    bool         is_only_followed; /* for the tap; the log itself does not write its level */
    char         text[SB_LOG_LINE_MAX / 2];
    size_t       text_size;
    char         values[SB_LOG_VALUES_MAX]; /* JSON: ,"key":value... */
    size_t       values_size;
    bool         has_list;    /* a list is open */
    size_t       item_start;  /* of the open item of the list */
    bool         item_is_cut; /* a value of the open item did not fit */
};

/* True if lines of this level are written, or a tap takes them: it gets all but debug lines,
 * whatever the level of the log. */
bool sb_log_wants(const sb_log *log, sb_log_level level);
/* Starts a line. False: nobody wants lines of this level; do not call sb_log_end. `subsystem`: a
 * word, borrowed. */
bool sb_log_start(sb_log_line *line, sb_log *log, sb_log_level level, const char *subsystem,
                  unsigned room);
/* Starts the answer to a command: it is written whatever the level. */
void sb_log_start_answer(sb_log_line *line, sb_log *log, const char *subsystem, unsigned room);
/* Append to the sentence. Bytes that are not UTF-8 and characters that are not visible
 * (base/utf8.h) become '?'. */
void sb_log_text(sb_log_line *line, const char *format, ...) __attribute__((format(printf, 2, 3)));
void sb_log_span(sb_log_line *line, sb_span text);
/* Add named values to a JSON line; text lines omit them. Keys are plain words. A value that does
 * not fit is left out. */
void sb_log_value_text(sb_log_line *line, const char *key, sb_span text);
void sb_log_value_word(sb_log_line *line, const char *key, const char *text);
void sb_log_value_number(sb_log_line *line, const char *key, int64_t value);
void sb_log_value_figure(sb_log_line *line, const char *key, double value);
/* A named list of objects: between start and end of an item, the functions above add to the item.
 * An item that does not fit is left out. */
void sb_log_start_list(sb_log_line *line, const char *key);
void sb_log_start_item(sb_log_line *line);
void sb_log_end_item(sb_log_line *line);
void sb_log_end_list(sb_log_line *line);
void sb_log_end(sb_log_line *line);
/* Instead of sb_log_end, for a line that must not be lost: formats it, with a newline, and returns
 * its size. The caller writes it. */
size_t sb_log_format(const sb_log_line *line, char out[SB_LOG_BYTES_MAX]);
/* The same as JSON, whatever the options of the log. */
size_t sb_log_format_json(const sb_log_line *line, char out[SB_LOG_BYTES_MAX]);

/* Write a whole line without named values: the answer to a command, or a line of `level`. */
void sb_log_answer(sb_log *log, const char *subsystem, unsigned room, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void sb_log_message(sb_log *log, sb_log_level level, const char *subsystem, unsigned room,
                    const char *format, ...) __attribute__((format(printf, 5, 6)));

/* ---- rate limits ---- */

/* Limits one kind of line to a number per second. Starts as { 0 }; not thread-safe. */
typedef struct sb_log_limit {
    sb_time  second_ends_at;
    unsigned used; /* in this second */
    uint64_t skipped;
} sb_log_limit;

/* Spends one line of the budget. True: write the line; *skipped is the number of lines that were
 * not written since the last one. False: the budget of this second is exhausted. */
bool sb_log_limit_spend(sb_log_limit *limit, sb_time now, unsigned per_second, uint64_t *skipped);

#endif
