/* apps/common/define.c -- see define.h.
 *
 * Tests:    tests/apps/define_test.py
 */
#include "common/define.h"

#include "common/commands.h"

static int load_file(sb_defines *defines, const sb_usage *usage, const char *name)
{
    sb_result result = sb_data_load_definitions(&defines->data, (sb_data_source){ .name = name },
                                                &defines->definitions);
    if (result == SB_OK) return -1;
    fprintf(stderr, "starbase %s: --define: %s\n", usage->command, defines->data.error);
    return SB_EXIT_USAGE;
}

int sb_defines_load(sb_defines *defines, const sb_usage *usage, int argc, char **argv)
{
    sb_options o;
    int        status = -1;
    sb_options_init(&o, usage, argc, argv);
    for (int key; status < 0 && (key = sb_options_next(&o)) != SB_OPTIONS_END;) {
        if (key == SB_OPTIONS_BAD) status = SB_EXIT_USAGE;
        if (key == SB_OPTIONS_DONE) status = SB_EXIT_FINE;
        if (key == SB_KEY_DEFINE) status = load_file(defines, usage, o.argument);
    }
    return status;
}

void sb_defines_free(sb_defines *defines)
{
    sb_data_free(&defines->data);
}
