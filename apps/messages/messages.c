/* apps/messages/messages.c -- `starbase messages`: prints the opcode table as text, JSON, Markdown.
 *
 * Tests:    tools/check-reference compares the Markdown with docs/messages.md
 */
#include "common/commands.h"
#include "common/options.h"
#include "messages/fields.h"

#include <starbase/protocol.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum form { TEXT, JSON, MARKDOWN } form;

enum { OPTION_JSON = 256, OPTION_MARKDOWN };

static const sb_option options[] = {
    { OPTION_JSON, "json", NULL, "print one JSON object per opcode" },
    { OPTION_MARKDOWN, "markdown", NULL, "print the page docs/messages.md" },
    { 0, NULL, NULL, NULL },
};

static const sb_usage usage = {
    .command = "messages",
    .synopsis = "[--json | --markdown] [NAME | OPCODE]...",
    .about =
        "Lists every game message: opcode, name, sender, delivery, relay rule of the server, and\n"
        "section of the spec. With names or opcodes, lists the fields of these messages, as\n"
        "`starbase encode` reads them.",
    .options = options,
};

static void print_row(const sb_message_type *t, form how)
{
    const char *published = t->published ? t->published : "";
    if (how == JSON)
        printf("{\"opcode\":%u,\"name\":\"%s\",\"published\":\"%s\",\"direction\":\"%s\","
               "\"delivery\":\"%s\",\"relay\":\"%s\",\"spec\":\"%s\"}\n",
               t->opcode, t->name, published, sb_direction_text(t->direction),
               sb_delivery_text(t->delivery), sb_relay_text(t->relay), t->spec);
    else
        printf(how == MARKDOWN ? "| 0x%02X | %s | %s | %s | %s | %s | %s |\n"
                               : "0x%02X  %-23s %-21s %-6s %-11s %-13s %s\n",
               t->opcode, t->name, published, sb_direction_text(t->direction),
               sb_delivery_text(t->delivery), sb_relay_text(t->relay), t->spec);
}

static void print_head(form how)
{
    if (how == TEXT)
        printf("%-5s %-23s %-21s %-6s %-11s %-13s %s\n", "", "name", "published name", "from",
               "delivery", "relay", "spec");
    if (how != MARKDOWN) return;
    printf("# Messages\n\n"
           "Made by `starbase messages --markdown` from the table in src/message/table.c; `make "
           "reference` renews it.\n"
           "From: S->C host to client, C->S client to host. Relay: what a server does with a "
           "message a client sent\n"
           "(spec 08 §1.2, 09 §9). Opcodes from 0x2B up that are not listed belong to mods and are "
           "kept as opaque bytes;\n"
           "0x04, 0x05, 0x24 and 0x26 are dead.\n\n"
           "| Opcode | Name | Published name | From | Delivery | Relay | Spec |\n"
           "| --- | --- | --- | --- | --- | --- | --- |\n");
}

static void print_all_fields(void)
{
    printf("\n## Fields\n\nIn wire order, as `starbase messages NAME` prints them; the kinds are "
           "those of spec 02. Fields that the\n"
           "spec makes depend on others are all listed; `derived` counts are left out.\n");
    for (unsigned opcode = 0; opcode < 256; opcode++) {
        const sb_message_type *type = sb_find_message_type((uint8_t)opcode);
        if (type->relay == SB_RELAY_IGNORE || type->relay == SB_RELAY_CONFIGURABLE) continue;
        printf("\n0x%02X %s\n\n```\n", opcode, type->name);
        sb_messages_print_fields(type->opcode);
        printf("```\n");
    }
}

static const sb_message_type *find_message(const char *text)
{
    char         *end;
    unsigned long opcode = strtoul(text, &end, 0);
    if (*text != '\0' && *end == '\0' && opcode < 256) return sb_find_message_type((uint8_t)opcode);
    return sb_find_message_type_by_name(text);
}

static int show_messages(int count, char **names)
{
    for (int i = 0; i < count; i++) {
        const sb_message_type *type = find_message(names[i]);
        if (!type || type->relay == SB_RELAY_IGNORE)
            return sb_usage_error(
                &usage, "unknown message `%s`; `starbase messages` lists the names", names[i]);
        print_row(type, TEXT);
        sb_messages_print_fields(type->opcode);
    }
    return SB_EXIT_FINE;
}

int sb_run_messages(int argc, char **argv)
{
    form       how = TEXT;
    sb_options o;
    sb_options_init(&o, &usage, argc, argv);
    for (int key; (key = sb_options_next(&o)) != SB_OPTIONS_END;) {
        if (key == SB_OPTIONS_BAD) return SB_EXIT_USAGE;
        if (key == SB_OPTIONS_DONE) return SB_EXIT_FINE;
        how = key == OPTION_JSON ? JSON : MARKDOWN;
    }
    if (o.operand < argc) return show_messages(argc - o.operand, argv + o.operand);
    print_head(how);
    for (unsigned opcode = 0; opcode < 256; opcode++) {
        const sb_message_type *type = sb_find_message_type((uint8_t)opcode);
        if (type->relay != SB_RELAY_IGNORE && type->relay != SB_RELAY_CONFIGURABLE)
            print_row(type, how);
    }
    if (how == MARKDOWN) print_all_fields();
    return SB_EXIT_FINE;
}
