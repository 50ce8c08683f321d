/* apps/common/define.h -- the option --define FILE: messages of mods, from a Lua file.
 *
 * For:      decode, encode and messages. Filters and names depend on the definitions, so the files
 *           are loaded before any other option is read.
 */
#ifndef SB_APPS_COMMON_DEFINE_H
#define SB_APPS_COMMON_DEFINE_H

#include "common/options.h"
#include "load/definition_table.h"

enum { SB_KEY_DEFINE = 512 };

#define SB_OPTION_DEFINE                                                                           \
    {                                                                                              \
        SB_KEY_DEFINE, "define", "FILE",                                                           \
            "messages of a mod, from a Lua file (docs/mods.md); may be repeated"                   \
    }

typedef struct sb_defines {
    sb_data        data;
    sb_definitions definitions;
} sb_defines;

/* Loads the file of every --define. -1: go on; else the exit status: the error, or the help, is
 * printed. */
int  sb_defines_load(sb_defines *defines, const sb_usage *usage, int argc, char **argv);
void sb_defines_free(sb_defines *defines);

#endif
