/* sim/fight.c -- a fight of up to eight ships over bad links, from one seed, with what must hold.
 *
 * WHERE A SHIP IS SEEN. An observer (the host for an owner's ship, a client for what the host says)
 * believes position + forward x speed x elapsed (spec 10 §11.2). Let V be the most a ship of the
 * class can fly (125 % of its maximum speed), t now, and of the updates that the observer applied
 *
 *     p   the time at which the last one with POS or DELTA was built,
 *     r   the time at which the last one of all arrived.
 *
 * Then it is never farther from the truth than
 *
 *     S + Q + M + V (t - p) + V min(t - r, 1 s)
 *
 * S: how far the sender's own belief was off at p: 0 for the owner, the host's bound for a client.
 * Q: the cut of the delta: sqrt(3)/127 of its length for the direction and one step of cf16 for the
 *    length (spec 02 §7); 0 with POS.
 * M: the delta counts from a POS that the observer did not get. If it noticed that and inferred the
 *    base (src/replica/receiver.c), its belief of then lives on: S, Q and M of the last position,
 *    2 V x the time since, for the ship and for the reckoning, and S and Q of now. If not: the
 *    distance between the two bases, V x the time between them plus the S of both. It lasts until
 *    the next POS that arrives, on time or late: about a second (spec 03 §3).
 * V (t - p): the ship flew on. V min(t - r, 1 s): the observer let it fly, in whatever direction.
 *
 * HOW FAR A SHIP IS MOVED. A delta moves a ship no farther than it can have flown since the last
 * position, t seconds before, by V t and the S and Q of both; and by M of the last one, if a late
 * POS has put that right. Where a lost POS was not noticed: by 2 (V + a t) t, as the receiver
 * derives.
 *
 * HOW A SHIP IS SEEN. Every entry is in one of CYCLE consecutive messages of a lane: 8 by the round
 * robin (spec 03 §4.4), twice that where damage goes first, for then every other block is in turn
 * (§17). An observer has exactly what the last applied message that carried the entry said; so a
 * change that stays is seen after one cycle and the transit, plus one cycle for each carrier that
 * is lost. Checked are the two halves: the sender's cycle, and the observer's state against the
 * messages it applied.
 *
 * Nothing goes back: the build times of applied messages never fall, entry by entry, and a message
 * that is not applied changes nothing.
 */
#include "sim/fight.h"

#include "base/assert.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    STEP_US = 10000, /* 100 Hz */
    TICK_US = 100000,
    HISTORY = 32, /* ticks that are remembered: more than a datagram can take */
    FLIGHTS = 64,
    CREATIONS = 128,
    CYCLE = 8,
    MESSAGE_BYTES = FIGHT_SIZES,
    CREATION_BYTES = 160,
    WRECK_STEPS = 200,  /* a wreck is told of for two seconds ... */
    ABSENT_STEPS = 100, /* ... and its player is without a ship for one more */
};

static const uint8_t fleet[FIGHT_SHIPS_MAX] = { 5, 1, 6, 7, 3, 12, 10, 15 };

/* ---- the parties ---- */

/* What the simulator knows of a message that nobody else does. */
typedef struct record {
    sb_time  sent_at, base_at;
    double   source_error, base_error;
    unsigned tick; /* index in the history of the sender */
} record;

typedef struct packet {
    record  known;
    uint8_t size;
    uint8_t bytes[MESSAGE_BYTES];
} packet;

typedef struct flight {
    sb_time  arrives;
    unsigned count;
    packet   packets[FIGHT_SHIPS_MAX];
} flight;

/* One direction between a player and the host. */
typedef struct link {
    sim_impairment impairment;
    unsigned       flight_count;
    flight         flights[FLIGHTS];
} link_way;

/* One ship as somebody believes it. */
typedef struct view {
    bool               there;
    sb_ship            ship;
    sb_receiver        receiver;
    record             position; /* of the last update with POS or DELTA */
    double             cut, mismatch;
    double             inferred; /* how far off a base can be that was not told */
    sb_time            base_at;
    double             base_error;
    sb_time            last_sent_at; /* of the last applied update */
    sb_time            carried_at[SB_SUBSYSTEMS_MAX];
    bool               settled[SB_SUBSYSTEMS_MAX];
    sb_subsystem_state expected[SB_SUBSYSTEMS_MAX];
} view;

/* How a player flies at the moment. */
typedef struct pilot {
    sb_time until;
    float   speed_wanted, speed, wobble;
    sb_vec3 turn; /* radians per second about right, forward, up */
} pilot;

typedef struct player {
    pilot         pilot;
    uint8_t       species;
    uint32_t      next_id;
    int           steps_to_change; /* > 0: dying or absent */
    bool          alive;           /* has a ship; a wreck is one */
    sb_lane       lane;
    sb_ship_frame frame;
    sb_time       next_send, base_at;
    unsigned      tick;
    sb_ship_frame history[HISTORY];       /* of what it sent */
    view          views[FIGHT_SHIPS_MAX]; /* its own among them: the truth about motion */
    link_way      up, down;
} player;

/* The host's side of a ship. */
typedef struct hosted {
    view          view; /* its ship is the truth about conditions */
    bool          listed;
    sb_ship_frame frame;
    sb_ship_frame history[HISTORY];
    sb_time       changed_at[SB_SUBSYSTEMS_MAX];
    sb_time       base_at[FIGHT_SHIPS_MAX]; /* by peer */
    double        base_error[FIGHT_SHIPS_MAX];
    sb_time       carried_at[FIGHT_SHIPS_MAX][SB_SUBSYSTEMS_MAX];
} hosted;

/* A creation under way; they are reliable. */
typedef struct creation {
    sb_time  arrives;
    int      to; /* a player, or HOST */
    unsigned of;
    size_t   size;
    uint8_t  bytes[CREATION_BYTES];
} creation;

enum { HOST = -1 };

typedef struct fight {
    fight_config  config;
    fight_report *report;
    sb_random     random;
    sb_time       now, next_tick;
    unsigned      tick;
    sb_replica   *replica;
    player        players[FIGHT_SHIPS_MAX];
    hosted        host[FIGHT_SHIPS_MAX];
    creation      creations[CREATIONS];
    unsigned      creation_count;
} fight;

__attribute__((format(printf, 2, 3))) static void fail(fight *f, const char *format, ...)
{
    if (f->report->failed) return;
    va_list args;
    va_start(args, format);
    (void)vsnprintf(f->report->reason, sizeof f->report->reason, format, args);
    va_end(args);
    f->report->failed = true;
    f->report->failed_at = f->now;
}

/* ---- numbers ---- */

static float uniform(sb_random *random, float from, float to)
{
    return from + (to - from) * ((float)sb_random_below(random, 1u << 24) / (float)(1u << 24));
}

static bool chance(sb_random *random, double per_second)
{
    return sb_random_below(random, 1u << 30) < per_second * STEP_US / 1e6 * (1u << 30);
}

static sb_vec3 sum(sb_vec3 a, sb_vec3 b, float k)
{
    return (sb_vec3){ a.x + b.x * k, a.y + b.y * k, a.z + b.z * k };
}

static sb_vec3 cross(sb_vec3 a, sb_vec3 b)
{
    return (sb_vec3){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}

static double distance(sb_vec3 a, sb_vec3 b)
{
    double x = (double)a.x - b.x, y = (double)a.y - b.y, z = (double)a.z - b.z;
    return sqrt(x * x + y * y + z * z);
}

static double seconds(sb_time t)
{
    return (double)t / 1e6;
}

static void add_to_spread(fight_spread *spread, double value)
{
    double bin = value * FIGHT_PER_UNIT;
    spread->bins[bin < FIGHT_BINS - 1 ? (unsigned)bin : FIGHT_BINS - 1]++;
    spread->count++;
    spread->sum += value;
    if (value > spread->most) spread->most = value;
}

double fight_spread_mean(const fight_spread *spread)
{
    return spread->count ? spread->sum / (double)spread->count : 0;
}

double fight_spread_below(const fight_spread *spread, double share)
{
    double   wanted = share * (double)spread->count, seen = 0;
    unsigned bin = 0;
    while (bin < FIGHT_BINS && (seen += (double)spread->bins[bin]) < wanted) bin++;
    return (double)(bin + 1) / FIGHT_PER_UNIT;
}

static void add_spread(fight_spread *total, const fight_spread *spread)
{
    for (unsigned i = 0; i < FIGHT_BINS; i++) total->bins[i] += spread->bins[i];
    total->count += spread->count;
    total->sum += spread->sum;
    if (spread->most > total->most) total->most = spread->most;
}

static void add_traffic(fight_traffic *total, const fight_traffic *t)
{
    for (unsigned i = 0; i < 256; i++) {
        bool first = total->by_flags[i] == 0;
        if (t->by_flags[i] == 0) continue;
        if (first || t->least[i] < total->least[i]) total->least[i] = t->least[i];
        if (t->most[i] > total->most[i]) total->most[i] = t->most[i];
        total->by_flags[i] += t->by_flags[i];
        total->bytes_by_flags[i] += t->bytes_by_flags[i];
    }
    for (unsigned i = 0; i < FIGHT_SIZES; i++) total->by_size[i] += t->by_size[i];
    total->count += t->count;
    total->bytes += t->bytes;
}

void fight_report_add(fight_report *total, const fight_report *r)
{
    if (r->failed && !total->failed) {
        total->failed = true;
        total->failed_at = r->failed_at;
        memcpy(total->reason, r->reason, sizeof total->reason);
    }
    add_spread(&total->host_error, &r->host_error);
    for (unsigned i = 0; i < FIGHT_SHIPS_MAX; i++)
        add_spread(&total->client_error[i], &r->client_error[i]);
    for (unsigned i = 0; i < 2; i++) add_spread(&total->settled[i], &r->settled[i]);
    add_spread(&total->age, &r->age);
    add_traffic(&total->up, &r->up);
    add_traffic(&total->down, &r->down);
    total->lost += r->lost;
    total->late += r->late;
    total->doubled += r->doubled;
    total->deaths += r->deaths;
    total->settings_lost += r->settings_lost;
    total->inferred += r->inferred;
    total->closest = fmax(total->closest, r->closest);
}

static void note_traffic(fight_traffic *t, uint8_t flags, size_t size)
{
    t->count++;
    t->bytes += size;
    if (t->by_flags[flags]++ == 0 || size < t->least[flags]) t->least[flags] = (uint8_t)size;
    if (size > t->most[flags]) t->most[flags] = (uint8_t)size;
    t->bytes_by_flags[flags] += size;
    t->by_size[size < FIGHT_SIZES ? size : FIGHT_SIZES - 1]++;
}

/* ---- links ---- */

static void send_datagram(fight *f, link_way *way, const packet *packets, unsigned count)
{
    sim_copy copies[SIM_COPIES_MAX];
    if (count == 0) return;
    int arrive = sim_impair(&way->impairment, &f->config.link, 1, copies);
    f->report->lost += arrive == 0;
    f->report->doubled += arrive == 2;
    for (int i = 0; i < arrive; i++) {
        SB_ASSERT(way->flight_count < FLIGHTS);
        flight *to = &way->flights[way->flight_count++];
        to->arrives = f->now + copies[i].delay_us;
        to->count = count;
        memcpy(to->packets, packets, count * sizeof *packets);
    }
}

/* Index of the earliest flight that is due, or the count. */
static unsigned next_flight(const link_way *way, sb_time now)
{
    unsigned next = way->flight_count;
    for (unsigned i = 0; i < way->flight_count; i++)
        if (way->flights[i].arrives <= now &&
            (next == way->flight_count || way->flights[i].arrives < way->flights[next].arrives))
            next = i;
    return next;
}

/* ---- where a ship is seen ---- */

static double top_speed(const sb_ship *ship)
{
    return 1.25 * (double)ship->model->max_speed;
}

/* The bound at the head of this file. */
static double error_bound(const fight *f, const view *v)
{
    double top = top_speed(&v->ship), reckoned = seconds(f->now - v->receiver.received_at);
    return v->position.source_error + v->cut + v->mismatch +
           top * seconds(f->now - v->position.sent_at) + top * fmin(reckoned, 1.0) + 1e-3;
}

/* The longest step of cf16 in use here (spec 02 §5), and the cut of the direction. */
static double cut_of_delta(sb_cv4 delta)
{
    double length = (double)sb_decode_cf16(delta.magnitude_code);
    double step = length < 1 ? 2.2e-4 : length < 10 ? 2.2e-3 : length < 100 ? 2.2e-2 : 2.2;
    return (length + step) * sqrt(3.0) / 127 + step;
}

/* What the last position was off, apart from what was flown since. */
static double believed_error(const view *v)
{
    return v->position.source_error + v->cut + v->mismatch;
}

static void note_base(view *v, const record *known, double inferred)
{
    v->base_at = known->base_at;
    v->base_error = known->base_error;
    v->inferred = inferred;
}

static void note_delta(view *v, const record *known, sb_cv4 delta, bool inferred)
{
    double top = top_speed(&v->ship), cut = cut_of_delta(delta);
    if (inferred)
        note_base(v, known,
                  believed_error(v) + 2 * top * seconds(known->sent_at - v->position.sent_at) +
                      known->source_error + cut);
    v->cut = cut;
    v->mismatch = v->inferred;
    if (v->base_at != known->base_at)
        v->mismatch +=
            top * fabs(seconds(known->base_at - v->base_at)) + v->base_error + known->base_error;
}

static void note_position(view *v, const record *known, const sb_state_update *u, bool inferred)
{
    if (u->flags & SB_STATE_POS) {
        note_base(v, known, 0);
        v->cut = v->mismatch = 0;
    } else if (u->flags & SB_STATE_DELTA) {
        note_delta(v, known, u->delta, inferred);
    } else {
        return;
    }
    v->position = *known;
}

/* How far a delta may move the ship: the bound at the head of this file. */
static double step_bound(const view *v, const record *known, const sb_state_update *u,
                         bool inferred)
{
    double elapsed = seconds(known->sent_at - v->position.sent_at), top = top_speed(&v->ship);
    double flown = top * elapsed;
    bool   unnoticed = !inferred && v->base_at != known->base_at;
    if (unnoticed) flown = 2 * (top + (double)v->ship.model->max_accel * elapsed) * elapsed;
    return flown + believed_error(v) + known->source_error + cut_of_delta(u->delta) + 0.1;
}

static sb_vec3 seen_at(const fight *f, const view *v)
{
    return sb_receiver_estimate(&v->receiver, &v->ship, f->now);
}

static void judge_position(fight *f, const view *v, sb_vec3 truth, const char *who,
                           unsigned observer, fight_spread *spread)
{
    double error = distance(seen_at(f, v), truth), bound = error_bound(f, v);
    add_to_spread(spread, error);
    if (bound > 1 && error / bound > f->report->closest) f->report->closest = error / bound;
    if (!(error <= bound))
        fail(f, "%s %u sees the %s %.3f from where it is; the bound is %.3f", who, observer,
             v->ship.model->name, error, bound);
}

/* ---- how a ship is seen ---- */

static bool same_ratio(float value, uint8_t code, float most)
{
    return sb_encode_ratio(value / most) == code; /* would be sent on as it came */
}

static bool is_entry_as(const sb_ship *ship, unsigned i, const sb_subsystem_state *e, bool power)
{
    const sb_ship_class      *m = ship->model;
    const sb_subsystem_class *s = &m->subsystems[i];
    bool ok = same_ratio(ship->condition[i], e->condition_code, s->max_condition);
    for (unsigned c = 0; c < s->child_count; c++)
        ok &= same_ratio(ship->child_condition[s->first_child + c], e->children[c],
                         m->children[s->first_child + c].max_condition);
    if (s->format == SB_FORMAT_REACTOR)
        ok &= same_ratio(ship->main_battery, e->main_battery_code, m->main_battery) &&
              same_ratio(ship->backup_battery, e->backup_battery_code, m->backup_battery);
    if (s->format == SB_FORMAT_SHIELD)
        for (unsigned k = 0; k < SB_FACINGS; k++)
            ok &= same_ratio(ship->facing[k], e->facings[k], m->shield_max[k]);
    if (power && (s->format == SB_FORMAT_POWERED || s->format == SB_FORMAT_SHIELD))
        ok &= sb_encode_power_pct(ship->power_wanted[i]) == e->power_pct_code;
    return ok;
}

/* Every entry is what the last applied message that carried it said. */
static void judge_entries(fight *f, const view *v, bool power, unsigned observer)
{
    for (unsigned i = 0; i < v->ship.model->subsystem_count; i++)
        if (v->carried_at[i] > 0 && !is_entry_as(&v->ship, i, &v->expected[i], power))
            fail(f, "player %u sees entry %u of the %s not as it was told", observer, i,
                 v->ship.model->name);
}

static void note_entries(view *v, const record *known, const sb_state_update *u,
                         const sb_ship_frame *sent)
{
    for (unsigned i = 0; i < u->entry_count; i++) {
        unsigned index = u->entries[i].index;
        v->carried_at[index] = known->sent_at;
        v->expected[index] = sent->entries[index];
    }
}

static bool same_code(sb_cv3 a, sb_cv3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

/* A full update leaves nothing of an older motion. */
static void judge_full(fight *f, const view *v, const sb_ship_frame *sent)
{
    const sb_motion *m = &v->ship.motion;
    if (!same_code(m->forward_code, sent->forward) || !same_code(m->up_code, sent->up) ||
        m->speed_code != sent->speed_code || v->ship.cloaked != sent->cloaked ||
        distance(m->position, sent->position) > 0)
        fail(f, "a full update of the %s left something old", v->ship.model->name);
}

static void judge_step(fight *f, const view *v, sb_vec3 before, double bound)
{
    double step = distance(before, v->ship.motion.position);
    if (!(step <= bound))
        fail(f, "a delta moved the %s by %.3f; the bound is %.3f", v->ship.model->name, step,
             bound);
}

/* True: the message was applied. */
static bool hear(fight *f, view *v, const packet *p, const sb_ship_frame *sent)
{
    sb_state_update u;
    sb_ship         before = v->ship;
    uint32_t        inferred = v->receiver.counters[SB_RECEIVED_INFERRED_BASE];
    uint32_t        late = v->receiver.counters[SB_RECEIVED_LATE_BASE];
    if (!v->there || sent->object_id != v->ship.object_id) return false;
    sb_result result = sb_receiver_apply(&v->receiver, &v->ship, f->now, SB_SHIELD_STOCK,
                                         (sb_span){ p->bytes, p->size }, &u);
    if (result == SB_NOT_ALLOWED) {
        f->report->late++;
        if (v->receiver.counters[SB_RECEIVED_LATE_BASE] > late) note_base(v, &p->known, 0);
        if (memcmp(&before, &v->ship, sizeof before) != 0) fail(f, "a late update changed a ship");
        return false;
    }
    if (result != SB_OK) fail(f, "an update was refused: %s", sb_result_name(result));
    if (p->known.sent_at < v->last_sent_at) fail(f, "an older update was applied");
    v->last_sent_at = p->known.sent_at;
    if (v->receiver.role == SB_RECEIVE_OWN) u.flags &= SB_STATE_SUBSYS;
    inferred = v->receiver.counters[SB_RECEIVED_INFERRED_BASE] - inferred;
    if (!(u.flags & SB_STATE_POS) && u.flags & SB_STATE_DELTA)
        judge_step(f, v, before.motion.position, step_bound(v, &p->known, &u, inferred > 0));
    f->report->inferred += inferred;
    note_position(v, &p->known, &u, inferred > 0);
    if (v->receiver.role != SB_RECEIVE_FROM_OWNER) note_entries(v, &p->known, &u, sent);
    if (u.flags & SB_STATE_POS) judge_full(f, v, sent);
    return true;
}

static void init_view(fight *f, view *v, sb_receiver_role role, double error)
{
    sb_receiver_init(&v->receiver, role, &v->ship, f->now);
    memset(v->carried_at, 0, sizeof v->carried_at);
    memset(v->settled, 0, sizeof v->settled);
    v->there = true;
    v->cut = v->mismatch = v->inferred = 0;
    v->last_sent_at = 0;
    v->base_at = f->now - 1; /* the creation; no update is ever built at such a time */
    v->base_error = error;
    v->position = (record){ .sent_at = f->now, .source_error = error };
}

/* ---- creations ---- */

static void announce(fight *f, unsigned of, int to, const sb_ship *ship, sb_time delay)
{
    static const uint8_t name[] = "Kirk", set[] = "Multi1";
    sb_message_context   context = { .ships = sb_stock_ships() };
    sb_message           m = { .opcode = SB_OP_PLAYER_OBJECT_CREATE };
    SB_ASSERT(f->creation_count < CREATIONS);
    creation *c = &f->creations[f->creation_count++];
    *c = (creation){ .arrives = f->now + delay, .to = to, .of = of };
    m.as.object_create.owner_slot = (int8_t)of;
    m.as.object_create.peer_id = (uint8_t)(of + 2);
    m.as.object_create.name = (sb_span){ name, 4 };
    m.as.object_create.set_name = (sb_span){ set, 6 };
    sb_ship_write_creation(ship, &m.as.object_create);
    sb_result result = sb_encode_message(&m, &context, c->bytes, sizeof c->bytes, &c->size);
    SB_ASSERT(result == SB_OK);
}

static void read_creation(fight *f, const creation *c, sb_ship *ship)
{
    sb_message         m;
    sb_message_context context = { .ships = sb_stock_ships() };
    memset(&m, 0, sizeof m);
    sb_result result = sb_decode_message((sb_span){ c->bytes, c->size }, &context, &m, NULL);
    if (result != SB_OK) fail(f, "a creation was refused: %s", sb_result_name(result));
    else sb_ship_read_creation(ship, &m.as.object_create, sb_stock_ships());
}

/* How far a ship can have flown while its creation was under way. */
static double creation_error(const sb_ship *ship, sb_time delay)
{
    return top_speed(ship) * seconds(delay);
}

static sb_time creation_delay(const fight *f)
{
    return f->config.link.delay_us + f->config.link.jitter_us;
}

static void host_hears_creation(fight *f, const creation *c)
{
    hosted *h = &f->host[c->of];
    if (h->listed) sb_replica_remove_ship(f->replica, h->view.ship.object_id);
    read_creation(f, c, &h->view.ship);
    init_view(f, &h->view, SB_RECEIVE_FROM_OWNER, creation_error(&h->view.ship, creation_delay(f)));
    sb_frame_init(&h->frame, &h->view.ship);
    for (unsigned i = 0; i < SB_SUBSYSTEMS_MAX; i++) h->changed_at[i] = f->now;
    for (unsigned peer = 0; peer < f->config.ships; peer++)
        for (unsigned i = 0; i < SB_SUBSYSTEMS_MAX; i++) h->carried_at[peer][i] = f->now;
    sb_result result = sb_replica_add_ship(f->replica, &h->view.ship, c->of, f->now);
    if (result != SB_OK) fail(f, "the host refused a ship: %s", sb_result_name(result));
    h->listed = true;
    for (unsigned i = 0; i < f->config.ships; i++)
        if (i != c->of) announce(f, c->of, (int)i, &h->view.ship, creation_delay(f));
}

static void deliver_creations(fight *f)
{
    for (unsigned i = 0; i < f->creation_count;) {
        creation c = f->creations[i];
        if (c.arrives > f->now) {
            i++;
            continue;
        }
        f->creations[i] = f->creations[--f->creation_count];
        if (c.to == HOST) {
            host_hears_creation(f, &c);
        } else {
            view *v = &f->players[c.to].views[c.of];
            read_creation(f, &c, &v->ship);
            init_view(f, v, SB_RECEIVE_OTHER, creation_error(&v->ship, 2 * creation_delay(f)));
        }
    }
}

static uint8_t species_for(const fight *f, unsigned index)
{
    static const sb_time cloaked_from = 150 * SB_SECOND, cloaked_to = 344 * SB_SECOND;
    if (!f->config.session) return fleet[index];
    bool cloak = index == 1 && f->now >= cloaked_from && f->now < cloaked_to;
    return cloak ? 6 : index == 1 ? 1 : 5; /* 194 s of a cloak ship, as in trace B (spec 03 §6) */
}

static void create_ship(fight *f, unsigned index)
{
    player              *p = &f->players[index];
    view                *own = &p->views[index];
    uint8_t              species = species_for(f, index);
    const sb_ship_class *model = sb_find_ship(sb_stock_ships(), species);
    sb_ship_init(&own->ship, model, species, p->next_id);
    p->next_id += sb_ship_id_count(model);
    p->species = species;
    own->ship.motion.position =
        (sb_vec3){ uniform(&f->random, -80, 80), uniform(&f->random, -80, 80),
                   uniform(&f->random, -80, 80) };
    sb_motion_set_axes(&own->ship.motion, (sb_vec3){ uniform(&f->random, -1, 1), 1, 0.3f },
                       (sb_vec3){ 0, uniform(&f->random, -1, 1), 1 });
    init_view(f, own, SB_RECEIVE_OWN, 0);
    p->alive = true;
    p->pilot = (pilot){ .until = f->now };
    sb_frame_init(&p->frame, &own->ship);
    sb_lane_init(&p->lane, SB_LANE_TO_HOST, &p->frame, &f->config.lanes);
    p->next_send = f->now;
    announce(f, index, HOST, &own->ship, creation_delay(f));
}

/* ---- flying ---- */

/* A manoeuvre of a fight: hard turns, full speed, reversals. */
static void choose_battle(fight *f, pilot *p, const sb_ship_class *m)
{
    float most = m->max_angular_velocity;
    bool  straight = sb_random_below(&f->random, 4) == 0;
    p->until = f->now + (sb_time)sb_random_below(&f->random, 4 * SB_SECOND) + SB_SECOND / 4;
    p->speed_wanted = m->max_speed * uniform(&f->random, -0.3f, 1.25f);
    if (sb_random_below(&f->random, 6) == 0) p->speed_wanted = 0;
    p->turn = straight ? (sb_vec3){ 0, 0, 0 }
                       : (sb_vec3){ uniform(&f->random, -most, most),
                                    uniform(&f->random, -most, most) / 2,
                                    uniform(&f->random, -most, most) };
    p->wobble = 0.002f;
}

/* What people do, in shares of time chosen so that upstream flags come out as in trace B: most of
 * it turning about two axes, some of it flat turns, little straight flight, hardly any rest. The
 * speed of a stock ship is the length of its velocity and trembles with every turn; without that
 * SPEED would not be in nearly every update (docs/evidence/fidelity.md). */
static void choose_session(fight *f, pilot *p, const sb_ship_class *m)
{
    uint32_t dice = sb_random_below(&f->random, 1000);
    float    most = m->max_angular_velocity;
    p->until = f->now + (sb_time)sb_random_below(&f->random, 3 * SB_SECOND) + SB_SECOND;
    p->speed_wanted = m->max_speed * uniform(&f->random, 0.5f, 1.0f);
    p->turn = (sb_vec3){ 0, 0, 0 };
    p->wobble = 0.012f;
    if (dice < 700) {
        p->turn =
            (sb_vec3){ uniform(&f->random, 0.4f, 1) * most, uniform(&f->random, -0.5f, 0.5f) * most,
                       uniform(&f->random, -1, 1) * most };
    } else if (dice < 885) {
        p->turn = (sb_vec3){ 0, 0, uniform(&f->random, 0.4f, 1) * most };
    } else if (dice >= 975) {
        p->until += 7 * SB_SECOND;
        p->speed_wanted = 0;
        p->wobble = 0;
    }
}

static void turn_ship(sb_motion *m, sb_vec3 turn, float dt)
{
    sb_vec3 right = cross(m->forward, m->up);
    sb_vec3 spin =
        sum(sum(sum((sb_vec3){ 0, 0, 0 }, right, turn.x), m->forward, turn.y), m->up, turn.z);
    if (turn.x == 0 && turn.y == 0 && turn.z == 0) return;
    sb_motion_set_axes(m, sum(m->forward, cross(spin, m->forward), dt),
                       sum(m->up, cross(spin, m->up), dt));
}

static void fly(fight *f, unsigned index)
{
    player              *p = &f->players[index];
    pilot               *hand = &p->pilot;
    sb_motion           *m = &p->views[index].ship.motion;
    const sb_ship_class *model = p->views[index].ship.model;
    const float          dt = STEP_US / 1e6f;
    if (f->now >= hand->until) {
        if (f->config.session) choose_session(f, hand, model);
        else choose_battle(f, hand, model);
    }
    float change = model->max_accel * dt, missing = hand->speed_wanted - hand->speed;
    hand->speed += missing > change ? change : missing < -change ? -change : missing;
    float speed = hand->speed;
    if (hand->wobble > 0) speed *= 1 + uniform(&f->random, -hand->wobble, 0);
    turn_ship(m, hand->turn, dt);
    sb_motion_set_speed(m, speed);
    m->position = sum(m->position, m->forward, speed * dt);
}

/* Sliders and the cloak: often in a fight, now and then in a session. */
static void press_buttons(fight *f, unsigned index)
{
    sb_ship *ship = &f->players[index].views[index].ship;
    if (!chance(&f->random, f->config.session ? 0.03 : 0.3)) return;
    if (ship->model->can_cloak && sb_random_below(&f->random, 3) == 0) {
        ship->cloaked = !ship->cloaked;
        return;
    }
    unsigned i = sb_random_below(&f->random, ship->model->subsystem_count);
    ship->power_wanted[i] = (float)sb_random_below(&f->random, 6) * 0.25f;
}

/* ---- damage: the host decides ---- */

static void lower(float *value, float most, float share)
{
    *value -= most * share;
    if (*value < 0) *value = 0;
}

static void hit(fight *f, sb_ship *ship)
{
    const sb_ship_class *m = ship->model;
    uint32_t             kind = sb_random_below(&f->random, 10);
    float                share = uniform(&f->random, 0.01f, 0.15f);
    if (kind < 6) {
        unsigned i = sb_random_below(&f->random, SB_FACINGS);
        lower(&ship->facing[i], m->shield_max[i], share * 3);
    } else if (kind < 8 && m->child_count > 0) {
        unsigned i = sb_random_below(&f->random, m->child_count);
        lower(&ship->child_condition[i], m->children[i].max_condition, share * 2);
    } else {
        unsigned i = sb_random_below(&f->random, m->subsystem_count);
        lower(&ship->condition[i], m->subsystems[i].max_condition, share);
    }
}

static void raise(float *value, float most, float by)
{
    *value = *value + by < most ? *value + by : most;
}

static void recover(sb_ship *ship, float dt)
{
    const sb_ship_class *m = ship->model;
    for (unsigned i = 0; i < SB_FACINGS; i++)
        raise(&ship->facing[i], m->shield_max[i], m->shield_rate[i] * dt);
    if (m->main_battery > 0) raise(&ship->main_battery, m->main_battery, m->power_output * dt);
}

static void fire(fight *f, unsigned index)
{
    sb_ship *ship = &f->host[index].view.ship;
    if (chance(&f->random, 0.8)) hit(f, ship);
    if (chance(&f->random, 1.0)) lower(&ship->main_battery, ship->model->main_battery, 0.01f);
    if (chance(&f->random, 0.05)) lower(&ship->backup_battery, ship->model->backup_battery, 0.05f);
    recover(ship, STEP_US / 1e6f);
}

static void wreck(sb_ship *ship)
{
    for (unsigned i = 0; i < ship->model->subsystem_count; i++) ship->condition[i] = 0;
    for (unsigned i = 0; i < ship->model->child_count; i++) ship->child_condition[i] = 0;
    for (unsigned i = 0; i < SB_FACINGS; i++) ship->facing[i] = 0;
}

/* Dies, is a wreck for a while, is gone, comes back. */
static void live_and_die(fight *f, unsigned index)
{
    player *p = &f->players[index];
    hosted *h = &f->host[index];
    bool    replaced = f->config.session && p->alive && species_for(f, index) != p->species;
    bool    dies = f->config.deaths && p->steps_to_change == 0 && chance(&f->random, 0.02);
    if (h->listed && (dies || replaced) && p->steps_to_change == 0) {
        if (dies) wreck(&h->view.ship);
        f->report->deaths++;
        p->steps_to_change = WRECK_STEPS + ABSENT_STEPS;
    }
    if (p->steps_to_change == 0) return;
    p->steps_to_change--;
    if (p->steps_to_change == ABSENT_STEPS) {
        p->alive = false;
        sb_replica_remove_ship(f->replica, h->view.ship.object_id);
        h->listed = false;
    }
    if (p->steps_to_change == 0) create_ship(f, index);
}

/* ---- telling ---- */

/* Exact sizes by flags (spec 03 §5). */
static size_t upstream_size(const sb_state_update *u)
{
    static const uint8_t sizes[5] = { 13, 5, 3, 3, 2 };
    size_t               size = 10 + 2u * u->pair_count;
    for (unsigned i = 0; i < 5; i++) size += u->flags >> i & 1 ? sizes[i] : 0;
    return size + ((u->flags & (SB_STATE_CLOAK | SB_STATE_POS)) == SB_STATE_CLOAK);
}

static void tell_host(fight *f, unsigned index)
{
    player            *p = &f->players[index];
    sb_ship           *ship = &p->views[index].ship;
    sb_message         m = { .opcode = SB_OP_STATE_UPDATE };
    packet             out = { .known = { .sent_at = f->now, .tick = ++p->tick % HISTORY } };
    sb_message_context context = sb_lane_context(&p->lane, &p->frame, &f->config.lanes);
    size_t             size;
    /* 101 ms on average, as measured (spec 03 §8). */
    p->next_send = f->now + TICK_US + (sb_random_below(&f->random, 10) == 0 ? STEP_US : 0);
    sb_frame_update(&p->frame, ship, ship->motion.position);
    bool any = sb_lane_build(&p->lane, &p->frame, &f->config.lanes, false, f->now,
                             (float)seconds(f->now), &m.as.state_update);
    SB_ASSERT(any);
    sb_result result = sb_encode_message(&m, &context, out.bytes, sizeof out.bytes, &size);
    SB_ASSERT(result == SB_OK);
    if (size != upstream_size(&m.as.state_update))
        fail(f, "an update to the host has %zu bytes", size);
    out.size = (uint8_t)size;
    if (m.as.state_update.flags & SB_STATE_POS) p->base_at = f->now;
    out.known.base_at = p->base_at;
    p->history[out.known.tick] = p->frame;
    note_traffic(&f->report->up, m.as.state_update.flags, size);
    send_datagram(f, &p->up, &out, 1);
}

/* Which entries changed since the last tick, in codes. */
static void note_changes(fight *f, hosted *h)
{
    sb_ship_frame before = h->frame;
    sb_frame_update(&h->frame, &h->view.ship, seen_at(f, &h->view));
    for (unsigned i = 0; i < h->view.ship.model->subsystem_count; i++)
        if (memcmp(&before.entries[i], &h->frame.entries[i], sizeof before.entries[i]) != 0) {
            h->changed_at[i] = f->now;
            for (unsigned peer = 0; peer < f->config.ships; peer++)
                f->players[peer].views[h - f->host].settled[i] = false;
        }
    h->history[f->tick % HISTORY] = h->frame;
}

static void note_carried(fight *f, hosted *h, unsigned peer, const sb_state_update *u)
{
    for (unsigned i = 0; i < u->entry_count; i++) h->carried_at[peer][u->entries[i].index] = f->now;
    if (!(u->flags & SB_STATE_POS)) return;
    h->base_at[peer] = f->now;
    h->base_error[peer] = error_bound(f, &h->view);
}

/* The sender's half of "one cycle plus loss". */
static void judge_cycle(fight *f, const hosted *h, unsigned peer)
{
    sb_time most = (f->config.lanes.damage_first ? 2 * CYCLE : CYCLE) * TICK_US;
    for (unsigned i = 0; i < h->view.ship.model->subsystem_count; i++)
        if (f->now - h->carried_at[peer][i] > most)
            fail(f, "entry %u of the %s is not told to player %u for %.1f s", i,
                 h->view.ship.model->name, peer, seconds(f->now - h->carried_at[peer][i]));
}

static hosted *hosted_ship(fight *f, uint32_t object_id)
{
    for (unsigned i = 0; i < f->config.ships; i++)
        if (f->host[i].view.ship.object_id == object_id) return &f->host[i];
    return NULL;
}

static void judge_downstream(fight *f, const sb_replica_message *m, unsigned owner)
{
    uint8_t flags = m->bytes.data[9];
    bool    to_owner = sb_peer_mask_has(&m->peers, owner);
    if (to_owner ? flags != 0x20 : (flags & 0xA0) != 0x20)
        fail(f, "a downstream update has flags %02X", flags);
    if (m->bytes.size > 50) fail(f, "a downstream update has %zu bytes", m->bytes.size);
}

static void tell_clients(fight *f)
{
    packet             out[FIGHT_SHIPS_MAX][FIGHT_SHIPS_MAX];
    unsigned           count[FIGHT_SHIPS_MAX] = { 0 };
    sb_replica_message m;
    while (sb_replica_next(f->replica, f->now, (float)seconds(f->now), &m)) {
        sb_message         decoded;
        hosted            *h = hosted_ship(f, m.object_id);
        unsigned           index = (unsigned)(h - f->host);
        sb_message_context context = { .ship = h->view.ship.model };
        if (sb_decode_message(m.bytes, &context, &decoded, NULL) != SB_OK) fail(f, "unreadable");
        judge_downstream(f, &m, index);
        for (unsigned peer = 0; peer < f->config.ships; peer++) {
            if (!sb_peer_mask_has(&m.peers, peer)) continue;
            packet *p = &out[peer][count[peer]++];
            note_carried(f, h, peer, &decoded.as.state_update);
            note_traffic(&f->report->down, m.bytes.data[9], m.bytes.size);
            p->known = (record){ f->now, h->base_at[peer], error_bound(f, &h->view),
                                 h->base_error[peer], f->tick % HISTORY };
            p->size = (uint8_t)m.bytes.size;
            memcpy(p->bytes, m.bytes.data, m.bytes.size);
        }
    }
    for (unsigned peer = 0; peer < f->config.ships; peer++)
        send_datagram(f, &f->players[peer].down, out[peer], count[peer]);
}

static void tick_host(fight *f)
{
    f->next_tick += TICK_US;
    f->tick++;
    for (unsigned i = 0; i < f->config.ships; i++) {
        hosted *h = &f->host[i];
        if (!h->listed) continue;
        note_changes(f, h);
        sb_replica_place(f->replica, h->view.ship.object_id, seen_at(f, &h->view));
    }
    tell_clients(f);
    for (unsigned i = 0; i < f->config.ships; i++)
        for (unsigned peer = 0; f->host[i].listed && peer < f->config.ships; peer++)
            judge_cycle(f, &f->host[i], peer);
}

/* ---- hearing ---- */

static void host_hears(fight *f, unsigned from)
{
    player *p = &f->players[from];
    hosted *h = &f->host[from];
    for (unsigned next; (next = next_flight(&p->up, f->now)) < p->up.flight_count;) {
        flight arrived = p->up.flights[next];
        p->up.flights[next] = p->up.flights[--p->up.flight_count];
        for (unsigned i = 0; i < arrived.count; i++)
            (void)hear(f, &h->view, &arrived.packets[i],
                       &p->history[arrived.packets[i].known.tick]);
    }
}

static void client_hears_one(fight *f, unsigned index, const packet *p)
{
    for (unsigned of = 0; of < f->config.ships; of++) {
        const sb_ship_frame *sent = &f->host[of].history[p->known.tick];
        view                *v = &f->players[index].views[of];
        uint32_t             id = (uint32_t)p->bytes[1] | (uint32_t)p->bytes[2] << 8 |
                      (uint32_t)p->bytes[3] << 16 | (uint32_t)p->bytes[4] << 24;
        if (sent->object_id == id && hear(f, v, p, sent)) judge_entries(f, v, of != index, index);
    }
}

static void client_hears(fight *f, unsigned index)
{
    link_way *way = &f->players[index].down;
    for (unsigned next; (next = next_flight(way, f->now)) < way->flight_count;) {
        flight arrived = way->flights[next];
        way->flights[next] = way->flights[--way->flight_count];
        for (unsigned i = 0; i < arrived.count; i++)
            client_hears_one(f, index, &arrived.packets[i]);
    }
}

/* ---- judging ---- */

/* Everybody means the ship that is flown now. */
static bool is_settled_ship(const fight *f, unsigned of, const view *v)
{
    const player *p = &f->players[of];
    uint32_t      id = p->views[of].ship.object_id;
    return p->alive && f->host[of].listed && f->host[of].view.ship.object_id == id && v->there &&
           v->ship.object_id == id;
}

static void judge_positions(fight *f)
{
    for (unsigned of = 0; of < f->config.ships; of++) {
        sb_vec3 truth = f->players[of].views[of].ship.motion.position;
        if (is_settled_ship(f, of, &f->host[of].view))
            judge_position(f, &f->host[of].view, truth, "host", 0, &f->report->host_error);
        for (unsigned i = 0; i < f->config.ships; i++) {
            const view *v = &f->players[i].views[of];
            if (i != of && is_settled_ship(f, of, v))
                judge_position(f, v, truth, "player", i, &f->report->client_error[i]);
        }
    }
}

/* The observer's half of "one cycle plus loss": told since the change means seen. */
static void judge_seen(fight *f, unsigned of, unsigned observer)
{
    const hosted *h = &f->host[of];
    view         *v = &f->players[observer].views[of];
    for (unsigned i = 0; i < v->ship.model->subsystem_count; i++) {
        if (v->carried_at[i] == 0) continue;
        add_to_spread(&f->report->age, seconds(f->now - v->carried_at[i]));
        if (v->carried_at[i] < h->changed_at[i] || v->settled[i]) continue;
        v->settled[i] = true;
        add_to_spread(&f->report->settled[observer != of], seconds(f->now - h->changed_at[i]));
        if (!is_entry_as(&v->ship, i, &h->frame.entries[i], observer != of))
            fail(f, "player %u was told of entry %u of the %s and does not see it", observer, i,
                 v->ship.model->name);
    }
}

static void judge_all_seen(fight *f)
{
    for (unsigned of = 0; of < f->config.ships; of++)
        for (unsigned i = 0; i < f->config.ships; i++)
            if (is_settled_ship(f, of, &f->players[i].views[of])) judge_seen(f, of, i);
}

/* Nobody did anything that should never happen here. */
static void judge_counters(fight *f, const view *v)
{
    static const sb_receiver_counter never[] = {
        SB_RECEIVED_MALFORMED,     SB_RECEIVED_CLOCK_RESTARTED, SB_RECEIVED_BAD_AXES,
        SB_RECEIVED_FOREIGN_BLOCK, SB_RECEIVED_FOREIGN_MOTION,  SB_RECEIVED_UNREAD_BLOCK,
        SB_RECEIVED_BAD_POWER,     SB_RECEIVED_TOO_FAST,        SB_RECEIVED_JUMPED,
        SB_RECEIVED_ABSURD_TIME,   SB_RECEIVED_TOO_OFTEN,       SB_RECEIVED_TRUNCATED,
    };
    for (size_t i = 0; v->there && i < sizeof never / sizeof *never; i++)
        if (v->receiver.counters[never[i]] > 0)
            fail(f, "counted: %s", sb_receiver_counter_text(never[i]));
}

/* Settings that never reached the host: all their copies were lost (spec 03 §5). */
static void count_lost_settings(fight *f)
{
    for (unsigned of = 0; of < f->config.ships; of++) {
        const sb_ship *own = &f->players[of].views[of].ship, *host = &f->host[of].view.ship;
        if (!is_settled_ship(f, of, &f->host[of].view)) continue;
        for (unsigned i = 0; i < own->model->subsystem_count; i++) {
            uint8_t format = own->model->subsystems[i].format;
            if (format != SB_FORMAT_POWERED && format != SB_FORMAT_SHIELD) continue;
            f->report->settings_lost += fabsf(own->power_wanted[i] - host->power_wanted[i]) > 0.01f;
        }
    }
}

/* ---- the whole ---- */

void fight_config_battle(fight_config *config, uint64_t seed)
{
    *config = (fight_config){ .seed = seed, .ships = 8, .length = 300 * SB_SECOND, .deaths = true };
    config->link = (sim_conditions){ .delay_us = 40000,
                                     .jitter_us = 80000,
                                     .loss = 50000,
                                     .duplicate = 10000,
                                     .reorder = 20000,
                                     .reorder_us = 200000 };
    sb_lane_options_default(&config->lanes);
}

void fight_config_session(fight_config *config, uint64_t seed)
{
    *config =
        (fight_config){ .seed = seed, .ships = 2, .length = 528 * SB_SECOND, .session = true };
    config->link = (sim_conditions){ .delay_us = 20000, .jitter_us = 20000, .loss = 2000 };
    sb_lane_options_stock(&config->lanes);
}

static void begin(fight *f)
{
    sb_random_init(&f->random, f->config.seed);
    f->now = f->next_tick = 100 * SB_SECOND;
    if (f->config.session) f->now = f->next_tick = STEP_US;
    for (unsigned i = 0; i < f->config.ships; i++) {
        player *p = &f->players[i];
        sim_impairment_init(&p->up.impairment, sb_random_next(&f->random));
        sim_impairment_init(&p->down.impairment, sb_random_next(&f->random));
        sb_replica_add_peer(f->replica, i);
        if (i % 4 == 3) sb_replica_set_lossy(f->replica, i, true);
        p->next_id = sb_slot_first_id(i);
        create_ship(f, i);
    }
}

static void step(fight *f)
{
    f->now += STEP_US;
    deliver_creations(f);
    for (unsigned i = 0; i < f->config.ships; i++) {
        live_and_die(f, i);
        if (f->players[i].alive) {
            fly(f, i);
            press_buttons(f, i);
            if (f->now >= f->players[i].next_send) tell_host(f, i);
        }
        if (f->host[i].listed && f->players[i].steps_to_change == 0) fire(f, i);
        host_hears(f, i);
    }
    if (f->now >= f->next_tick) {
        tick_host(f);
        judge_all_seen(f);
    }
    for (unsigned i = 0; i < f->config.ships; i++) client_hears(f, i);
    judge_positions(f);
}

static void end(fight *f)
{
    for (unsigned of = 0; of < f->config.ships; of++) {
        judge_counters(f, &f->host[of].view);
        for (unsigned i = 0; i < f->config.ships; i++) judge_counters(f, &f->players[i].views[of]);
    }
    count_lost_settings(f);
}

bool fight_run(const fight_config *config, fight_report *report)
{
    sb_replica_config replica = { .max_ships = FIGHT_SHIPS_MAX, .lanes = config->lanes };
    fight            *f = calloc(1, sizeof *f);
    void             *memory = malloc(sb_replica_bytes(&replica));
    SB_ASSERT(f != NULL && memory != NULL);
    SB_ASSERT(config->ships >= 2 && config->ships <= FIGHT_SHIPS_MAX);
    memset(report, 0, sizeof *report);
    f->config = *config;
    f->report = report;
    f->replica = sb_replica_init(memory, &replica);
    begin(f);
    sb_time until = f->now + config->length;
    while (f->now < until && !report->failed) step(f);
    end(f);
    free(memory);
    free(f);
    return !report->failed;
}
