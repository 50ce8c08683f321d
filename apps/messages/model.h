/* apps/messages/model.h -- the fields of a message as a tree.
 *
 * For:      `starbase messages NAME` and --json.
 *
 * A description is code that asks a source for each field. The model is made by building the
 * message several times from a source that remembers each field it is asked for, and chooses other
 * alternatives each time (event classes, object classes, rare forms).
 */
#ifndef SB_APPS_MESSAGES_MODEL_H
#define SB_APPS_MESSAGES_MODEL_H

#include <starbase/definition.h>
#include <starbase/field.h>
#include <starbase/message.h>

enum { SB_MODEL_NODES_MAX = 256, SB_MODEL_NONE = -1 };

/* Fields of one parent are linked by `next`, in wire order. */
typedef struct sb_model_node {
    sb_field field;
    int      parent, first, next;
} sb_model_node;

typedef struct sb_model {
    sb_model_node nodes[SB_MODEL_NODES_MAX];
    int           count, first;
    bool          is_exact; /* a byte behind the last field is refused */
} sb_model;

/* `all_forms`: also the fields of event classes and forms that this message usually does not have.
 * `definitions` may be NULL. */
void sb_model_init(sb_model *model, uint8_t opcode, const sb_definitions *definitions,
                   bool all_forms);
/* The group that has the same fields as this group, for trees in trees; NULL: it has its own. */
const sb_field *sb_model_same_as(const sb_model *model, int node);

#endif
