/* src/transport/addresses.h -- hash table from a source address to its peer or half-open entry.
 *
 * For:      host: one lookup per datagram, whatever the number of peers. The hash has a secret
 *           seed, so that an attacker cannot choose addresses that collide.
 * Spec:     01 §5.2.
 */
#ifndef SB_TRANSPORT_ADDRESSES_H
#define SB_TRANSPORT_ADDRESSES_H

#include <starbase/transport.h>

#define SB_NO_PLACE UINT16_MAX

typedef struct sb_address_slot {
    sb_endpoint address;
    uint16_t    place; /* the caller's index; SB_NO_PLACE: the slot is empty */
} sb_address_slot;

typedef struct sb_addresses {
    sb_address_slot *slots;
    uint32_t         mask;  /* slot count - 1; the slot count is a power of two, >= 2 * count */
    uint32_t         count; /* addresses in the table */
    uint64_t         seed;
} sb_addresses;

/* Number of slots that a table for `addresses` addresses needs. */
uint32_t sb_addresses_slot_count(uint32_t addresses);
void     sb_addresses_init(sb_addresses *table, sb_address_slot *slots, uint32_t slot_count,
                           uint64_t seed);
/* The place stored for `address`; SB_NO_PLACE: it is not in the table. */
uint16_t sb_addresses_find(const sb_addresses *table, sb_endpoint address);
/* Adds an address that is not in the table. */
void sb_addresses_add(sb_addresses *table, sb_endpoint address, uint16_t place);
/* Removes an address that is in the table. */
void sb_addresses_remove(sb_addresses *table, sb_endpoint address);

#endif
