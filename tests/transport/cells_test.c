/* tests/transport/cells_test.c -- memory of messages: what one peer can take from others.
 *
 * For:      src/transport/cells.c.
 * Spec:     01 §9, §10.3; docs/decisions/transport-memory.md.
 */
#include "rig.h"
#include "transport/cells.h"

#include <string.h>

/* Sends fragments 1..3 of every number of the window; no message becomes complete. */
static void throw_bomb(rig *r, sb_endpoint from, uint8_t id, size_t payload, unsigned *acks)
{
    for (uint16_t seq = 0; seq < 256; seq++)
        for (uint8_t index = 1; index <= 3; index++) {
            rig_pack p;
            rig_pack_init(&p, id);
            rig_pack_fragment(&p, seq, index, 0, rig_pattern(payload, seq));
            (void)!rig_give(r, from, rig_packed(&p));
            rig_wait(r, 5 * RIG_MILLISECOND);
            r->now += 700 * RIG_MILLISECOND; /* so that no Ack is repeated */
            rig_step(r);
            *acks += rig_count_acks(r);
            rig_forget(r);
            if (seq % 50 == 0) GIVE(r, rig_endpoint(2), "03 01 02");
        }
}

TEST(a_fragment_bomb_gets_no_ack_beyond_512_entries_or_128_kib)
{
    static const size_t payloads[] = { 1, 400 };
    for (size_t i = 0; i < 2; i++) {
        sb_transport_host_config config;
        rig_host_config(&config);
        config.timeout_us = 100000 * SB_SECOND;
        config.shared_cells = 4096; /* enough: the other bounds decide */
        rig         *r = rig_host_with(2, &config);
        sb_peer_info info;
        unsigned     acks = 0;
        throw_bomb(r, rig_endpoint(1), 2, payloads[i], &acks);
        CHECK(rig_info(r, 2, &info));
        CHECK(info.stored <= 512);
        CHECK(info.stored_bytes <= 128 * 1024);
        CHECK(info.stored > 100); /* a good part was accepted */
        CHECK_EQ(acks, info.stored);
        CHECK(rig_count(r, SB_TRANSPORT_COUNT_NO_ROOM) > 0);
        /* No fragment was refused as contradicting: the peer could still complete its messages. */
        CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_BAD_FRAGMENT), 0);
    }
}

TEST(one_greedy_peer_leaves_every_other_its_guaranteed_memory)
{
    sb_transport_host_config config;
    rig_host_config(&config);
    config.timeout_us = 100000 * SB_SECOND;
    rig     *r = rig_host_with(3, &config);
    unsigned acks = 0;
    throw_bomb(r, rig_endpoint(1), 2, 400, &acks);
    /* Queue messages for peer 4 until the shared cells are used up. */
    for (int i = 0; i < 400; i++)
        if (sb_transport_host_free_bytes(r->host, 4) > 600)
            CHECK_EQ(sb_transport_host_send(r->host, 4, SB_RELIABLE, rig_pattern(400, 1)), SB_OK);
    CHECK(sb_transport_host_free_bytes(r->host, 4) <= 600);
    /* Peer 3 may still use 160 cells to send and 96 to receive. */
    CHECK(sb_transport_host_free_bytes(r->host, 3) >= 160 / 4 * 406 - 406);
    CHECK_EQ(sb_transport_host_send(r->host, 3, SB_RELIABLE, rig_pattern(15000, 1)), SB_OK);
    for (uint8_t index = 0; index < 16; index++) {
        rig_pack p;
        rig_pack_init(&p, 3);
        rig_pack_fragment(&p, 0, (uint8_t)(15 - index), index == 15 ? 16 : 0, rig_pattern(400, 9));
        GIVE_PACK(r, rig_endpoint(2), &p);
    }
    const rig_event *e = rig_next_event(r);
    CHECK(e && e->event.type == SB_EVENT_MESSAGE);
    CHECK_EQ(e->event.peer_id, 3);
    CHECK_EQ(e->event.bytes.size, 16 * 400);
}

/* Control messages have reserved cells: a caller that respects free_bytes loses no peer. */
TEST(a_full_queue_leaves_cells_for_control_messages)
{
    rig *r = rig_host_with(2, NULL);
    for (size_t room; (room = sb_transport_host_free_bytes(r->host, 2)) > 0;)
        CHECK_EQ(sb_transport_host_send(r->host, 2, SB_RELIABLE,
                                        rig_pattern(room < 400 ? room : 400, 0)),
                 SB_OK);
    while (sb_transport_host_send(r->host, 2, SB_UNRELIABLE, rig_pattern(1, 0)) == SB_OK) {
    }
    GIVE(r, rig_endpoint(2), "03 01 00 0E C0 01 00 03 0A 0A 0A EF 4B 00 00 00");
    rig_step(r);
    CHECK_EQ(sb_transport_host_peer_count(r->host), 2);
}

/* ---- the pool alone ---- */

enum { POOL = 20, SHARED = 5, GRANTS = 4 };

static sb_cells *open_pool(void)
{
    static sb_cells pool;
    static sb_cell  cells[POOL];
    memset(cells, 0xA5, sizeof cells);
    sb_cells_init(&pool, cells, POOL, SHARED, GRANTS);
    return &pool;
}

TEST(a_cell_holds_84_bytes_and_each_further_one_124)
{
    static const size_t sizes[][2] = { { 0, 1 },   { 1, 1 },   { 84, 1 },  { 85, 2 },
                                       { 208, 2 }, { 209, 3 }, { 332, 3 }, { 333, 4 } };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        sb_cells       *pool = open_pool();
        sb_cell_account account = { 0, 4 };
        uint8_t         copy[400];
        sb_span         payload = rig_pattern(sizes[i][0], 3);
        CHECK_EQ(sb_cells_needed(sizes[i][0]), sizes[i][1]);
        uint32_t entry = sb_cells_allocate(pool, &account, payload);
        CHECK_EQ(account.used, sizes[i][1]);
        sb_span lent = sb_cells_payload(pool, entry, copy);
        CHECK_BYTES(lent.data, lent.size, payload.data, payload.size);
        CHECK_EQ(lent.data == copy, sizes[i][1] > 1); /* one cell needs no copy */
        sb_cells_copy(pool, entry, copy);
        CHECK_BYTES(copy, payload.size, payload.data, payload.size);
        sb_cells_release(pool, &account, entry);
        CHECK_EQ(account.used, 0);
    }
}

TEST(an_account_has_its_guarantee_and_what_is_left_for_all)
{
    sb_cells       *pool = open_pool();
    sb_cell_account greedy = { 0, 3 }, modest = { 0, 2 };
    uint32_t        entries[8];
    CHECK_EQ(sb_cells_left(pool, &greedy), 3 + SHARED);
    CHECK(sb_cells_can_allocate(pool, &greedy, 3 + SHARED));
    CHECK(!sb_cells_can_allocate(pool, &greedy, 3 + SHARED + 1));
    for (unsigned i = 0; i < 8; i++) {
        CHECK_EQ(pool->shared_left, i < 3 ? SHARED : SHARED + 3 - i);
        CHECK_EQ(sb_cells_left(pool, &greedy), 8 - i);
        entries[i] = sb_cells_allocate(pool, &greedy, rig_pattern(1, i));
        CHECK(entries[i] != SB_NO_CELL);
    }
    CHECK_EQ(sb_cells_allocate(pool, &greedy, rig_pattern(1, 0)), SB_NO_CELL);
    CHECK_EQ(greedy.used, 8);
    CHECK_EQ(sb_cells_left(pool, &greedy), 0);
    CHECK_EQ(sb_cells_left(pool, &modest), 2);
    CHECK(sb_cells_can_allocate(pool, &modest, 2));
    CHECK(!sb_cells_can_allocate(pool, &modest, 3));
    for (unsigned i = 0; i < 8; i++) { /* the shared cells come back first */
        sb_cells_release(pool, &greedy, entries[i]);
        CHECK_EQ(pool->shared_left, i < SHARED ? i + 1 : SHARED);
    }
    CHECK_EQ(greedy.used, 0);
}

TEST(cells_that_were_released_are_used_again_and_are_empty)
{
    sb_cells       *pool = open_pool();
    sb_cell_account account = { 0, POOL };
    for (unsigned round = 0; round < 50; round++) {
        uint32_t  first = sb_cells_allocate(pool, &account, rig_pattern(400, round));
        uint32_t  second = sb_cells_allocate(pool, &account, rig_pattern(1000, round));
        sb_entry *e = sb_cells_entry(pool, first), zero;
        CHECK(first != SB_NO_CELL && second != SB_NO_CELL);
        CHECK_EQ(e->size, 400);
        CHECK(e->prev == SB_NO_CELL && e->next == SB_NO_CELL && e->next_fragment == SB_NO_CELL);
        memset(&zero, 0, sizeof zero);
        size_t from = offsetof(sb_entry, sent_at), to = offsetof(sb_entry, size);
        CHECK_BYTES((const uint8_t *)e + from, to - from, (const uint8_t *)&zero + from, to - from);
        from = offsetof(sb_entry, type), to = SB_ENTRY_HEADER;
        CHECK_BYTES((const uint8_t *)e + from, to - from, (const uint8_t *)&zero + from, to - from);
        memset((uint8_t *)e + offsetof(sb_entry, prev), 0x5A,
               SB_ENTRY_HEADER - offsetof(sb_entry, prev));
        sb_cells_release(pool, &account, round % 2 ? first : second);
        sb_cells_release(pool, &account, round % 2 ? second : first);
    }
}

TEST(cells_are_granted_all_or_none_and_come_back)
{
    sb_cells       *pool = open_pool();
    sb_cell_account a = { 0, 0 }, b = { 0, 1 };
    CHECK(!sb_cells_grant(pool, &a, GRANTS + 1));
    CHECK_EQ(a.guaranteed, 0);
    CHECK(sb_cells_grant(pool, &a, GRANTS - 1));
    CHECK_EQ(a.guaranteed, GRANTS - 1);
    CHECK(!sb_cells_grant(pool, &b, 2));
    CHECK(sb_cells_grant(pool, &b, 1));
    CHECK_EQ(b.guaranteed, 2);
    sb_cells_revoke(pool, &a, 1);
    CHECK_EQ(a.guaranteed, 1);
    CHECK_EQ(pool->grants_left, GRANTS - 2);
    CHECK(sb_cells_grant(pool, &b, GRANTS - 2));
}

TEST(an_account_with_a_new_guarantee_returns_its_shared_cells)
{
    sb_cells       *pool = open_pool();
    sb_cell_account account = { 0, 1 };
    for (unsigned i = 0; i < 3; i++) (void)sb_cells_allocate(pool, &account, rig_pattern(1, i));
    CHECK_EQ(pool->shared_left, SHARED - 2);
    sb_cells_set_guarantee(pool, &account, 3);
    CHECK_EQ(pool->shared_left, SHARED);
    CHECK_EQ(account.guaranteed, 3);
    CHECK_EQ(sb_cells_left(pool, &account), SHARED);
}

TEST(every_cell_of_a_pool_can_be_used)
{
    sb_cells       *pool = open_pool();
    sb_cell_account account = { 0, POOL };
    bool            used[POOL] = { false };
    for (unsigned i = 0; i < POOL; i++) {
        uint32_t entry = sb_cells_allocate(pool, &account, rig_pattern(1, i));
        CHECK(entry < POOL && !used[entry]);
        used[entry] = true;
    }
}

/* ---- lists ---- */

/* Checks the list both ways against marks in the first byte of its entries. */
static void check_list(const sb_cells *pool, const sb_entry_list *list, const char *marks)
{
    char     seen[POOL + 1] = "";
    size_t   count = 0;
    uint32_t last = SB_NO_CELL;
    for (uint32_t i = list->first; i != SB_NO_CELL; i = sb_cells_entry(pool, i)->next) {
        CHECK(count < POOL);
        CHECK_EQ(sb_cells_entry(pool, i)->prev, last);
        seen[count++] = (char)sb_cells_entry(pool, i)->bytes[0];
        last = i;
    }
    CHECK_TEXT(seen, marks);
    CHECK_EQ(list->last, last);
    CHECK_EQ(list->count, count);
}

TEST(a_list_keeps_its_order_whatever_is_added_and_removed)
{
    sb_cells       *pool = open_pool();
    sb_cell_account account = { 0, POOL };
    sb_entry_list   list;
    uint32_t        e[5];
    for (unsigned i = 0; i < 5; i++)
        e[i] = sb_cells_allocate(pool, &account, rig_pattern(1, 'a' + i));
    sb_entry_list_init(&list);
    check_list(pool, &list, "");
    sb_entry_list_append(&list, pool, e[1]);
    sb_entry_list_append(&list, pool, e[3]);
    check_list(pool, &list, "bd");
    sb_entry_list_insert(&list, pool, e[0], e[1]); /* before the first */
    sb_entry_list_insert(&list, pool, e[2], e[3]); /* in between */
    sb_entry_list_append(&list, pool, e[4]);
    check_list(pool, &list, "abcde");
    sb_entry_list_remove(&list, pool, e[2]);
    sb_entry_list_remove(&list, pool, e[0]);
    sb_entry_list_remove(&list, pool, e[4]);
    check_list(pool, &list, "bd");
    sb_entry_list_append(&list, pool, e[0]);
    check_list(pool, &list, "bda");
    sb_entry_list_remove(&list, pool, e[1]);
    sb_entry_list_remove(&list, pool, e[0]);
    sb_entry_list_remove(&list, pool, e[3]);
    check_list(pool, &list, "");
}
