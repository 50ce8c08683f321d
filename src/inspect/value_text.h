/* src/inspect/value_text.h -- one value as text for people.
 *
 * For:      the renderers, filters and columns. kinds.h has the table of kinds.
 */
#ifndef SB_INSPECT_VALUE_TEXT_H
#define SB_INSPECT_VALUE_TEXT_H

#include <starbase/field.h>

#include "inspect/text.h"

typedef enum sb_detail {
    SB_DETAIL_BRIEF, /* for a line: rounded, names instead of numbers, long values cut */
    SB_DETAIL_FULL,  /* everything: the number and its name, the value and its code */
} sb_detail;

void sb_text_add_value(sb_text *t, const sb_field *field, const sb_value *value, sb_detail detail);

/* Adds the published names of the field, of its kind and of its value where they differ from ours,
 * and "meaning inferred" if the spec marks the field so. Adds nothing if none of these applies. */
void sb_text_add_remarks(sb_text *t, const sb_field *field, const sb_value *value);
/* Adds the published names of the value, or of its flags, where they differ from ours. */
void sb_text_add_published_value(sb_text *t, const sb_field *field, const sb_value *value);

#endif
