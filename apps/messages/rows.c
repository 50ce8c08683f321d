/* apps/messages/rows.c -- see rows.h.
 *
 * Tests:    tests/apps/messages_test.py
 */
#include "messages/rows.h"

#include "message/table.h"
#include "messages/fields.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- which rows there are ---- */

/* True if the opcode belongs to mods and is not defined. */
static bool is_mod(const sb_messages_rows *rows, unsigned opcode)
{
    if (rows->definitions && rows->definitions->of[opcode]) return false;
    return sb_find_message_type((uint8_t)opcode)->relay == SB_RELAY_CONFIGURABLE;
}

void sb_messages_rows_init(sb_messages_rows *rows, const sb_definitions *definitions)
{
    *rows = (sb_messages_rows){ .definitions = definitions };
}

bool sb_messages_rows_next(sb_messages_rows *rows)
{
    if (rows->next > UINT8_MAX) return false;
    rows->first = rows->last = rows->next;
    rows->type = sb_find_defined_type(rows->definitions, (uint8_t)rows->first);
    bool ranges = is_mod(rows, rows->first) && rows->first != SB_OP_SCRIPT_FIRST;
    while (ranges && rows->last < UINT8_MAX && is_mod(rows, rows->last + 1)) rows->last++;
    rows->next = rows->last + 1;
    return true;
}

static bool is_called(const sb_message_type *type, const char *word)
{
    return strcasecmp(type->name, word) == 0 ||
           (type->published && strcasecmp(type->published, word) == 0);
}

bool sb_messages_rows_match(const sb_messages_rows *rows, const char *word)
{
    char         *end;
    unsigned long opcode = strtoul(word, &end, 0);
    bool          is_number = word[0] >= '0' && word[0] <= '9' && *end == '\0';
    if (is_number) return opcode >= rows->first && opcode <= rows->last;
    return is_called(rows->type, word);
}

/* ---- printing ---- */

static void format_opcodes(const sb_messages_rows *rows, char out[16])
{
    if (rows->first == rows->last) snprintf(out, 16, "0x%02X", rows->first);
    else snprintf(out, 16, "0x%02X-0x%02X", rows->first, rows->last);
}

static const char *published_name(const sb_message_type *type)
{
    return type->published ? type->published : "";
}

static const char *delivery_of(const sb_message_type *type)
{
    return type->direction == SB_FROM_NOBODY ? "-" : sb_delivery_text(type->delivery);
}

void sb_messages_print_head(void)
{
    printf("%-10s %-23s %-21s %-6s %-11s %-13s %s\n", "opcode", "name", "published name", "from",
           "delivery", "relay", "spec");
}

static void print_cells(const char *format, const sb_messages_rows *rows)
{
    const sb_message_type *t = rows->type;
    char                   opcodes[16];
    format_opcodes(rows, opcodes);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    printf(format, opcodes, t->name, published_name(t), sb_direction_text(t->direction),
           delivery_of(t), sb_relay_text(t->relay), t->spec);
#pragma GCC diagnostic pop
}

void sb_messages_print_row(const sb_messages_rows *rows)
{
    print_cells("%-10s %-23s %-21s %-6s %-11s %-13s %s\n", rows);
}

void sb_messages_print_markdown_row(const sb_messages_rows *rows)
{
    print_cells("| %s | %s | %s | %s | %s | %s | %s |\n", rows);
}

void sb_messages_print_remark(const sb_messages_rows *rows)
{
    const char *remark = sb_find_opcode_remark((uint8_t)rows->first);
    if (remark) printf("  %s\n", remark);
}

void sb_messages_print_listed_remark(const sb_messages_rows *rows)
{
    const char *remark = sb_find_opcode_remark((uint8_t)rows->first);
    char        opcodes[16];
    bool        is_repeated = rows->first != rows->last && rows->last != UINT8_MAX;
    format_opcodes(rows, opcodes);
    if (remark && !is_repeated) printf("- %s: %s\n", opcodes, remark);
}

static void print_json_text(const char *key, const char *text)
{
    if (text) printf(",\"%s\":\"%s\"", key, text);
    else printf(",\"%s\":null", key);
}

#define SNAPSHOT                                                                                   \
    ("the snapshot follows the subsystem list of the species (@list, @format, @type, @children; "  \
     "docs/facts/ships-serialization.csv) and fills the message exactly; else it is opaque")

#define ENTRIES                                                                                    \
    ("the entries follow the subsystem list of the ship (@list, @format, @children; "              \
     "docs/facts/ships-serialization.csv) from start_index on, at most once around; @list is 0 "   \
     "if the ship is unknown or start_index beyond its list; inside an entry a group byte with "   \
     "the count 0 is refused; a last entry that is refused is trailing")

#define MISSING_IDS                                                                                \
    ("@missing_ids: with k = the next byte and n = the bytes behind it, n % 4 == 0 and "           \
     "4 * k <= n < 8 * k")

/* Reasons why the keys of a description are not enough to decode a message. */
static const char *irregular_text(uint8_t opcode)
{
    static const char *const by_opcode[256] = {
        [SB_OP_STATE_UPDATE] = ENTRIES,
        [SB_OP_OBJECT_CREATE] = SNAPSHOT,
        [SB_OP_PLAYER_OBJECT_CREATE] = SNAPSHOT,
        [SB_OP_ENTER_SET] = "@terminator is the last byte of the text that follows",
        [SB_OP_SCORE_CHANGE] = MISSING_IDS,
    };
    return by_opcode[opcode];
}

static unsigned max_bytes(const sb_message_type *t)
{
    if (sb_find_row(t->opcode)->event_class != 0) return SB_EVENT_MAX;
    return t->opcode == SB_OP_CHECKSUM_RESPONSE ? SB_CHECKSUM_RESPONSE_MAX : 0;
}

static const char *status_text(const sb_messages_rows *rows)
{
    if (rows->type->relay == SB_RELAY_IGNORE) return "unused";
    return rows->type->relay == SB_RELAY_CONFIGURABLE ? "mod" : "used";
}

static void print_json_number(const char *key, uint32_t number)
{
    if (number > 0) printf(",\"%s\":%u", key, number);
    else printf(",\"%s\":null", key);
}

void sb_messages_print_json_row(const sb_messages_rows *rows)
{
    const sb_message_type *t = rows->type;
    const sb_message_row  *row = sb_find_row(t->opcode);
    bool                   sent = t->direction != SB_FROM_NOBODY;
    printf("{\"schema\":\"starbase.message/1\",\"opcode\":%u,\"last_opcode\":%u,\"name\":\"%s\"",
           rows->first, rows->last, t->name);
    print_json_text("published", t->published);
    print_json_text("status", status_text(rows));
    print_json_text("direction", sent ? sb_direction_text(t->direction) : NULL);
    print_json_text("delivery", sent ? sb_delivery_text(t->delivery) : NULL);
    print_json_text("relay", sb_relay_text(t->relay));
    print_json_text("spec", t->spec);
    print_json_text("remark", sb_find_opcode_remark((uint8_t)rows->first));
    print_json_text("irregular", irregular_text(t->opcode));
    print_json_number("max_bytes", max_bytes(t));
    print_json_number("event_class", row->event_class);
    print_json_number("event_code", row->event_code);
    sb_messages_print_json_fields(t->opcode, rows->definitions);
    printf("}\n");
}
