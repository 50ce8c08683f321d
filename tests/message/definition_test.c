/* tests/message/definition_test.c -- messages of mods, shown and built by their definitions. */
#include "test.h"

#include <starbase/definition.h>

static const sb_definition warp_core = { .type = { .opcode = 0xCD,
                                                   .name = "WARP_CORE",
                                                   .relay = SB_RELAY_CONFIGURABLE } };
static const sb_definitions definitions = { .of = { [0xCD] = &warp_core } };

TEST(a_defined_message_is_found_by_opcode_and_name)
{
    CHECK_TEXT(sb_find_defined_type(&definitions, 0xCD)->name, "WARP_CORE");
    CHECK_TEXT(sb_find_defined_type(&definitions, 0xCE)->name, "ModMessage");
    CHECK_TEXT(sb_find_defined_type(NULL, 0xCD)->name, "ModMessage");
    CHECK_EQ(sb_find_defined_type_by_name(&definitions, "warp_core")->opcode, 0xCD);
    CHECK_EQ(sb_find_defined_type_by_name(&definitions, "CHAT")->opcode, SB_OP_CHAT);
    CHECK(!sb_find_defined_type_by_name(NULL, "WARP_CORE"));
}
