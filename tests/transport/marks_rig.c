/* tests/transport/marks_rig.c -- see marks_rig.h. */
#include "marks_rig.h"

static rig *add_history(rig *r)
{
    GIVE(r, rig_endpoint(1), "02 01 32 06 80 00 00 AA");
    rig_wait(r, SB_SECOND);
    rig_forget(r);
    return r;
}

rig *rig_host_with_history(void)
{
    return add_history(rig_host_with(1, NULL));
}

rig *rig_stock_host_with_history(void)
{
    return add_history(rig_stock_host_with(1));
}

rig *rig_cautious_client(void)
{
    sb_transport_client_config config;
    rig_client_config(&config);
    config.seed = 77;
    rig *r = rig_open_client(&config);
    rig_step(r);
    rig_forget(r);
    return r;
}

void rig_read_marks(rig *r, sb_endpoint to, uint16_t marks[SB_MARKS_COUNT])
{
    sb_transport_message m;
    unsigned             count = 0;
    rig_step(r);
    for (const rig_sent *sent; (sent = rig_next_sent_to(r, to)) != NULL;)
        for (size_t i = 0; rig_message(sent, i, &m) && count < SB_MARKS_COUNT; i++)
            if (m.type == SB_TRANSPORT_DATA && m.payload.size == 0) marks[count++] = m.seq;
    CHECK_EQ(count, SB_MARKS_COUNT);
}

void rig_renew_marks(rig *r, sb_endpoint to, uint16_t marks[SB_MARKS_COUNT])
{
    sb_transport_message m;
    for (const rig_sent *sent; (sent = rig_next_sent_to(r, to)) != NULL;) {
        unsigned count = 0;
        for (size_t i = 0; rig_message(sent, i, &m) && count < SB_MARKS_COUNT; i++)
            if (m.type == SB_TRANSPORT_DATA && m.payload.size == 0) marks[count++] = m.seq;
        CHECK(count == 0 || count == SB_MARKS_COUNT);
    }
}

void rig_pack_init_marked(rig_pack *p, uint8_t peer_id, const uint16_t *marks)
{
    rig_pack_init(p, peer_id);
    for (unsigned i = 0; marks && i < SB_MARKS_COUNT; i++) rig_pack_ack(p, false, marks[i]);
}

sb_span rig_byte(char byte)
{
    static uint8_t bytes[256];
    bytes[(uint8_t)byte] = (uint8_t)byte;
    return (sb_span){ &bytes[(uint8_t)byte], 1 };
}
