/* src/transport/newcomers.h -- addresses that sent a Connect and have not answered yet, and how
 * many datagrams of strangers are read.
 *
 * For:      host. One object may serve all hosts of a process, on any threads: every field that
 *           changes is atomic, and a lost race costs at most one entry or one count.
 * Never:    reserves a seat or an id: an entry only says which id an address was told, and when.
 * Tests:    tests/transport/newcomers_test.c.
 * Spec:     01 §5.3, §10.6.
 */
#ifndef SB_TRANSPORT_NEWCOMERS_H
#define SB_TRANSPORT_NEWCOMERS_H

#include <starbase/transport.h>
#include <stdatomic.h>

enum {
    SB_NEWCOMER_WAYS = 16,          /* entries of a set: 128 bytes */
    SB_NEWCOMER_SETS_SHARED = 1024, /* 16,384 entries for a process */
    SB_NEWCOMER_SETS_OWN = 512,     /* 8,192 entries for a host that was lent no table */
    SB_NETWORK_SLOTS = 1024,
    SB_STRANGERS_PER_NETWORK = 12000, /* datagrams a second that are read of one /24 */
    SB_STRANGERS_TOTAL = 20000,       /* and of all */
    SB_ID_NONE = 0,                   /* no id was told */
};

/* Set-associative: a keyed hash of host and address chooses the set. An entry is one word: 24 more
 * bits of that hash, the time in units of 8 ms, six bits of proof (host_seats.c), how many
 * questions it was asked, and the id; 0: empty. */
struct sb_newcomers {
    uint64_t         seed;
    uint32_t         set_mask;
    _Atomic uint32_t read; /* period (high half) and datagrams of all strangers in it */
    /* The same per /24. A /24 has one count in each row, which it shares with others by chance: it
     * is over its limit if both say so. */
    _Atomic uint32_t read_of[2][SB_NETWORK_SLOTS];
    _Atomic uint64_t entries[]; /* (set_mask + 1) * SB_NEWCOMER_WAYS */
};

/* An address as one host knows it. */
typedef struct sb_newcomer_key {
    uint64_t hash;
} sb_newcomer_key;

size_t sb_newcomers_bytes_of(uint32_t sets);
void   sb_newcomers_init_sets(sb_newcomers *newcomers, uint32_t sets, uint64_t seed);

/* Charges one datagram of a stranger to its /24, or to all strangers; false: not to be read. */
bool sb_newcomers_spend_network(sb_newcomers *newcomers, sb_time now, uint32_t address);
bool sb_newcomers_spend_total(sb_newcomers *newcomers, sb_time now);

sb_newcomer_key sb_newcomers_key(const sb_newcomers *newcomers, uint64_t host, sb_endpoint from);
/* The id that the address was told within the last 10 s; SB_ID_NONE: none. */
uint8_t sb_newcomers_find(const sb_newcomers *newcomers, sb_time now, sb_newcomer_key key);
/* Remembers the id; true: an entry that was still valid had to go. */
bool sb_newcomers_put(sb_newcomers *newcomers, sb_time now, sb_newcomer_key key, uint8_t id);
/* Charges a question that is longer than four times the datagram it answers: two for a Connect.
 */
bool sb_newcomers_spend_question(sb_newcomers *newcomers, sb_time now, sb_newcomer_key key);
/* Six bits that an entry keeps; 0 after put, or without an entry. */
uint8_t sb_newcomers_proof(const sb_newcomers *newcomers, sb_time now, sb_newcomer_key key);
void    sb_newcomers_set_proof(sb_newcomers *newcomers, sb_time now, sb_newcomer_key key,
                               uint8_t proof);
void    sb_newcomers_remove(sb_newcomers *newcomers, sb_newcomer_key key);

#endif
