/* apps/messages/words.c -- see words.h.
 *
 * Tests:    tests/apps/messages_test.py
 */
#include "messages/words.h"

#include <starbase/datagram.h>

#include <stdio.h>
#include <strings.h>

typedef struct word_row {
    const char *name, *spec, *text;
} word_row;

static const word_row rows[] = {
    { "Datagram", "01 §3", "a UDP datagram with several transport messages, or a refused one" },
    { "GameSpy", "05 §2", "a query of a server browser or master, or its answer; not encrypted" },
    { "(empty)", "08 §1", "a Data message without an opcode: no message of the game" },
    { "(unknown)", "01 §4.1", "a transport message of a type that the game does not have" },
};

static void print_word(const word_row *row, bool as_json)
{
    if (as_json)
        printf("{\"name\":\"%s\",\"layer\":\"other\",\"spec\":\"%s\",\"remark\":\"%s\"}\n",
               row->name, row->spec, row->text);
    else printf("%s  spec %s\n  %s\n", row->name, row->spec, row->text);
}

static void print_type(const sb_name *type, bool as_json)
{
    if (as_json)
        printf("{\"name\":\"%s\",\"layer\":\"transport\",\"type\":%u,\"spec\":\"01 §4\","
               "\"remark\":\"a transport message, below the game messages\"}\n",
               type->name, type->value);
    else
        printf("%s  transport type 0x%02X  spec 01 §4\n"
               "  a transport message, below the game messages: it has a type instead of an "
               "opcode\n",
               type->name, type->value);
}

bool sb_messages_explain_word(const char *word, bool as_json)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcasecmp(rows[i].name, word) != 0) continue;
        print_word(&rows[i], as_json);
        return true;
    }
    for (const sb_name *type = sb_transport_type_names(); type->name; type++) {
        if (strcasecmp(type->name, word) != 0) continue;
        print_type(type, as_json);
        return true;
    }
    return false;
}
