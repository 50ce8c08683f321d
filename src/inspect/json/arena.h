/* src/inspect/json/arena.h -- an arena allocator: all memory is freed at once.
 *
 * For:      the bytes of JSON values, which must live until their message is built.
 */
#ifndef SB_INSPECT_JSON_ARENA_H
#define SB_INSPECT_JSON_ARENA_H

#include <stddef.h>

typedef struct sb_arena_block sb_arena_block;

/* { 0 } is an empty arena. */
typedef struct sb_arena {
    sb_arena_block *blocks; /* the newest first */
} sb_arena;

/* Lends `size` bytes until the next reset. Never NULL: aborts if out of memory. */
void *sb_arena_allocate(sb_arena *arena, size_t size);
/* Takes back everything lent; keeps one block for the next line. */
void sb_arena_reset(sb_arena *arena);
void sb_arena_free(sb_arena *arena);

#endif
