/* src/inspect/value_numbers.h -- a value as numbers, to compare and to list.
 *
 * For:      filters and columns.
 */
#ifndef SB_INSPECT_VALUE_NUMBERS_H
#define SB_INSPECT_VALUE_NUMBERS_H

#include "inspect/path.h"

enum { SB_VALUE_NUMBERS_MAX = 40 };

/* Copies the numbers of `part` of the value to `out`, which has space for SB_VALUE_NUMBERS_MAX.
 * Returns how many: one of a scalar, several of a vector, none of texts and bytes, and none if the
 * value has no such part. */
size_t sb_value_numbers(const sb_field *field, const sb_value *value, sb_part part, double *out);

#endif
