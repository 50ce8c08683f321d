/* starbase/definition.h -- messages of mods, described at run time.
 *
 * For:      tools that show or build messages of mods by their fields. Pass the definitions in
 *           sb_message_context: sb_show_message and sb_build_message then use them.
 * Never:    changes sb_decode_message: a mod message stays bytes for programs that relay it.
 *
 * A message that does not decode by its definition is shown as bytes, with a note that says why.
 */
#ifndef STARBASE_DEFINITION_H
#define STARBASE_DEFINITION_H

#include <starbase/field.h>
#include <starbase/protocol.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    SB_DEFINED_FIELDS_MAX = 32, /* of a message, and of an item of a list */
    SB_DEFINED_DEPTH_MAX = 3,   /* lists inside lists */
};

typedef struct sb_defined_field {
    sb_field                       field;
    sb_field                       count;      /* LIST: the count before the items */
    bool                           to_the_end; /* LIST: no count; items to the end of the message */
    const struct sb_defined_field *items;      /* LIST: the fields of an item */
    size_t                         item_count;
} sb_defined_field;

typedef struct sb_definition {
    sb_message_type         type; /* relay: SB_RELAY_CONFIGURABLE */
    const sb_defined_field *fields;
    size_t                  field_count;
} sb_definition;

/* By opcode; NULL: not defined. */
typedef struct sb_definitions {
    const sb_definition *of[256];
} sb_definitions;

/* The type of a message: its definition's, else that of the opcode table. `definitions` may be
 * NULL. */
SB_API const sb_message_type *sb_find_defined_type(const sb_definitions *definitions,
                                                   uint8_t               opcode);
/* The same by name or published name, ASCII case ignored; NULL: none. */
SB_API const sb_message_type *sb_find_defined_type_by_name(const sb_definitions *definitions,
                                                           const char           *name);

#ifdef __cplusplus
}
#endif
#endif
