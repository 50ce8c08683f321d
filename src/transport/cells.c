/* src/transport/cells.c -- see cells.h. */
#include "transport/cells.h"

#include "base/assert.h"

#include <string.h>

void sb_cells_init(sb_cells *pool, sb_cell *cells, uint32_t count, uint32_t shared, uint32_t grants)
{
    SB_ASSERT(shared <= count && grants <= count - shared);
    *pool = (sb_cells){ cells, count, 0, SB_NO_CELL, shared, grants };
}

bool sb_cells_grant(sb_cells *pool, sb_cell_account *account, uint32_t count)
{
    if (pool->grants_left < count) return false;
    pool->grants_left -= count;
    account->guaranteed += count;
    return true;
}

void sb_cells_revoke(sb_cells *pool, sb_cell_account *account, uint32_t guaranteed)
{
    SB_ASSERT(account->used <= guaranteed && guaranteed <= account->guaranteed);
    pool->grants_left += account->guaranteed - guaranteed;
    account->guaranteed = guaranteed;
}

uint32_t sb_cells_needed(size_t size)
{
    if (size <= SB_ENTRY_BYTES) return 1;
    return (uint32_t)(1 + (size - SB_ENTRY_BYTES + SB_TAIL_BYTES - 1) / SB_TAIL_BYTES);
}

/* Cells of the shared reserve that the account holds if it uses `used` cells. */
static uint32_t shared_cells(const sb_cell_account *account, uint32_t used)
{
    return used > account->guaranteed ? used - account->guaranteed : 0;
}

bool sb_cells_can_allocate(const sb_cells *pool, const sb_cell_account *account, uint32_t count)
{
    uint32_t used = account->used;
    return shared_cells(account, used + count) - shared_cells(account, used) <= pool->shared_left;
}

uint32_t sb_cells_left(const sb_cells *pool, const sb_cell_account *account)
{
    uint32_t used = account->used, guaranteed = account->guaranteed;
    return (used < guaranteed ? guaranteed - used : 0) + pool->shared_left;
}

static uint32_t pop_cell(sb_cells *pool)
{
    uint32_t cell = pool->free;
    if (cell == SB_NO_CELL) {
        SB_ASSERT(pool->fresh < pool->count); /* can_allocate checked it */
        return pool->fresh++;
    }
    pool->free = pool->cells[cell].tail.more;
    return cell;
}

static void charge(sb_cells *pool, sb_cell_account *account, uint32_t count)
{
    uint32_t used = account->used + count;
    pool->shared_left -= shared_cells(account, used) - shared_cells(account, account->used);
    account->used = used;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static void copy_payload(sb_cells *pool, sb_entry *entry, sb_span payload)
{
    size_t    done = smaller(payload.size, SB_ENTRY_BYTES);
    uint32_t *link = &entry->more;
    if (done > 0) memcpy(entry->bytes, payload.data, done);
    while (done < payload.size) {
        size_t   part = smaller(payload.size - done, SB_TAIL_BYTES);
        uint32_t cell = pop_cell(pool);
        memcpy(pool->cells[cell].tail.bytes, payload.data + done, part);
        done += part;
        *link = cell;
        link = &pool->cells[cell].tail.more;
    }
    *link = SB_NO_CELL;
}

uint32_t sb_cells_allocate(sb_cells *pool, sb_cell_account *account, sb_span payload)
{
    SB_ASSERT(payload.size <= UINT16_MAX);
    uint32_t count = sb_cells_needed(payload.size);
    if (!sb_cells_can_allocate(pool, account, count)) return SB_NO_CELL;
    charge(pool, account, count);
    uint32_t  cell = pop_cell(pool);
    sb_entry *entry = sb_cells_entry(pool, cell);
    memset(entry, 0, SB_ENTRY_HEADER);
    entry->prev = entry->next = entry->next_fragment = SB_NO_CELL;
    entry->size = (uint16_t)payload.size;
    copy_payload(pool, entry, payload);
    return cell;
}

void sb_cells_set_guarantee(sb_cells *pool, sb_cell_account *account, uint32_t guaranteed)
{
    SB_ASSERT(account->used <= guaranteed);
    pool->shared_left += shared_cells(account, account->used);
    account->guaranteed = guaranteed;
}

void sb_cells_release(sb_cells *pool, sb_cell_account *account, uint32_t entry)
{
    uint32_t count = 0;
    for (uint32_t cell = entry; cell != SB_NO_CELL; count++) {
        uint32_t more = pool->cells[cell].tail.more;
        pool->cells[cell].tail.more = pool->free;
        pool->free = cell;
        cell = more;
    }
    SB_ASSERT(count <= account->used);
    uint32_t used = account->used - count;
    pool->shared_left += shared_cells(account, account->used) - shared_cells(account, used);
    account->used = used;
}

void sb_cells_copy(const sb_cells *pool, uint32_t entry, uint8_t *out)
{
    const sb_entry *e = sb_cells_entry(pool, entry);
    size_t          done = smaller(e->size, SB_ENTRY_BYTES);
    memcpy(out, e->bytes, done);
    for (uint32_t cell = e->more; cell != SB_NO_CELL; cell = pool->cells[cell].tail.more) {
        size_t part = smaller(e->size - done, SB_TAIL_BYTES);
        memcpy(out + done, pool->cells[cell].tail.bytes, part);
        done += part;
    }
    SB_ASSERT(done == e->size);
}

sb_span sb_cells_payload(const sb_cells *pool, uint32_t entry, uint8_t *buffer)
{
    const sb_entry *e = sb_cells_entry(pool, entry);
    if (e->more == SB_NO_CELL) return (sb_span){ e->bytes, e->size };
    sb_cells_copy(pool, entry, buffer);
    return (sb_span){ buffer, e->size };
}

void sb_entry_list_init(sb_entry_list *list)
{
    *list = (sb_entry_list){ SB_NO_CELL, SB_NO_CELL, 0 };
}

void sb_entry_list_append(sb_entry_list *list, const sb_cells *pool, uint32_t entry)
{
    sb_entry *e = sb_cells_entry(pool, entry);
    e->prev = list->last;
    e->next = SB_NO_CELL;
    if (list->last == SB_NO_CELL) list->first = entry;
    else sb_cells_entry(pool, list->last)->next = entry;
    list->last = entry;
    list->count++;
}

void sb_entry_list_insert(sb_entry_list *list, const sb_cells *pool, uint32_t entry, uint32_t next)
{
    sb_entry *e = sb_cells_entry(pool, entry), *after = sb_cells_entry(pool, next);
    e->prev = after->prev;
    e->next = next;
    if (e->prev == SB_NO_CELL) list->first = entry;
    else sb_cells_entry(pool, e->prev)->next = entry;
    after->prev = entry;
    list->count++;
}

void sb_entry_list_remove(sb_entry_list *list, const sb_cells *pool, uint32_t entry)
{
    sb_entry *e = sb_cells_entry(pool, entry);
    if (e->prev == SB_NO_CELL) list->first = e->next;
    else sb_cells_entry(pool, e->prev)->next = e->next;
    if (e->next == SB_NO_CELL) list->last = e->prev;
    else sb_cells_entry(pool, e->next)->prev = e->prev;
    list->count--;
}
