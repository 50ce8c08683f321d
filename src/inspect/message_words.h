/* src/inspect/message_words.h -- all names that a record can have, to find a misspelt one.
 *
 * For:      filters and `starbase messages`, whose names come from people.
 */
#ifndef SB_INSPECT_MESSAGE_WORDS_H
#define SB_INSPECT_MESSAGE_WORDS_H

#include <starbase/definition.h>

/* True if `word` is the name or the published name of a message, a transport message or another
 * kind of record, in upper or lower case. `definitions` may be NULL. */
bool sb_message_words_has(const char *word, const sb_definitions *definitions);
/* The nearest of these names; NULL: none is near. */
const char *sb_message_words_suggest(const char *word, const sb_definitions *definitions);

#endif
