/* sim/fight_send.c -- creations and updates that owners send to the host and the host to clients.
 *
 * For:      sim/fight.c, at every step.
 */
#include "sim/fight_internal.h"

#include <starbase/message.h>

#include "base/assert.h"

#include <string.h>

static void send_datagram(fight *f, fight_link *link, const fight_packet *packets, unsigned count)
{
    sim_copy copies[SIM_COPIES_MAX];
    if (count == 0) return;
    int arrive = sim_impair(&link->impairment, &f->config.link, 1, copies);
    f->report->lost += arrive == 0;
    f->report->duplicated += arrive == 2;
    for (int i = 0; i < arrive; i++) {
        SB_ASSERT(link->flight_count < FIGHT_FLIGHTS);
        fight_flight *to = &link->flights[link->flight_count++];
        to->arrives = f->now + copies[i].delay_us;
        to->count = count;
        memcpy(to->packets, packets, count * sizeof *packets);
    }
}

/* ---- creations ---- */

/* Creations are reliable and take the longest delay of a datagram that is not reordered. */
sb_time fight_creation_delay(const fight *f)
{
    return f->config.link.delay_us + f->config.link.jitter_us;
}

/* Sends the creation of ship `of` to a player or to FIGHT_HOST. */
void fight_send_creation(fight *f, unsigned of, int to, const sb_ship *ship, sb_time delay)
{
    static const uint8_t name[] = "Kirk", set[] = "Multi1";
    sb_message_context   context = { .ships = sb_stock_ships() };
    sb_message           m = { .opcode = SB_OP_PLAYER_OBJECT_CREATE };
    SB_ASSERT(f->creation_count < FIGHT_CREATIONS);
    fight_creation *c = &f->creations[f->creation_count++];
    *c = (fight_creation){ .arrives = f->now + delay, .to = to, .of = of };
    m.as.object_create.owner_slot = (int8_t)of;
    m.as.object_create.peer_id = (uint8_t)(of + 2);
    m.as.object_create.name = (sb_span){ name, 4 };
    m.as.object_create.set_name = (sb_span){ set, 6 };
    sb_ship_write_creation(ship, &m.as.object_create);
    sb_result result = sb_encode_message(&m, &context, c->bytes, sizeof c->bytes, &c->size);
    SB_ASSERT(result == SB_OK);
}

/* ---- owners to the host ---- */

/* The exact size by flags (spec 03 §5). */
static size_t upstream_size(const sb_state_update *u)
{
    static const uint8_t sizes[5] = { 13, 5, 3, 3, 2 };
    size_t               size = 10 + 2u * u->pair_count;
    for (unsigned i = 0; i < 5; i++) size += u->flags >> i & 1 ? sizes[i] : 0;
    return size + ((u->flags & (SB_STATE_CLOAK | SB_STATE_POS)) == SB_STATE_CLOAK);
}

void fight_send_to_host(fight *f, unsigned index)
{
    fight_player      *p = &f->players[index];
    sb_ship           *ship = &p->views[index].ship;
    sb_message         m = { .opcode = SB_OP_STATE_UPDATE };
    fight_packet       out = { .known = { .sent_at = f->now, .tick = ++p->tick % FIGHT_HISTORY } };
    sb_message_context context = sb_lane_context(&p->lane, &p->frame, &f->config.lanes);
    size_t             size;
    /* 101 ms on average, as measured (spec 03 §8). */
    p->next_send =
        f->now + FIGHT_TICK_US + (sb_random_below(&f->random, 10) == 0 ? FIGHT_STEP_US : 0);
    sb_frame_update(&p->frame, ship, ship->motion.position);
    bool any = sb_lane_build(&p->lane, &p->frame, &f->config.lanes, false, f->now,
                             (float)fight_seconds(f->now), &m.as.state_update);
    SB_ASSERT(any);
    sb_result result = sb_encode_message(&m, &context, out.bytes, sizeof out.bytes, &size);
    SB_ASSERT(result == SB_OK);
    if (size != upstream_size(&m.as.state_update))
        fight_fail(f, "an update to the host has %zu bytes", size);
    out.size = (uint8_t)size;
    if (m.as.state_update.flags & SB_STATE_POS) p->base_at = f->now;
    out.known.base_at = p->base_at;
    p->history[out.known.tick] = p->frame;
    fight_count_message(&f->report->up, m.as.state_update.flags, size);
    send_datagram(f, &p->up, &out, 1);
}

/* ---- the host to clients ---- */

/* Records which entries have changed since the last tick, compared as wire codes. */
static void record_changes(fight *f, fight_hosted *h)
{
    sb_ship_frame before = h->frame;
    sb_frame_update(&h->frame, &h->view.ship, fight_estimate(f, &h->view));
    for (unsigned i = 0; i < h->view.ship.model->subsystem_count; i++)
        if (memcmp(&before.entries[i], &h->frame.entries[i], sizeof before.entries[i]) != 0) {
            h->changed_at[i] = f->now;
            for (unsigned peer = 0; peer < f->config.ships; peer++)
                f->players[peer].views[h - f->host].change_seen[i] = false;
        }
    h->history[f->tick % FIGHT_HISTORY] = h->frame;
}

static void record_carried(fight *f, fight_hosted *h, unsigned peer, const sb_state_update *u)
{
    for (unsigned i = 0; i < u->entry_count; i++) h->carried_at[peer][u->entries[i].index] = f->now;
    if (!(u->flags & SB_STATE_POS)) return;
    h->base_at[peer] = f->now;
    h->base_error[peer] = fight_error_bound(f, &h->view);
}

static fight_hosted *find_hosted(fight *f, uint32_t object_id)
{
    for (unsigned i = 0; i < f->config.ships; i++)
        if (f->host[i].view.ship.object_id == object_id) return &f->host[i];
    return NULL;
}

static void send_to_clients(fight *f)
{
    fight_packet       out[FIGHT_SHIPS_MAX][FIGHT_SHIPS_MAX];
    unsigned           count[FIGHT_SHIPS_MAX] = { 0 };
    sb_replica_message m;
    while (sb_replica_next(f->replica, f->now, (float)fight_seconds(f->now), &m)) {
        sb_message    decoded;
        fight_hosted *h = find_hosted(f, m.object_id);
        SB_ASSERT(h != NULL);
        SB_ASSERT(m.bytes.size <= FIGHT_SIZES);
        unsigned           index = (unsigned)(h - f->host);
        sb_message_context context = { .ship = h->view.ship.model };
        if (sb_decode_message(m.bytes, &context, &decoded, NULL) != SB_OK)
            fight_fail(f, "an update of the host cannot be decoded");
        fight_check_downstream(f, &m, index);
        for (unsigned peer = 0; peer < f->config.ships; peer++) {
            if (!sb_peer_mask_has(&m.peers, peer)) continue;
            SB_ASSERT(count[peer] < FIGHT_SHIPS_MAX);
            fight_packet *p = &out[peer][count[peer]++];
            record_carried(f, h, peer, &decoded.as.state_update);
            fight_count_message(&f->report->down, m.bytes.data[9], m.bytes.size);
            p->known = (fight_record){ f->now, h->base_at[peer], fight_error_bound(f, &h->view),
                                       h->base_error[peer], f->tick % FIGHT_HISTORY };
            p->size = (uint8_t)m.bytes.size;
            memcpy(p->bytes, m.bytes.data, m.bytes.size);
        }
    }
    for (unsigned peer = 0; peer < f->config.ships; peer++)
        send_datagram(f, &f->players[peer].down, out[peer], count[peer]);
}

void fight_tick_host(fight *f)
{
    f->next_tick += FIGHT_TICK_US;
    f->tick++;
    for (unsigned i = 0; i < f->config.ships; i++) {
        fight_hosted *h = &f->host[i];
        if (!h->listed) continue;
        record_changes(f, h);
        sb_replica_place(f->replica, h->view.ship.object_id, fight_estimate(f, &h->view));
    }
    send_to_clients(f);
    for (unsigned i = 0; i < f->config.ships; i++)
        for (unsigned peer = 0; f->host[i].listed && peer < f->config.ships; peer++)
            fight_check_cycle(f, &f->host[i], peer);
}
