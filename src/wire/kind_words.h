/* src/wire/kind_words.h -- one word per kind of field, its size and its bounds.
 *
 * For:      files that name kinds: `starbase messages --json`, definitions of mods' messages. The
 *           words never change; docs/message-schema.md lists them.
 * Tests:    tests/wire/kind_words_test.c
 */
#ifndef SB_WIRE_KIND_WORDS_H
#define SB_WIRE_KIND_WORDS_H

#include <starbase/field.h>

/* "u8", "lstr16", "id"; never NULL. */
const char *sb_kind_word(sb_kind kind);
/* False: no kind has this word. */
bool sb_find_kind(const char *word, sb_kind *kind);
/* Bytes on the wire; 0: the value decides, or (bit) the group byte is shared. */
size_t sb_kind_bytes(sb_kind kind);
/* The least and largest value, or bytes of a text. False: the kind has no bounds. */
bool sb_kind_bounds(sb_kind kind, double *low, double *high);
/* True if a message of a mod may have such a field; NOTE, GROUP, RATIOS and UTF16 are for the
 * stock messages. */
bool sb_kind_is_definable(sb_kind kind);

#endif
