/* src/replica/replica.c -- a host's lanes: every ship to every peer, each message built once.
 *
 * For:      the server. Each ship has shared lanes: its owner's, and for every pace that of lossy
 *           peers (spec 03 §17) and that of all others. Peers on a lane have the same baselines:
 *           when a peer joins a lane, the next update of that lane is a full one. A silent peer is
 *           on no lane. In a turn all ships that are due send: those on the shared tick, or those
 *           whose owners' updates have just arrived (ship_clock.h).
 * Spec:     03 §7, §8, §17.
 * Tests:    tests/replica/replica_test.c, replica_pace_test.c, replica_arrival_test.c
 */
#include "replica/ship_clock.h"
#include "replica/testing.h"

#include <starbase/message.h>

#include "base/assert.h"
#include "base/compiler.h"
#include "base/time.h"

#include <string.h>

/* Two lanes for each pace but SILENT follow the owner's: LANE_OTHERS + 2 * pace, LANE_LOSSY + 2 *
 * pace. */
enum {
    LANE_OWNER,
    LANE_OTHERS,
    LANE_LOSSY,
    LANE_COUNT = LANE_OTHERS + 2 * SB_REPLICA_SILENT,
    LANE_NONE = LANE_COUNT
};

static const uint8_t ticks_of_pace[SB_REPLICA_SILENT] = {
    [SB_REPLICA_EVERY_TICK] = 1,
    [SB_REPLICA_EVERY_2_TICKS] = 2,
    [SB_REPLICA_EVERY_5_TICKS] = 5,
};

static sb_lane_role role_of_lane(unsigned lane)
{
    return lane == LANE_OWNER ? SB_LANE_TO_OWNER : SB_LANE_TO_OTHERS;
}

static bool is_lossy_lane(unsigned lane)
{
    return lane != LANE_OWNER && (lane - LANE_OTHERS) % 2 == 1;
}

static unsigned ticks_of_lane(unsigned lane)
{
    return lane == LANE_OWNER ? 1 : ticks_of_pace[(lane - LANE_OTHERS) / 2];
}

/* Enough for any update: a SUBSYS block exceeds its limit of 10 bytes by one entry at most. */
enum { UPDATE_MAX = 400 };

typedef struct shared_lane {
    sb_peer_mask       peers; /* receivers; they have the same baselines */
    bool               lossy;
    sb_message_context context; /* for encoding; constant, since a ship keeps its class */
    sb_lane            lane;
} shared_lane;

typedef struct ship_lanes {
    const sb_ship *ship; /* NULL: free */
    unsigned       owner;
    sb_ship_clock  clock;
    bool           in_turn; /* sends in the current turn */
    uint32_t       turns;   /* number of this ship's turns; not from 0 for all, so that slow lanes
                               of different ships send at different ticks */
    sb_vec3       position; /* to be sent in the next turn, if has_position */
    bool          has_position;
    uint8_t       share;                  /* lanes send at every share-th of their turns */
    uint8_t       pace[SB_REPLICA_PEERS]; /* sb_replica_pace */
    sb_ship_frame frame;
    shared_lane   lanes[LANE_COUNT];
} ship_lanes;

struct sb_replica {
    sb_replica_config config;
    uint32_t          ship_count;
    uint32_t          ship_top;  /* entries of `ships` that were ever used */
    sb_time           next_tick; /* of the ships that do not follow their owners */
    sb_time           next_turn; /* earliest time at which a ship is due; SB_TIME_NEVER: no ships */
    sb_time           release_at; /* when the updates that wait for others go out */
    uint32_t          tick;       /* number of the last tick */
    bool              in_turn;    /* messages of the current turn are being built */
    uint32_t          next_ship;  /* in a turn: ship and lane of the next message */
    unsigned          next_lane;
    sb_peer_mask      present, lossy;
    /* Becomes `lossy` in the next turn. A peer that changed lanes within a turn would get two
     * messages of the same game time with different baselines. */
    sb_peer_mask lossy_next;
    bool         lossy_changed; /* lossy_next was set since the last turn */
    sb_message   message;
    uint8_t      bytes[UPDATE_MAX];
    ship_lanes   ships[];
};

static bool is_valid_config(const sb_replica_config *c)
{
    return c->max_ships >= 1 && c->max_ships <= 1024 && c->lanes.interval_us > 0 &&
           c->lanes.full_us > 0 && c->lanes.level_repeats > 0 && c->lanes.lossy_full_us >= 0 &&
           c->lanes.gather_us >= 0 && c->lanes.layout < SB_SHIELD_LAYOUTS;
}

size_t sb_replica_bytes(const sb_replica_config *config)
{
    if (!is_valid_config(config)) return 0;
    return sizeof(sb_replica) + config->max_ships * sizeof(ship_lanes);
}

sb_replica *sb_replica_init(void *memory, const sb_replica_config *config)
{
    SB_ASSERT(is_valid_config(config));
    sb_replica *r = memory;
    memset(r, 0, sizeof *r);
    r->config = *config;
    r->next_tick = r->next_turn = SB_TIME_NEVER;
    r->message.opcode = SB_OP_STATE_UPDATE;
    return r;
}

/* ---- peers on lanes ---- */

bool sb_peer_mask_has(const sb_peer_mask *mask, unsigned peer)
{
    return peer < SB_REPLICA_PEERS && mask->bits[peer / 64] >> peer % 64 & 1;
}

static void set_bit(sb_peer_mask *mask, unsigned peer, bool on)
{
    SB_ASSERT(peer < SB_REPLICA_PEERS);
    uint64_t bit = (uint64_t)1 << peer % 64;
    mask->bits[peer / 64] = on ? mask->bits[peer / 64] | bit : mask->bits[peer / 64] & ~bit;
}

static bool is_empty(const sb_peer_mask *mask)
{
    for (size_t i = 0; i < SB_REPLICA_PEERS / 64; i++)
        if (mask->bits[i] != 0) return false;
    return true;
}

static unsigned lane_of_peer(const sb_replica *r, const ship_lanes *s, unsigned peer)
{
    if (peer == s->owner) return LANE_OWNER;
    if (s->pace[peer] == SB_REPLICA_SILENT) return LANE_NONE;
    bool lossy = r->config.lanes.lossy_full_us > 0 && sb_peer_mask_has(&r->lossy, peer);
    return (lossy ? LANE_LOSSY : LANE_OTHERS) + 2u * s->pace[peer];
}

/* Moves the peer to its lane. The next update there is a full one for all its peers, which gives
 * the newcomer and the others the same baselines. */
static void join_lane(sb_replica *r, ship_lanes *s, unsigned peer)
{
    unsigned lane = lane_of_peer(r, s, peer);
    for (unsigned i = 0; i < LANE_COUNT; i++) set_bit(&s->lanes[i].peers, peer, i == lane);
    if (lane != LANE_NONE) s->lanes[lane].lane.started = false;
}

static ship_lanes *find_ship(sb_replica *r, uint32_t object_id)
{
    for (uint32_t i = 0; i < r->ship_top; i++)
        if (r->ships[i].ship && r->ships[i].frame.object_id == object_id) return &r->ships[i];
    return NULL;
}

bool sb_replica_has_ship(const sb_replica *r, uint32_t object_id)
{
    for (uint32_t i = 0; i < r->ship_top; i++)
        if (r->ships[i].ship && r->ships[i].frame.object_id == object_id) return true;
    return false;
}

void sb_replica_add_peer(sb_replica *r, unsigned peer)
{
    SB_ASSERT(peer < SB_REPLICA_PEERS);
    set_bit(&r->present, peer, true);
    set_bit(&r->lossy, peer, false);
    set_bit(&r->lossy_next, peer, false);
    for (uint32_t i = 0; i < r->ship_top; i++) {
        if (!r->ships[i].ship) continue;
        r->ships[i].pace[peer] = SB_REPLICA_EVERY_TICK;
        join_lane(r, &r->ships[i], peer);
    }
}

void sb_replica_remove_peer(sb_replica *r, unsigned peer)
{
    SB_ASSERT(peer < SB_REPLICA_PEERS);
    set_bit(&r->present, peer, false);
    for (uint32_t i = 0; i < r->ship_top; i++)
        for (unsigned lane = 0; r->ships[i].ship && lane < LANE_COUNT; lane++)
            set_bit(&r->ships[i].lanes[lane].peers, peer, false);
}

void sb_replica_set_lossy(sb_replica *r, unsigned peer, bool lossy)
{
    SB_ASSERT(peer < SB_REPLICA_PEERS);
    set_bit(&r->lossy_next, peer, lossy);
    r->lossy_changed = true;
}

static void update_lossy_peer(sb_replica *r, unsigned peer)
{
    bool lossy = sb_peer_mask_has(&r->lossy_next, peer);
    if (sb_peer_mask_has(&r->lossy, peer) == lossy) return;
    set_bit(&r->lossy, peer, lossy);
    if (!sb_peer_mask_has(&r->present, peer)) return;
    for (uint32_t i = 0; i < r->ship_top; i++)
        if (r->ships[i].ship && r->ships[i].owner != peer) join_lane(r, &r->ships[i], peer);
}

/* Rare, so it is kept out of the code of the turns. */
static SB_COLD void update_lossy_peers(sb_replica *r)
{
    for (unsigned peer = 0; peer < SB_REPLICA_PEERS; peer++) update_lossy_peer(r, peer);
    r->lossy_changed = false;
}

void sb_replica_set_rare_health(sb_replica *r, bool rare)
{
    r->config.lanes.rare_health = rare;
}

/* ---- which ships are due ---- */

static bool follows_owner(const sb_replica *r, const ship_lanes *s)
{
    return s->clock.follows && r->config.lanes.on_arrival;
}

static sb_time ship_due(const sb_replica *r, const ship_lanes *s)
{
    if (!follows_owner(r, s)) return r->next_tick;
    if (s->clock.waiting) return r->release_at;
    return sb_ship_clock_fallback(&s->clock, r->config.lanes.interval_us);
}

static bool is_ship_due(const sb_replica *r, const ship_lanes *s, sb_time now)
{
    if (ship_due(r, s) > now) return false;
    return follows_owner(r, s) || !r->config.lanes.on_arrival ||
           sb_ship_clock_has_credit(&s->clock, r->config.lanes.interval_us, now);
}

static void plan_next_turn(sb_replica *r)
{
    r->next_turn = SB_TIME_NEVER;
    for (uint32_t i = 0; i < r->ship_top; i++)
        if (r->ships[i].ship)
            r->next_turn = sb_time_earlier(r->next_turn, ship_due(r, &r->ships[i]));
}

void sb_replica_set_interval(sb_replica *r, sb_time interval_us)
{
    SB_ASSERT(interval_us > 0);
    if (r->config.lanes.interval_us == interval_us) return;
    r->config.lanes.interval_us = interval_us;
    plan_next_turn(r); /* ships whose owners are silent may be due sooner */
}

void sb_replica_set_wait(sb_replica *r, sb_time wait_us)
{
    SB_ASSERT(wait_us >= 0);
    r->config.lanes.wait_us = wait_us;
}

bool sb_replica_is_due(const sb_replica *r, uint32_t object_id, sb_time now)
{
    for (uint32_t i = 0; i < r->ship_top; i++)
        if (r->ships[i].ship && r->ships[i].frame.object_id == object_id)
            return is_ship_due(r, &r->ships[i], now);
    return false;
}

static bool is_any_waiting(const sb_replica *r)
{
    for (uint32_t i = 0; i < r->ship_top; i++)
        if (r->ships[i].ship && r->ships[i].clock.waiting) return true;
    return false;
}

/* The next moment after `now` at which another owner's update is expected. */
static sb_time next_expected(const sb_replica *r, const ship_lanes *than, sb_time now)
{
    sb_time next = SB_TIME_NEVER;
    for (uint32_t i = 0; i < r->ship_top; i++) {
        const ship_lanes *s = &r->ships[i];
        if (!s->ship || s == than || !follows_owner(r, s)) continue;
        sb_time at = sb_ship_clock_expected(&s->clock);
        if (at > now) next = sb_time_earlier(next, at);
    }
    return next;
}

/* Each turn costs every receiver a datagram. So an update waits for the next one if that one is
 * expected soon; the second goes at once and takes the first along (spec 03 §17.1). With wait_us
 * it waits for all that arrive within that time. */
static sb_time release_time(const sb_replica *r, const ship_lanes *s, sb_time now)
{
    if (r->config.lanes.wait_us > 0) return now + r->config.lanes.wait_us;
    sb_time expected = next_expected(r, s, now), gather = r->config.lanes.gather_us;
    return expected != SB_TIME_NEVER && expected - now <= gather ? expected + gather / 4 : now;
}

void sb_replica_note_arrival(sb_replica *r, uint32_t object_id, sb_time now)
{
    ship_lanes *s = r->config.lanes.on_arrival ? find_ship(r, object_id) : NULL;
    if (!s) return;
    bool others_wait = is_any_waiting(r);
    sb_ship_clock_note_arrival(&s->clock, r->config.lanes.interval_us, now);
    if (s->clock.waiting && !others_wait) r->release_at = release_time(r, s, now);
    else if (s->clock.waiting && r->config.lanes.wait_us == 0) r->release_at = now;
    r->next_turn = sb_time_earlier(r->next_turn, ship_due(r, s));
}

/* ---- ships ---- */

static void init_ship_lanes(sb_replica *r, ship_lanes *s, const sb_ship *ship, unsigned owner)
{
    *s = (ship_lanes){ .ship = ship, .owner = owner, .share = 1 };
    s->turns = r->tick + (uint32_t)(s - r->ships);
    sb_frame_init(&s->frame, ship);
    for (unsigned i = 0; i < LANE_COUNT; i++) {
        shared_lane *l = &s->lanes[i];
        l->lossy = is_lossy_lane(i);
        sb_lane_init(&l->lane, role_of_lane(i), &s->frame, &r->config.lanes);
        l->context = sb_lane_context(&l->lane, &s->frame, &r->config.lanes);
    }
    for (unsigned peer = 0; peer < SB_REPLICA_PEERS; peer++)
        if (sb_peer_mask_has(&r->present, peer)) join_lane(r, s, peer);
}

sb_result sb_replica_add_ship(sb_replica *r, const sb_ship *ship, unsigned owner, sb_time now)
{
    if (find_ship(r, ship->object_id)) return SB_NOT_ALLOWED;
    if (r->ship_count == r->config.max_ships) return SB_FULL;
    uint32_t i = 0;
    while (i < r->ship_top && r->ships[i].ship) i++;
    SB_ASSERT(i < r->config.max_ships); /* ship_count says that one is free */
    if (i == r->ship_top) r->ship_top++;
    init_ship_lanes(r, &r->ships[i], ship, owner);
    sb_ship_clock_init(&r->ships[i].clock, r->config.lanes.interval_us, now);
    if (r->ship_count++ == 0) r->next_tick = now;
    r->next_turn = sb_time_earlier(r->next_turn, r->next_tick);
    return SB_OK;
}

void sb_replica_remove_ship(sb_replica *r, uint32_t object_id)
{
    ship_lanes *s = find_ship(r, object_id);
    if (!s) return;
    s->ship = NULL;
    if (--r->ship_count > 0) return;
    r->next_tick = r->next_turn = SB_TIME_NEVER;
    r->in_turn = false;
}

void sb_replica_repeat(sb_replica *r, uint32_t object_id, unsigned peer)
{
    ship_lanes *s = find_ship(r, object_id);
    if (s && sb_peer_mask_has(&r->present, peer)) join_lane(r, s, peer);
}

void sb_replica_set_pace(sb_replica *r, uint32_t object_id, unsigned peer, sb_replica_pace pace)
{
    SB_ASSERT(peer < SB_REPLICA_PEERS);
    SB_ASSERT(pace < SB_REPLICA_PACES);
    SB_ASSERT(!r->in_turn);
    ship_lanes *s = find_ship(r, object_id);
    if (!s || s->owner == peer || s->pace[peer] == pace) return;
    s->pace[peer] = (uint8_t)pace;
    if (sb_peer_mask_has(&r->present, peer)) join_lane(r, s, peer);
}

void sb_replica_set_share(sb_replica *r, uint32_t object_id, unsigned ticks)
{
    SB_ASSERT(ticks >= 1 && ticks <= UINT8_MAX);
    ship_lanes *s = find_ship(r, object_id);
    if (s) s->share = (uint8_t)ticks;
}

void sb_replica_place(sb_replica *r, uint32_t object_id, sb_vec3 position)
{
    ship_lanes *s = find_ship(r, object_id);
    if (!s) return;
    s->position = position;
    s->has_position = true;
}

/* ---- turns ---- */

/* Missed ticks are skipped, not made up for. */
static void start_tick(sb_replica *r, sb_time now)
{
    r->tick++;
    r->next_tick += r->config.lanes.interval_us;
    if (r->next_tick <= now) r->next_tick = now + r->config.lanes.interval_us;
}

static void start_turn(sb_replica *r, sb_time now)
{
    if (r->lossy_changed) update_lossy_peers(r);
    r->in_turn = true;
    r->next_ship = 0;
    r->next_lane = 0;
    for (uint32_t i = 0; i < r->ship_top; i++) {
        ship_lanes *s = &r->ships[i];
        s->in_turn = s->ship && is_ship_due(r, s, now);
        if (!s->in_turn) continue;
        sb_ship_clock_send(&s->clock, r->config.lanes.interval_us, now);
        s->turns++;
    }
    if (r->next_tick <= now) start_tick(r, now);
    plan_next_turn(r);
}

static bool is_lane_due(const ship_lanes *s, unsigned lane)
{
    return s->turns % (ticks_of_lane(lane) * s->share) == 0;
}

static bool build_message(sb_replica *r, const sb_ship_frame *frame, shared_lane *l, sb_time now,
                          float game_time, sb_replica_message *out)
{
    size_t size;
    if (!sb_lane_build(&l->lane, frame, &r->config.lanes, l->lossy, now, game_time,
                       &r->message.as.state_update))
        return false;
    sb_result result =
        sb_encode_message(&r->message, &l->context, r->bytes, sizeof r->bytes, &size);
    SB_ASSERT(result == SB_OK);
    out->object_id = frame->object_id;
    out->peers = l->peers;
    out->bytes = (sb_span){ r->bytes, size };
    return true;
}

/* Builds the message of one lane of the ship r->next_ship; false: it sends none in this turn. */
static bool build_lane(sb_replica *r, unsigned lane, sb_time now, float game_time,
                       sb_replica_message *out)
{
    ship_lanes  *s = &r->ships[r->next_ship];
    shared_lane *l = &s->lanes[lane];
    if (is_empty(&l->peers)) return false;
    if (is_lane_due(s, lane)) return build_message(r, &s->frame, l, now, game_time, out);
    sb_lane_skip(&l->lane, &s->frame, &r->config.lanes);
    return false;
}

static void update_frame(ship_lanes *s)
{
    sb_frame_update(&s->frame, s->ship, s->has_position ? s->position : s->ship->motion.position);
    s->has_position = false;
}

bool sb_replica_next(sb_replica *r, sb_time now, float game_time, sb_replica_message *out)
{
    if (!r->in_turn && r->next_turn > now) return false;
    if (!r->in_turn) start_turn(r, now);
    for (; r->next_ship < r->ship_top; r->next_ship++, r->next_lane = 0) {
        ship_lanes *s = &r->ships[r->next_ship];
        if (!s->ship || !s->in_turn) continue;
        if (r->next_lane == 0) update_frame(s);
        while (r->next_lane < LANE_COUNT)
            if (build_lane(r, r->next_lane++, now, game_time, out)) return true;
    }
    r->in_turn = false;
    return false;
}

sb_time sb_replica_next_deadline(const sb_replica *r)
{
    return r->next_turn;
}

/* ---- invariants ---- */

/* A present peer is on the lane of each ship that lane_of_peer says and on no other; an absent one
 * on none. */
static void check_peers(const sb_replica *r, const ship_lanes *s)
{
    for (unsigned peer = 0; peer < SB_REPLICA_PEERS; peer++) {
        bool present = sb_peer_mask_has(&r->present, peer);
        SB_ASSERT(s->pace[peer] < SB_REPLICA_PACES);
        unsigned lane = lane_of_peer(r, s, peer);
        for (unsigned i = 0; i < LANE_COUNT; i++)
            SB_ASSERT(sb_peer_mask_has(&s->lanes[i].peers, peer) == (present && i == lane));
    }
}

static void check_lane(const sb_replica *r, const ship_lanes *s, unsigned index)
{
    const shared_lane *l = &s->lanes[index];
    sb_message_context context = sb_lane_context(&l->lane, &s->frame, &r->config.lanes);
    sb_lane_check(&l->lane, &s->frame, &r->config.lanes);
    SB_ASSERT(l->lossy == is_lossy_lane(index));
    SB_ASSERT(l->lane.role == role_of_lane(index));
    SB_ASSERT(l->context.ship == s->frame.model);
    SB_ASSERT(l->context.own == context.own);
    SB_ASSERT(l->context.layout == context.layout);
}

static void check_ship(const sb_replica *r, const ship_lanes *s)
{
    SB_ASSERT(s->frame.object_id == s->ship->object_id);
    SB_ASSERT(s->frame.model == s->ship->model);
    SB_ASSERT(s->share >= 1);
    SB_ASSERT(s->clock.credit >= 0);
    SB_ASSERT(!s->clock.waiting || s->clock.follows);
    SB_ASSERT(r->in_turn || r->next_turn <= ship_due(r, s));
    for (const ship_lanes *other = r->ships; other < s; other++)
        SB_ASSERT(!other->ship || other->frame.object_id != s->frame.object_id);
    sb_frame_check(&s->frame);
    check_peers(r, s);
    for (unsigned i = 0; i < LANE_COUNT; i++) check_lane(r, s, i);
}

static void check_turn(const sb_replica *r)
{
    SB_ASSERT((r->ship_count == 0) == (r->next_tick == SB_TIME_NEVER));
    SB_ASSERT((r->ship_count == 0) == (r->next_turn == SB_TIME_NEVER));
    SB_ASSERT(r->next_lane <= LANE_COUNT);
    SB_ASSERT(r->next_ship <= r->ship_top);
    SB_ASSERT(r->ship_top <= r->config.max_ships);
    SB_ASSERT(!r->in_turn || r->ship_count > 0);
    SB_ASSERT(!r->in_turn || r->next_ship < r->ship_top);
}

void sb_replica_check(const sb_replica *r)
{
    uint32_t count = 0;
    SB_ASSERT(is_valid_config(&r->config));
    SB_ASSERT(r->message.opcode == SB_OP_STATE_UPDATE);
    SB_ASSERT(r->lossy_changed || memcmp(&r->lossy, &r->lossy_next, sizeof r->lossy) == 0);
    check_turn(r);
    for (uint32_t i = 0; i < r->ship_top; i++) {
        if (!r->ships[i].ship) continue;
        check_ship(r, &r->ships[i]);
        count++;
    }
    SB_ASSERT(count == r->ship_count);
}
