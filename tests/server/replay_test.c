/* tests/server/replay_test.c -- a recorded fight replays to the same deaths and scores: the events
 * of a room depend only on the datagrams and times that it was given.
 */
#include <starbase/cipher.h>
#include <starbase/datagram.h>
#include <starbase/protocol.h>

#include "sim/match.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

enum { BOTS = 6, SECONDS = 360 };

/* ---- the recording ---- */

/* One input; size 0: the server was advanced, and all its datagrams were taken. */
typedef struct entry {
    sb_time     now;
    sb_endpoint from;
    size_t      at, size;
} entry;

typedef struct recording {
    entry   *entries;
    size_t   count, capacity;
    uint8_t *bytes;
    size_t   used, bytes_capacity;
} recording;

static void grow(void **memory, size_t *capacity, size_t wanted, size_t unit)
{
    if (wanted <= *capacity) return;
    *capacity = 2 * wanted;
    *memory = realloc(*memory, *capacity * unit);
    CHECK(*memory != NULL);
}

static void record(void *context, sb_time now, sb_endpoint from, sb_span datagram)
{
    recording *r = context;
    void      *entries = r->entries, *bytes = r->bytes;
    grow(&entries, &r->capacity, r->count + 1, sizeof *r->entries);
    grow(&bytes, &r->bytes_capacity, r->used + datagram.size + 1, 1);
    r->entries = entries;
    r->bytes = bytes;
    r->entries[r->count++] = (entry){ now, from, r->used, datagram.size };
    if (datagram.size) memcpy(r->bytes + r->used, datagram.data, datagram.size);
    r->used += datagram.size;
}

static void forget(recording *r)
{
    free(r->entries);
    free(r->bytes);
    *r = (recording){ 0 };
}

/* ---- the outcome ---- */

typedef struct outcome {
    uint64_t     hash, deaths, hits;
    sb_time      beam_hit_at; /* the last hit of a beam, ... */
    uint8_t      beam_hit_by; /* ... and the peer id of the attacker */
    uint8_t      killers[64], victims[64];
    sb_match_row rows[SB_MATCH_PLAYERS];
} outcome;

static void store_hit(outcome *o, const sb_server_event *event)
{
    o->hits++;
    if (event->combat->cause != SB_DAMAGE_BEAM) return;
    o->beam_hit_at = event->now;
    o->beam_hit_by = event->combat->attacker;
}

static void store_event(void *context, const sb_server_event *event)
{
    outcome *o = context;
    sim_match_mix_event(&o->hash, event);
    if (event->type == SB_SERVER_COMBAT && event->combat->type == SB_COMBAT_HIT)
        store_hit(o, event);
    if (event->type != SB_SERVER_KILLED) return;
    o->killers[o->deaths % 64] = event->other;
    o->victims[o->deaths % 64] = event->peer_id;
    o->deaths++;
}

static void store_scores(outcome *o, const sb_server *server)
{
    memcpy(o->rows, sb_server_match(server)->rows, sizeof o->rows);
}

static void check_same_scores(const outcome *a, const outcome *b)
{
    for (size_t i = 0; i < SB_MATCH_PLAYERS; i++) {
        CHECK_EQ(a->rows[i].used, b->rows[i].used);
        CHECK_EQ(a->rows[i].peer_id, b->rows[i].peer_id);
        CHECK_EQ(a->rows[i].kills, b->rows[i].kills);
        CHECK_EQ(a->rows[i].deaths, b->rows[i].deaths);
        CHECK_EQ(a->rows[i].score, b->rows[i].score);
    }
}

/* ---- recording and replay ---- */

static sim_match_config fight_config(recording *r, outcome *o)
{
    sim_match_config config;
    sim_match_defaults(&config, 7);
    sim_match_bad_link(&config.link);
    config.server.trace_damage = true; /* the log has every event of combat */
    config.on_event = store_event;
    config.event_context = o;
    config.tap = record;
    config.tap_context = r;
    return config;
}

static void play(recording *r, outcome *o)
{
    sim_match_config config = fight_config(r, o);
    sim_match       *m = sim_match_create(&config);
    for (unsigned i = 0; i < BOTS; i++) {
        sb_pilot_config pilot;
        char            name[] = "Bot 0";
        sb_pilot_defaults(&pilot);
        pilot.skill = (uint8_t)(i % SB_SKILL_COUNT);
        pilot.arena = 40;
        name[4] = (char)('1' + i);
        sim_match_join(m, name, &pilot, NULL);
    }
    sim_match_run(m, SECONDS * SB_SECOND);
    CHECK_EQ(sim_match_log_hash(m), o->hash); /* both hash the same events */
    store_scores(o, sim_match_server(m));
    sim_match_destroy(m);
}

static void feed(sb_server *server, const recording *r, const entry *e)
{
    uint8_t     out[SB_SERVER_DATAGRAM_MAX];
    sb_endpoint to;
    if (e->size) {
        (void)!sb_server_receive(server, e->now, e->from, (sb_span){ r->bytes + e->at, e->size });
        return;
    }
    sb_server_advance(server, e->now);
    while (sb_server_write(server, e->now, &to, out)) continue;
}

static void replay(recording *r, outcome *o)
{
    sb_server_config config = fight_config(r, o).server;
    config.seed = 7;
    config.on_event = store_event;
    config.event_context = o;
    void *memory = malloc(sb_server_bytes(&config));
    CHECK(memory != NULL);
    sb_server *server = sb_server_init(memory, &config, SB_SECOND);
    for (size_t i = 0; i < r->count; i++) feed(server, r, &r->entries[i]);
    store_scores(o, server);
    free(memory);
}

static outcome first, second;

TEST(a_recorded_fight_replays_to_the_same_deaths_and_scores)
{
    recording r = { 0 };
    first = second = (outcome){ .hash = SIM_LOG_START };
    play(&r, &first);
    CHECK(first.deaths >= 2 && first.hits > 1000); /* enough fighting to prove something */
    replay(&r, &second);
    CHECK_EQ(second.deaths, first.deaths);
    CHECK_EQ(second.hits, first.hits);
    CHECK_BYTES(second.killers, sizeof second.killers, first.killers, sizeof first.killers);
    CHECK_BYTES(second.victims, sizeof second.victims, first.victims, sizeof first.victims);
    check_same_scores(&first, &second);
    CHECK_EQ(second.hash, first.hash);
    forget(&r);
}

/* ---- a missing shot ---- */

/* Finds a StartFiring of the player in the datagram. */
static bool has_shot_of(const recording *r, const entry *e, uint8_t peer_id, uint16_t *seq)
{
    uint8_t              plain[SB_SERVER_DATAGRAM_MAX];
    sb_datagram          d;
    sb_transport_message m;
    size_t               at = 0;
    if (e->size == 0 || e->size > sizeof plain) return false;
    memcpy(plain, r->bytes + e->at, e->size);
    sb_decrypt_datagram(plain, e->size);
    if (sb_decode_datagram((sb_span){ plain, e->size }, &d, NULL) != SB_OK) return false;
    if (d.peer_id != peer_id) return false;
    while (sb_datagram_next(&d, &at, &m)) {
        if (m.type != SB_TRANSPORT_DATA || !m.reliable || m.payload.size == 0) continue;
        *seq = m.seq;
        if (m.payload.data[0] == SB_OP_START_FIRING) return true;
    }
    return false;
}

/* Removes the last shot of the player before `hit_at`, and all its retransmissions. */
static void remove_shot(recording *r, uint8_t peer_id, sb_time hit_at)
{
    uint16_t seq = 0, other;
    bool     found = false;
    for (size_t i = 0; i < r->count && r->entries[i].now < hit_at; i++)
        if (has_shot_of(r, &r->entries[i], peer_id, &other)) {
            seq = other;
            found = true;
        }
    CHECK(found);
    for (size_t i = 0; i < r->count; i++)
        if (has_shot_of(r, &r->entries[i], peer_id, &other) && other == seq) r->entries[i].size = 0;
}

/* Without one recorded shot that hit, the outcome differs: the seed alone does not decide it. */
TEST(a_recording_that_lacks_a_shot_replays_to_another_log)
{
    recording r = { 0 };
    first = second = (outcome){ .hash = SIM_LOG_START };
    play(&r, &first);
    remove_shot(&r, first.beam_hit_by, first.beam_hit_at);
    replay(&r, &second);
    CHECK(second.hash != first.hash);
    forget(&r);
}
