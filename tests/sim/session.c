/* tests/sim/session.c -- a match of bots or a duel, and the recording of one client.
 *
 * For:      session.h. The host's log of hits and repairs goes into the recording as well.
 */
#include "tests/sim/session.h"

#include <starbase/cipher.h>

#include "base/bytes.h"
#include "server/server_internal.h"
#include "sim/match.h"

#include <assert.h>
#include <string.h>

enum {
    SLICE_US = 33000, /* the own ship is sampled this often, about once per frame of a client */
    BOTS = 8,
    PHOTON = 2, /* types of shots */
    PULSE_DISRUPTOR = 8,
};

/* Galaxy, Sovereign, Warbird, Bird of Prey, Kessok Heavy, Vor'cha, Akira, Marauder. */
static const uint8_t bot_species[BOTS] = { 3, 5, 8, 6, 13, 7, 1, 9 };

const session_duel session_duels[SESSION_DUELS] = {
    { "Kessok Heavy, beams", 13, 3, SESSION_BEAMS, 57, 20 },
    { "Sovereign, phasers", 5, 3, SESSION_BEAMS, 57, 20 },
    { "Galaxy, photons", 3, 3, SESSION_TORPEDOES, 57, 20 },
    { "Bird of Prey, bolts", 6, 3, SESSION_BOLTS, 57, 20 },
};

typedef struct session {
    const session_config *config;
    recording            *out;
    sim_match            *match;
    bool                  has_sent; /* a reliable message; last_seq is its number */
    uint16_t              last_seq;
    recording_own_ship    own;      /* as recorded last */
    sb_time               exact_at; /* when the host's values were recorded last */
    /* The duel. */
    sb_time  fire_until, next_shot;
    unsigned shots;
} session;

/* ---- what the client receives and sends ---- */

static void record_received(void *context, const sb_client_event *event)
{
    session *s = context;
    if (event->type == SB_CLIENT_MESSAGE)
        recording_add(s->out, event->now, RECORDING_RECEIVED, event->bytes);
}

/* True for a message that was not sent before. Messages are sent in the order of their numbers. */
static bool is_new(session *s, const sb_transport_message *m)
{
    if (!m->reliable) return true;
    if (s->has_sent && (int16_t)(uint16_t)(m->seq - s->last_seq) <= 0) return false;
    s->has_sent = true;
    s->last_seq = m->seq;
    return true;
}

/* Fragments carry answers to checksum requests, which no engine needs. */
static void record_sent(session *s, sb_time now, sb_span datagram)
{
    uint8_t              plain[SB_DATAGRAM_MAX];
    sb_datagram          opened;
    sb_transport_message m;
    if (datagram.size > sizeof plain) return;
    memcpy(plain, datagram.data, datagram.size);
    sb_decrypt_datagram(plain, datagram.size);
    if (sb_decode_datagram((sb_span){ plain, datagram.size }, &opened, NULL) != SB_OK) return;
    for (size_t at = 0; sb_datagram_next(&opened, &at, &m);)
        if (m.type == SB_TRANSPORT_DATA && !m.fragment && m.payload.size && is_new(s, &m))
            recording_add(s->out, now, RECORDING_SENT, m.payload);
}

static float code_of(float value, float max)
{
    return max > 0.0f ? value / max * 255.0f : 0.0f;
}

static recording_exact describe_exact(const sb_ship *ship)
{
    const sb_ship_class *m = ship->model;
    recording_exact      exact = { .object_id = ship->object_id,
                                   .entry_count = (uint8_t)m->subsystem_count,
                                   .child_count = (uint8_t)m->child_count };
    for (unsigned i = 0; i < m->subsystem_count; i++)
        exact.entries[i] = code_of(ship->condition[i], m->subsystems[i].max_condition);
    for (unsigned i = 0; i < m->child_count; i++)
        exact.children[i] = code_of(ship->child_condition[i], m->children[i].max_condition);
    for (unsigned i = 0; i < SB_FACINGS; i++)
        exact.facings[i] = code_of(ship->facing[i], m->shield_max[i]);
    return exact;
}

/* Once per step in which the host sends something to the client. */
static void record_exact(session *s, sb_time now)
{
    const sb_server *server = sim_match_server(s->match);
    if (now == s->exact_at) return;
    s->exact_at = now;
    for (unsigned i = 0; i < server->object_top; i++) {
        const sb_object *o = &server->objects[i];
        if (!o->object_id || !o->tracked || !o->ship.model) continue;
        recording_exact exact = describe_exact(&o->ship);
        recording_add_exact(s->out, now, &exact);
    }
}

static void on_sent(void *context, sb_time now, sb_endpoint from, sb_endpoint to, sb_span datagram)
{
    session *s = context;
    uint32_t client = sim_match_client_address(s->config->watched).address;
    if (from.address == client) record_sent(s, now, datagram);
    if (to.address == client) record_exact(s, now);
}

static void copy_vector(float *to, sb_vec3 from)
{
    to[0] = from.x;
    to[1] = from.y;
    to[2] = from.z;
}

static recording_own_ship describe_own(const sb_ship *ship)
{
    recording_own_ship own;
    memset(&own, 0, sizeof own); /* with its padding: rows are compared as bytes */
    own.object_id = ship->object_id;
    own.cloaked = ship->cloaked;
    own.speed = ship->motion.speed;
    copy_vector(own.position, ship->motion.position);
    copy_vector(own.forward, ship->motion.forward);
    copy_vector(own.up, ship->motion.up);
    for (unsigned i = 0; i < RECORDING_ENTRIES; i++) {
        own.power_wanted[i] = ship->power_wanted[i];
        own.on[i] = ship->on[i];
    }
    return own;
}

static void record_own(session *s)
{
    const sb_client    *client = sim_match_client(s->match, s->config->watched);
    const sb_seen_ship *row = sb_client_own_ship(client);
    if (!row) return;
    recording_own_ship own = describe_own(&row->ship);
    if (memcmp(&own, &s->own, sizeof own) == 0) return;
    s->own = own;
    recording_add_own(s->out, sim_match_now(s->match), &own);
}

/* ---- the host's log ---- */

static void record_host(void *context, const sb_server_event *event)
{
    session *s = context;
    uint8_t  bytes[6];
    if (event->type != SB_SERVER_COMBAT) return;
    const sb_combat_event *e = event->combat;
    sb_store_u32(bytes, e->object_id);
    bytes[4] = e->index;
    bytes[5] = (uint8_t)e->child;
    if (e->type == SB_COMBAT_HIT) {
        bytes[4] = e->cause == SB_DAMAGE_COLLISION;
        recording_add(s->out, event->now, RECORDING_HIT, (sb_span){ bytes, 5 });
    }
    if (e->type == SB_COMBAT_REPAIRED)
        recording_add(s->out, event->now, RECORDING_REPAIR, (sb_span){ bytes, 6 });
}

/* ---- matches ---- */

static sim_match *open_match(session *s)
{
    sim_match_config config;
    sim_match_defaults(&config, s->config->seed);
    config.link = (sim_conditions){ .delay_us = s->config->delay_us, .loss = s->config->loss };
    config.server.max_players = BOTS;
    config.server.trace_damage = true;
    if (s->config->configure) s->config->configure(&config.server);
    config.on_event = record_host;
    config.event_context = s;
    config.sent = on_sent;
    config.tap_context = s;
    return sim_match_create(&config);
}

static void join(session *s, unsigned number, const char *name, const sb_pilot_config *pilot)
{
    sb_client_config client;
    sb_client_defaults(&client);
    if (number == s->config->watched) {
        client.on_event = record_received;
        client.event_context = s;
    }
    unsigned got = sim_match_join(s->match, name, pilot, &client);
    assert(got == number);
    (void)got;
}

static void join_bots(session *s)
{
    for (unsigned i = 0; i < BOTS; i++) {
        sb_pilot_config pilot;
        char            name[] = "Bot 1";
        sb_pilot_defaults(&pilot);
        pilot.skill = (uint8_t)(i % SB_SKILL_COUNT);
        pilot.species = bot_species[i];
        name[4] = (char)('1' + i);
        join(s, i, name, &pilot);
    }
}

static void run(session *s, double seconds, void (*act)(session *s))
{
    sb_time end = sim_match_now(s->match) + (sb_time)(seconds * 1e6);
    while (sim_match_now(s->match) < end) {
        if (act) act(s);
        sim_match_run(s->match, SLICE_US);
        record_own(s);
    }
}

/* ---- duels ---- */

static void spawn(session *s, unsigned number, uint8_t species, sb_vec3 at, sb_vec3 forward)
{
    sb_client *client = sim_match_client(s->match, number);
    sb_result  result = sb_client_spawn(client, sim_match_now(s->match), species, at, forward,
                                        (sb_vec3){ 0, 0, 1 });
    assert(result == SB_OK);
    (void)result;
}

static unsigned find_system(const sb_ship_class *model, uint8_t type)
{
    unsigned i = 0;
    while (i < model->subsystem_count && model->subsystems[i].type != type) i++;
    assert(i < model->subsystem_count);
    return i;
}

static const sb_vec3 to_target = { 0, -1, 0 };

/* All cannons at once: four times within a second, then as fast as they recharge. */
static void fire_bolts(session *s, sb_client *client, const sb_ship *ship, uint32_t target)
{
    sb_time  now = sim_match_now(s->match);
    unsigned system = find_system(ship->model, SB_SUBSYSTEM_PULSE_SYSTEM);
    for (unsigned i = 0; i < ship->model->subsystems[system].child_count; i++)
        (void)!sb_client_pulse(client, now, system, i, PULSE_DISRUPTOR, to_target, target);
    s->next_shot = now + (++s->shots < 4 ? 340000 : 2600000);
}

/* The four forward tubes, one after the other, once. */
static void fire_torpedo(session *s, sb_client *client, const sb_ship *ship, uint32_t target)
{
    sb_time  now = sim_match_now(s->match);
    unsigned system = find_system(ship->model, SB_SUBSYSTEM_TORPEDO_SYSTEM);
    (void)!sb_client_torpedo(client, now, system, s->shots, PHOTON, to_target, target);
    s->next_shot = ++s->shots < 4 ? now + 660000 : SB_TIME_NEVER;
}

static void fire_beams(session *s, sb_client *client, const sb_ship *ship, uint32_t target)
{
    sb_time  now = sim_match_now(s->match);
    unsigned system = find_system(ship->model, SB_SUBSYSTEM_PHASER_SYSTEM);
    if (now < s->fire_until) {
        (void)!sb_client_phaser_level(client, now, system, 2);
        (void)!sb_client_start_firing(client, now, system, target);
        s->next_shot = s->fire_until;
    } else {
        (void)!sb_client_stop_firing(client, now, system);
        s->next_shot = SB_TIME_NEVER;
    }
}

static void act_duel(session *s)
{
    sb_client          *client = sim_match_client(s->match, SESSION_ATTACKER);
    sb_client          *other = sim_match_client(s->match, SESSION_TARGET);
    const sb_seen_ship *own = sb_client_own_ship(client), *at = sb_client_own_ship(other);
    sb_time             now = sim_match_now(s->match);
    uint8_t             weapon = s->config->duel->weapon;
    if (!own || !at || now < s->next_shot) return;
    if (weapon == SESSION_BEAMS) fire_beams(s, client, &own->ship, at->ship.object_id);
    else if (now >= s->fire_until) return;
    else if (weapon == SESSION_BOLTS) fire_bolts(s, client, &own->ship, at->ship.object_id);
    else fire_torpedo(s, client, &own->ship, at->ship.object_id);
}

static bool is_lobby_complete(const session *s)
{
    for (unsigned i = 0; i <= SESSION_WATCHER; i++)
        if (sb_client_phase_of(sim_match_client(s->match, i)) != SB_CLIENT_LOBBY) return false;
    return true;
}

static void play_duel(session *s)
{
    const session_duel *duel = s->config->duel;
    join(s, SESSION_ATTACKER, "Attacker", NULL);
    join(s, SESSION_TARGET, "Target", NULL);
    join(s, SESSION_WATCHER, "Watcher", NULL);
    for (unsigned i = 0; i < 60 && !is_lobby_complete(s); i++) run(s, 1, NULL);
    spawn(s, SESSION_ATTACKER, duel->attacker, (sb_vec3){ 0, duel->range, 0 },
          (sb_vec3){ 0, -1, 0 });
    spawn(s, SESSION_TARGET, duel->target, (sb_vec3){ 0, 0, 0 }, (sb_vec3){ 0, 1, 0 });
    spawn(s, SESSION_WATCHER, 3, (sb_vec3){ 80, 30, 10 }, (sb_vec3){ -1, 0, 0 });
    run(s, 3, NULL);
    s->next_shot = sim_match_now(s->match);
    s->fire_until = s->next_shot + (sb_time)(duel->seconds * 1e6);
    run(s, s->config->seconds, act_duel);
}

void session_play(const session_config *config, recording *out)
{
    session s = { .config = config, .out = out };
    uint8_t delay[4];
    *out = (recording){ 0 };
    sb_store_u32(delay, (uint32_t)config->delay_us);
    recording_add(out, 0, RECORDING_LINK, (sb_span){ delay, sizeof delay });
    s.match = open_match(&s);
    if (config->duel) {
        play_duel(&s);
    } else {
        join_bots(&s);
        run(&s, config->seconds, NULL);
    }
    sim_match_destroy(s.match);
}

/* ---- the sessions of the tables ---- */

enum { BATTLES = 3, ROLES = SESSION_WATCHER + 1 };

const session_link session_links[SESSION_LINKS] = { { 20, 0 }, { 20, 5 },  { 80, 0 },
                                                    { 80, 5 }, { 150, 0 }, { 150, 5 } };

bool session_of_table(session_kind kind, unsigned link, unsigned n, session_config *out)
{
    assert(link < SESSION_LINKS);
    *out = (session_config){ .seed = n + 1,
                             .delay_us = session_links[link].delay_ms * 1000,
                             .loss = session_links[link].loss_percent * 10000 };
    if (kind == SESSION_BATTLES) {
        out->seconds = 200;
        out->watched = 2 * n;
        return n < BATTLES;
    }
    if (n >= SESSION_DUELS * ROLES) return false;
    out->seconds = 30;
    out->duel = &session_duels[n / ROLES];
    out->watched = n % ROLES;
    return true;
}

void session_path(const char *dir, session_kind kind, unsigned link, unsigned n, char *out,
                  size_t capacity)
{
    snprintf(out, capacity, "%s/%s-%ums-%uloss-%u.rec", dir,
             kind == SESSION_BATTLES ? "battle" : "duel", session_links[link].delay_ms,
             session_links[link].loss_percent, n + 1);
}
