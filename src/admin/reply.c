/* src/admin/reply.c -- the answer to a command: lines for people with named values for programs.
 *
 * Tests:    tests/admin/command_test.c
 */
#include "admin/reply.h"

#include <stdarg.h>
#include <stdio.h>

void sb_reply_init(sb_reply *reply, sb_log *log, const char *subsystem)
{
    *reply = (sb_reply){ .log = log, .subsystem = subsystem };
}

void sb_reply_start(const sb_reply *reply, sb_log_line *line, unsigned room)
{
    sb_log_start_answer(line, reply->log, reply->subsystem, room);
}

static void write_line(sb_reply *reply, unsigned room, const char *format, va_list list)
{
    sb_log_line line;
    vsnprintf(reply->summary, sizeof reply->summary, format, list);
    sb_reply_start(reply, &line, room);
    sb_log_text(&line, "%s", reply->summary);
    sb_log_end(&line);
}

void sb_reply_say(sb_reply *reply, unsigned room, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    write_line(reply, room, format, list);
    va_end(list);
}

void sb_reply_refuse(sb_reply *reply, unsigned room, const char *format, ...)
{
    va_list list;
    reply->status = SB_REPLY_NEGATIVE;
    va_start(list, format);
    write_line(reply, room, format, list);
    va_end(list);
}

void sb_reply_usage(sb_reply *reply, unsigned room, const char *format, ...)
{
    va_list list;
    reply->status = SB_REPLY_USAGE;
    va_start(list, format);
    write_line(reply, room, format, list);
    va_end(list);
}
