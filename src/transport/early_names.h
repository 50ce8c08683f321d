/* src/transport/early_names.h -- Names of newcomers that have yet to show that they hear us.
 *
 * For:      host_seats. A client sends its Name as soon as it has an id, and repeats it after a
 *           second. If the host asks it for proof first, the Name is kept here until the proof
 *           comes, a round trip later: otherwise whoever guesses the id has a second to name it.
 * Never:    keeps a Name for longer than it takes the client to repeat it.
 * Tests:    tests/transport/early_names_test.c
 * Spec:     01 §5.4.
 */
#ifndef SB_TRANSPORT_EARLY_NAMES_H
#define SB_TRANSPORT_EARLY_NAMES_H

#include <starbase/datagram.h>
#include <starbase/transport.h>

enum {
    SB_EARLY_NAMES = 4, /* newcomers that are asked at the same time */
    /* Id, address, twice as many units as are kept of a name, terminator. */
    SB_EARLY_NAME_BYTES = 5 + 4 * SB_NAME_UNITS + 2,
};

typedef struct sb_early_name {
    sb_endpoint from;
    uint8_t     id;
    uint8_t     size; /* of `payload`; 0: none */
    uint8_t     payload[SB_EARLY_NAME_BYTES];
    sb_time     at;
} sb_early_name;

typedef struct sb_early_names {
    uint32_t      next; /* the entry that a newcomer replaces */
    sb_early_name names[SB_EARLY_NAMES];
} sb_early_names;

/* Keeps the Name in a datagram of a newcomer that was told this id, if there is one; it replaces an
 * earlier one: a stranger that guesses the id has not seen when the newcomer was told. */
void sb_early_names_note(sb_early_names *names, sb_time now, sb_endpoint from, uint8_t id,
                         const sb_datagram *datagram);
/* Finds and forgets the Name of the newcomer; false: none. `*name` is lent until the next call. */
bool sb_early_names_take(sb_early_names *names, sb_time now, sb_endpoint from, uint8_t id,
                         sb_transport_message *name);

#endif
