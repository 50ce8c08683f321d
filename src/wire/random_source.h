/* src/wire/random_source.h -- a source of random, valid values.
 *
 * For:      property tests, fuzz seeds and load generators. The source serves any description, so a
 *           new message gets random instances without further code.
 * Never:    allocates: texts and bytes live in the caller's buffer.
 */
#ifndef SB_WIRE_RANDOM_SOURCE_H
#define SB_WIRE_RANDOM_SOURCE_H

#include <starbase/field.h>

#include "base/random.h"

/* Called for every value, in order. Tests compare these values with those that a sink gets when the
 * built bytes are shown. */
typedef void sb_random_log(void *self, const sb_field *field, const sb_value *value);

typedef struct sb_random_source {
    sb_random      random;
    uint8_t       *buffer;
    size_t         capacity, used;
    unsigned       depth;
    sb_random_log *log;
    void          *log_self;
} sb_random_source;

void sb_random_source_init(sb_random_source *s, uint64_t seed, uint8_t *buffer, size_t capacity);
/* The source to pass to sb_build_*; valid as long as `s` does not move. */
sb_source sb_random_source_of(sb_random_source *s);

#endif
