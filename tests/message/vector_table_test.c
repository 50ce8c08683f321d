/* tests/message/vector_table_test.c -- the tables of vectors/: many small examples of one kind.
 *
 * A table names its kind; the array `kinds` below has the columns and the check function of each
 * kind. A table of an unknown kind fails, and so does a kind without a table.
 */
#include "test.h"
#include "vector_cells.h"
#include "vector_fields.h"
#include "vector_file.h"

#include <starbase/compressed.h>
#include <starbase/datagram.h>
#include <starbase/gamespy.h>
#include <starbase/hash.h>
#include <starbase/message.h>

#include "base/bytes.h"
#include "wire/reader.h"
#include "wire/writer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- 01 transport ---- */

/* The three header bytes are padded to the announced length. */
static void check_header(void)
{
    uint8_t     plain[SB_DATAGRAM_ACCEPTED] = { 2, 1 };
    size_t      total = number_in(4);
    sb_span     head = bytes_in(0);
    sb_datagram datagram;
    memcpy(plain + 2, head.data, head.size);
    plain[8] = 2; /* frag_total, should it be a first fragment */
    if (sb_decode_datagram((sb_span){ plain, total + 2 }, &datagram, NULL) != SB_OK) {
        complain("refused");
        return;
    }
    sb_transport_message m;
    size_t               at = 0;
    if (!sb_datagram_next(&datagram, &at, &m)) complain("no message");
    check_number("rest", datagram.rest.size, 0);
    check_number("reliable", m.reliable, yes_in(1));
    check_number("priority", m.priority, yes_in(2));
    check_number("fragment", m.fragment, yes_in(3));
    check_number("total", sb_transport_message_bytes(&m), total);
    if (sb_decode_datagram((sb_span){ plain, total + 1 }, &datagram, NULL) != SB_TRUNCATED)
        complain("one byte less is not refused");
}

static void check_seq(void)
{
    uint16_t             number = (uint16_t)number_in(0);
    uint8_t              plain[64];
    sb_datagram_writer   w;
    sb_datagram          datagram;
    sb_transport_message data = { .type = SB_TRANSPORT_DATA, .reliable = true, .seq = number };
    sb_transport_message ack = { .type = SB_TRANSPORT_ACK, .seq = number };
    sb_datagram_writer_init(&w, plain, sizeof plain, SB_PEER_HOST);
    if (sb_datagram_writer_add(&w, &data) != SB_OK || sb_datagram_writer_add(&w, &ack) != SB_OK)
        complain("cannot be written");
    check_bytes("Data", plain + 5, 2, 1);
    check_bytes("Ack", plain + 8, 2, 1);
    if (sb_decode_datagram((sb_span){ plain, w.size }, &datagram, NULL) != SB_OK)
        complain("refused");
    sb_transport_message m;
    for (size_t at = 0; sb_datagram_next(&datagram, &at, &m);) check_number("seq", m.seq, number);
}

/* Spec 01 §7.1: whole if it fits 412 bytes, else fragments of 412 and the rest. */
static void check_split(void)
{
    static uint8_t payload[2000];
    size_t         size = number_in(0), done = 0;
    char           totals[128] = "";
    bool           whole = size + 5 <= SB_MESSAGE_MAX;
    for (uint8_t index = 0; done < size; index++) {
        sb_transport_message m = { .type = SB_TRANSPORT_DATA,
                                   .reliable = true,
                                   .fragment = !whole,
                                   .frag_index = index,
                                   .frag_total = 255 };
        size_t               space = SB_MESSAGE_MAX - sb_transport_message_bytes(&m);
        m.payload = (sb_span){ payload + done, size - done < space ? size - done : space };
        done += m.payload.size;
        size_t at = strlen(totals);
        snprintf(totals + at, sizeof totals - at, "%s%zu", at ? " " : "",
                 sb_transport_message_bytes(&m));
    }
    check_text("split", totals, 1);
}

/* ---- 02 streams ---- */

static void write_item(sb_writer *w, const char *item)
{
    if (strncmp(item, "u8:", 3) == 0) sb_writer_write_u8(w, (uint8_t)strtoul(item + 3, NULL, 16));
    else if (strncmp(item, "u16:", 4) == 0)
        sb_writer_write_u16(w, (uint16_t)strtoul(item + 4, NULL, 16));
    else if (strcmp(item, "0") == 0 || strcmp(item, "1") == 0) sb_writer_write_bit(w, *item == '1');
    else complain("'%s' is neither a boolean nor u8: nor u16:", item);
}

static void read_item(sb_reader *r, const char *item)
{
    if (strncmp(item, "u8:", 3) == 0)
        check_number("u8", sb_reader_read_u8(r), strtoul(item + 3, NULL, 16));
    else if (strncmp(item, "u16:", 4) == 0)
        check_number("u16", sb_reader_read_u16(r), strtoul(item + 4, NULL, 16));
    else check_number("boolean", sb_reader_read_bit(r), *item == '1');
}

static void check_bits(void)
{
    char      items[256], *rest;
    uint8_t   out[64], groups[SB_GROUPS_MAX];
    sb_writer w;
    sb_reader r;
    sb_writer_init(&w, out, sizeof out);
    snprintf(items, sizeof items, "%s", line->cells[0]);
    for (char *item = strtok_r(items, " ", &rest); item; item = strtok_r(NULL, " ", &rest))
        write_item(&w, item);
    if (w.status != SB_OK) complain("cannot be written");
    check_bytes("written", out, sb_writer_at(&w), 1);
    sb_reader_init(&r, bytes_in(1), groups);
    snprintf(items, sizeof items, "%s", line->cells[0]);
    for (char *item = strtok_r(items, " ", &rest); item; item = strtok_r(NULL, " ", &rest))
        read_item(&r, item);
    if (sb_reader_finish(&r) != SB_OK) complain("bytes are left or missing");
}

static void check_cf16(void)
{
    unsigned code = sb_encode_cf16(real_in(0));
    uint8_t  wire[2];
    sb_store_u16(wire, (uint16_t)code);
    check_number("code", code, number_in(1));
    check_bytes("wire", wire, 2, 2);
    check_number("s", code >> 12 & 7, number_in(3));
    check_number("m", code & 0xFFF, number_in(4));
    float decoded = sb_decode_cf16((uint16_t)number_in(1));
    if (decoded != real_in(5))
        complain("decodes to %.9g instead of %s", (double)decoded, line->cells[5]);
}

static void check_cf16_decode(void)
{
    float decoded = sb_decode_cf16((uint16_t)number_in(0));
    if (!number_agrees((double)decoded, line->cells[1]))
        complain("decodes to %.9g", (double)decoded);
}

static void check_cf16_encode(void)
{
    check_number("code", sb_encode_cf16(real_in(0)), number_in(1));
}

static void check_cf16_round_trip(void)
{
    unsigned long changed = 0, codes = number_in(0);
    for (unsigned long code = 0; code < codes; code++)
        changed += sb_encode_cf16(sb_decode_cf16((uint16_t)code)) != code;
    check_number("changed", changed, number_in(1));
}

static void check_cv3(void)
{
    sb_cv3  code = sb_encode_cv3(vector_in(0));
    uint8_t bytes[3] = { (uint8_t)code.x, (uint8_t)code.y, (uint8_t)code.z };
    check_bytes("cv3", bytes, 3, 1);
}

static sb_cv3 direction_in(sb_span bytes)
{
    return (sb_cv3){ (int8_t)bytes.data[0], (int8_t)bytes.data[1], (int8_t)bytes.data[2] };
}

static void check_cv3_decode(void)
{
    check_vector("direction", sb_decode_cv3(direction_in(bytes_in(0))), 1);
}

/* v rotated by the unit quaternion q: v + 2 u x (u x v + w v), u = (x, y, z). */
static sb_vec3 rotated(sb_quat q, sb_vec3 v)
{
    sb_vec3 a = { q.y * v.z - q.z * v.y + q.w * v.x, q.z * v.x - q.x * v.z + q.w * v.y,
                  q.x * v.y - q.y * v.x + q.w * v.z };
    return (sb_vec3){ v.x + 2 * (q.y * a.z - q.z * a.y), v.y + 2 * (q.z * a.x - q.x * a.z),
                      v.z + 2 * (q.x * a.y - q.y * a.x) };
}

static void check_cv3_rotated(void)
{
    sb_span bytes = bytes_in(0);
    sb_quat q = { sb_bits_float(sb_load_u32(bytes.data)),
                  sb_bits_float(sb_load_u32(bytes.data + 4)),
                  sb_bits_float(sb_load_u32(bytes.data + 8)),
                  sb_bits_float(sb_load_u32(bytes.data + 12)) };
    sb_cv3  code = sb_encode_cv3(rotated(q, vector_in(1)));
    uint8_t wire[3] = { (uint8_t)code.x, (uint8_t)code.y, (uint8_t)code.z };
    check_bytes("direction", wire, 3, 2);
}

static void check_cv4(void)
{
    uint8_t bytes[7];
    sb_cv4  a = sb_encode_cv4(vector_in(0));
    memcpy(bytes,
           (uint8_t[]){ (uint8_t)a.direction.x, (uint8_t)a.direction.y, (uint8_t)a.direction.z },
           3);
    sb_store_u16(bytes + 3, a.magnitude_code);
    check_bytes("cv4", bytes, 5, 1);
    sb_cv4f b = sb_encode_cv4f(vector_in(0));
    sb_store_u32(bytes + 3, sb_float_bits(b.magnitude));
    check_bytes("cv4f", bytes, 7, 2);
}

static void check_cv4f_decode(void)
{
    sb_span bytes = bytes_in(0);
    sb_cv4f code = { direction_in(bytes), sb_bits_float(sb_load_u32(bytes.data + 3)) };
    check_vector("direction", (sb_vec3){ code.direction.x, code.direction.y, code.direction.z }, 1);
    if (!number_agrees((double)code.magnitude, line->cells[2]))
        complain("magnitude is %.9g", (double)code.magnitude);
    check_vector("vector", sb_decode_cv4f(code), 3);
}

static void check_cv4b(void)
{
    sb_cv4b code = sb_encode_cv4b(vector_in(0), real_in(1));
    uint8_t bytes[4] = { (uint8_t)code.direction.x, (uint8_t)code.direction.y,
                         (uint8_t)code.direction.z, code.magnitude_code };
    check_bytes("cv4b", bytes, 4, 2);
}

static void check_cv4b_decode(void)
{
    sb_span bytes = bytes_in(0);
    sb_cv4b code = { direction_in(bytes), bytes.data[3] };
    check_vector("point", sb_decode_cv4b(code, real_in(1)), 2);
}

/* ---- 03 StateUpdate ---- */

static bool is_powered(const sb_subsystem_class *s)
{
    return s->format == SB_FORMAT_POWERED || s->format == SB_FORMAT_SHIELD;
}

/* Encodes a 0x20 message with `count` entries from `start` on; its size without the header. */
static size_t block_bytes(const sb_ship_class *ship, unsigned start, unsigned count, bool owner)
{
    static sb_message  m;
    uint8_t            out[512];
    size_t             size = 0;
    sb_message_context context = { .ship = ship, .own = owner };
    memset(&m, 0, sizeof m);
    m.opcode = SB_OP_STATE_UPDATE;
    m.as.state_update.flags = SB_STATE_SUBSYS;
    m.as.state_update.start_index = (uint8_t)start;
    m.as.state_update.entry_count = (uint8_t)count;
    for (unsigned i = 0; i < count; i++) {
        m.as.state_update.entries[i].index = (uint8_t)((start + i) % ship->subsystem_count);
        m.as.state_update.entries[i].has_power = !owner;
    }
    if (sb_encode_message(&m, &context, out, sizeof out, &size) != SB_OK)
        complain("a block cannot be encoded");
    return size - 10;
}

/* The round robin of spec 03 §4.3: entries of the next block; budget 10 with the start index. */
static unsigned block_entries(const sb_ship_class *ship, unsigned start, bool owner)
{
    unsigned count = 1;
    while (count < ship->subsystem_count && block_bytes(ship, start, count, owner) < 10) count++;
    return count;
}

static void check_starts(void)
{
    const sb_ship_class *ship = ship_in(0);
    bool                 owner = strcmp(line->cells[1], "owner") == 0;
    char                 starts[128] = "";
    unsigned             cursor = 0;
    if (!owner && strcmp(line->cells[1], "others") != 0) complain("owner or others");
    if (!ship) return;
    while (strlen(starts) < strlen(line->cells[2])) {
        unsigned count = block_entries(ship, cursor, owner);
        size_t   at = strlen(starts);
        snprintf(starts + at, sizeof starts - at, "%s%u(%zu)", at ? " " : "", cursor,
                 block_bytes(ship, cursor, count, owner) - 1);
        cursor = (cursor + count) % ship->subsystem_count;
    }
    check_text("blocks", starts, 2);
    check_number("next start", cursor, number_in(3));
}

/* Every start and size of the blocks that a ship's owner gets, once the cycle repeats. */
typedef struct block_set {
    bool starts[SB_SUBSYSTEMS_MAX];
    bool sizes[64];
} block_set;

static void add_blocks(block_set *set, const sb_ship_class *ship)
{
    unsigned cursor = 0;
    for (int i = 0; i < 64; i++) {
        unsigned count = block_entries(ship, cursor, true);
        set->starts[cursor] = true;
        set->sizes[block_bytes(ship, cursor, count, true) - 1] = true;
        cursor = (cursor + count) % ship->subsystem_count;
    }
}

static void list_set(const bool *set, size_t count, char *out, size_t capacity)
{
    *out = '\0';
    for (size_t i = 0; i < count; i++) {
        size_t at = strlen(out);
        if (set[i]) snprintf(out + at, capacity - at, "%s%zu", at ? " " : "", i);
    }
}

static void check_all_starts(void)
{
    block_set set = { { 0 }, { 0 } };
    char      starts[128];
    size_t    smallest = 0, largest = 63;
    for (uint8_t species = 1; species <= 15; species++)
        add_blocks(&set, sb_find_ship(sb_stock_ships(), species));
    list_set(set.starts, SB_SUBSYSTEMS_MAX, starts, sizeof starts);
    check_text("starts", starts, 0);
    while (!set.sizes[smallest]) smallest++;
    while (!set.sizes[largest]) largest--;
    check_number("smallest", smallest, number_in(1));
    check_number("largest", largest, number_in(2));
}

static void check_block_ships(void)
{
    bool ships[16] = { 0 };
    char text[128];
    for (uint8_t species = 1; species <= 15; species++) {
        block_set set = { { 0 }, { 0 } };
        add_blocks(&set, sb_find_ship(sb_stock_ships(), species));
        ships[species] = set.sizes[number_in(0)];
    }
    list_set(ships, 16, text, sizeof text);
    check_text("ships", text, 1);
}

static void check_lists(void)
{
    static const char    formats[] = "BPSR";
    const sb_ship_class *ship = ship_in(0);
    char                 list[128] = "";
    unsigned             bytes = 0, bits = 0;
    for (unsigned i = 0; ship && i < ship->subsystem_count; i++) {
        const sb_subsystem_class *s = &ship->subsystems[i];
        size_t                    at = strlen(list);
        char                      letter = formats[s->format];
        bytes += 1u + s->child_count + (letter == 'S' ? 6 : 0) + (letter == 'R' ? 2 : 0);
        bits += is_powered(s);
        snprintf(list + at, sizeof list - at, s->child_count ? "%s%c%u" : "%s%c", at ? " " : "",
                 letter, s->child_count);
    }
    check_text("list", list, 1);
    check_number("bytes", bytes, number_in(2));
    check_number("bits", bits, number_in(3));
}

static void check_power_level(void)
{
    float power = real_in(0);
    check_number("level", sb_encode_power_level(power), hex_number_in(1));
    float back = sb_decode_power_level((uint8_t)hex_number_in(1));
    if (fabsf(back - power) >= 1 / 204.0f) complain("decodes to %.9g", (double)back);
}

static void check_level_to_pct(void)
{
    unsigned long level = hex_number_in(0);
    check_number("by integer division", level * 100 / 204, number_in(1));
    check_number("by number", sb_encode_power_pct(sb_decode_power_level((uint8_t)level)),
                 number_in(1));
}

static void check_power_switch(void)
{
    bool  on;
    float power = real_in(0);
    check_number("code", (uint8_t)sb_encode_power_switch(power, yes_in(1)), hex_number_in(2));
    float back = sb_decode_power_switch((int8_t)(uint8_t)hex_number_in(2), &on);
    check_number("on", on, yes_in(1));
    if (back != power) complain("decodes to %.9g", (double)back);
}

/* A message with these flags and no new power settings; full updates carry a hash (04 §2). */
static void check_state_length(void)
{
    static sb_message m;
    uint8_t           out[128];
    size_t            size = 0;
    memset(&m, 0, sizeof m);
    m.opcode = SB_OP_STATE_UPDATE;
    m.as.state_update.flags = (uint8_t)number_in(0);
    m.as.state_update.has_hash = true;
    if (sb_encode_message(&m, NULL, out, sizeof out, &size) != SB_OK) complain("not encoded");
    sb_transport_message data = { .type = SB_TRANSPORT_DATA, .payload = { out, size } };
    check_number("payload", size, number_in(1));
    check_number("total_len", sb_transport_message_bytes(&data), number_in(2));
}

/* Powered entries in list order, at most three pairs to a block (budget 6 bytes). */
static void check_power_blocks(void)
{
    const sb_ship_class *ship = ship_in(0);
    char                 blocks[128] = "";
    unsigned             pairs = 0;
    for (unsigned i = 0; ship && i < ship->subsystem_count; i++) {
        size_t at = strlen(blocks);
        if (!is_powered(&ship->subsystems[i])) continue;
        const char *before = pairs == 0 ? "" : pairs % 3 ? " " : " / ";
        snprintf(blocks + at, sizeof blocks - at, "%s%u", before, i);
        pairs++;
    }
    check_text("blocks", blocks, 1);
}

static void check_powered(void)
{
    const sb_ship_class *ship = ship_in(0);
    char                *end = NULL;
    for (const char *at = line->cells[1]; ship && *at; at = end) {
        unsigned long index = strtoul(at, &end, 10);
        if (end == at) break;
        if (index >= ship->subsystem_count || !is_powered(&ship->subsystems[index]))
            complain("entry %lu is not powered", index);
    }
}

/* ---- 05 discovery, 06 hashes ---- */

/* Base64 without padding, four letters to three bytes. */
static size_t from_base64(const char *text, uint8_t *out)
{
    static const char alphabet[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t size = 0;
    for (; strlen(text) >= 4; text += 4) {
        unsigned long bits = 0;
        for (int i = 0; i < 4; i++) {
            const char *letter = strchr(alphabet, text[i]);
            bits = bits << 6 | (letter ? (unsigned long)(letter - alphabet) : 0);
        }
        for (int i = 0; i < 3; i++) out[size++] = (uint8_t)(bits >> (16 - 8 * i));
    }
    return size;
}

static void check_validate(void)
{
    char    out[SB_GAMESPY_RESPONSE_MAX + 1];
    uint8_t cipher[128];
    sb_span challenge = { (const uint8_t *)line->cells[0], strlen(line->cells[0]) };
    if (sb_gamespy_validate(challenge, (sb_span){ NULL, 0 }, out, sizeof out) != SB_OK)
        complain("refused");
    check_text("response", out, 2);
    if (strcmp(line->cells[1], "-") != 0)
        check_bytes("base64", cipher, from_base64(out, cipher), 1);
}

static void check_string_hash(void)
{
    check_number("hash", sb_hash_string(text_in(0)), hex_number_in(1));
}

static void check_directory_hash(void)
{
    check_number("hash", sb_hash_directory(text_in(0)), hex_number_in(1));
}

static void check_file_hash(void)
{
    for (const char *rule = line->cells[1]; *rule; rule++) {
        if (*rule == ' ') continue;
        if (*rule < 'A' || *rule > 'C') {
            complain("no rule is called %c", *rule);
            continue;
        }
        check_number("hash", sb_hash_file(bytes_in(0), (sb_file_hash_rule)(*rule - 'A')),
                     hex_number_in(2));
    }
}

static void check_file_hash_compare(void)
{
    bool equal = sb_file_hash_matches((uint32_t)hex_number_in(0), (uint32_t)hex_number_in(1));
    check_number("equal", equal, yes_in(2));
}

/* ---- 07 objects, 08 ids ---- */

/* The snapshot follows 3 + 8 + 36 bytes and the two lengths of an empty name and set. */
static void check_snapshot_length(void)
{
    static sb_message m;
    uint8_t           out[512];
    size_t            size = 0;
    memset(&m, 0, sizeof m);
    m.opcode = SB_OP_PLAYER_OBJECT_CREATE;
    m.as.object_create.class_id = SB_CLASS_SHIP;
    m.as.object_create.species = (uint8_t)number_in(0);
    m.as.object_create.snapshot_known = true;
    if (sb_encode_message(&m, NULL, out, sizeof out, &size) != SB_OK) complain("not encoded");
    check_number("snapshot", size - (3 + 8 + 36 + 1 + 1), number_in(1));
}

static unsigned ids_used(const sb_ship_class *ship)
{
    return ship ? 1u + ship->subsystem_count + ship->child_count : 0;
}

static void check_ids_used(void)
{
    check_number("ids", ids_used(ship_in(0)), number_in(1));
}

static void check_next_ship(void)
{
    unsigned long id = number_in(0);
    char         *end = NULL;
    for (const char *at = line->cells[1]; *at; at = end) {
        unsigned long        species = strtoul(at, &end, 10);
        const sb_ship_class *ship = sb_find_ship(sb_stock_ships(), (uint8_t)species);
        if (!ship) complain("no ship of species %lu", species);
        if (end == at || !ship) break;
        id += ids_used(ship);
    }
    check_number("next ship", id, number_in(2));
}

static const sb_subsystem_class *subsystem_called(const sb_ship_class *ship, const char *name,
                                                  size_t length)
{
    for (unsigned i = 0; ship && i < ship->subsystem_count; i++)
        if (strlen(ship->subsystems[i].name) == length &&
            strncmp(ship->subsystems[i].name, name, length) == 0)
            return &ship->subsystems[i];
    return NULL;
}

/* 03 §10: the names of the children of one system, in wire order. */
static void check_children(void)
{
    const sb_ship_class      *ship = ship_in(0);
    const char               *name = line->cells[1];
    const sb_subsystem_class *s = subsystem_called(ship, name, strlen(name));
    char                      names[256] = "";
    for (unsigned i = 0; s && i < s->child_count; i++) {
        size_t at = strlen(names);
        snprintf(names + at, sizeof names - at, "%s%s", i ? ", " : "",
                 ship->children[s->first_child + i].name);
    }
    check_text("children", names, 2);
}

/* "Torpedoes" and its k, or "Torpedoes children" and their first-last. */
static void check_creation_index(void)
{
    const sb_ship_class      *ship = ship_in(0);
    const char               *name = line->cells[1], *of = strstr(name, " children");
    size_t                    length = of ? (size_t)(of - name) : strlen(name);
    const sb_subsystem_class *s = subsystem_called(ship, name, length);
    if (!s || (of && strcmp(of, " children") != 0)) {
        complain("no such subsystem");
        return;
    }
    char text[32];
    snprintf(text, sizeof text, "%d", s->creation_index);
    if (of) {
        const sb_subsystem_class *c = ship->children + s->first_child;
        snprintf(text, sizeof text, "%d-%d", c[0].creation_index,
                 c[s->child_count - 1].creation_index);
        for (unsigned i = 1; i < s->child_count; i++)
            if (c[i].creation_index != c[0].creation_index + (int)i) complain("not consecutive");
    }
    check_text("creation index", text, 2);
}

/* ---- 04 integrity hash ---- */

static float float_of_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint32_t contribution_of(float value)
{
    uint32_t folded = sb_fold_integrity(0, value);
    return folded >> 1 | folded << 31;
}

/* Spec 04 §4. */
static void check_integrity_contribution(void)
{
    check_number("contribution", contribution_of(float_of_bits((uint32_t)hex_number_in(0))),
                 hex_number_in(1));
}

/* Spec 04 §8. */
static void check_integrity_fold(void)
{
    uint32_t folded = sb_fold_integrity((uint32_t)hex_number_in(0), real_in(1));
    check_number("fold", folded, hex_number_in(2));
}

static uint32_t fold_nested(uint32_t acc, uint32_t nested)
{
    return sb_fold_integrity(acc, float_of_bits(nested));
}

/* Folds the numbers of a cell, separated by blanks; "-" holds none. */
static uint32_t fold_cell(uint32_t acc, size_t column)
{
    const char *at = line->cells[column];
    char       *end;
    if (strcmp(at, "-") == 0) return acc;
    for (; *at; at = end) {
        float value = strtof(at, &end);
        if (end == at) {
            complain("'%s' is not a list of numbers", line->cells[column]);
            return acc;
        }
        acc = sb_fold_integrity(acc, value);
    }
    return acc;
}

typedef struct generic {
    float    condition, power; /* power < 0: not a powered subsystem */
    bool     critical;
    unsigned children;
    float    child_condition;
} generic;

/* Spec 04 §5.1: base of the generic subsystem of §8. */
static uint32_t base_of(generic g)
{
    const float head[] = { g.condition, 0.75f, 0, 0, 0, 0.25f, 3 };
    const float flags[] = { g.critical ? 64.0002f : 76.6f, 100.0f, 14.3f, 27.3f };
    uint32_t    acc = 0;
    for (int i = 0; i < 7; i++) acc = sb_fold_integrity(acc, head[i]);
    for (unsigned i = 0; i < g.children; i++)
        acc = fold_nested(acc, base_of((generic){ g.child_condition, -1, false, 0, 0 }));
    for (int i = 0; i < 4; i++) acc = sb_fold_integrity(acc, flags[i]);
    return g.power < 0 ? acc : sb_fold_integrity(acc, g.power);
}

static void check_integrity_base(void)
{
    uint32_t base =
        base_of((generic){ real_in(0), real_in(1), false, (unsigned)number_in(2), 1000 });
    check_number("base", base, hex_number_in(3));
    check_number("contribution", contribution_of(float_of_bits(base)), hex_number_in(4));
}

static generic generic_in(void)
{
    generic g = { .condition = real_in(1), .critical = yes_in(2), .power = -1 };
    if (strcmp(line->cells[3], "-") != 0) g.power = real_in(3);
    if (strcmp(line->cells[4], "-") != 0 &&
        sscanf(line->cells[4], "%u %f", &g.children, &g.child_condition) != 2)
        complain("children: count and condition");
    return g;
}

/* Spec 04 §5.2, §5.3. */
static uint32_t weapon_system_of(generic g)
{
    uint32_t acc = fold_cell(fold_nested(0, base_of(g)), 5);
    uint32_t child = base_of((generic){ g.child_condition, -1, false, 0, 0 });
    for (unsigned i = 0; i < g.children; i++)
        acc = fold_nested(acc, fold_cell(fold_nested(0, child), 6));
    return fold_cell(acc, 7);
}

/* Spec 04 §5.4, one part. */
static void check_integrity_ship(void)
{
    generic  g = generic_in();
    uint32_t acc = (uint32_t)hex_number_in(0);
    if (strcmp(line->cells[5], "-") != 0) acc = fold_nested(acc, weapon_system_of(g));
    else acc = fold_cell(fold_nested(acc, base_of(g)), 7);
    check_number("after", acc, hex_number_in(8));
}

static void check_integrity_wire(void)
{
    uint16_t wire = sb_integrity_wire((uint32_t)hex_number_in(0));
    uint8_t  bytes[2] = { (uint8_t)wire, (uint8_t)(wire >> 8) };
    check_bytes("wire", bytes, 2, 1);
}

/* ---- all kinds of tables ---- */

static const struct {
    const char *kind, *columns;
    void (*check)(void);
} kinds[] = {
    { "integrity-contribution", "bits|contribution", check_integrity_contribution },
    { "integrity-fold", "acc|value|folded", check_integrity_fold },
    { "integrity-base", "condition|power|children|base|contribution", check_integrity_base },
    { "integrity-wire", "hash|wire", check_integrity_wire },
    { "integrity-ship",
      "before|condition|critical|power|children|fire flags|child values|extra|after",
      check_integrity_ship },
    { "header", "bytes|reliable|priority|fragment|total", check_header },
    { "seq", "number|wire", check_seq },
    { "split", "payload|totals", check_split },
    { "bits", "written|bytes", check_bits },
    { "cf16", "value|code|wire|s|m|decoded", check_cf16 },
    { "cf16-decode", "code|decoded", check_cf16_decode },
    { "cf16-encode", "value|code", check_cf16_encode },
    { "cf16-round-trip", "positive codes|changed", check_cf16_round_trip },
    { "cv3", "vector|bytes", check_cv3 },
    { "cv3-decode", "bytes|decoded", check_cv3_decode },
    { "cv3-rotated", "quaternion|axis|bytes", check_cv3_rotated },
    { "cv4", "vector|cv4|cv4f", check_cv4 },
    { "cv4f-decode", "bytes|direction|magnitude|decoded", check_cv4f_decode },
    { "cv4b", "vector|radius|bytes", check_cv4b },
    { "cv4b-decode", "bytes|radius|decoded", check_cv4b_decode },
    { "starts", "species|lane|starts|then", check_starts },
    { "all-starts", "starts|smallest|largest", check_all_starts },
    { "block-ships", "size|species", check_block_ships },
    { "lists", "species|list|bytes|bits", check_lists },
    { "children", "species|system|children", check_children },
    { "power-level", "power|level", check_power_level },
    { "level-to-pct", "level|pct", check_level_to_pct },
    { "power-switch", "power|on|code", check_power_switch },
    { "state-length", "flags|payload|total_len", check_state_length },
    { "power-blocks", "species|blocks", check_power_blocks },
    { "powered", "species|indices", check_powered },
    { "validate", "challenge|cipher bytes|response", check_validate },
    { "string-hash", "text|hash", check_string_hash },
    { "directory-hash", "directory|hash", check_directory_hash },
    { "file-hash", "bytes|rules|hash", check_file_hash },
    { "file-hash-compare", "calculated|wire|equal", check_file_hash_compare },
    { "snapshot-length", "species|bytes", check_snapshot_length },
    { "ids-used", "species|ids", check_ids_used },
    { "next-ship", "ship|species|next", check_next_ship },
    { "creation-index", "species|subsystem|k", check_creation_index },
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static bool kind_seen[KINDS];

static void check_table(const vector_file *v)
{
    char   columns[256] = "";
    size_t kind = 0;
    table = v;
    line = &v->columns;
    for (size_t i = 0; i < v->columns.count; i++) {
        size_t at = strlen(columns);
        snprintf(columns + at, sizeof columns - at, "%s%s", i ? "|" : "", v->columns.cells[i]);
    }
    while (kind < KINDS && strcmp(kinds[kind].kind, v->table) != 0) kind++;
    if (kind == KINDS) {
        complain("no kind of table is called '%s'", v->table);
        return;
    }
    kind_seen[kind] = true;
    if (strcmp(columns, kinds[kind].columns) != 0) {
        complain("the columns of '%s' are %s", v->table, kinds[kind].columns);
        return;
    }
    for (size_t i = 0; i < v->line_count; i++) {
        line = &v->lines[i];
        kinds[kind].check();
    }
}

TEST(vector_tables_agree_row_by_row)
{
    vector_paths all = vector_find(SB_SOURCE_DIR "/vectors");
    size_t       failed = 0;
    for (size_t i = 0; i < all.count; i++) {
        vector_file v;
        char        error[512];
        if (!vector_read(&v, all.paths[i], error, sizeof error)) continue; /* vector_test.c */
        table_failed = false;
        if (v.layer == VECTOR_TABLE) check_table(&v);
        failed += table_failed;
        vector_free(&v);
    }
    vector_paths_free(&all);
    CHECK_EQ(failed, 0);
    for (size_t i = 0; i < KINDS; i++)
        if (!kind_seen[i]) FAIL("no table of kind '%s'", kinds[i].kind);
}
