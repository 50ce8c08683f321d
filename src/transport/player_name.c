/* src/transport/player_name.c -- see player_name.h. */
#include "transport/player_name.h"

#include "base/bytes.h"

#include <string.h>

static bool is_high(uint16_t unit)
{
    return unit >= 0xD800 && unit < 0xDC00;
}

static bool is_low(uint16_t unit)
{
    return unit >= 0xDC00 && unit < 0xE000;
}

static bool is_control(uint16_t unit)
{
    return unit < 0x20 || (unit >= 0x7F && unit < 0xA0);
}

static bool append(sb_player_name *name, const uint16_t *units, unsigned count)
{
    if (name->size + 2 * count > 2 * SB_NAME_UNITS) return false;
    for (unsigned i = 0; i < count; i++, name->size = (uint8_t)(name->size + 2))
        sb_store_u16(name->bytes + name->size, units[i]);
    return true;
}

static void terminate(sb_player_name *name)
{
    sb_store_u16(name->bytes + name->size, 0);
    name->size = (uint8_t)(name->size + 2);
}

/* Appends "Player N" with N = peer id - 1 (spec 12 #6). The transport does not know slots. */
static void append_default(sb_player_name *name, uint8_t peer_id)
{
    static const char text[] = "Player ";
    uint16_t          units[10];
    unsigned          count = 0, number = peer_id - 1u;
    for (; text[count] != 0; count++) units[count] = (uint8_t)text[count];
    if (number >= 100) units[count++] = (uint16_t)('0' + number / 100);
    if (number >= 10) units[count++] = (uint16_t)('0' + number / 10 % 10);
    units[count++] = (uint16_t)('0' + number % 10);
    append(name, units, count);
}

/* Removes one character from `text`; an unpaired surrogate gives 0 units. False: the text ended. */
static bool next_character(sb_span *text, uint16_t units[2], unsigned *count)
{
    if (text->size < 2) return false;
    units[0] = sb_load_u16(text->data);
    if (units[0] == 0) return false;
    size_t used = 1;
    if (is_high(units[0]) && text->size >= 4 && is_low(sb_load_u16(text->data + 2)))
        units[used++] = sb_load_u16(text->data + 2);
    *count = used == 1 && (is_high(units[0]) || is_low(units[0])) ? 0 : (unsigned)used;
    text->data += 2 * used;
    text->size -= 2 * used;
    return true;
}

static void trim_end(sb_player_name *name)
{
    while (name->size >= 2 && sb_load_u16(name->bytes + name->size - 2) == ' ')
        name->size = (uint8_t)(name->size - 2);
}

void sb_player_name_clean(sb_player_name *name, sb_span text, uint8_t peer_id)
{
    uint16_t units[2];
    unsigned count;
    memset(name, 0, sizeof *name);
    while (next_character(&text, units, &count)) {
        bool leading = name->size == 0 && units[0] == ' ';
        if (count == 0 || leading || is_control(units[0])) continue;
        if (units[0] == '\\') units[0] = '/'; /* it separates fields in query answers (12 #7) */
        if (!append(name, units, count)) break;
    }
    trim_end(name);
    if (name->size == 0 && peer_id == SB_PEER_NONE) return;
    if (name->size == 0) append_default(name, peer_id);
    terminate(name);
}
