/* src/message/definition.c -- shows and builds messages of mods by their definitions.
 *
 * For:      message.c.
 * Spec:     09 §9.1.
 * Tests:    tests/message/definition_test.c
 */
#include "message/definition.h"

#include <strings.h>

const sb_message_type *sb_find_defined_type(const sb_definitions *definitions, uint8_t opcode)
{
    const sb_definition *d = definitions ? definitions->of[opcode] : NULL;
    return d ? &d->type : sb_find_message_type(opcode);
}

const sb_message_type *sb_find_defined_type_by_name(const sb_definitions *definitions,
                                                    const char           *name)
{
    for (unsigned i = 0; definitions && i <= UINT8_MAX; i++)
        if (definitions->of[i] && strcasecmp(definitions->of[i]->type.name, name) == 0)
            return &definitions->of[i]->type;
    return sb_find_message_type_by_name(name);
}
