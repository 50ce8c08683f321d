/* src/server/reconfigure.c -- changes the configuration of a running room.
 *
 * For:      the operator: `starbase serve` reads its configuration again on SIGHUP.
 * Never:    decides which fields change and when: the caller lists them (sb_config_fields).
 * Tests:    tests/server/reconfigure_test.c
 */
#include "server/server_internal.h"

#include <starbase/message.h>

#include "base/assert.h"

#include <string.h>

/* ---- texts of the configuration ---- */

/* Copies a borrowed text into `buffer` and lets `text` point there. */
static void own_text(sb_span *text, char *buffer, size_t capacity)
{
    if (text->data != (const uint8_t *)buffer) {
        size_t size = sb_gamespy_clean_value(*text, (uint8_t *)buffer, capacity - 1);
        buffer[size] = 0;
    }
    *text = sb_text_span(buffer);
}

void sb_server_own_texts(sb_server_config *config, sb_server_texts *texts)
{
    own_text(&config->name, texts->name, sizeof texts->name);
    own_text(&config->system_name, texts->system_name, sizeof texts->system_name);
}

/* ---- lists of fields ---- */

/* Fields that sb_server_init hands to the parts of the room: changing them later has no effect. */
static const sb_config_field init_fields[] = {
    SB_CONFIG_FIELD(seed),     SB_CONFIG_FIELD(max_players), SB_CONFIG_FIELD(transport),
    SB_CONFIG_FIELD(password), SB_CONFIG_FIELD(responder),   SB_CONFIG_FIELD(combat),
    SB_CONFIG_FIELD(lanes),    SB_CONFIG_FIELD(ships),       SB_CONFIG_FIELD(trace_damage),
    SB_CONFIG_FIELD(systems),
};

/* Exceptions to init_fields: transport and responder have functions to change these limits, for
 * players who connect later and for later queries. They cannot wait for an empty room. */
static const sb_config_field limit_fields[] = {
    SB_CONFIG_FIELD(max_players),
    SB_CONFIG_FIELD(password),
    SB_CONFIG_FIELD(transport.peers_per_ip),
    SB_CONFIG_FIELD(transport.timeout_us),
    SB_CONFIG_FIELD(transport.datagrams_per_s),
    SB_CONFIG_FIELD(transport.messages_per_s),
    SB_CONFIG_FIELD(transport.bytes_per_s),
    SB_CONFIG_FIELD(responder.source_per_s),
    SB_CONFIG_FIELD(responder.source_burst),
    SB_CONFIG_FIELD(responder.network_per_s),
    SB_CONFIG_FIELD(responder.network_burst),
    SB_CONFIG_FIELD(responder.total_per_s),
    SB_CONFIG_FIELD(responder.master_per_s),
    SB_CONFIG_FIELD(responder.master_burst),
};

/* Fields that may only change in an empty room: clients have loaded the mission, and have received
 * system and limits. */
static const sb_config_field empty_room_fields[] = {
    SB_CONFIG_FIELD(match),
    SB_CONFIG_FIELD(system),
    SB_CONFIG_FIELD(system_name),
};

/* Fields that may not wait for an empty room: the caller frees the old list. */
static const sb_config_field now_fields[] = {
    SB_CONFIG_FIELD(files),
    SB_CONFIG_FIELD(file_count),
};

static bool is_overlapping(sb_config_field a, sb_config_field b)
{
    return a.offset < b.offset + b.size && b.offset < a.offset + a.size;
}

static bool is_in(sb_config_field field, const sb_config_field *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (is_overlapping(field, list[i])) return true;
    return false;
}

#define IS_IN(field, list) is_in(field, list, sizeof(list) / sizeof *(list))

static bool is_limit(sb_config_field field)
{
    for (size_t i = 0; i < sizeof limit_fields / sizeof *limit_fields; i++)
        if (field.offset == limit_fields[i].offset && field.size == limit_fields[i].size)
            return true;
    return false;
}

static void check_bounds(sb_config_field field)
{
    SB_ASSERT(field.offset <= sizeof(sb_server_config));
    SB_ASSERT(field.size <= sizeof(sb_server_config) - field.offset);
}

static void copy_fields(sb_server_config *to, const sb_server_config *from,
                        const sb_config_field *fields, size_t count)
{
    for (size_t i = 0; i < count; i++)
        memcpy((uint8_t *)to + fields[i].offset, (const uint8_t *)from + fields[i].offset,
               fields[i].size);
}

/* ---- changes ---- */

/* Places beyond the memory of the room wait for growth.c. */
static void set_player_limit(sb_server *s, uint32_t wanted)
{
    SB_ASSERT(wanted >= 1 && wanted <= SB_SERVER_PLAYERS_MAX);
    s->wanted_players = wanted;
    s->config.max_players = wanted < s->capacity ? wanted : s->capacity;
    s->next.max_players = s->config.max_players;
}

/* Passes limits on to the parts that have their own copy; the transport copies the password. */
static void update_limits(sb_server *s)
{
    sb_transport_host_config t = sb_server_transport_config(&s->config);
    sb_transport_host_set_limits(s->transport, &t);
    sb_responder_set_rates(s->responder, &s->config.responder);
    sb_transport_host_set_password(s->transport, s->config.password);
    s->config.password = sb_transport_host_password(s->transport);
    s->next.password = s->config.password;
}

/* A new length of the pause counts from now on. Everybody was told the old one or none. */
static void update_pause(sb_server *s, sb_time restart_us_before)
{
    if (!s->match.over || s->config.restart_us == restart_us_before) return;
    s->restart_at = s->config.restart_us ? s->now + s->config.restart_us : SB_TIME_NEVER;
    for (size_t i = 0; i < s->capacity; i++) {
        const sb_player *p = &s->players[i];
        if (sb_player_is_in_game(p) || p->phase == SB_PLAYER_WAITING) sb_server_tell_pause(s, p);
    }
}

/* Updates the parts of the room that have their own copy of a setting in s->config. */
static void update_parts(sb_server *s, bool collision_damage_before)
{
    bool on = s->config.collision_damage;
    update_limits(s);
    sb_server_own_texts(&s->config, &s->texts);
    if (s->config.manifest_count > SB_SERVER_MANIFESTS_MAX)
        s->config.manifest_count = SB_SERVER_MANIFESTS_MAX;
    if (!sb_server_are_files_valid(&s->config)) s->config.file_count = 0;
    if (on == collision_damage_before) return;
    sb_combat_set_collision_damage(s->combat, on);
    *s->out = (sb_message){ .opcode = SB_OP_COLLISION_SETTING }; /* spec 06 §5.8 */
    s->out->as.collision_setting.collision_damage = on;
    sb_server_send_connected(s, s->out);
}

/* Starts a match with the deferred configuration. */
static void apply_next(sb_server *s)
{
    bool collision_damage = s->config.collision_damage;
    s->has_next = false;
    s->config = s->next;
    update_parts(s, collision_damage);
    s->match.config = sb_server_match_config(&s->config);
    sb_match_restart(&s->match, s->now);
    sb_match_stop_clock(&s->match); /* the first player starts it */
    s->restart_at = SB_TIME_NEVER;  /* that restart was due for the old match */
}

void sb_server_on_empty(sb_server *s)
{
    sb_server_restart_clock(s);
    if (s->has_next) apply_next(s);
}

/* Copies the fields that change at once, also into a deferred configuration, which would otherwise
 * undo the change. */
static void copy_now(sb_server *s, const sb_server_config *config, const sb_config_fields *fields)
{
    bool                  collision_damage = s->config.collision_damage;
    const sb_client_file *files = s->config.files;
    size_t                file_count = s->config.file_count;
    uint32_t              players = s->wanted_players;
    sb_time               restart_us = s->config.restart_us;
    for (size_t i = 0; i < fields->now_count; i++) {
        const sb_config_field field = fields->now[i], limit = SB_CONFIG_FIELD(max_players);
        check_bounds(field);
        SB_ASSERT(is_limit(field) || !IS_IN(field, init_fields));
        SB_ASSERT(!IS_IN(field, empty_room_fields));
        if (is_overlapping(field, limit)) players = config->max_players;
    }
    copy_fields(&s->config, config, fields->now, fields->now_count);
    if (s->has_next) copy_fields(&s->next, config, fields->now, fields->now_count);
    set_player_limit(s, players);
    update_parts(s, collision_damage);
    update_pause(s, restart_us);
    sb_server_replace_files(s, files, file_count);
}

/* Defers fields until the room is empty. Fields that an earlier call deferred stay deferred. */
static void defer_fields(sb_server *s, const sb_server_config *config,
                         const sb_config_fields *fields)
{
    for (size_t i = 0; i < fields->when_empty_count; i++) {
        check_bounds(fields->when_empty[i]);
        SB_ASSERT(!IS_IN(fields->when_empty[i], init_fields));
        SB_ASSERT(!IS_IN(fields->when_empty[i], now_fields));
    }
    if (!s->has_next) s->next = s->config;
    copy_fields(&s->next, config, fields->when_empty, fields->when_empty_count);
    if (!s->next.match.mode) s->next.match.mode = s->match.config.mode;
    sb_server_own_texts(&s->next, &s->next_texts);
    s->has_next = true;
}

bool sb_server_resend_settings(sb_server *s, sb_time now)
{
    sb_server_set_time(s, now);
    if (!s->has_next || s->next.match.mode != s->match.config.mode) return false;
    apply_next(s);
    sb_server_start_match(s);
    sb_server_build_mission_init(s, s->out);
    sb_server_send_in_game(s, s->out);
    return true;
}

void sb_server_copy_fields(sb_server_config *to, const sb_server_config *from,
                           const sb_config_fields *fields)
{
    copy_fields(to, from, fields->now, fields->now_count);
    copy_fields(to, from, fields->when_empty, fields->when_empty_count);
}

void sb_server_reconfigure(sb_server *s, const sb_server_config *config,
                           const sb_config_fields *fields)
{
    copy_now(s, config, fields);
    if (s->has_next || fields->when_empty_count > 0) defer_fields(s, config, fields);
    if (s->has_next && sb_transport_host_peer_count(s->transport) == 0) apply_next(s);
}
