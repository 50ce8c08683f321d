/* tests/transport/addresses_test.c -- the hash table of source addresses.
 *
 * For:      src/transport/addresses.c.
 * Spec:     01 §5.2.
 */
#include "transport/addresses.h"

#include "base/random.h"
#include "test.h"

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

TEST(address_table_finds_exactly_what_was_added_and_not_removed)
{
    sb_address_slot slots[SLOTS_MAX];
    sb_addresses    table;
    uint32_t        slot_count = sb_addresses_slot_count(ADDRESSES), count = 0;
    CHECK(slot_count >= 2 * ADDRESSES && slot_count <= SLOTS_MAX);
    for (uint64_t seed = 0; seed < 20; seed++) {
        uint16_t  places[ADDRESSES];
        sb_random random;
        sb_random_init(&random, seed);
        sb_addresses_init(&table, slots, slot_count, seed);
        for (unsigned i = 0; i < ADDRESSES; i++) places[i] = SB_NO_PLACE;
        count = 0;
        for (unsigned step = 0; step < 500; step++) {
            unsigned i = sb_random_below(&random, ADDRESSES);
            bool     known = places[i] != SB_NO_PLACE;
            if (known) sb_addresses_remove(&table, endpoint_of(i));
            else sb_addresses_add(&table, endpoint_of(i), (uint16_t)step);
            places[i] = known ? SB_NO_PLACE : (uint16_t)step;
            count = known ? count - 1 : count + 1;
            CHECK_EQ(table.count, count);
            check_all(&table, places);
        }
    }
}
