/* src/transport/addresses.h -- from a source address to what we know about it. Spec 01 §5.2.
 *
 * For:      host. One lookup per datagram, whatever the number of peers; the hash has a seed so
 * that nobody can choose addresses that collide.
 */
#ifndef SB_TRANSPORT_ADDRESSES_H
#define SB_TRANSPORT_ADDRESSES_H

#include <starbase/transport.h>

#define SB_NO_PLACE UINT16_MAX

typedef struct sb_address_slot {
    sb_endpoint address;
    uint16_t    place; /* SB_NO_PLACE: empty */
} sb_address_slot;

typedef struct sb_addresses {
    sb_address_slot *slots;
    uint32_t         mask; /* slots - 1; slots are a power of two and at least twice the entries */
    uint32_t         count;
    uint64_t         seed;
} sb_addresses;

/* Slots for that many addresses. */
uint32_t sb_addresses_slot_count(uint32_t addresses);
void     sb_addresses_init(sb_addresses *table, sb_address_slot *slots, uint32_t slot_count,
                           uint64_t seed);
uint16_t sb_addresses_find(const sb_addresses *table, sb_endpoint address);
/* `address` is not in the table. */
void sb_addresses_add(sb_addresses *table, sb_endpoint address, uint16_t place);
/* `address` is in the table. */
void sb_addresses_remove(sb_addresses *table, sb_endpoint address);

#endif
