/* src/platform/log.c -- log lines, built on the caller's stack and written with one system call. */
#include "platform/log.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/utf8.h"
#include "platform/clock.h"
#include "platform/nonblocking.h"

const char *const sb_log_level_words[SB_LOG_LEVELS + 1] = {
    [SB_LOG_ERROR] = "error",
    [SB_LOG_WARNING] = "warning",
    [SB_LOG_INFO] = "info",
    [SB_LOG_DEBUG] = "debug",
};

const char *sb_log_level_text(sb_log_level level)
{
    return (unsigned)level < SB_LOG_LEVELS ? sb_log_level_words[level] : "?";
}

/* A terminal whose output is stopped (Ctrl-S) blocks writes, so it gets a
 * non-blocking descriptor. */
static void set_output(sb_log *log, int descriptor)
{
    if (log->terminal >= 0) (void)close(log->terminal);
    log->terminal = descriptor >= 0 && isatty(descriptor) ? sb_nonblocking_open(descriptor) : -1;
    log->options.descriptor = descriptor;
}

/* systemd names the device and the inode of the stream; another value means that stderr was
 * redirected since. */
bool sb_log_is_journal(int descriptor)
{
    const char *stream = getenv("JOURNAL_STREAM");
    const char *colon = stream ? strchr(stream, ':') : NULL;
    struct stat is;
    if (!colon || fstat(descriptor, &is) != 0) return false;
    return strtoull(stream, NULL, 10) == is.st_dev && strtoull(colon + 1, NULL, 10) == is.st_ino;
}

void sb_log_open(sb_log *log, const sb_log_options *options)
{
    *log = (sb_log){ .options = *options, .terminal = -1, .prompt = -1 };
    set_output(log, options->descriptor);
    pthread_mutex_init(&log->lock, NULL);
}

void sb_log_close(sb_log *log)
{
    set_output(log, -1);
    pthread_mutex_destroy(&log->lock);
}

void sb_log_redirect(sb_log *log, int descriptor)
{
    pthread_mutex_lock(&log->lock);
    set_output(log, descriptor);
    pthread_mutex_unlock(&log->lock);
}

/* Atomic, because every thread reads the level without the lock. */
void sb_log_set_level(sb_log *log, sb_log_level level)
{
    __atomic_store_n(&log->options.level, level, __ATOMIC_RELAXED);
}

uint64_t sb_log_lost(sb_log *log)
{
    pthread_mutex_lock(&log->lock);
    uint64_t lost = log->lost;
    pthread_mutex_unlock(&log->lock);
    return lost;
}

void sb_log_set_prompt(sb_log *log, int eventfd)
{
    pthread_mutex_lock(&log->lock);
    log->prompt = eventfd;
    pthread_mutex_unlock(&log->lock);
}

void sb_log_set_tap(sb_log *log, sb_log_tap tap, void *context)
{
    pthread_mutex_lock(&log->lock);
    log->tap = tap;
    log->tap_context = context;
    pthread_mutex_unlock(&log->lock);
    __atomic_store_n(&log->has_tap, tap != NULL, __ATOMIC_RELAXED);
}

/* True if somebody reads the named values of the lines. */
static bool keeps_values(const sb_log *log)
{
    return log->options.json || __atomic_load_n(&log->has_tap, __ATOMIC_RELAXED);
}

bool sb_log_recent_line(sb_log *log, unsigned back, char out[SB_LOG_RECENT_MAX])
{
    pthread_mutex_lock(&log->lock);
    bool found = back < SB_LOG_RECENT && back < log->count;
    if (found) memcpy(out, log->recent[(log->count - 1 - back) % SB_LOG_RECENT], SB_LOG_RECENT_MAX);
    pthread_mutex_unlock(&log->lock);
    return found;
}

/* ---- untrusted texts ---- */

/* The size of the character at `s`; 0: it is not visible, or not UTF-8. *skip: the bytes to skip in
 * either case. */
static size_t character_size(const uint8_t *s, size_t left, size_t *skip)
{
    uint32_t code;
    size_t   size = sb_utf8_read(s, left, &code);
    SB_ASSERT(size <= left);
    *skip = size ? size : 1;
    return size && sb_is_visible(code) ? size : 0;
}

static bool is_plain(uint8_t c)
{
    return c >= 0x20 && c < 0x7F && c != '"' && c != '\\';
}

/* Appends as many characters as fit, and returns the new size. With `json`, escapes quotes and
 * backslashes. */
static size_t append_clean(char *out, size_t at, size_t capacity, sb_span text, bool json)
{
    for (size_t i = 0; i < text.size;) {
        if (is_plain(text.data[i]) && at < capacity) { /* most are, and there are many lines */
            out[at++] = (char)text.data[i++];
            continue;
        }
        size_t skip, size = character_size(text.data + i, text.size - i, &skip);
        bool   escape = json && size == 1 && (text.data[i] == '"' || text.data[i] == '\\');
        size_t needed = (size ? size : 1) + escape;
        if (needed > capacity - at) break;
        if (escape) out[at++] = '\\';
        if (size == 0) out[at++] = '?';
        for (size_t k = 0; k < size; k++) out[at++] = (char)text.data[i + k];
        i += skip;
    }
    return at;
}

/* ---- building a line ---- */

static void start_line(sb_log_line *line, sb_log *log, sb_log_level level, const char *subsystem,
                       unsigned room)
{
    line->log = log;
    line->level = level;
    line->room = room;
    line->subsystem = subsystem;
    line->is_only_followed = false;
    line->text_size = line->values_size = 0;
}

static bool is_written(const sb_log *log, sb_log_level level)
{
    return level <= __atomic_load_n(&log->options.level, __ATOMIC_RELAXED);
}

/* A follower sees what happens even if the log itself is quiet. */
bool sb_log_wants(const sb_log *log, sb_log_level level)
{
    bool followed = level <= SB_LOG_INFO && __atomic_load_n(&log->has_tap, __ATOMIC_RELAXED);
    return followed || is_written(log, level);
}

bool sb_log_start(sb_log_line *line, sb_log *log, sb_log_level level, const char *subsystem,
                  unsigned room)
{
    if (!sb_log_wants(log, level)) return false;
    start_line(line, log, level, subsystem, room);
    line->is_only_followed = !is_written(log, level);
    return true;
}

void sb_log_start_answer(sb_log_line *line, sb_log *log, const char *subsystem, unsigned room)
{
    start_line(line, log, SB_LOG_INFO, subsystem, room);
}

void sb_log_span(sb_log_line *line, sb_span text)
{
    line->text_size = append_clean(line->text, line->text_size, sizeof line->text, text, false);
}

static void append_formatted(sb_log_line *line, const char *format, va_list list)
{
    char text[SB_LOG_LINE_MAX / 2];
    int  size = vsnprintf(text, sizeof text, format, list);
    if (size < 0) return;
    if ((size_t)size >= sizeof text) size = (int)sizeof text - 1;
    sb_log_span(line, (sb_span){ (const uint8_t *)text, (size_t)size });
}

void sb_log_text(sb_log_line *line, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    append_formatted(line, format, list);
    va_end(list);
}

/* Space that stays free for the end of an open item and of its list. */
enum { CLOSING_BYTES = 2 };

static bool append_raw(sb_log_line *line, const char *text)
{
    size_t size = strlen(text);
    if (line->values_size + size + CLOSING_BYTES >= sizeof line->values) return false;
    memcpy(line->values + line->values_size, text, size + 1);
    line->values_size += size;
    return true;
}

/* Appends the value only if it fits whole: a cut value would not be JSON. */
static void append_value(sb_log_line *line, const char *key, const char *value)
{
    size_t before = line->values_size;
    bool   first = before > 0 && line->values[before - 1] == '{';
    bool   fits = append_raw(line, first ? "\"" : ",\"") && append_raw(line, key) &&
                append_raw(line, "\":") && append_raw(line, value);
    if (fits) return;
    line->values_size = before;
    line->item_is_cut = true;
}

void sb_log_start_list(sb_log_line *line, const char *key)
{
    size_t before = line->values_size;
    if (keeps_values(line->log)) append_value(line, key, "[");
    line->has_list = line->values_size > before;
}

void sb_log_start_item(sb_log_line *line)
{
    if (!line->has_list) return;
    line->item_start = line->values_size;
    line->item_is_cut = !append_raw(line, line->values[line->values_size - 1] == '[' ? "{" : ",{");
}

void sb_log_end_item(sb_log_line *line)
{
    if (!line->has_list) return;
    if (line->item_is_cut) line->values_size = line->item_start;
    else line->values[line->values_size++] = '}';
}

void sb_log_end_list(sb_log_line *line)
{
    if (line->has_list) line->values[line->values_size++] = ']';
    line->has_list = false;
}

void sb_log_value_text(sb_log_line *line, const char *key, sb_span text)
{
    char quoted[640];
    if (!keeps_values(line->log)) return;
    quoted[0] = '"';
    size_t size = append_clean(quoted, 1, sizeof quoted - 2, text, true);
    quoted[size] = '"';
    quoted[size + 1] = '\0';
    append_value(line, key, quoted);
}

void sb_log_value_word(sb_log_line *line, const char *key, const char *text)
{
    sb_log_value_text(line, key, (sb_span){ (const uint8_t *)text, strlen(text) });
}

void sb_log_value_number(sb_log_line *line, const char *key, int64_t value)
{
    char text[24];
    if (!keeps_values(line->log)) return;
    snprintf(text, sizeof text, "%lld", (long long)value);
    append_value(line, key, text);
}

void sb_log_value_figure(sb_log_line *line, const char *key, double value)
{
    char text[32];
    if (!keeps_values(line->log)) return;
    snprintf(text, sizeof text, "%.6g", value);
    append_value(line, key, isfinite(value) ? text : "null");
}

/* ---- writing a line ---- */

enum {
    PRIORITY_BYTES = 3,
    HEAD_BYTES = 192, /* of a JSON line: all but its text and its values; with the priority */
    JSON_TEXT_MAX = SB_LOG_BYTES_MAX - SB_LOG_VALUES_MAX - HEAD_BYTES,
};

/* The text is escaped here and not before, because recent lines are shown unescaped. It is cut
 * where the values leave no more space. */
static size_t format_json(const sb_log_line *line, const char *time, char *out, size_t capacity)
{
    char    room[32] = "", text[2 * sizeof line->text]; /* at worst every byte is escaped */
    sb_span plain = { (const uint8_t *)line->text, line->text_size };
    size_t  space = JSON_TEXT_MAX + sizeof line->values - line->values_size;
    if (space > sizeof text) space = sizeof text;
    size_t size_of_text = append_clean(text, 0, space, plain, true);
    if (line->room) snprintf(room, sizeof room, ",\"room\":%u", line->room);
    int size = snprintf(out, capacity,
                        "{\"time\":\"%s\",\"level\":\"%s\",\"subsystem\":\"%s\"%s,"
                        "\"message\":\"%.*s\"%.*s}\n",
                        time, sb_log_level_text(line->level), line->subsystem, room,
                        (int)size_of_text, text, (int)line->values_size, line->values);
    SB_ASSERT(size > 0 && (size_t)size < capacity);
    return (size_t)size;
}

static size_t format_text(const sb_log_line *line, const char *time, bool colour, char *out,
                          size_t capacity)
{
    static const char *const colours[] = { "\033[31m", "\033[33m", "", "\033[2m" };
    SB_ASSERT((unsigned)line->level < SB_LOG_LEVELS);
    const char *on = colour ? colours[line->level] : "", *off = on[0] ? "\033[0m" : "";
    char        room[24] = "";
    if (line->room) snprintf(room, sizeof room, "room %u: ", line->room);
    int size = snprintf(out, capacity, "%s%s %-7s %-8s %s%.*s%s\n", on, time,
                        sb_log_level_text(line->level), line->subsystem, room, (int)line->text_size,
                        line->text, off);
    return (size_t)size;
}

/* Stores the line for the display, without date and newline. */
static void store_recent(sb_log *log, const sb_log_line *line, const char *time)
{
    char  *out = log->recent[log->count++ % SB_LOG_RECENT];
    char   whole[SB_LOG_LINE_MAX];
    size_t size = format_text(line, time, false, whole, sizeof whole);
    size_t skip = strlen("2026-01-31T");
    memset(out, 0, SB_LOG_RECENT_MAX);
    size = size - skip - 1 < SB_LOG_RECENT_MAX ? size - skip - 1 : SB_LOG_RECENT_MAX - 1;
    memcpy(out, whole + skip, size);
}

/* A pipe accepts up to PIPE_BUF bytes whole or not at all, and a line is not longer. */
static void write_line(sb_log *log, const char *bytes, size_t size)
{
    int descriptor = log->terminal >= 0 ? log->terminal : log->options.descriptor;
    if (descriptor >= 0 && sb_nonblocking_write(descriptor, bytes, size) != (ssize_t)size)
        log->lost++;
}

static void write_above_prompt(sb_log *log, const char *bytes, size_t size)
{
    static const char erase[] = "\r\033[K";
    const uint64_t    one = 1;
    char              out[SB_LOG_BYTES_MAX + sizeof erase];
    memcpy(out, erase, sizeof erase - 1);
    memcpy(out + sizeof erase - 1, bytes, size);
    write_line(log, out, size + sizeof erase - 1);
    (void)!write(log->prompt, &one, sizeof one);
}

static size_t format_line(const sb_log_line *line, const char *time, char out[SB_LOG_BYTES_MAX])
{
    const sb_log_options *o = &line->log->options;
    return o->json ? format_json(line, time, out, SB_LOG_BYTES_MAX)
                   : format_text(line, time, o->colour, out, SB_LOG_BYTES_MAX);
}

size_t sb_log_format(const sb_log_line *line, char out[SB_LOG_BYTES_MAX])
{
    char time[SB_CLOCK_TEXT];
    sb_clock_text(sb_clock_wall_us(), time);
    return format_line(line, time, out);
}

/* sd-daemon(3): the priorities of syslog. Returns their size. */
static size_t format_priority(const sb_log_line *line, char *out)
{
    static const char *const priorities[SB_LOG_LEVELS] = {
        [SB_LOG_ERROR] = "<3>",
        [SB_LOG_WARNING] = "<4>",
        [SB_LOG_INFO] = "<6>",
        [SB_LOG_DEBUG] = "<7>",
    };
    if (!line->log->options.priorities) return 0;
    memcpy(out, priorities[line->level], PRIORITY_BYTES);
    return PRIORITY_BYTES;
}

size_t sb_log_format_json(const sb_log_line *line, char out[SB_LOG_BYTES_MAX])
{
    char time[SB_CLOCK_TEXT];
    sb_clock_text(sb_clock_wall_us(), time);
    return format_json(line, time, out, SB_LOG_BYTES_MAX);
}

/* The buffer is on the stack of its own function: few lines need it. */
static void pass_to_tap(sb_log *log, const sb_log_line *line, const char *time)
{
    char   out[SB_LOG_BYTES_MAX];
    size_t size = format_json(line, time, out, sizeof out);
    log->tap(log->tap_context, out, size);
}

void sb_log_end(sb_log_line *line)
{
    sb_log *log = line->log;
    char    time[SB_CLOCK_TEXT], out[PRIORITY_BYTES + SB_LOG_BYTES_MAX];
    if (log->options.take) {
        log->options.take(log->options.take_context, line);
        return;
    }
    sb_clock_text(sb_clock_wall_us(), time);
    if (line->is_only_followed) {
        pthread_mutex_lock(&log->lock);
        if (log->tap) pass_to_tap(log, line, time);
        pthread_mutex_unlock(&log->lock);
        return;
    }
    size_t start = format_priority(line, out);
    size_t size = start + format_line(line, time, out + start);
    pthread_mutex_lock(&log->lock);
    store_recent(log, line, time);
    if (log->prompt >= 0) write_above_prompt(log, out, size);
    else write_line(log, out, size);
    if (log->tap) pass_to_tap(log, line, time);
    pthread_mutex_unlock(&log->lock);
}

void sb_log_message(sb_log *log, sb_log_level level, const char *subsystem, unsigned room,
                    const char *format, ...)
{
    sb_log_line line;
    va_list     list;
    if (!sb_log_start(&line, log, level, subsystem, room)) return;
    va_start(list, format);
    append_formatted(&line, format, list);
    va_end(list);
    sb_log_end(&line);
}

void sb_log_answer(sb_log *log, const char *subsystem, unsigned room, const char *format, ...)
{
    sb_log_line line;
    va_list     list;
    sb_log_start_answer(&line, log, subsystem, room);
    va_start(list, format);
    append_formatted(&line, format, list);
    va_end(list);
    sb_log_end(&line);
}

/* ---- rate limits ---- */

bool sb_log_limit_spend(sb_log_limit *limit, sb_time now, unsigned per_second, uint64_t *skipped)
{
    if (now >= limit->second_ends_at) {
        limit->second_ends_at = now + SB_SECOND;
        limit->used = 0;
    }
    if (limit->used >= per_second) {
        limit->skipped++;
        return false;
    }
    limit->used++;
    *skipped = limit->skipped;
    limit->skipped = 0;
    return true;
}
