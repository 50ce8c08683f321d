/* apps/serve/console.c -- commands of the operator, one per line, from a terminal or a pipe.
 *
 * For:      serve.c. Answers are log lines, written at every log level. In this order: the input,
 *           the commands, parsing a line, editing a line.
 * Tests:    tests/apps/serve_test.py
 */
#include "serve/serve.h"

#include "base/suggestion.h"
#include "base/text.h"
#include "common/arguments.h"

#include <errno.h>
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

int serve_console_descriptor(const serve *s)
{
    return serve_console_is_in_background(s) ? -1 : s->console.descriptor;
}

/* ---- answers ---- */

#define ANSWER(s, room, ...) sb_log_answer(&(s)->log, "console", room, __VA_ARGS__)

/* ---- the commands ---- */

typedef enum scope {
    SCOPE_SERVER, /* the whole server: no room number allowed */
    SCOPE_ANY,    /* one room, or all rooms without a number */
    SCOPE_ONE     /* exactly one room */
} scope;

typedef struct request {
    serve *s;
    size_t first, count; /* the rooms it applies to */
    char  *text;         /* the text after the command */
    bool   stop;         /* set by `quit` */
} request;

typedef struct command {
    const char *name, *argument;
    scope       rooms;
    void (*run)(request *o);
    const char *help;
} command;

static void run_help(request *o);

static void run_status(request *o)
{
    serve_log_status(o->s, o->first, o->count);
}

/* Posts the command to each room, with its text in Windows-1252. False: the text is too long. */
static bool post_to_rooms(request *o, sb_room_command c, const char *text)
{
    uint8_t bytes[SERVE_LINE];
    sb_span game = { bytes, sb_windows1252_from_utf8(text, bytes, sizeof bytes) };
    if (game.size > SB_CHAT_MAX) {
        ANSWER(o->s, SB_LOG_NO_ROOM, "a chat line has at most %d characters; this one has %zu",
               SB_CHAT_MAX, game.size);
        return false;
    }
    if (game.size > 0) memcpy(c.text, game.data, game.size);
    c.text[game.size] = '\0';
    for (size_t i = o->first; i < o->first + o->count; i++) {
        c.room = (int)o->s->rooms[i].index;
        serve_post(o->s, o->s->rooms[i].loop, &c);
    }
    return true;
}

static unsigned room_of(const request *o)
{
    return o->count == 1 ? o->s->rooms[o->first].number : SB_LOG_NO_ROOM;
}

static void run_say(request *o)
{
    if (o->text[0] == '\0') ANSWER(o->s, SB_LOG_NO_ROOM, "a text is missing: `say TEXT`");
    else if (post_to_rooms(o, (sb_room_command){ .type = SB_ROOM_SAY }, o->text))
        ANSWER(o->s, room_of(o), "said: %s", o->text);
}

/* Ends the word at `text` with a NUL and returns the rest of the line. */
static char *split_word(char *text)
{
    char *rest = text + strcspn(text, " ");
    if (*rest) *rest++ = '\0';
    return rest + strspn(rest, " ");
}

static const sb_player_view *find_player(const sb_room_snapshot *seen, unsigned long id)
{
    for (uint32_t i = 0; i < seen->player_count; i++)
        if (seen->players[i].view.peer_id == id) return &seen->players[i].view;
    return NULL;
}

static void run_kick(request *o)
{
    unsigned long id;
    unsigned      room = room_of(o);
    char         *reason = split_word(o->text);
    if (!sb_argument_parse_count(o->text, 1, 255, &id)) {
        ANSWER(o->s, room, "an id is missing: `kick ID [REASON]`; `status` lists the ids");
        return;
    }
    serve_snapshot_room(o->s, o->first);
    const sb_player_view *player = find_player(o->s->snapshot, id);
    if (!player) {
        ANSWER(o->s, room, "there is no player %lu; `status` lists the ids", id);
        return;
    }
    sb_room_command c = { .type = SB_ROOM_KICK, .peer_id = (uint8_t)id };
    if (post_to_rooms(o, c, reason))
        ANSWER(o->s, room, "player %lu %s is removed", id, player->name);
}

static void run_end(request *o)
{
    serve_snapshot_room(o->s, o->first);
    if (o->s->snapshot->over) {
        ANSWER(o->s, room_of(o), "the match is over already; `restart` starts the next one");
        return;
    }
    (void)post_to_rooms(o, (sb_room_command){ .type = SB_ROOM_END_MATCH }, "");
    ANSWER(o->s, room_of(o), "the match ends");
}

static void run_restart(request *o)
{
    (void)post_to_rooms(o, (sb_room_command){ .type = SB_ROOM_RESTART_MATCH }, "");
    ANSWER(o->s, room_of(o), "a new match starts");
}

static void run_reload(request *o)
{
    serve_reload(o->s);
}

static void run_quit(request *o)
{
    o->stop = true;
}

static const command commands[] = {
    { "help", "", SCOPE_SERVER, run_help, "list the commands" },
    { "status", "", SCOPE_ANY, run_status, "show rooms, players with ids and queues, refusals" },
    { "say", "TEXT", SCOPE_ANY, run_say, "send a chat line as the server" },
    { "kick", "ID [REASON]", SCOPE_ONE, run_kick, "remove a player; the reason is sent first" },
    { "end", "", SCOPE_ONE, run_end, "end the match; the next one starts after `restart` seconds" },
    { "restart", "", SCOPE_ONE, run_restart, "start a new match now" },
    { "reload", "", SCOPE_SERVER, run_reload, "read the configuration again, as SIGHUP does" },
    { "quit", "", SCOPE_SERVER, run_quit, "say goodbye to the players and stop the server" },
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static void run_help(request *o)
{
    for (size_t i = 0; i < COMMANDS; i++) {
        char form[40];
        snprintf(form, sizeof form, "%s %s", commands[i].name, commands[i].argument);
        ANSWER(o->s, SB_LOG_NO_ROOM, "%-18s %s", form, commands[i].help);
    }
    if (o->s->room_count > 1)
        ANSWER(
            o->s, SB_LOG_NO_ROOM,
            "a number in front selects a room: `2 kick 5 spam`; without a number, status and say "
            "apply to all %zu rooms",
            o->s->room_count);
}

/* ---- parsing a line ---- */

static const command *find_command(const char *name)
{
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(commands[i].name, name) == 0) return &commands[i];
    return NULL;
}

static void explain_unknown(serve *s, const char *name)
{
    sb_suggestion near = sb_suggestion_start(name);
    for (size_t i = 0; i < COMMANDS; i++) sb_suggestion_try(&near, commands[i].name);
    if (near.best)
        ANSWER(s, SB_LOG_NO_ROOM, "there is no command `%.40s`; did you mean `%s`?", name,
               near.best);
    else ANSWER(s, SB_LOG_NO_ROOM, "there is no command `%.40s`; `help` lists them", name);
}

/* Removes the number of a room from the line. False: there is no such room; an answer says so. */
static bool parse_room(request *o, bool *named)
{
    unsigned long number;
    size_t        digits = strspn(o->text, "0123456789");
    *named = digits > 0 && (o->text[digits] == ' ' || o->text[digits] == '\0');
    o->first = 0;
    o->count = o->s->room_count;
    if (!*named) return true;
    char *rest = split_word(o->text);
    if (!sb_argument_parse_count(o->text, 1, (unsigned long)o->s->room_count, &number)) {
        ANSWER(o->s, SB_LOG_NO_ROOM, "there is no room %s, only 1 to %zu", o->text,
               o->s->room_count);
        return false;
    }
    o->first = number - 1;
    o->count = 1;
    o->text = rest;
    return true;
}

static bool check_arguments(const request *o, const command *c, bool named)
{
    if (c->rooms == SCOPE_SERVER && named)
        ANSWER(o->s, SB_LOG_NO_ROOM, "`%s` applies to the whole server: leave out the number",
               c->name);
    else if (c->rooms == SCOPE_ONE && o->count > 1)
        ANSWER(o->s, SB_LOG_NO_ROOM, "put the number of the room in front: `1 %s%s%s`", c->name,
               c->argument[0] ? " " : "", c->argument);
    else if (c->argument[0] == '\0' && o->text[0] != '\0')
        ANSWER(o->s, SB_LOG_NO_ROOM, "`%s` takes no argument, but `%.40s` follows", c->name,
               o->text);
    else return true;
    return false;
}

/* True: the command was `quit`. */
static bool run_line(serve *s, char *line)
{
    request o = { .s = s, .text = line + strspn(line, " ") };
    bool    named;
    for (size_t end = strlen(line); end > 0 && line[end - 1] == ' ';) line[--end] = '\0';
    if (o.text[0] == '\0' || !parse_room(&o, &named)) return false;
    char *name = o.text;
    o.text = split_word(name);
    const command *c = find_command(name);
    if (!c) explain_unknown(s, name);
    else if (check_arguments(&o, c, named)) c->run(&o);
    return o.stop;
}

/* ---- editing a line ---- */

static bool finish_line(serve *s)
{
    serve_console *c = &s->console;
    bool           too_long = c->too_long;
    c->line[c->size] = '\0';
    c->size = 0;
    c->too_long = false;
    if (!too_long) return run_line(s, c->line);
    ANSWER(s, SB_LOG_NO_ROOM, "a command has at most %d bytes", SERVE_LINE - 1);
    return false;
}

/* Erases all bytes of the last character. */
static void erase_character(serve_console *c)
{
    while (c->size > 0 && ((unsigned char)c->line[c->size - 1] & 0xC0) == 0x80) c->size--;
    if (c->size > 0) c->size--;
}

/* Skips the sequences of arrow keys and the like: ESC, perhaps '[' or 'O', parameters, a letter.
 * True: the byte belongs to such a sequence. */
static bool skip_escape(serve_console *c, unsigned char byte)
{
    if (byte == 0x1B) c->escape = 1;
    else if (c->escape == 1 && (byte == '[' || byte == 'O')) c->escape = 2;
    else if (c->escape == 2 && (byte < 0x40 || byte > 0x7E)) return true;
    else if (c->escape) c->escape = 0;
    else return false;
    return true;
}

static bool handle_byte(serve *s, unsigned char byte)
{
    serve_console *c = &s->console;
    enum { CTRL_U = 0x15, BACKSPACE = 0x08, DELETE = 0x7F };
    if (byte == '\n' || (byte == '\r' && c->editing)) return finish_line(s);
    if (skip_escape(c, byte)) return false;
    if (byte == CTRL_U) c->size = 0;
    else if (byte == BACKSPACE || byte == DELETE) erase_character(c);
    else if (byte == '\t') byte = ' ';
    if (byte < 0x20 || byte == DELETE) return false;
    if (c->size < SERVE_LINE - 1) c->line[c->size++] = (char)byte;
    else c->too_long = true;
    return false;
}

bool serve_console_read(serve *s)
{
    serve_console *c = &s->console;
    char           bytes[256];
    ssize_t        size = read(c->descriptor, bytes, sizeof bytes);
    bool           stop = false;
    for (ssize_t i = 0; i < size && !stop; i++) stop = handle_byte(s, (unsigned char)bytes[i]);
    if (size > 0 || (size < 0 && (errno == EINTR || errno == EAGAIN))) return stop;
    stop = c->size > 0 && finish_line(s); /* the last line may lack its newline */
    c->descriptor = -1;
    sb_log_message(&s->log, SB_LOG_INFO, "console", SB_LOG_NO_ROOM,
                   "the input of commands has ended; the server continues");
    return stop;
}
