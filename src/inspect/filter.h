/* src/inspect/filter.h -- filter expressions: `opcode == StateUpdate and object_id == 0x3FFF`.
 *
 * For:      `starbase decode --filter`.
 * May use:  regcomp, which allocates; sb_filter_free frees its memory. An expression has at most
 *           SB_FILTER_NODES_MAX nodes, a pattern at most SB_FILTER_PATTERN_MAX characters.
 *
 *   expression  = conjunction { "or" conjunction }              also ||
 *   conjunction = term { "and" term }                           also &&
 *   term        = "not" term | "(" expression ")" | test        also !
 *   test        = name | name relation value
 *   relation    = "==" "!=" "<" "<=" ">" ">=" also eq ne lt le gt ge
 *               | "contains"                                    also ~
 *               | "matches"                                     a POSIX extended regular expression
 *               | "&"                                           has one of these bits
 *   value       = number | word | "text in quotes" | names of bits joined by |
 *
 * A name is a property of the record (meta.h) or a field (path.h). A test is true if any field of
 * that name passes it. If no field has the name, the test is false, even with !=. A name alone
 * tests whether the field exists, and for a boolean whether it is true.
 *
 * Texts are compared without regard to the case of ASCII letters, also by contains and matches.
 * Bytes contain a word of hex pairs (1C00 or 1C:00) as bytes and any other word as text; they match
 * a pattern as upper-case hex without blanks. Numbers contain and match as `decode -v` prints them.
 */
#ifndef SB_INSPECT_FILTER_H
#define SB_INSPECT_FILTER_H

#include "inspect/field_names.h"
#include <starbase/definition.h>

#include "inspect/meta.h"
#include "inspect/object_names.h"
#include "inspect/path.h"
#include "inspect/record.h"

#include <regex.h>

enum { SB_FILTER_NODES_MAX = 64, SB_FILTER_ERROR_MAX = 200, SB_FILTER_PATTERN_MAX = 120 };

typedef enum sb_filter_kind {
    SB_FILTER_OR,
    SB_FILTER_AND,
    SB_FILTER_NOT,
    SB_FILTER_TEST,
} sb_filter_kind;

typedef enum sb_filter_operator {
    SB_FILTER_EXISTS,
    SB_FILTER_EQUAL,
    SB_FILTER_UNEQUAL,
    SB_FILTER_LESS,
    SB_FILTER_LESS_EQUAL,
    SB_FILTER_GREATER,
    SB_FILTER_GREATER_EQUAL,
    SB_FILTER_CONTAINS,
    SB_FILTER_MATCHES,
    SB_FILTER_BITS,
} sb_filter_operator;

typedef struct sb_filter_node {
    sb_filter_kind     kind;
    size_t             left, right; /* nodes; NOT has only left */
    sb_filter_operator relation;
    const sb_meta     *meta; /* NULL: the name can only be a field */
    sb_dotted          name;
    sb_span            name_text;
    bool               is_number, quoted;
    double             number;
    sb_span            word;     /* the value as the user wrote it, without quotes */
    regex_t            pattern;  /* MATCHES */
    bool               found;    /* some record had a field or property of this name */
    bool               searched; /* the fields of some record were searched for the name */
    bool               named;    /* `word` was the name of a value in some record */
} sb_filter_node;

typedef struct sb_filter {
    const char            *text; /* the expression; borrowed */
    sb_filter_node         nodes[SB_FILTER_NODES_MAX];
    size_t                 count, root;
    const sb_object_names *names; /* of ids, borrowed; NULL: ids are numbers only */
    bool   skipped_fields;        /* some records were decided without searching their fields */
    char   error[SB_FILTER_ERROR_MAX]; /* set if sb_filter_init failed */
    size_t error_at;                   /* offset in the expression */
} sb_filter;

/* Borrows `text` for the life of the filter. False: not an expression; `error` says why. Both ways
 * sb_filter_free frees the filter. */
bool sb_filter_init(sb_filter *filter, const char *text);
/* The same with the names of mods' messages; `definitions` may be NULL. */
bool sb_filter_init_defined(sb_filter *filter, const char *text, const sb_definitions *definitions);
void sb_filter_free(sb_filter *filter);
/* False: the expression has a name that is no property and no field; `error` says which. */
bool sb_filter_check_names(sb_filter *filter, const sb_field_names *names);
/* Also updates `found`, `searched` and `named` of the nodes, for sb_filter_next_warning. */
bool sb_filter_matches(sb_filter *filter, const sb_record *record, int64_t start_us);

/* After the last record: writes one warning per call, about a name that no record had or a word
 * that was never a value. `*index` starts at 0. False: no more warnings. */
bool sb_filter_next_warning(const sb_filter *filter, size_t *index, char *out, size_t capacity);

#endif
