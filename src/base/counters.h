/* src/base/counters.h -- counters that are declared as a list of X(ID, "name", "text").
 *
 * For:      every folder that counts refusals or traffic. The list generates an enum of the IDs and
 *           a table of names and texts; searching for an ID finds its uses, its enum and its text.
 * Never:    hides an ID behind token pasting.
 */
#ifndef SB_BASE_COUNTERS_H
#define SB_BASE_COUNTERS_H

#include <stdint.h>

typedef struct sb_counter_text {
    const char *name; /* stable identifier, as in JSON output: "too_short" */
    const char *text; /* description for people: "datagrams shorter than a header" */
} sb_counter_text;

#define SB_COUNTER_ROW(id, name, text) [id] = { name, text },

/* Adds one. `counters` is the array that the enum of `id` indexes. */
#define SB_COUNT(counters, id) ((counters)[id]++)

#endif
