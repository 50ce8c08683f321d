/* apps/bot/output.c -- non-blocking output of lines, with a buffer for a slow reader.
 *
 * Tests:    tests/apps/bot_test.py
 */
#include "bot/bot.h"

#include "platform/nonblocking.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool bot_output_open(bot_output *o)
{
    *o = (bot_output){ .descriptor = sb_nonblocking_open(STDOUT_FILENO),
                       .errors = sb_nonblocking_open(STDERR_FILENO) };
    o->line = open_memstream(&o->text, &o->size);
    return o->line && o->descriptor >= 0 && o->errors >= 0;
}

bool bot_output_send(bot_output *o)
{
    if (o->first < o->end) {
        ssize_t written =
            sb_nonblocking_write(o->descriptor, o->waiting + o->first, o->end - o->first);
        if (written < 0) o->gone = true;
        o->first = o->gone ? o->end : o->first + (size_t)written;
    }
    if (o->first == o->end) o->first = o->end = 0;
    return o->end == 0;
}

static void compact(bot_output *o)
{
    memmove(o->waiting, o->waiting + o->first, o->end - o->first);
    o->end -= o->first;
    o->first = 0;
}

static void write_waiting(bot_output *o, const char *text)
{
    if (text) (void)sb_nonblocking_write(o->errors, text, strlen(text));
}

void bot_output_show_waiting(bot_output *o, sb_time now, bool heard)
{
    write_waiting(o, heard ? sb_waiting_end(&o->notice) : sb_waiting_next(&o->notice, now));
}

void bot_output_end_line(bot_output *o)
{
    write_waiting(o, sb_waiting_end(&o->notice));
    (void)fflush(o->line);
    if (o->size > sizeof o->waiting - o->end) compact(o);
    if (o->size > sizeof o->waiting - o->end) o->lost++;
    else if (!o->gone) {
        memcpy(o->waiting + o->end, o->text, o->size);
        o->end += o->size;
    }
    rewind(o->line);
    (void)bot_output_send(o);
}

void bot_output_error(bot_output *o, const char *format, ...)
{
    char    text[2 * BOT_REASON_BYTES];
    va_list list;
    write_waiting(o, sb_waiting_end(&o->notice));
    va_start(list, format);
    int size = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (size < 0 || (size_t)size >= sizeof text) size = (int)strlen(text);
    if (sb_nonblocking_write(o->errors, text, (size_t)size) < size) o->lost++;
}

void bot_output_close(bot_output *o)
{
    write_waiting(o, sb_waiting_end(&o->notice));
    for (size_t i = o->first; i < o->end; i++) o->lost += o->waiting[i] == '\n';
    if (o->lost > 0)
        bot_output_error(o, "starbase bot: %llu lines were lost: the reader was too slow\n",
                         (unsigned long long)o->lost);
    if (o->line) (void)fclose(o->line);
    free(o->text);
    if (o->descriptor >= 0) (void)close(o->descriptor);
    if (o->errors >= 0) (void)close(o->errors);
}
