/* sim/fight_receive.c -- datagrams and creations that arrive at the host and at the clients.
 *
 * For:      sim/fight.c, at every step.
 */
#include "sim/fight_internal.h"

#include <starbase/message.h>

#include "base/assert.h"
#include "base/bytes.h"
#include "replica/testing.h"

#include <string.h>

sb_vec3 fight_estimate(const fight *f, const fight_view *v)
{
    return sb_receiver_estimate(&v->receiver, &v->ship, f->now);
}

void fight_init_view(fight *f, fight_view *v, sb_receiver_role role, double error)
{
    sb_receiver_init(&v->receiver, role, &v->ship, f->now);
    memset(v->carried_at, 0, sizeof v->carried_at);
    memset(v->change_seen, 0, sizeof v->change_seen);
    v->present = true;
    v->rounding = v->mismatch = v->inferred = 0;
    v->last_sent_at = 0;
    v->base_at = f->now - 1; /* the creation; updates are built at multiples of FIGHT_STEP_US */
    v->base_error = error;
    v->position = (fight_record){ .sent_at = f->now, .source_error = error };
}

/* ---- updates ---- */

static void store_entries(fight_view *v, const fight_record *known, const sb_state_update *u,
                          const sb_ship_frame *sent)
{
    for (unsigned i = 0; i < u->entry_count; i++) {
        unsigned index = u->entries[i].index;
        v->carried_at[index] = known->sent_at;
        v->expected[index] = sent->entries[index];
    }
}

/* Applies one update and checks what it changed. False: it was late, or is for another ship. */
static bool apply_update(fight *f, fight_view *v, const fight_packet *p, const sb_ship_frame *sent)
{
    sb_state_update u;
    sb_ship         before = v->ship;
    uint32_t        inferred = v->receiver.counters[SB_RECEIVED_INFERRED_BASE];
    uint32_t        late = v->receiver.counters[SB_RECEIVED_LATE_BASE];
    if (!v->present || sent->object_id != v->ship.object_id) return false;
    sb_result result = sb_receiver_apply(&v->receiver, &v->ship, f->now, SB_SHIELD_STOCK,
                                         (sb_span){ p->bytes, p->size }, &u);
    sb_receiver_check(&v->receiver);
    if (result == SB_NOT_ALLOWED) {
        f->report->late++;
        if (v->receiver.counters[SB_RECEIVED_LATE_BASE] > late) fight_set_base(v, &p->known, 0);
        if (memcmp(&before, &v->ship, sizeof before) != 0)
            fight_fail(f, "a late update changed a ship");
        return false;
    }
    if (result != SB_OK) fight_fail(f, "an update was refused: %s", sb_result_name(result));
    if (p->known.sent_at < v->last_sent_at) fight_fail(f, "an older update was applied");
    v->last_sent_at = p->known.sent_at;
    if (v->receiver.role == SB_RECEIVE_OWN) u.flags &= SB_STATE_SUBSYS;
    inferred = v->receiver.counters[SB_RECEIVED_INFERRED_BASE] - inferred;
    if (!(u.flags & SB_STATE_POS) && u.flags & SB_STATE_DELTA)
        fight_check_step(f, v, before.motion.position,
                         fight_step_bound(v, &p->known, &u, inferred > 0));
    f->report->inferred += inferred;
    fight_update_position(v, &p->known, &u, inferred > 0);
    if (v->receiver.role != SB_RECEIVE_FROM_OWNER) store_entries(v, &p->known, &u, sent);
    if (u.flags & SB_STATE_POS) fight_check_full_update(f, v, sent);
    return true;
}

/* Index of the earliest datagram that has arrived; flight_count: none. */
static unsigned next_flight(const fight_link *link, sb_time now)
{
    unsigned next = link->flight_count;
    for (unsigned i = 0; i < link->flight_count; i++)
        if (link->flights[i].arrives <= now &&
            (next == link->flight_count || link->flights[i].arrives < link->flights[next].arrives))
            next = i;
    return next;
}

void fight_host_receives(fight *f, unsigned from)
{
    fight_player *p = &f->players[from];
    fight_hosted *h = &f->host[from];
    for (unsigned next; (next = next_flight(&p->up, f->now)) < p->up.flight_count;) {
        fight_flight arrived = p->up.flights[next];
        p->up.flights[next] = p->up.flights[--p->up.flight_count];
        for (unsigned i = 0; i < arrived.count; i++)
            (void)apply_update(f, &h->view, &arrived.packets[i],
                               &p->history[arrived.packets[i].known.tick]);
    }
}

static void client_receives_one(fight *f, unsigned index, const fight_packet *p)
{
    for (unsigned of = 0; of < f->config.ships; of++) {
        const sb_ship_frame *sent = &f->host[of].history[p->known.tick];
        fight_view          *v = &f->players[index].views[of];
        uint32_t             id = sb_load_u32(p->bytes + 1);
        if (sent->object_id == id && apply_update(f, v, p, sent))
            fight_check_entries(f, v, of != index, index);
    }
}

void fight_client_receives(fight *f, unsigned index)
{
    fight_link *link = &f->players[index].down;
    for (unsigned next; (next = next_flight(link, f->now)) < link->flight_count;) {
        fight_flight arrived = link->flights[next];
        link->flights[next] = link->flights[--link->flight_count];
        for (unsigned i = 0; i < arrived.count; i++)
            client_receives_one(f, index, &arrived.packets[i]);
    }
}

/* ---- creations ---- */

static void read_creation(fight *f, const fight_creation *c, sb_ship *ship)
{
    sb_message         m;
    sb_message_context context = { .ships = sb_stock_ships() };
    memset(&m, 0, sizeof m);
    sb_result result = sb_decode_message((sb_span){ c->bytes, c->size }, &context, &m, NULL);
    if (result != SB_OK) fight_fail(f, "a creation was refused: %s", sb_result_name(result));
    else sb_ship_read_creation(ship, &m.as.object_create, sb_stock_ships());
}

/* How far a ship can have flown while its creation was in transit. */
static double creation_error(const sb_ship *ship, sb_time delay)
{
    return fight_top_speed(ship) * fight_seconds(delay);
}

static void host_receives_creation(fight *f, const fight_creation *c)
{
    fight_hosted *h = &f->host[c->of];
    if (h->listed) sb_replica_remove_ship(f->replica, h->view.ship.object_id);
    read_creation(f, c, &h->view.ship);
    fight_init_view(f, &h->view, SB_RECEIVE_FROM_OWNER,
                    creation_error(&h->view.ship, fight_creation_delay(f)));
    sb_frame_init(&h->frame, &h->view.ship);
    for (unsigned i = 0; i < SB_SUBSYSTEMS_MAX; i++) h->changed_at[i] = f->now;
    for (unsigned peer = 0; peer < f->config.ships; peer++)
        for (unsigned i = 0; i < SB_SUBSYSTEMS_MAX; i++) h->carried_at[peer][i] = f->now;
    sb_result result = sb_replica_add_ship(f->replica, &h->view.ship, c->of, f->now);
    if (result != SB_OK) fight_fail(f, "the host refused a ship: %s", sb_result_name(result));
    h->listed = true;
    for (unsigned i = 0; i < f->config.ships; i++)
        if (i != c->of)
            fight_send_creation(f, c->of, (int)i, &h->view.ship, fight_creation_delay(f));
}

void fight_deliver_creations(fight *f)
{
    for (unsigned i = 0; i < f->creation_count;) {
        fight_creation c = f->creations[i];
        if (c.arrives > f->now) {
            i++;
            continue;
        }
        f->creations[i] = f->creations[--f->creation_count];
        if (c.to == FIGHT_HOST) {
            host_receives_creation(f, &c);
        } else {
            fight_view *v = &f->players[c.to].views[c.of];
            read_creation(f, &c, &v->ship);
            fight_init_view(f, v, SB_RECEIVE_OTHER,
                            creation_error(&v->ship, 2 * fight_creation_delay(f)));
        }
    }
}
