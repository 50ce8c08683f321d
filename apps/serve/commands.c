/* apps/serve/commands.c -- what commands do to this server: the callbacks of src/admin.
 *
 * For:      the doors: console.c, control.c and chat.c. Rooms get commands through their queues.
 * Tests:    tests/apps/serve_test.py, tests/apps/ctl_test.py
 */
#include "serve/rules.h"

#include "admin/admin.h"
#include "admin/words.h"
#include "config/keys.h"
#include "platform/clock.h"

#include <stdlib.h>
#include <string.h>

/* ---- rooms ---- */

static const sb_room_snapshot *snapshot(void *context, size_t room)
{
    serve *s = context;
    serve_snapshot_room(s, room);
    return s->snapshot;
}

static void post(void *context, size_t room, const sb_room_command *command)
{
    serve          *s = context;
    sb_room_command c = *command;
    c.room = (int)s->rooms[room].index;
    serve_post(s, s->rooms[room].loop, &c);
}

static uint64_t make_random(void *context)
{
    (void)context;
    return sb_clock_seed();
}

/* ---- the record of what was done ---- */

static void record(void *context, const sb_actor *actor, const char *command, const sb_reply *reply,
                   unsigned room)
{
    serve      *s = context;
    sb_log_line line;
    if (s->audit) s->audit(s, actor->name, command, reply->summary);
    if (!sb_log_start(&line, &s->log, SB_LOG_INFO, "admin", room)) return;
    sb_log_text(&line, "%s: `%s`%s%s", actor->name, command, reply->summary[0] ? ": " : "",
                reply->summary);
    sb_log_value_word(&line, "event", "command");
    sb_log_value_word(&line, "who", actor->name);
    sb_log_value_word(&line, "command", command);
    sb_log_value_word(&line, "result", reply->summary);
    sb_log_value_number(&line, "status", reply->status);
    sb_log_end(&line);
}

/* ---- the server ---- */

static void run_status(void *context, sb_call *call)
{
    serve *s = context;
    s->answers = call->reply->log;
    serve_log_status(s, call->first_room, call->room_count);
    s->answers = &s->log;
}

static void run_reload(void *context, sb_call *call)
{
    serve *s = context;
    s->answers = call->reply->log;
    bool done = serve_reload(s);
    s->answers = &s->log;
    snprintf(call->reply->summary, sizeof call->reply->summary, "%s",
             done ? "reloaded" : "not reloaded");
    if (!done) call->reply->status = SB_REPLY_NEGATIVE;
}

static void run_stop(void *context, sb_call *call)
{
    serve *s = context;
    s->stop = true;
    /* The console shows the line of the log that follows. */
    if (call->actor->door != SB_DOOR_CONSOLE)
        sb_reply_say(call->reply, SB_LOG_NO_ROOM,
                     "the server says goodbye to the players and stops");
}

/* ---- keys ---- */

enum { VALUE_TEXT = 600 };

/* As in the file: { "one", "two" }. A password is not shown. */
static void print_value(const serve *s, const sb_key *key, char value[VALUE_TEXT])
{
    const void *record = key->of_room ? (const void *)&s->current->rooms[0] : s->current;
    bool        secret = strcmp(key->name, "password") == 0;
    FILE       *out = secret ? NULL : fmemopen(value, VALUE_TEXT - 1, "w");
    snprintf(value, VALUE_TEXT, "(not shown)");
    value[VALUE_TEXT - 1] = '\0'; /* fmemopen leaves it out after a text that is too long */
    if (!out) return;
    sb_key_print_value(out, key, record);
    fclose(out);
}

static void show_key(serve *s, sb_call *call, const sb_key *key)
{
    char        value[VALUE_TEXT];
    sb_log_line line;
    print_value(s, key, value);
    sb_reply_start(call->reply, &line, SB_LOG_NO_ROOM);
    sb_log_text(&line, "%s = %s", key->name, value);
    sb_log_text(&line, "; a change counts %s", sb_key_change_text((sb_key_change)key->change));
    sb_log_value_word(&line, "key", key->name);
    if (strcmp(key->name, "password") != 0) sb_log_value_word(&line, "value", value);
    sb_log_end(&line);
}

static void change_key(serve *s, sb_call *call, const sb_key *key, const char *value)
{
    char error[SB_DATA_ERROR_MAX];
    if (key->change == SB_CHANGE_RESTART) {
        sb_reply_refuse(call->reply, SB_LOG_NO_ROOM,
                        "%s counts after a restart only: change it in %s", key->name,
                        s->current->file ? s->current->file : "server.lua");
        return;
    }
    s->answers = call->reply->log;
    bool done = serve_set(s, key->name, value, error);
    s->answers = &s->log;
    char shown[VALUE_TEXT];
    print_value(s, key, shown);
    if (done)
        sb_reply_say(call->reply, SB_LOG_NO_ROOM,
                     "%s is set to %.300s; it counts %s; a reload or a restart takes it back",
                     key->name, shown, sb_key_change_text((sb_key_change)key->change));
    else sb_reply_refuse(call->reply, SB_LOG_NO_ROOM, "%s", error);
}

/* True if the text is one text in quotes: its only closing quote is at its end. */
static bool is_quoted(const char *text)
{
    const char *at = text + 1;
    if (*text != '"') return false;
    while (*at && *at != '"') at += *at == '\\' && at[1] ? 2 : 1;
    return *at && !at[1];
}

/* A text in quotes, as in the file. The entries of a list have quotes of their own. */
static const char *unquote(const sb_key *key, char *text)
{
    char *at = text;
    if (key->kind == SB_KEY_TEXTS && strcmp(text, "\"\"") != 0) return text;
    return is_quoted(text) ? sb_words_next(&at, NULL) : text;
}

static void run_set(void *context, sb_call *call)
{
    serve        *s = context;
    const sb_key *key = sb_config_find_key(call->values[0].text);
    char          value[SB_ADMIN_LINE_MAX];
    if (!key) {
        sb_reply_refuse(call->reply, SB_LOG_NO_ROOM,
                        "%s is a table: change it in the file, then `reload`",
                        call->values[0].text);
        return;
    }
    call->only_shows = !call->values[1].given;
    snprintf(value, sizeof value, "%s", call->values[1].text);
    if (!call->values[1].given) show_key(s, call, key);
    else change_key(s, call, key, unquote(key, value));
}

static void run_password(void *context, sb_call *call)
{
    char          value[SB_ADMIN_LINE_MAX];
    const sb_key *key = sb_config_find_key("password");
    snprintf(value, sizeof value, "%s", call->values[0].text);
    change_key(context, call, key, unquote(key, value));
}

/* ---- seats ---- */

/* True if each room of the call has so many seats. */
static bool check_seats(const serve *s, sb_call *call, uint32_t seats)
{
    for (size_t i = call->first_room; i < call->first_room + call->room_count; i++) {
        unsigned limit = atomic_load(&s->rooms[i].limit);
        if (seats <= limit) continue;
        sb_reply_refuse(call->reply, s->rooms[i].number, "the room has %u seats", limit);
        return false;
    }
    return true;
}

static void run_slots(void *context, sb_call *call)
{
    serve *s = context;
    call->only_shows = !call->values[0].given;
    if (!check_seats(s, call, call->values[0].number)) return;
    for (size_t i = call->first_room; i < call->first_room + call->room_count; i++) {
        serve_room *r = &s->rooms[i];
        sb_log_line line;
        if (call->values[0].given) atomic_store(&r->slots, call->values[0].number);
        unsigned slots = atomic_load(&r->slots);
        sb_reply_start(call->reply, &line, r->number);
        sb_log_text(&line, "%u of %u seats are kept for players with roles", slots,
                    atomic_load(&r->limit));
        sb_log_value_number(&line, "slots", slots);
        sb_log_value_number(&line, "max_players", atomic_load(&r->limit));
        sb_log_end(&line);
    }
    snprintf(call->reply->summary, sizeof call->reply->summary, "slots %s", call->values[0].text);
}

static void run_bots(void *context, sb_call *call)
{
    serve   *s = context;
    uint32_t fill = call->values[0].number;
    bool     off = call->values[0].given && fill == 0;
    call->only_shows = !call->values[0].given;
    for (size_t i = call->first_room; i < call->first_room + call->room_count; i++) {
        sb_log_line line;
        if (call->values[0].given && !serve_fill_room(s, i, fill)) {
            sb_reply_refuse(call->reply, s->rooms[i].number, "no bots: the log says why");
            continue;
        }
        sb_reply_start(call->reply, &line, s->rooms[i].number);
        if (off) sb_log_text(&line, "no bots from now on");
        serve_append_bots(s, i, &line);
        if (line.text_size == 0) sb_log_text(&line, "no bots");
        sb_log_end(&line);
    }
    snprintf(call->reply->summary, sizeof call->reply->summary, "bots %s", call->values[0].text);
}

static void run_drain(void *context, sb_call *call)
{
    serve *s = context;
    bool   off = call->values[0].given && call->values[0].number == 0;
    serve_drain(s, !off);
    if (off) sb_reply_say(call->reply, SB_LOG_NO_ROOM, "new players are admitted again");
    else
        sb_reply_say(call->reply, SB_LOG_NO_ROOM,
                     "no new players are admitted; the server stops when in each room the match "
                     "is over or nobody is left (`drain off` takes it back)");
}

/* ---- open and close ---- */

bool serve_open_commands(serve *s)
{
    char       error[160];
    sb_effects effects = { .context = s,
                           .room_count = s->room_count,
                           .snapshot = snapshot,
                           .post = post,
                           .random = make_random,
                           .record = record };
    effects.run[SB_COMMAND_STATUS] = run_status;
    effects.run[SB_COMMAND_RELOAD] = run_reload;
    effects.run[SB_COMMAND_STOP] = effects.run[SB_COMMAND_QUIT] = run_stop;
    effects.run[SB_COMMAND_SET] = run_set;
    effects.run[SB_COMMAND_PASSWORD] = run_password;
    effects.run[SB_COMMAND_SLOTS] = run_slots;
    effects.run[SB_COMMAND_DRAIN] = run_drain;
    effects.run[SB_COMMAND_BOTS] = run_bots;
    serve_rules_set_effects(&effects);
    s->admin = malloc(sizeof *s->admin);
    if (!s->admin) return false;
    sb_admin_init(s->admin, &effects);
    (void)serve_apply_roles(s->admin, s->current, error, sizeof error); /* checked at the start */
    return true;
}

void serve_close_commands(serve *s)
{
    free(s->admin);
}
