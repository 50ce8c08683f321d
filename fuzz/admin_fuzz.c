/* fuzz/admin_fuzz.c -- any bytes as what a client sends to the control socket, in pieces of any
 * size, and each line as a command at every door, and as a line to complete. The first byte is the
 * size of the pieces, the second the door. No effect sees an argument that the parser should
 * refuse. */
#include "admin/complete.h"
#include "admin/words.h"
#include "base/assert.h"
#include "serve/control.h"

#include <stdio.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ROOMS = 3 };

static sb_room_snapshot rooms[ROOMS];

static const sb_room_snapshot *snapshot(void *context, size_t room)
{
    (void)context;
    SB_ASSERT(room < ROOMS);
    return &rooms[room];
}

static void post(void *context, size_t room, const sb_room_command *command)
{
    (void)context;
    SB_ASSERT(room < ROOMS);
    SB_ASSERT(strlen(command->text) <= SB_CHAT_MAX);
}

static uint64_t constant(void *context)
{
    (void)context;
    return 123456;
}

static void record(void *context, const sb_actor *actor, const char *command, const sb_reply *reply,
                   unsigned room)
{
    (void)context;
    SB_ASSERT(actor->name[0] && command[0] && room <= ROOMS);
    SB_ASSERT(reply->status != SB_REPLY_USAGE);
}

static void check_call(void *context, sb_call *call)
{
    (void)context;
    SB_ASSERT(call->first_room + call->room_count <= ROOMS && call->room_count > 0);
    for (size_t i = 0; i < SB_ARGUMENTS_MAX; i++) {
        const sb_argument       *a = &call->command->arguments[i];
        const sb_argument_value *v = &call->values[i];
        SB_ASSERT(v->text && strlen(v->text) < SB_ADMIN_LINE_MAX);
        SB_ASSERT(v->given || a->optional || a->kind == SB_ARGUMENT_NONE);
        if (!v->given) continue;
        if (a->kind == SB_ARGUMENT_COUNT) SB_ASSERT(v->number >= a->low && v->number <= a->high);
        if (a->kind == SB_ARGUMENT_PLAYER) SB_ASSERT(v->room < ROOMS && v->player.peer_id > 0);
        if (a->kind == SB_ARGUMENT_ROLE) SB_ASSERT(v->number < SB_ROLE_OPERATOR);
        if (a->kind == SB_ARGUMENT_DURATION) SB_ASSERT(v->duration >= 0);
    }
}

static void take(void *context, const sb_log_line *line)
{
    char json[SB_LOG_BYTES_MAX];
    (void)context;
    size_t size = sb_log_format_json(line, json);
    SB_ASSERT(size > 0 && json[size - 1] == '\n' && !memchr(json, '\n', size - 1));
}

static void take_word(void *context, const char *word)
{
    (void)context;
    SB_ASSERT(word[0]);
}

static void add_player(size_t room, uint8_t peer_id, const char *name)
{
    sb_player_view *p = &rooms[room].players[rooms[room].player_count++].view;
    *p = (sb_player_view){ .peer_id = peer_id, .address = { 0x0A000000u + peer_id, 22101 } };
    snprintf(p->name, sizeof p->name, "%s", name);
}

static sb_admin *start(void)
{
    static sb_admin admin;
    sb_effects      effects = { .room_count = ROOMS,
                                .snapshot = snapshot,
                                .post = post,
                                .random = constant,
                                .record = record };
    if (admin.effects.room_count == 0) {
        add_player(0, 2, "Bot 1");
        add_player(0, 3, "Bot 12");
        add_player(1, 2, "\xC3\xA4");
        add_player(2, 4, "Kirk");
    }
    for (int i = 0; i < SB_COMMAND_COUNT; i += 2) effects.run[i] = check_call;
    sb_admin_init(&admin, &effects);
    return &admin;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static serve_requests requests;
    sb_admin             *admin = start();
    sb_log                log = { .options = { .descriptor = -1, .json = true, .take = take } };
    sb_actor              actor = { SB_DOOR_CTL, SB_ROLE_OPERATOR, "ctl:fuzz", 0, 0 };
    if (size < 2) return 0;
    size_t piece = 1u + data[0];
    if (data[1] % 4 == 1) actor = (sb_actor){ SB_DOOR_CHAT, SB_ROLE_PLAYER, "chat:a", 1, 2 };
    if (data[1] % 4 == 2) actor = (sb_actor){ SB_DOOR_CHAT, SB_ROLE_ADMIN, "chat:a", 0, 2 };
    requests = (serve_requests){ .size = 0 };
    for (size_t at = 2; at < size; at += piece) {
        serve_requests_feed(&requests, (const char *)data + at,
                            size - at < piece ? size - at : piece);
        for (const char *line; (line = serve_requests_next(&requests));) {
            sb_reply reply;
            sb_reply_init(&reply, &log, "fuzz");
            (void)sb_admin_run(admin, &actor, line, 1, &reply);
            sb_admin_complete(admin, &actor, line, take_word, NULL);
        }
        requests.too_long = false;
    }
    return 0;
}
