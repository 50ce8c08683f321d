/* src/inspect/json/arena.h -- memory for one line of work, given back all at once.
 *
 * For:      bytes that JSON values become; they must live until the unit they go into is built.
 */
#ifndef SB_INSPECT_JSON_ARENA_H
#define SB_INSPECT_JSON_ARENA_H

#include <stddef.h>

typedef struct sb_arena_block sb_arena_block;

/* { 0 } is an empty one. */
typedef struct sb_arena {
    sb_arena_block *blocks; /* the newest first */
} sb_arena;

/* Lends `size` bytes until the next reset; never NULL: without memory the program ends. */
void *sb_arena_allocate(sb_arena *arena, size_t size);
/* Ends all loans, keeps one block for the next line. */
void sb_arena_reset(sb_arena *arena);
void sb_arena_free(sb_arena *arena);

#endif
