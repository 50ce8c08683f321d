/* src/inspect/json/arena.c -- an arena allocator: a list of blocks, each filled from its start.
 *
 * Tests:    tests/inspect/json/line_test.c
 */
#include "inspect/json/arena.h"

#include <stdint.h>
#include <stdlib.h>

enum { BLOCK_BYTES = 64 * 1024 };

struct sb_arena_block {
    sb_arena_block *older;
    size_t          size, used;
    uint8_t         bytes[];
};

static sb_arena_block *add_block(sb_arena *arena, size_t size)
{
    size_t          capacity = size > BLOCK_BYTES ? size : BLOCK_BYTES;
    sb_arena_block *block = malloc(sizeof *block + capacity);
    if (!block) abort();
    *block = (sb_arena_block){ arena->blocks, capacity, 0 };
    arena->blocks = block;
    return block;
}

void *sb_arena_allocate(sb_arena *arena, size_t size)
{
    sb_arena_block *block = arena->blocks;
    if (!block || size > block->size - block->used) block = add_block(arena, size);
    void *taken = block->bytes + block->used;
    block->used += size;
    return taken;
}

static void free_older(sb_arena_block *block)
{
    while (block->older) {
        sb_arena_block *older = block->older;
        block->older = older->older;
        free(older);
    }
}

void sb_arena_reset(sb_arena *arena)
{
    if (!arena->blocks) return;
    free_older(arena->blocks);
    arena->blocks->used = 0;
}

void sb_arena_free(sb_arena *arena)
{
    if (!arena->blocks) return;
    free_older(arena->blocks);
    free(arena->blocks);
    arena->blocks = NULL;
}
