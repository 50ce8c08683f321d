/* src/inspect/layer.c -- names of the layers.
 *
 * Tests:    tests/inspect/filter_test.c, tests/inspect/json/line_test.c
 */
#include "inspect/record.h"

#include "base/assert.h"

#include <strings.h>

static const char *const names[SB_LAYER_COUNT] = {
    [SB_LAYER_DATAGRAM] = "datagram",   [SB_LAYER_PLAIN] = "plain",
    [SB_LAYER_TRANSPORT] = "transport", [SB_LAYER_MESSAGE] = "message",
    [SB_LAYER_GAMESPY] = "gamespy",
};

const char *sb_layer_name(sb_layer layer)
{
    SB_ASSERT((unsigned)layer < SB_LAYER_COUNT);
    return names[layer];
}

bool sb_find_layer(const char *name, sb_layer *out)
{
    for (unsigned i = 0; i < SB_LAYER_COUNT; i++) {
        if (strcasecmp(names[i], name) != 0) continue;
        *out = (sb_layer)i;
        return true;
    }
    return false;
}
