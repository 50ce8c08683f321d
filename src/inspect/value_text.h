/* src/inspect/value_text.h -- one value for people, by the kind of its field. */
#ifndef SB_INSPECT_VALUE_TEXT_H
#define SB_INSPECT_VALUE_TEXT_H

#include <starbase/field.h>

#include "inspect/text.h"

typedef enum sb_detail {
    SB_DETAIL_BRIEF, /* for a line: rounded, names instead of numbers, long ones cut */
    SB_DETAIL_FULL,  /* all there is: the number and its name, the value and its code */
} sb_detail;

void sb_text_add_value(sb_text *t, const sb_field *field, const sb_value *value, sb_detail detail);

/* Where the published descriptions call the field, its kind or its value otherwise, and whether its
 * meaning is inferred. Nothing, if there is nothing to say. */
void sb_text_add_remarks(sb_text *t, const sb_field *field, const sb_value *value);
/* What the published descriptions call the kind, such as "CompressedFloat16"; NULL: as we do. */
const char *sb_kind_published(sb_kind kind);
/* The published names of the flags or of the value, where they differ from ours; else nothing. */
void sb_text_add_published_value(sb_text *t, const sb_field *field, const sb_value *value);

#endif
