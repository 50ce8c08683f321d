/* apps/serve/rotation.c -- gives rooms another star system or mission: the commands map, mission
 * and next, and the end of a match.
 *
 * For:      rules.c, and the command table. admin/rotation.h decides what comes when.
 * Never:    changes what players have loaded: a choice waits for an empty room, or empties it.
 * Tests:    tests/apps/rules_test.py
 */
#include "serve/rules.h"

#include "platform/clock.h"

#include <string.h>

static sb_rotation *rotation_of(serve *s, size_t room)
{
    return &s->rules->rooms[room].rotation;
}

/* ---- the room takes the choice ---- */

/* The fields that a choice sets, and only when the room is empty. */
static const sb_config_field choice_fields[] = {
    SB_CONFIG_FIELD(match.mode),       SB_CONFIG_FIELD(match.time_limit_min),
    SB_CONFIG_FIELD(match.frag_limit), SB_CONFIG_FIELD(system),
    SB_CONFIG_FIELD(system_name),
};
static const sb_config_fields choice_lists = {
    .when_empty = choice_fields,
    .when_empty_count = sizeof choice_fields / sizeof *choice_fields,
};

static bool is_of_choice(const sb_config_field *field)
{
    for (size_t i = 0; i < choice_lists.when_empty_count; i++)
        if (choice_fields[i].offset == field->offset) return true;
    return false;
}

void serve_rotation_leave_out(sb_reload_fields *fields)
{
    size_t count = fields->lists.when_empty_count, kept = 0;
    for (size_t i = 0; i < count; i++)
        if (!is_of_choice(&fields->when_empty[i]))
            fields->when_empty[kept++] = fields->when_empty[i];
    fields->lists.when_empty_count = kept;
}

static bool fill_config(serve *s, size_t room, sb_server_config *out)
{
    const sb_room_config     *config = s->rooms[room].config;
    const sb_rotation_choice *c = &rotation_of(s, room)->choice;
    *out = config->server;
    return sb_room_config_choose(config, c->system, c->mission, c->time_limit, c->frag_limit, out);
}

/* Waits until the room has copied the fields: the configuration is on the stack. */
static void configure(serve *s, size_t room)
{
    sb_server_config config;
    atomic_bool      done = false;
    sb_room_command  c = { .type = SB_ROOM_CONFIGURE, .config = &config, .fields = &choice_lists };
    c.done = &done;
    if (!fill_config(s, room, &config)) return; /* a reload took the system away */
    serve_post_to_room(s, room, c);
    serve_wait_done(&done);
}

/* "Multi3, ffa" */
static void name_choice(serve *s, size_t room, char *out, size_t capacity)
{
    sb_server_config config;
    if (!fill_config(s, room, &config)) snprintf(out, capacity, "another game");
    else
        snprintf(out, capacity, "%.*s, %s", (int)config.system_name.size,
                 (const char *)config.system_name.data, config.match.mode->label);
}

/* Bots stay away while the room is closed: they need no admission. */
static void hold_bots(serve *s, size_t room, bool closed)
{
    serve_rules_room *r = &s->rules->rooms[room];
    sb_house_view     view;
    sb_house_view_room(s->house, room, &view);
    if (closed && r->held_bots == 0 && view.fill > 0) {
        r->held_bots = view.fill;
        (void)serve_fill_room(s, room, 0);
    } else if (!closed && r->held_bots > 0) {
        (void)serve_fill_room(s, room, r->held_bots);
        r->held_bots = 0;
    }
}

static void set_closed(serve *s, size_t room)
{
    bool closed = sb_rotation_is_closed(rotation_of(s, room));
    atomic_store_explicit(&s->rooms[room].is_closed, closed, memory_order_relaxed);
    hold_bots(s, room, closed);
}

/* People in any phase, from s->snapshot. */
static bool has_people(const serve *s)
{
    for (uint32_t i = 0; i < s->snapshot->player_count; i++)
        if (serve_is_person(&s->snapshot->players[i].view)) return true;
    return false;
}

static void remove_players(serve *s, size_t room)
{
    serve_snapshot_room(s, room);
    for (uint32_t i = 0; i < s->snapshot->player_count; i++) {
        const sb_player_view *p = &s->snapshot->players[i].view;
        if (p->phase == SB_PLAYER_REFUSED) continue;
        sb_room_command c = { .type = SB_ROOM_KICK, .peer_id = p->peer_id };
        if (serve_is_person(p)) snprintf(c.text, sizeof c.text, "Please join again now.");
        serve_post_to_room(s, room, c);
    }
}

/* The last player may have left without a notice. */
static void advance_removal(serve *s, size_t room)
{
    set_closed(s, room);
    serve_snapshot_room(s, room);
    if (s->snapshot->player_count > 0) {
        remove_players(s, room);
        return;
    }
    sb_rotation_emptied(rotation_of(s, room));
    set_closed(s, room);
}

static void act(serve *s, size_t room, sb_rotation_action action)
{
    char next[160];
    if (action == SB_ROTATION_NOTHING) return;
    name_choice(s, room, next, sizeof next);
    if (action != SB_ROTATION_REMOVE) configure(s, room);
    switch (action) {
    case SB_ROTATION_WARN:
        serve_post_to_room(s, room, (sb_room_command){ .type = SB_ROOM_END_MATCH });
        serve_say(s, room,
                  "Next: %s. Everybody is disconnected in %d s and must join again to play on.",
                  next, SB_ROTATION_REJOIN_SECONDS);
        break;
    case SB_ROTATION_RESEND:
        serve_say(s, room, "Next: %s.", next);
        serve_post_to_room(s, room, (sb_room_command){ .type = SB_ROOM_RESEND });
        break;
    case SB_ROTATION_REMOVE: advance_removal(s, room); return;
    case SB_ROTATION_CONFIGURE:
        if (rotation_of(s, room)->step == SB_ROTATION_WAITS)
            serve_say(s, room, "Next: %s, when everybody has left.", next);
        break;
    case SB_ROTATION_NOTHING: break;
    }
    sb_log_message(&s->log, SB_LOG_INFO, "rotation", s->rooms[room].number, "next: %s", next);
}

void serve_rotation_advance(serve *s, size_t room, sb_time now)
{
    act(s, room, sb_rotation_advance(rotation_of(s, room), now));
}

static sb_rotate how(const serve *s, size_t room)
{
    const sb_room_config *config = s->rooms[room].config;
    if (config->resend_settings) return SB_ROTATE_RESEND;
    return (sb_rotate)config->rotate;
}

/* Players whose client has loaded the mission cannot be sent another one. */
static sb_rotate how_for_choice(serve *s, size_t room)
{
    sb_server_config config;
    sb_rotate        wanted = how(s, room);
    if (wanted != SB_ROTATE_RESEND || !fill_config(s, room, &config)) return wanted;
    serve_snapshot_room(s, room);
    return config.match.mode == s->snapshot->mode ? wanted
                                                  : (sb_rotate)s->rooms[room].config->rotate;
}

/* Bots alone need no warning, and leave for another game. */
static void clear_of_bots(serve *s, size_t room, sb_time now)
{
    sb_rotation *r = rotation_of(s, room);
    serve_snapshot_room(s, room);
    if (s->snapshot->player_count == 0) sb_rotation_emptied(r);
    else if (!has_people(s)) sb_rotation_clear(r, now);
    set_closed(s, room);
    serve_rules_wake(s, sb_rotation_deadline(r));
}

void serve_rotation_match_over(serve *s, size_t room, sb_time now)
{
    bool      people = s->rules->rooms[room].people > 0;
    sb_rotate wanted = people ? how(s, room) : SB_ROTATE_EMPTY;
    act(s, room, sb_rotation_match_over(rotation_of(s, room), wanted, now));
    if (!people) clear_of_bots(s, room, now);
}

void serve_rotation_emptied(serve *s, size_t room, sb_time now)
{
    if (!sb_rotation_is_closed(rotation_of(s, room))) clear_of_bots(s, room, now);
}

/* The room opens as soon as the last one has left. */
void serve_rotation_left(serve *s, size_t room)
{
    if (!sb_rotation_is_closed(rotation_of(s, room))) return;
    serve_snapshot_room(s, room);
    if (s->snapshot->player_count > 0) return;
    sb_rotation_emptied(rotation_of(s, room));
    set_closed(s, room);
}

void serve_rotation_reloaded(serve *s, size_t room)
{
    configure(s, room);
}

/* ---- the commands ---- */

static void start_choice(serve *s, sb_call *call)
{
    static const char *const when[] = {
        [SB_ROTATION_NOTHING] = "",
        [SB_ROTATION_CONFIGURE] = "when the room is empty",
        [SB_ROTATION_WARN] = "after the players have joined again: they are removed in 15 s",
        [SB_ROTATION_RESEND] = "now: the players are sent the new settings",
        [SB_ROTATION_REMOVE] = "",
    };
    size_t room = call->first_room;
    char   next[160];
    serve_snapshot_room(s, room);
    bool               empty = s->snapshot->player_count == 0, people = has_people(s);
    sb_rotation_action action = sb_rotation_begin(
        rotation_of(s, room), people ? how_for_choice(s, room) : SB_ROTATE_EMPTY, empty, call->now);
    act(s, room, action);
    if (!people) clear_of_bots(s, room, call->now);
    name_choice(s, room, next, sizeof next);
    serve_rules_wake(s, sb_rotation_deadline(rotation_of(s, room)));
    sb_log_line line;
    sb_reply_start(call->reply, &line, sb_call_room(call));
    sb_log_text(&line, "%s is played %s", next, people ? when[action] : "now");
    sb_log_value_word(&line, "next", next);
    sb_log_value_number(&line, "now", !people || action == SB_ROTATION_RESEND);
    snprintf(call->reply->summary, sizeof call->reply->summary, "%s", next);
    sb_log_end(&line);
}

void serve_list_systems(const sb_room_config *room, char *out, size_t capacity)
{
    const sb_system_set *set = room->server.systems;
    size_t               size = 0;
    out[0] = '\0';
    for (size_t i = 0; i < set->count && size < capacity; i++)
        size += (size_t)snprintf(out + size, capacity - size, "%s%s", i ? ", " : "",
                                 set->systems[i].name);
}

static void refuse_system(serve *s, sb_call *call, const char *system)
{
    char names[200];
    serve_list_systems(s->rooms[call->first_room].config, names, sizeof names);
    sb_reply_refuse(call->reply, sb_call_room(call), "there is no star system `%.40s`, only %s",
                    system, names);
}

void serve_run_map(void *context, sb_call *call)
{
    serve      *s = context;
    const char *system = call->values[0].text;
    if (!sb_config_find_system(s->rooms[call->first_room].config->server.systems, system) ||
        strlen(system) >= SB_ROTATION_TEXT) {
        refuse_system(s, call, system);
        return;
    }
    sb_rotation_choose(rotation_of(s, call->first_room), system, NULL);
    start_choice(s, call);
}

void serve_run_mission(void *context, sb_call *call)
{
    const char *mission = call->values[0].text;
    if (!sb_find_mode(mission) || strlen(mission) >= SB_ROTATION_TEXT) {
        sb_reply_refuse(call->reply, sb_call_room(call),
                        "there is no mission `%.40s`, only ffa, team, faction, assault", mission);
        return;
    }
    sb_rotation_choose(rotation_of(context, call->first_room), NULL, mission);
    start_choice(context, call);
}

void serve_run_next(void *context, sb_call *call)
{
    if (!sb_rotation_next(rotation_of(context, call->first_room))) {
        sb_reply_refuse(call->reply, sb_call_room(call),
                        "the room has no rotation: set the key `rotation`, or use `map SYSTEM`");
        return;
    }
    start_choice(context, call);
}
