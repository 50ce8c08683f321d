/* src/transport/cells.h -- memory for messages on their way: fixed cells, accounts with a
 * guarantee.
 *
 * For:      outbox and inbox. A message is a chain of cells; the first holds its entry.
 * Never:    grows. Each account can always use its guarantee; beyond it, accounts share a reserve,
 * so that one greedy peer can exhaust the reserve but nobody else's guarantee.
 */
#ifndef SB_TRANSPORT_CELLS_H
#define SB_TRANSPORT_CELLS_H

#include <starbase/transport.h>

#define SB_NO_CELL UINT32_MAX

enum {
    SB_ENTRY_HEADER = 44,
    SB_ENTRY_BYTES = SB_CELL_BYTES - SB_ENTRY_HEADER, /* payload in the first cell ... */
    SB_TAIL_BYTES = SB_CELL_BYTES - 4,                /* ... and in each further one */
};

/* A fragmented message of which some fragments have arrived (spec 01 §7.2). */
typedef struct sb_assembly {
    uint32_t first;       /* fragments, in no order, linked by `other` */
    uint32_t bytes;       /* payload bytes they hold */
    uint16_t count;       /* how many */
    uint8_t  total;       /* 0: fragment 0 is missing, so nobody knows */
    uint8_t  highest;     /* greatest index present */
    uint8_t  present[32]; /* a bit per index */
} sb_assembly;

/* One message or one fragment. */
typedef struct sb_entry {
    uint32_t more;            /* next cell of its bytes */
    uint32_t prev, next;      /* neighbours in the list it is in */
    uint32_t next_fragment;   /* next entry with the same number: fragments */
    sb_time  sent_at;         /* last time */
    uint32_t offset;          /* payload bytes of the channel before this one */
    uint32_t datagram_number; /* count of datagrams when it was sent last: later ones have more */
    uint16_t seq;
    uint16_t size;        /* payload bytes */
    uint8_t  type;        /* sb_transport_type */
    uint8_t  timed_sends; /* that time asked for: each makes the next wait longer */
    uint8_t  frag_index;
    uint8_t  frag_total;   /* 0: not a fragment */
    bool     repeated;     /* there is more than one copy */
    uint8_t  fast_resends; /* repeats that did not wait for time */
    bool     is_assembly;  /* inbox: `assembly` collects fragments, there is no payload */
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

_Static_assert(offsetof(sb_entry, bytes) == SB_ENTRY_HEADER, "the header is as long as it says");
_Static_assert(sizeof(sb_cell) == SB_CELL_BYTES, "a cell is as long as the documents say");

typedef struct sb_cells {
    sb_cell *cells;
    uint32_t count;
    uint32_t fresh;       /* cells from here on were never used */
    uint32_t free;        /* chain of cells that were used and released */
    uint32_t shared_left; /* cells beyond all guarantees that nobody uses */
    uint32_t grants_left; /* cells of the separate reserve that nobody was granted */
} sb_cells;

typedef struct sb_cell_account {
    uint32_t used, guaranteed;
} sb_cell_account;

/* Of the `count` cells, `shared` are beyond all guarantees, and `grants` are only for grants. */
void sb_cells_init(sb_cells *pool, sb_cell *cells, uint32_t count, uint32_t shared,
                   uint32_t grants);
/* Gives the account `count` cells of the separate reserve on top of its guarantee, all or none: who
 * has its grant never waits for somebody else, so nobody waits in a circle. */
bool sb_cells_grant(sb_cells *pool, sb_cell_account *account, uint32_t count);
/* Takes back what it was granted beyond `guaranteed`. */
void sb_cells_revoke(sb_cells *pool, sb_cell_account *account, uint32_t guaranteed);
/* Cells that a payload of `size` bytes takes. */
uint32_t sb_cells_needed(size_t size);
bool sb_cells_can_allocate(const sb_cells *pool, const sb_cell_account *account, uint32_t count);
/* How many cells the account could take now. */
uint32_t sb_cells_left(const sb_cells *pool, const sb_cell_account *account);
/* A new entry with a copy of the payload, all other members zero; SB_NO_CELL: no memory. */
uint32_t sb_cells_allocate(sb_cells *pool, sb_cell_account *account, sb_span payload);
/* Changes the guarantee; the account uses at most `guaranteed` cells. */
void sb_cells_set_guarantee(sb_cells *pool, sb_cell_account *account, uint32_t guaranteed);
void sb_cells_release(sb_cells *pool, sb_cell_account *account, uint32_t entry);
/* Copies the payload of an entry; `out` has room for its size. */
void sb_cells_copy(const sb_cells *pool, uint32_t entry, uint8_t *out);
/* The payload where it stands if one cell holds it, else copied to `room`. */
sb_span sb_cells_payload(const sb_cells *pool, uint32_t entry, uint8_t *buffer);

static inline sb_entry *sb_cells_entry(const sb_cells *pool, uint32_t entry)
{
    return &pool->cells[entry].entry;
}

/* A list of entries by prev and next. */
typedef struct sb_entry_list {
    uint32_t first, last, count;
} sb_entry_list;

void sb_entry_list_init(sb_entry_list *list);
void sb_entry_list_append(sb_entry_list *list, const sb_cells *pool, uint32_t entry);
void sb_entry_list_remove(sb_entry_list *list, const sb_cells *pool, uint32_t entry);

#endif
