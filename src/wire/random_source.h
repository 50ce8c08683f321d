/* src/wire/random_source.h -- a source that answers with random but possible values.
 *
 * For:      property tests, fuzz seeds, load generators: walks any description, so a new message
 *           gets random instances without a line of code.
 * Never:    allocates: texts and bytes come out of the room the caller gives.
 */
#ifndef SB_WIRE_RANDOM_SOURCE_H
#define SB_WIRE_RANDOM_SOURCE_H

#include <starbase/field.h>

#include "base/random.h"

/* Told every value that was given, in order; what a sink sees later must be the same. */
typedef void sb_random_log(void *self, const sb_field *field, const sb_value *value);

typedef struct sb_random_source {
    sb_random      random;
    uint8_t       *room;
    size_t         capacity, used;
    unsigned       depth;
    sb_random_log *log;
    void          *log_self;
} sb_random_source;

void sb_random_source_init(sb_random_source *s, uint64_t seed, uint8_t *room, size_t capacity);
/* The source to hand to sb_build_*; lent as long as `s` stays where it is. */
sb_source sb_random_source_of(sb_random_source *s);

#endif
