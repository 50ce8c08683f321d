/* apps/serve/console.c -- what the operator types: a command per line, from a terminal or a pipe.
 *
 * Answers are lines of the log, whatever its level. In request: where lines come from, the
 * commands, how a line is understood, how it is put together.
 */
#include "serve/serve.h"

#include "base/text.h"
#include "common/arguments.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- where lines come from ---- */

static bool is_pipe(int descriptor)
{
    struct stat is;
    int         domain = 0;
    socklen_t   size = sizeof domain;
    if (fstat(descriptor, &is) != 0) return false;
    if (S_ISFIFO(is.st_mode)) return true;
    if (!S_ISSOCK(is.st_mode)) return false; /* some programs give their children socket pairs */
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

/* Who reads from a terminal in the background is stopped by the system. */
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

/* Which rooms a command is for: none, all unless one is named, or exactly one. */
typedef enum scope { SCOPE_SERVER, SCOPE_ANY, SCOPE_ONE } scope;

typedef struct request {
    serve *s;
    size_t first, count; /* rooms */
    char  *text;         /* what follows the command */
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

/* The command to each of the rooms; its text as the game has texts. False: it is too long. */
static bool post_to_rooms(request *o, sb_room_command c, const char *text)
{
    uint8_t bytes[SERVE_LINE];
    sb_span game = { bytes, sb_windows1252_from_utf8(text, bytes, sizeof bytes) };
    if (game.size > SB_CHAT_MAX) {
        ANSWER(o->s, SB_LOG_NO_ROOM, "players can be told at most %d characters; this has %zu",
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
    if (o->text[0] == '\0') ANSWER(o->s, SB_LOG_NO_ROOM, "say what? `say TEXT`");
    else if (post_to_rooms(o, (sb_room_command){ .type = SB_ROOM_SAY }, o->text))
        ANSWER(o->s, room_of(o), "said: %s", o->text);
}

/* Ends the word at `text` and returns what follows. */
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
        ANSWER(o->s, room, "kick whom? `kick ID [REASON]`; `status` lists the ids");
        return;
    }
    serve_snapshot_room(o->s, o->first);
    const sb_player_view *player = find_player(o->s->snapshot, id);
    if (!player) {
        ANSWER(o->s, room, "there is no player %lu; `status` lists the ids", id);
        return;
    }
    sb_room_command c = { .type = SB_ROOM_KICK, .peer_id = (uint8_t)id };
    if (post_to_rooms(o, c, reason)) ANSWER(o->s, room, "player %lu %s goes", id, player->name);
}

static void run_end(request *o)
{
    serve_snapshot_room(o->s, o->first);
    if (o->s->snapshot->over) {
        ANSWER(o->s, room_of(o), "the match is over already; `restart` begins the next one");
        return;
    }
    (void)post_to_rooms(o, (sb_room_command){ .type = SB_ROOM_END_MATCH }, "");
    ANSWER(o->s, room_of(o), "the match ends");
}

static void run_restart(request *o)
{
    (void)post_to_rooms(o, (sb_room_command){ .type = SB_ROOM_RESTART_MATCH }, "");
    ANSWER(o->s, room_of(o), "a new match begins");
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
    { "help", "", SCOPE_SERVER, run_help, "these lines" },
    { "status", "", SCOPE_ANY, run_status, "rooms, players with ids and queues, what was refused" },
    { "say", "TEXT", SCOPE_ANY, run_say, "a chat line of the server" },
    { "kick", "ID [REASON]", SCOPE_ONE, run_kick, "remove a player, who reads the reason" },
    { "end", "", SCOPE_ONE, run_end, "end the match; the next one begins after `restart` seconds" },
    { "restart", "", SCOPE_ONE, run_restart, "begin a new match now" },
    { "reload", "", SCOPE_SERVER, run_reload, "read the configuration again, as SIGHUP does" },
    { "quit", "", SCOPE_SERVER, run_quit, "tell the players and end the server" },
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
        ANSWER(o->s, SB_LOG_NO_ROOM,
               "a number in front names the room: `2 kick 5 spam`; without, status and say are "
               "for all %zu rooms",
               o->s->room_count);
}

/* ---- how a line is understood ---- */

static const command *find_command(const char *name)
{
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(commands[i].name, name) == 0) return &commands[i];
    return NULL;
}

/* Takes the number of a room off the line. False: there is no such room, and that was said. */
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
        ANSWER(o->s, SB_LOG_NO_ROOM, "there is no room %s, but 1 to %zu", o->text,
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
        ANSWER(o->s, SB_LOG_NO_ROOM, "`%s` is for the whole server: leave out the number", c->name);
    else if (c->rooms == SCOPE_ONE && o->count > 1)
        ANSWER(o->s, SB_LOG_NO_ROOM, "in which room? Its number goes in front: `1 %s%s%s`", c->name,
               c->argument[0] ? " " : "", c->argument);
    else if (c->argument[0] == '\0' && o->text[0] != '\0')
        ANSWER(o->s, SB_LOG_NO_ROOM, "`%s` takes nothing else, but there is `%.40s`", c->name,
               o->text);
    else return true;
    return false;
}

/* True: the server shall end. */
static bool run_line(serve *s, char *line)
{
    request o = { .s = s, .text = line + strspn(line, " ") };
    bool    named;
    for (size_t end = strlen(line); end > 0 && line[end - 1] == ' ';) line[--end] = '\0';
    if (o.text[0] == '\0' || !parse_room(&o, &named)) return false;
    char *name = o.text;
    o.text = split_word(name);
    const command *c = find_command(name);
    if (!c) ANSWER(s, SB_LOG_NO_ROOM, "there is no command `%.40s`; `help` lists them", name);
    else if (check_arguments(&o, c, named)) c->run(&o);
    return o.stop;
}

/* ---- how a line is put together ---- */

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

/* The whole character, however many bytes it has. */
static void erase_character(serve_console *c)
{
    while (c->size > 0 && ((unsigned char)c->line[c->size - 1] & 0xC0) == 0x80) c->size--;
    if (c->size > 0) c->size--;
}

/* Arrows and the like: ESC, perhaps '[' or 'O', parameters, a letter. */
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
    stop = c->size > 0 && finish_line(s); /* the last line of a file may lack its end */
    c->descriptor = -1;
    sb_log_message(&s->log, SB_LOG_INFO, "console", SB_LOG_NO_ROOM,
                   "no more commands: the input has ended; the server goes on");
    return stop;
}
