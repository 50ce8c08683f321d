/* fuzz/message_fuzz.c -- any payload in any context is refused with a reason, or re-encodes
 * exactly.
 *
 * Input: one byte that selects the ship for StateUpdates (0: none), then the payload. A StateUpdate
 * of a known ship is read in both layouts of the shield generator and added to an
 * sb_layout_evidence. A message of a mod is also read by a definition.
 */
#include <starbase/definition.h>
#include <starbase/layout.h>
#include <starbase/message.h>

#include "base/assert.h"
#include "wire/kind_words.h"

#include <string.h>

/* Messages of mods, read by definitions of every kind: the opcode picks the kinds, which repeat as
 * items of a list, with conditions. */
static const sb_definitions *define_messages(void)
{
    static sb_defined_field items[256], fields[256][3];
    static sb_definition    messages[256];
    static sb_definitions   all;
    for (unsigned i = 0; i < 256 && !all.of[0xFF]; i++) {
        unsigned kind = i % SB_KIND_COUNT;
        while (!sb_kind_is_definable((sb_kind)kind) || kind == SB_KIND_LIST ||
               kind == SB_KIND_BYTES)
            kind = (kind + 1) % SB_KIND_COUNT;
        items[i].field = (sb_field){ .name = "x", .kind = (sb_kind)kind };
        fields[i][0].field = (sb_field){ .name = "mode", .kind = SB_KIND_U8 };
        fields[i][1].field = (sb_field){ .name = "y", .kind = (sb_kind)kind, .when = "mode has 1" };
        fields[i][2] = (sb_defined_field){
            .field = { .name = "items", .kind = SB_KIND_LIST },
            .count = { .name = "n", .kind = i & 1 ? SB_KIND_U8 : SB_KIND_U16, .derived = true },
            .to_the_end = i % 3 == 0,
            .items = &items[i],
            .item_count = 1
        };
        messages[i] = (sb_definition){ *sb_find_message_type((uint8_t)i), fields[i], 3 };
        if (messages[i].type.relay == SB_RELAY_CONFIGURABLE) all.of[i] = &messages[i];
    }
    return &all;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t balance;

static void value(void *self, const sb_field *f, const sb_value *v, size_t at, size_t size)
{
    const sb_span *payload = self;
    SB_ASSERT(f->name);
    SB_ASSERT(at + size <= payload->size);
    (void)v;
}

static void enter(void *self, const sb_field *f)
{
    (void)self, (void)f;
    balance++;
}

static void leave(void *self, const sb_field *f)
{
    (void)self, (void)f;
    SB_ASSERT(balance > 0);
    balance--;
}

static void check_accepted(const sb_message *message, const sb_message_context *context,
                           sb_span payload)
{
    static uint8_t again[1 << 17];
    size_t         again_size;
    sb_result      encoded = sb_encode_message(message, context, again, sizeof again, &again_size);
    SB_ASSERT(encoded == SB_OK);
    SB_ASSERT(again_size == payload.size);
    SB_ASSERT(memcmp(again, payload.data, payload.size) == 0);
    if (message->opcode == SB_OP_CHECKSUM_RESPONSE) {
        sb_tree_cursor cursor;
        sb_tree_cursor_init(&cursor, &message->as.checksum_response);
        while (sb_tree_cursor_next(&cursor).kind != SB_TREE_END) continue;
    }
}

/* A block that fits a layout decodes completely in that layout: spec 03 §4.3. */
static void check_fit(const sb_message *message, const sb_message_context *context,
                      sb_layout_fit fit)
{
    const sb_state_update *u = &message->as.state_update;
    if (fit == SB_FIT_NO_BLOCK || fit == SB_FIT_NEITHER || !(fit & 1 << context->layout)) return;
    SB_ASSERT(u->entry_count > 0);
    SB_ASSERT(u->entry_count <= context->ship->subsystem_count);
    SB_ASSERT(message->trailing.size == 0);
    SB_ASSERT(message->group_count == 0);
    SB_ASSERT(u->block.size == 0);
}

static void check_payload(sb_span payload, const sb_message_context *context, sb_layout_fit fit)
{
    static sb_message message;
    sb_refusal        why = { SB_OK, 0, NULL }, shown = { SB_OK, 0, NULL };
    sb_sink           sink = { &payload, value, enter, leave };
    balance = 0;
    sb_result result = sb_decode_message(payload, context, &message, &why);
    sb_result show = sb_show_message(payload, context, &sink, &shown);
    SB_ASSERT(result == show);
    sb_result without_reason = sb_decode_message(payload, context, &message, NULL);
    SB_ASSERT(result == without_reason);
    if (result == SB_OK) {
        SB_ASSERT(balance == 0);
        check_accepted(&message, context, payload);
        check_fit(&message, context, fit);
    } else {
        SB_ASSERT(why.result == result);
        SB_ASSERT(why.offset <= payload.size);
        SB_ASSERT(fit == SB_FIT_NO_BLOCK || fit == SB_FIT_NEITHER);
    }
}

/* Adds messages of many ships to one evidence and checks its bounds. */
static sb_layout_fit add_evidence(const sb_ship_class *ship, sb_span payload)
{
    static sb_layout_evidence evidence;
    sb_layout_fit             fit = sb_layout_evidence_add(&evidence, ship, payload);
    SB_ASSERT(fit == sb_fit_shield_layout(ship, payload));
    SB_ASSERT(evidence.open_count <= SB_LAYOUT_OPEN_MAX);
    SB_ASSERT(evidence.run_count <= SB_LAYOUT_OVERTURNS);
    SB_ASSERT(evidence.verdict <= SB_LAYOUT_DOCUMENTED);
    return fit;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1 || size > 1 << 16) return 0;
    const sb_ship_set *stock = sb_stock_ships();
    size_t             pick = data[0] % (stock->count + 1);
    sb_message_context context = { .ship = pick ? &stock->ships[pick - 1] : NULL,
                                   .own = data[0] >= 0x80 };
    sb_span            payload = { data + 1, size - 1 };
    sb_layout_fit      fit = add_evidence(context.ship, payload);
    check_payload(payload, &context, fit);
    context.definitions = define_messages();
    check_payload(payload, &context, fit);
    if (fit == SB_FIT_NO_BLOCK) return 0;
    context.layout = SB_SHIELD_DOCUMENTED;
    check_payload(payload, &context, fit);
    return 0;
}
