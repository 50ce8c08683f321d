/* src/inspect/filter.h -- which records to show: `opcode == StateUpdate and object_id == 0x3FFF`.
 *
 * For:      `starbase decode --filter`.
 * Never:    allocates; an expression has a bounded number of comparisons.
 *
 *   expression = either { "or" either }              also ||
 *   either     = term { "and" term }                 also &&
 *   term       = "not" term | "(" expression ")" | test       also !
 *   test       = name | name relation value
 *   relation   = "==" "!=" "<" "<=" ">" ">=" "~" (contains) "&" (has one of these bits)
 *   value      = number | word | "text in quotes" | names of bits joined by |
 *
 * Names are those of meta.h and of fields (path.h). A test is true if any field of that name
 * passes it; one that no field has is false, != included. A name alone asks whether it is there,
 * and for a boolean whether it is true.
 */
#ifndef SB_INSPECT_FILTER_H
#define SB_INSPECT_FILTER_H

#include "inspect/meta.h"
#include "inspect/path.h"
#include "inspect/record.h"

enum { SB_FILTER_NODES_MAX = 64, SB_FILTER_ERROR_MAX = 160 };

typedef enum sb_filter_kind {
    SB_FILTER_OR,
    SB_FILTER_AND,
    SB_FILTER_NOT,
    SB_FILTER_TEST,
} sb_filter_kind;

typedef enum sb_filter_operator {
    SB_FILTER_THERE,
    SB_FILTER_EQUAL,
    SB_FILTER_UNEQUAL,
    SB_FILTER_LESS,
    SB_FILTER_LESS_EQUAL,
    SB_FILTER_GREATER,
    SB_FILTER_GREATER_EQUAL,
    SB_FILTER_CONTAINS,
    SB_FILTER_BITS,
} sb_filter_operator;

typedef struct sb_filter_node {
    sb_filter_kind     kind;
    size_t             left, right; /* nodes; NOT has only left */
    sb_filter_operator relation;
    const sb_meta     *meta; /* or NULL: only a field can be meant */
    sb_dotted          name;
    sb_span            name_text;
    bool               is_number, quoted;
    double             number;
    sb_span            word;   /* the value as it was written, without quotes */
    bool               there;  /* a field or meta of that name was seen at some time */
    bool               sought; /* fields were looked through for it at some time */
    bool               named;  /* the word was understood as a name of a value at some time */
} sb_filter_node;

typedef struct sb_filter {
    sb_filter_node nodes[SB_FILTER_NODES_MAX];
    size_t         count, root;
    bool           passed_over; /* some records were decided without looking at their fields */
    char           error[SB_FILTER_ERROR_MAX]; /* after a refusal */
    size_t         error_at;                   /* where in the expression */
} sb_filter;

/* `text` is borrowed for the life of the filter. False: not an expression; see error, error_at. */
bool sb_filter_init(sb_filter *filter, const char *text);
/* Remembers in the nodes which names were ever there. */
bool sb_filter_matches(sb_filter *filter, const sb_record *record, int64_t start_us);

/* After the last record: a sentence about a name that was never there or a word that was never a
 * value, one per call, `*index` starts at 0; false: nothing more to say. */
bool sb_filter_next_warning(const sb_filter *filter, size_t *index, char *out, size_t capacity);

#endif
