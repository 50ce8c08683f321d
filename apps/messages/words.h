/* apps/messages/words.h -- explains the names that `starbase decode` prints for records that are
 * not game messages: transport messages, datagrams, queries.
 *
 * For:      `starbase messages NAME`.
 */
#ifndef SB_APPS_MESSAGES_WORDS_H
#define SB_APPS_MESSAGES_WORDS_H

#include <stdbool.h>

/* False: the word is none of these names; nothing was printed. */
bool sb_messages_explain_word(const char *word, bool as_json);

#endif
