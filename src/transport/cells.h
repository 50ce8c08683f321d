/* src/transport/cells.h -- memory of messages: a pool of fixed cells and accounts with guarantees.
 *
 * For:      outbox and inbox. A message is a chain of cells; the first cell holds its entry.
 * Never:    grows. Each account can always use its guaranteed cells. Beyond the guarantee all
 *           accounts share a reserve, so a greedy peer can exhaust the reserve but not
 *           the guarantee of another peer.
 * Spec:     01 §9; docs/decisions/transport-memory.md.
 */
#ifndef SB_TRANSPORT_CELLS_H
#define SB_TRANSPORT_CELLS_H

#include <starbase/transport.h>

#define SB_NO_CELL UINT32_MAX

enum {
    SB_ENTRY_HEADER = 44,
    SB_ENTRY_BYTES = SB_CELL_BYTES - SB_ENTRY_HEADER, /* payload bytes in the first cell */
    SB_TAIL_BYTES = SB_CELL_BYTES - 4,                /* payload bytes in each further cell */
};

/* Collects the fragments of one message until all have arrived (spec 01 §7.2). */
typedef struct sb_assembly {
    uint32_t first;       /* list of fragments by `next_fragment`, in no order */
    uint32_t bytes;       /* payload bytes of these fragments */
    uint16_t count;       /* number of these fragments */
    uint8_t  total;       /* fragments of the whole message; 0: unknown until fragment 0 arrives */
    uint8_t  highest;     /* greatest index that arrived */
    uint16_t largest;     /* payload bytes of the largest, fragment 0 counted as one byte longer */
    uint8_t  present[32]; /* one bit per index that arrived */
} sb_assembly;

/* One message or one fragment. Indices of cells link entries; SB_NO_CELL ends each chain. */
typedef struct sb_entry {
    uint32_t more;            /* next cell of the payload */
    uint32_t prev, next;      /* neighbours in an sb_entry_list */
    uint32_t next_fragment;   /* next entry with the same sequence number */
    sb_time  sent_at;         /* time of the last send */
    uint32_t offset;          /* outbox: payload bytes queued in the channel before this entry */
    uint32_t datagram_number; /* outbox: datagram of the last send */
    uint16_t seq;
    uint16_t size;        /* payload bytes */
    uint8_t  type;        /* sb_transport_type */
    uint8_t  timed_sends; /* outbox: first send and timeouts; each makes the next timeout longer */
    uint8_t  frag_index;
    uint8_t  frag_total;   /* 0: not a fragment */
    bool     repeated;     /* outbox: was sent more than once */
    uint8_t  fast_resends; /* outbox: retransmissions before the timeout */
    bool     is_assembly;  /* inbox: the entry collects fragments in `assembly`, no payload */
    bool     from_grant;   /* inbox: the assembly account pays for this entry */
    union {
        _Alignas(4) uint8_t bytes[SB_ENTRY_BYTES];
        sb_assembly assembly;
    };
} sb_entry;

typedef union sb_cell {
    sb_entry entry;
    struct {
        uint32_t more;
        uint8_t  bytes[SB_TAIL_BYTES];
    } tail;
} sb_cell;

_Static_assert(offsetof(sb_entry, bytes) == SB_ENTRY_HEADER,
               "SB_ENTRY_HEADER is the size of the header");
_Static_assert(sizeof(sb_cell) == SB_CELL_BYTES, "SB_CELL_BYTES is the size of a cell");

typedef struct sb_cells {
    sb_cell *cells;
    uint32_t count;
    uint32_t fresh;       /* cells from this index on were never used */
    uint32_t free;        /* first cell of the free list */
    uint32_t shared_left; /* free cells of the shared reserve */
    uint32_t grants_left; /* cells of the grant reserve that no account was granted */
} sb_cells;

typedef struct sb_cell_account {
    uint32_t used, guaranteed; /* cells; `used` beyond `guaranteed` come from the shared reserve */
} sb_cell_account;

/* Of the `count` cells, `shared` form the shared reserve and `grants` the grant reserve. */
void sb_cells_init(sb_cells *pool, sb_cell *cells, uint32_t count, uint32_t shared,
                   uint32_t grants);
/* Adds `count` cells of the grant reserve to the account's guarantee; false: not enough are left
 * and nothing was granted. All or nothing prevents a deadlock: an account with a grant never waits
 * for another account. */
bool sb_cells_grant(sb_cells *pool, sb_cell_account *account, uint32_t count);
/* Returns granted cells to the reserve until the account's guarantee is `guaranteed`. */
void sb_cells_revoke(sb_cells *pool, sb_cell_account *account, uint32_t guaranteed);
/* Number of cells for a payload of `size` bytes. */
uint32_t sb_cells_needed(size_t size);
bool sb_cells_can_allocate(const sb_cells *pool, const sb_cell_account *account, uint32_t count);
/* Number of cells the account could allocate now. */
uint32_t sb_cells_left(const sb_cells *pool, const sb_cell_account *account);
/* Returns a new entry with a copy of the payload, all other members zero; SB_NO_CELL: no memory. */
uint32_t sb_cells_allocate(sb_cells *pool, sb_cell_account *account, sb_span payload);
/* Changes the guarantee of an account that uses at most `guaranteed` cells. */
void sb_cells_set_guarantee(sb_cells *pool, sb_cell_account *account, uint32_t guaranteed);
void sb_cells_release(sb_cells *pool, sb_cell_account *account, uint32_t entry);
/* Copies the payload of an entry to `out`, which holds at least its size. */
void sb_cells_copy(const sb_cells *pool, uint32_t entry, uint8_t *out);
/* The payload of an entry: lent from its cell if one cell holds it, else copied to `buffer`. */
sb_span sb_cells_payload(const sb_cells *pool, uint32_t entry, uint8_t *buffer);

static inline sb_entry *sb_cells_entry(const sb_cells *pool, uint32_t entry)
{
    return &pool->cells[entry].entry;
}

/* A doubly linked list of entries. */
typedef struct sb_entry_list {
    uint32_t first, last, count;
} sb_entry_list;

void sb_entry_list_init(sb_entry_list *list);
void sb_entry_list_append(sb_entry_list *list, const sb_cells *pool, uint32_t entry);
/* Puts the entry before `next`, which is in the list. */
void sb_entry_list_insert(sb_entry_list *list, const sb_cells *pool, uint32_t entry, uint32_t next);
void sb_entry_list_remove(sb_entry_list *list, const sb_cells *pool, uint32_t entry);

#endif
