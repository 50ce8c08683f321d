/* src/transport/addresses.c -- see addresses.h. Open addressing, linear probing, no tombstones. */
#include "transport/addresses.h"

#include "base/assert.h"

uint32_t sb_addresses_slot_count(uint32_t addresses)
{
    uint32_t slots = 16;
    while (slots < 2 * addresses) slots *= 2;
    return slots;
}

void sb_addresses_init(sb_addresses *t, sb_address_slot *slots, uint32_t slot_count, uint64_t seed)
{
    *t = (sb_addresses){ slots, slot_count - 1, 0, seed };
    for (uint32_t i = 0; i < slot_count; i++) slots[i].place = SB_NO_PLACE;
}

static uint32_t home_of(const sb_addresses *t, sb_endpoint a)
{
    uint64_t x = ((uint64_t)a.address << 16 | a.port) ^ t->seed;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return (uint32_t)(x >> 32) & t->mask;
}

static bool has_address(const sb_address_slot *slot, sb_endpoint a)
{
    return slot->address.address == a.address && slot->address.port == a.port;
}

/* The slot of `a`, or the empty slot where it would be added. */
static uint32_t probe(const sb_addresses *t, sb_endpoint a)
{
    uint32_t i = home_of(t, a);
    while (t->slots[i].place != SB_NO_PLACE && !has_address(&t->slots[i], a)) i = (i + 1) & t->mask;
    return i;
}

uint16_t sb_addresses_find(const sb_addresses *t, sb_endpoint a)
{
    return t->slots[probe(t, a)].place;
}

void sb_addresses_add(sb_addresses *t, sb_endpoint a, uint16_t place)
{
    uint32_t i = probe(t, a);
    SB_ASSERT(t->slots[i].place == SB_NO_PLACE);
    SB_ASSERT(2 * (t->count + 1) <= t->mask + 1);
    t->slots[i] = (sb_address_slot){ a, place };
    t->count++;
}

/* Moves later entries of the probe sequence into the gap, unless that would put them before their
 * home slot. */
void sb_addresses_remove(sb_addresses *t, sb_endpoint a)
{
    uint32_t gap = probe(t, a);
    SB_ASSERT(t->slots[gap].place != SB_NO_PLACE);
    for (uint32_t i = (gap + 1) & t->mask; t->slots[i].place != SB_NO_PLACE;
         i = (i + 1) & t->mask) {
        uint32_t home = home_of(t, t->slots[i].address);
        if (((i - home) & t->mask) < ((i - gap) & t->mask)) continue;
        t->slots[gap] = t->slots[i];
        gap = i;
    }
    t->slots[gap].place = SB_NO_PLACE;
    t->count--;
}
