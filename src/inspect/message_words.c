/* src/inspect/message_words.c -- see message_words.h.
 *
 * Tests:    tests/inspect/filter_test.c
 */
#include "inspect/message_words.h"

#include "base/suggestion.h"

#include <starbase/datagram.h>

#include <strings.h>

enum { WORDS_MAX = 640 };

/* Writes names to `words`, with NULL for a message without a published name; returns the count. */
static size_t list_words(const char *words[WORDS_MAX], const sb_definitions *definitions)
{
    static const char *const others[] = { "ModMessage", "Datagram", "GameSpy", "(empty)",
                                          "(unknown)" };
    size_t                   count = 0;
    for (unsigned opcode = 0; opcode <= UINT8_MAX; opcode++) {
        const sb_message_type *type = sb_find_defined_type(definitions, (uint8_t)opcode);
        words[count++] = type->name;
        words[count++] = type->published;
    }
    for (const sb_name *n = sb_transport_type_names(); n->name && count < WORDS_MAX - 8; n++) {
        words[count++] = n->name;
        words[count++] = n->published;
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) words[count++] = others[i];
    return count;
}

bool sb_message_words_has(const char *word, const sb_definitions *definitions)
{
    const char *words[WORDS_MAX];
    size_t      count = list_words(words, definitions);
    for (size_t i = 0; i < count; i++)
        if (words[i] && strcasecmp(words[i], word) == 0) return true;
    return false;
}

const char *sb_message_words_suggest(const char *word, const sb_definitions *definitions)
{
    const char *words[WORDS_MAX];
    size_t      count = list_words(words, definitions);
    return sb_suggestion_find(word, words, count);
}
