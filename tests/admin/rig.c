/* tests/admin/rig.c -- a server for commands, without rooms and threads. */
#include "rig.h"

#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void take_line(void *context, const sb_log_line *line)
{
    rig *r = context;
    CHECK(r->size + line->text_size + 2 < sizeof r->text);
    memcpy(r->text + r->size, line->text, line->text_size);
    r->size += line->text_size;
    r->text[r->size++] = '\n';
    r->text[r->size] = '\0';
}

static const sb_room_snapshot *snapshot(void *context, size_t room)
{
    rig *r = context;
    CHECK(room < RIG_ROOMS);
    return &r->rooms[room];
}

static void post(void *context, size_t room, const sb_room_command *command)
{
    rig *r = context;
    CHECK(r->posted_count < 16);
    r->posted_room[r->posted_count] = room;
    r->posted[r->posted_count++] = *command;
}

static uint64_t random_number(void *context)
{
    (void)context;
    return 7000123456;
}

static void record(void *context, const sb_actor *actor, const char *command, const sb_reply *reply,
                   unsigned room)
{
    rig *r = context;
    (void)room;
    snprintf(r->record, sizeof r->record, "%s|%s|%.200s", actor->name, command, reply->summary);
}

static sb_time keep_out(void *context, const sb_call *call, const sb_player_view *player,
                        sb_time duration, const char *reason)
{
    rig *r = context;
    (void)call;
    (void)player;
    (void)reason;
    r->posted_before_kept = r->posted_count;
    r->kept_out = duration ? duration : 300 * SB_SECOND;
    return r->kept_out;
}

static void store_call(void *context, sb_call *call)
{
    rig *r = context;
    r->effects++;
    r->call = *call;
    for (size_t i = 0; i < SB_ARGUMENTS_MAX; i++)
        snprintf(r->values[i], sizeof r->values[i], "%s", call->values[i].text);
    sb_reply_say(call->reply, SB_LOG_NO_ROOM, "done");
}

rig *rig_open(size_t rooms)
{
    rig       *r = calloc(1, sizeof *r);
    sb_effects effects = { .context = r,
                           .room_count = rooms,
                           .snapshot = snapshot,
                           .post = post,
                           .random = random_number,
                           .record = record,
                           .keep_out = keep_out };
    CHECK(r && rooms <= RIG_ROOMS);
    sb_admin_init(&r->admin, &effects);
    r->log.options = (sb_log_options){ .descriptor = -1, .take = take_line, .take_context = r };
    r->actor = (sb_actor){ SB_DOOR_CONSOLE, SB_ROLE_OPERATOR, "console", 0, 0 };
    r->now = 1000 * SB_SECOND;
    return r;
}

void rig_close(rig *r)
{
    free(r);
}

void rig_add_player(rig *r, size_t room, uint8_t peer_id, const char *name, uint32_t address)
{
    sb_room_snapshot *seen = &r->rooms[room];
    sb_player_view   *p = &seen->players[seen->player_count++].view;
    *p = (sb_player_view){ .peer_id = peer_id,
                           .phase = SB_PLAYER_LOBBY,
                           .address = { address, 22101 },
                           .connected_at = peer_id * SB_SECOND };
    snprintf(p->name, sizeof p->name, "%s", name);
}

const char *rig_run(rig *r, const char *line)
{
    r->size = r->posted_count = 0;
    r->text[0] = r->record[0] = '\0';
    sb_reply_init(&r->reply, &r->log, "test");
    (void)sb_admin_run(&r->admin, &r->actor, line, r->now, &r->reply);
    return r->text;
}

void rig_has(rig *r, sb_command_id id)
{
    r->admin.effects.run[id] = store_call;
}
