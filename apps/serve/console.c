/* apps/serve/console.c -- commands of the operator, one per line, from a terminal or a pipe.
 *
 * For:      serve.c. Answers are log lines, written at every log level. In this order: the input,
 *           running a line, editing a line. src/admin parses and runs the commands.
 * Tests:    tests/apps/serve_test.py
 */
#include "serve/serve.h"

#include "admin/admin.h"
#include "platform/clock.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the input ---- */

static bool is_pipe(int descriptor)
{
    struct stat status;
    int         domain = 0;
    socklen_t   size = sizeof domain;
    if (fstat(descriptor, &status) != 0) return false;
    if (S_ISFIFO(status.st_mode)) return true;
    if (!S_ISSOCK(status.st_mode)) return false; /* some parents use a socket pair as stdin */
    return getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &domain, &size) == 0 && domain == AF_UNIX;
}

void serve_console_open(serve *s)
{
    serve_console *c = &s->console;
    *c = (serve_console){ .descriptor = -1 };
    if (!s->first->console) return;
    c->terminal = isatty(STDIN_FILENO) == 1;
    if (c->terminal || is_pipe(STDIN_FILENO)) c->descriptor = STDIN_FILENO;
}

/* The system stops a background process that reads from its terminal. */
bool serve_console_is_in_background(const serve *s)
{
    const serve_console *c = &s->console;
    return c->descriptor >= 0 && c->terminal && tcgetpgrp(c->descriptor) != getpgrp();
}

void serve_console_update(serve *s)
{
    if (s->console.descriptor < 0) return;
    serve_watch_events(s, s->console.descriptor, serve_console_is_in_background(s) ? 0 : POLLIN);
}

/* ---- running a line ---- */

static void run_line(serve *s, const char *line)
{
    static const sb_actor console = { SB_DOOR_CONSOLE, SB_ROLE_OPERATOR, "console", 0, 0 };
    sb_reply              reply;
    sb_reply_init(&reply, &s->log, "console");
    (void)sb_admin_run(s->admin, &console, line, sb_clock_now(), &reply);
}

static void finish_line(serve *s)
{
    serve_console *c = &s->console;
    bool           too_long = c->too_long;
    c->line[c->size] = '\0';
    c->size = 0;
    c->too_long = false;
    if (!too_long) run_line(s, c->line);
    else
        sb_log_answer(&s->log, "console", SB_LOG_NO_ROOM, "a command has at most %d bytes",
                      SERVE_LINE - 1);
}

/* ---- editing a line ---- */

/* Erases all bytes of the last character. */
static void erase_character(serve_console *c)
{
    while (c->size > 0 && ((unsigned char)c->line[c->size - 1] & 0xC0) == 0x80) c->size--;
    if (c->size > 0) c->size--;
}

/* Arrows, PgUp and PgDn scroll the view. */
static void end_escape(serve_console *c, unsigned char byte)
{
    c->escape = 0;
    if (byte == 'A') c->scroll_lines--;
    if (byte == 'B') c->scroll_lines++;
    if (byte == '~' && c->escape_parameter == '5') c->scroll_pages--;
    if (byte == '~' && c->escape_parameter == '6') c->scroll_pages++;
    c->escape_parameter = 0;
}

/* Skips the sequences of arrow keys and the like: ESC, perhaps '[' or 'O', parameters, a letter.
 * True: the byte belongs to such a sequence. */
static bool skip_escape(serve_console *c, unsigned char byte)
{
    if (byte == 0x1B) c->escape = 1;
    else if (c->escape == 1 && (byte == '[' || byte == 'O')) c->escape = 2;
    else if (c->escape == 2 && (byte < 0x40 || byte > 0x7E)) c->escape_parameter = (char)byte;
    else if (c->escape) end_escape(c, byte);
    else return false;
    return true;
}

static void handle_byte(serve *s, unsigned char byte)
{
    serve_console *c = &s->console;
    enum { CTRL_U = 0x15, BACKSPACE = 0x08, DELETE = 0x7F };
    if (byte == '\n' || (byte == '\r' && c->editing)) {
        finish_line(s);
        return;
    }
    if (skip_escape(c, byte)) return;
    if (byte == CTRL_U) c->size = 0;
    else if (byte == BACKSPACE || byte == DELETE) erase_character(c);
    else if (byte == '\t') byte = ' ';
    if (byte < 0x20 || byte == DELETE) return;
    if (c->size < SERVE_LINE - 1) c->line[c->size++] = (char)byte;
    else c->too_long = true;
}

static void end_input(serve *s)
{
    serve_console *c = &s->console;
    if (c->size > 0) finish_line(s); /* the last line may lack its newline */
    serve_unwatch(s, c->descriptor);
    c->descriptor = -1;
    sb_log_message(&s->log, SB_LOG_INFO, "console", SB_LOG_NO_ROOM,
                   "the input of commands has ended; the server continues");
}

static void read_input(serve *s, void *context, short events)
{
    serve_console *c = &s->console;
    char           bytes[256];
    ssize_t        size = read(c->descriptor, bytes, sizeof bytes);
    (void)context;
    (void)events;
    for (ssize_t i = 0; i < size && !s->stop; i++) handle_byte(s, (unsigned char)bytes[i]);
    if (size > 0 || (size < 0 && (errno == EINTR || errno == EAGAIN))) return;
    end_input(s);
}

void serve_console_watch(serve *s)
{
    serve_console *c = &s->console;
    int            lines = c->terminal && !c->editing ? serve_open_prompt(s) : -1;
    if (lines >= 0) {
        c->descriptor = lines;
        c->terminal = false;
    }
    if (s->console.descriptor >= 0)
        (void)serve_watch(s, s->console.descriptor, POLLIN, read_input, NULL);
}
