/* src/admin/reply.h -- the answer to a command: lines for people with named values for programs.
 *
 * For:      commands. A line of an answer is a log line (platform/log.h): a sentence, and values
 *           with stable keys. Each door takes the lines in its form: the console writes them to the
 *           log, the control socket sends each as a JSON object, and in chat the player is told the
 *           sentence.
 * Never:    allocates or keeps lines.
 * Tests:    tests/admin/command_test.c
 *
 *     sb_reply_say(reply, room, "%s is removed", name);
 *
 *     sb_log_line line;                              // with values
 *     sb_reply_start(reply, &line, room);
 *     sb_log_text(&line, "%s is removed", name);
 *     sb_log_value_word(&line, "player", name);
 *     sb_log_end(&line);
 */
#ifndef SB_ADMIN_REPLY_H
#define SB_ADMIN_REPLY_H

#include "platform/log.h"

/* How a command ended; also the exit status of `starbase ctl`. */
typedef enum sb_reply_status {
    SB_REPLY_FINE = 0,
    SB_REPLY_NEGATIVE = 1, /* understood, but not done: no such player, not allowed ... */
    SB_REPLY_USAGE = 2,    /* not understood */
} sb_reply_status;

enum { SB_REPLY_SUMMARY = 640 };

typedef struct sb_reply {
    sb_log         *log;       /* borrowed: where lines go, and whether they need values */
    const char     *subsystem; /* of the lines: "console", "ctl", "chat"; borrowed */
    sb_reply_status status;
    char            summary[SB_REPLY_SUMMARY]; /* the latest sentence of say, refuse or usage, for
                                                  the audit */
} sb_reply;

void sb_reply_init(sb_reply *reply, sb_log *log, const char *subsystem);
/* Starts a line with values; sb_log_end ends it. `room`: a number from 1, or SB_LOG_NO_ROOM. */
void sb_reply_start(const sb_reply *reply, sb_log_line *line, unsigned room);
/* Whole lines without values. refuse and usage also set the status. */
void sb_reply_say(sb_reply *reply, unsigned room, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void sb_reply_refuse(sb_reply *reply, unsigned room, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void sb_reply_usage(sb_reply *reply, unsigned room, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
