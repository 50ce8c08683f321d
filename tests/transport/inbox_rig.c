/* tests/transport/inbox_rig.c -- see inbox_rig.h. */
#include "inbox_rig.h"

#include <stdlib.h>
#include <string.h>

static sb_cells pool;

sb_inbox *inbox_open(const inbox_setup *setup)
{
    static const inbox_setup wide = { 16, 1 << 20, 1 << 20, 4096, 4096 };
    static sb_inbox          inbox;
    static sb_cell           memory[INBOX_CELLS];
    static uint32_t *tables; /* of their exact size, so that sanitizers see what is beyond */
    if (!setup) setup = &wide;
    sb_store_bounds bounds = { setup->numbers, setup->bytes, setup->entries };
    size_t          bytes = sb_inbox_table_size(&bounds) * sizeof *tables;
    free(tables);
    tables = malloc(bytes);
    CHECK(tables && setup->cells + setup->grants <= INBOX_CELLS);
    memset(tables, 0xA5, bytes);
    memset(&inbox, 0xA5, sizeof inbox);
    sb_cells_init(&pool, memory, setup->cells + setup->grants, 0, setup->grants);
    sb_inbox_init(&inbox, &pool, setup->cells, &bounds, tables);
    inbox.record_seed = 0x5EED;
    sb_inbox_begin_batch(&inbox, false);
    return &inbox;
}

sb_cells *inbox_cells(void)
{
    return &pool;
}

sb_transport_message inbox_data(uint16_t seq, sb_span payload)
{
    return (sb_transport_message){
        .type = SB_TRANSPORT_DATA, .reliable = true, .seq = seq, .payload = payload
    };
}

sb_transport_message inbox_control(uint16_t seq, sb_span payload)
{
    return (sb_transport_message){
        .type = INBOX_CONTROL, .reliable = true, .seq = seq, .payload = payload
    };
}

sb_transport_message inbox_fragment(uint16_t seq, uint8_t index, uint8_t total, sb_span payload)
{
    sb_transport_message m = inbox_data(seq, payload);
    m.fragment = true;
    m.frag_index = index;
    m.frag_total = index == 0 ? total : 0;
    return m;
}

sb_verdict inbox_accept(sb_inbox *in, sb_transport_message m)
{
    sb_verdict verdict = sb_inbox_accept(in, &m);
    sb_inbox_check(in);
    return verdict;
}

sb_verdict inbox_give(sb_inbox *in, uint16_t seq, char byte)
{
    return inbox_accept(in, inbox_data(seq, rig_byte(byte)));
}

const char *inbox_next(sb_inbox *in, sb_channel_name channel)
{
    static uint8_t buffer[SB_PAYLOAD_MAX + 1];
    uint8_t        type;
    sb_span        payload;
    bool           ready = sb_inbox_next(in, channel, &type, &payload, buffer);
    sb_inbox_check(in);
    if (!ready) return NULL;
    CHECK_EQ(type, channel == SB_CHANNEL_DATA ? SB_TRANSPORT_DATA : INBOX_CONTROL);
    buffer[payload.size] = '\0';
    return (const char *)payload.data;
}
