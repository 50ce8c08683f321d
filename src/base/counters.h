/* src/base/counters.h -- counters that are declared as a list of X(ID, "name", "text").
 *
 * For:      every folder that counts refusals or traffic. The list makes an enum (ID) and a table
 *           of names and texts; a use, the enum and the text are found by one search for the ID.
 * Never:    hides an ID behind token pasting.
 */
#ifndef SB_BASE_COUNTERS_H
#define SB_BASE_COUNTERS_H

#include <stdint.h>

typedef struct sb_counter_text {
    const char *name; /* stable identifier, as in JSON output: "too_short" */
    const char *text; /* what is counted, for people */
} sb_counter_text;

#define SB_COUNTER_ROW(id, name, text) [id] = { name, text },

/* Adds one. `counters` is the array that the enum of `id` indexes. */
#define SB_COUNT(counters, id) ((counters)[id]++)

#endif
