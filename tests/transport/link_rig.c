/* tests/transport/link_rig.c -- see link_rig.h. */
#include "link_rig.h"

#include <stdlib.h>
#include <string.h>

enum { CELLS = 1024, DELIVERED_MAX = 256 };

link_rig *link_open(uint16_t expect)
{
    static link_rig  r;
    static sb_cells  pool;
    static sb_cell   cells[CELLS];
    static uint32_t  firsts[SB_GUARD_FIRSTS];
    static uint32_t *tables; /* of their exact size, so that sanitizers see what is beyond */
    sb_link_config   config = { .cells = &pool,
                                .counters = &r.counters,
                                .firsts = firsts,
                                .send = { 256, 1 << 16, 1 << 16 },
                                .store = { LINK_NUMBERS, 1 << 17, 512 },
                                .send_cells = CELLS / 4,
                                .receive_cells = CELLS / 2,
                                .pace = SB_PACE_STOCK,
                                .message_limit = UINT8_MAX,
                                .seed = 0x0123456789ABCDEF };
    free(tables);
    config.tables = tables =
        malloc(sb_link_table_size(&config.send, &config.store) * sizeof *tables);
    CHECK(tables != NULL);
    memset(&r, 0xA5, sizeof r);
    r.counters = (sb_counters){ { 0 } };
    r.now = RIG_START;
    sb_cells_init(&pool, cells, CELLS, 0, CELLS / 4);
    sb_link_init(&r.link, &config, r.now);
    r.link.keeps_disconnect_number = true;
    sb_link_set_numbers(&r.link, 0, expect);
    return &r;
}

link_rig *link_open_attacked(uint16_t expect)
{
    link_rig *r = link_open(expect);
    sb_guard_suspect(&r->link.guard, r->now);
    sb_link_notice_forger(&r->link, r->now);
    return r;
}

const char *link_give(link_rig *r, const rig_pack *p, bool proven)
{
    static char  delivered[DELIVERED_MAX];
    uint8_t      buffer[SB_PAYLOAD_MAX];
    sb_incoming  in = { 0 };
    sb_delivered out;
    sb_signs     signs;
    size_t       count = 0;
    CHECK_EQ(sb_decode_datagram(rig_packed(p), &in.datagram, NULL), SB_OK);
    if (proven) sb_link_request_proof(&r->link, r->now);
    sb_link_find_signs(&r->link, r->now, &in.datagram, &signs);
    signs.marked |= proven;
    if (sb_link_check_signs(&r->link, r->now, &in.datagram, &signs) != SB_OK) return "refused";
    sb_link_start_reading(&r->link, r->now, &signs, &in);
    while (sb_link_next_message(&r->link, r->now, &in, buffer, &out)) {
        CHECK(count < DELIVERED_MAX - 1);
        delivered[count++] = (char)out.payload.data[0];
    }
    sb_link_check(&r->link);
    delivered[count] = '\0';
    return delivered;
}

static const char *give_one(link_rig *r, const sb_transport_message *m, bool proven)
{
    rig_pack p;
    rig_pack_init(&p, 2);
    rig_pack_add(&p, m);
    return link_give(r, &p, proven);
}

const char *link_give_one(link_rig *r, sb_transport_message m)
{
    return give_one(r, &m, false);
}

const char *link_give_text(link_rig *r, uint16_t seq, char byte)
{
    return link_give_one(r, inbox_data(seq, rig_byte(byte)));
}

const char *link_prove_text(link_rig *r, uint16_t seq, char byte)
{
    sb_transport_message m = inbox_data(seq, rig_byte(byte));
    return give_one(r, &m, true);
}

const char *link_give_nothing(link_rig *r)
{
    return link_give_one(r, (sb_transport_message){ .type = SB_TRANSPORT_NOOP });
}

const char *link_repeat(link_rig *r, sb_transport_message m, unsigned count)
{
    const char *delivered = "";
    for (unsigned i = 0; i < count; i++) {
        r->now += SB_SECOND;
        delivered = link_give_one(r, m);
        CHECK(i + 1 == count || delivered[0] == '\0');
    }
    return delivered;
}

unsigned link_take_acks(link_rig *r)
{
    unsigned count = r->link.acks.end - r->link.acks.fresh;
    sb_acks_cancel(&r->link.acks);
    return count;
}

uint64_t link_count(const link_rig *r, sb_transport_counter counter)
{
    return r->counters.values[counter];
}
