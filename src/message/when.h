/* src/message/when.h -- the conditions of fields: reads sb_field.when.
 *
 * For:      `starbase messages --json`, and messages of mods (definition.c). The codecs of stock
 *           messages have their conditions as code.
 * Never:    allocates. A condition is constant text, checked when it is loaded.
 * Tests:    tests/message/when_test.c
 *
 *     condition   = alternative { " or " alternative }        one alternative must hold
 *     alternative = clause { " and " clause }                 all its clauses must hold
 *     clause      = name " " relation " " value { "," value }
 *     relation    = "is" | "is not" | "has" | "lacks"
 *     value       = number | number ".." number | word
 *
 * `is`: the field is one of the values; `is not`: it is none of them. `has`: it has all these bits;
 * `lacks`: it has none of them. A field that is absent is only `is not` and `lacks`. A name that
 * starts with @ is a fact about the rest of the message or about the ship (docs/message-schema.md).
 */
#ifndef SB_MESSAGE_WHEN_H
#define SB_MESSAGE_WHEN_H

#include <starbase/base.h>

typedef enum sb_when_relation {
    SB_WHEN_IS,
    SB_WHEN_IS_NOT,
    SB_WHEN_HAS,
    SB_WHEN_LACKS,
} sb_when_relation;

typedef struct sb_when_clause {
    sb_span          name;
    sb_when_relation relation;
    sb_span          values;
    bool             starts; /* the first clause of an alternative */
} sb_when_clause;

/* Reads the clause at *text and moves *text behind it; *text is NULL after the last clause. False:
 * not a clause. `starts` is set for the first clause and after "or". */
bool sb_when_next_clause(const char **text, sb_when_clause *clause);
/* Reads the value at the start of `values` and removes it. False: no more values. A word has
 * is_number = false. */
typedef struct sb_when_value {
    bool     is_number;
    uint32_t low, high; /* equal, unless the value is a range */
    sb_span  text;
} sb_when_value;
bool sb_when_next_value(sb_span *values, sb_when_value *value);

const char *sb_when_relation_text(sb_when_relation relation);

/* True if the condition is well formed and its values are numbers. */
bool sb_when_is_numeric(const char *text);

/* The number of a field; false: the field is absent. */
typedef bool (*sb_when_lookup)(const void *self, sb_span name, uint32_t *number);
/* `text` is well formed; NULL always holds. */
bool sb_when_holds(const char *text, sb_when_lookup find, const void *self);

#endif
