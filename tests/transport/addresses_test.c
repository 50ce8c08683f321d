/* tests/transport/addresses_test.c -- the hash table of source addresses.
 *
 * For:      src/transport/addresses.c.
 * Spec:     01 §5.2.
 */
#include "transport/addresses.h"

#include "rig.h"

enum { ADDRESSES = 40, SLOTS_MAX = 128 };

/* Ten hosts with four ports each: many keys differ in few bits. */
static sb_endpoint endpoint_of(unsigned i)
{
    return (sb_endpoint){ 0x0A000001u + i / 4, (uint16_t)(1000 + i % 4) };
}

static void check_all(const sb_addresses *table, const uint16_t places[ADDRESSES])
{
    for (unsigned i = 0; i < ADDRESSES; i++)
        CHECK_EQ(sb_addresses_find(table, endpoint_of(i)), places[i]);
}

/* Adds and removes addresses at random; the table holds at most `most` of them. */
static void check_table(uint32_t most, uint64_t seed)
{
    sb_address_slot slots[SLOTS_MAX];
    sb_addresses    table;
    uint32_t        slot_count = sb_addresses_slot_count(most), count = 0;
    uint16_t        places[ADDRESSES];
    sb_random       random;
    CHECK(slot_count >= 2 * most && slot_count <= SLOTS_MAX);
    sb_random_init(&random, seed);
    sb_addresses_init(&table, slots, slot_count, seed);
    for (unsigned i = 0; i < ADDRESSES; i++) places[i] = SB_NO_PLACE;
    for (unsigned step = 0; step < 500; step++) {
        unsigned i = sb_random_below(&random, ADDRESSES);
        bool     known = places[i] != SB_NO_PLACE;
        if (!known && count == most) continue;
        if (known) sb_addresses_remove(&table, endpoint_of(i));
        else sb_addresses_add(&table, endpoint_of(i), (uint16_t)step);
        places[i] = known ? SB_NO_PLACE : (uint16_t)step;
        count = known ? count - 1 : count + 1;
        CHECK_EQ(table.count, count);
        check_all(&table, places);
    }
}

TEST(address_table_finds_exactly_what_was_added_and_not_removed)
{
    for (uint64_t seed = 0; seed < 20; seed++) {
        check_table(ADDRESSES, seed);
        check_table(8, seed); /* a small and full table: long searches, around its end */
    }
}

TEST(address_table_has_twice_the_slots_and_at_least_16)
{
    static const uint32_t cases[][2] = { { 0, 16 },  { 1, 16 },  { 8, 16 },  { 9, 32 },
                                         { 16, 32 }, { 17, 64 }, { 24, 64 }, { 128, 256 } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK_EQ(sb_addresses_slot_count(cases[i][0]), cases[i][1]);
}

/* The slot of an address in a table that holds nothing else. */
static uint32_t home_of(sb_endpoint a, uint64_t seed)
{
    sb_address_slot slots[SLOTS_MAX];
    sb_addresses    table;
    uint32_t        i = 0;
    sb_addresses_init(&table, slots, SLOTS_MAX, seed);
    sb_addresses_add(&table, a, 7);
    while (slots[i].place == SB_NO_PLACE) i++;
    CHECK(rig_same_endpoint(slots[i].address, a));
    return i;
}

/* Nobody can choose addresses that collide without the seed. */
TEST(address_table_spreads_neighbours_and_depends_on_the_seed)
{
    bool     used[SLOTS_MAX] = { false };
    unsigned slots = 0, moved = 0;
    for (unsigned i = 0; i < SLOTS_MAX; i++) {
        uint32_t home = home_of((sb_endpoint){ 0x0A000001, (uint16_t)(1000 + i) }, 1);
        slots += !used[home];
        used[home] = true;
        moved += home != home_of((sb_endpoint){ 0x0A000001, (uint16_t)(1000 + i) }, 2);
    }
    CHECK(slots > SLOTS_MAX / 2); /* 81 of 128 by chance */
    CHECK(moved > SLOTS_MAX * 9 / 10);
    for (unsigned i = 0; i < SLOTS_MAX; i++) used[i] = false;
    for (unsigned i = 0; i < SLOTS_MAX; i++)
        used[home_of((sb_endpoint){ i << 24, 1000 }, 1)] = true;
    slots = 0;
    for (unsigned i = 0; i < SLOTS_MAX; i++) slots += used[i];
    CHECK(slots > SLOTS_MAX / 2);
}
