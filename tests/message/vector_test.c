/* tests/message/vector_test.c -- every worked example of the spec: vectors/ and its README.
 *
 * Each file is decoded and compared with what the spec states, encoded again from the struct and
 * once more from the shown fields, and cut short at every byte. A file that fails is named; the
 * others still run.
 */
#include "test.h"
#include "vector_fields.h"
#include "vector_file.h"

#include <starbase/cipher.h>
#include <starbase/datagram.h>
#include <starbase/gamespy.h>
#include <starbase/message.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Minimum numbers of vectors, so that a missing directory fails. Raise them with new vectors. */
enum { MESSAGES_LEAST = 145, PLAIN_LEAST = 40, OTHERS_LEAST = 30, TABLES_LEAST = 34 };

enum { ROOM = 70000 };

static const vector_file *current;
static bool               current_failed;

static void complain(int line, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void complain(int line, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    printf("    %s:%d: ", current->path, line);
    vprintf(format, list);
    printf("\n");
    va_end(list);
    current_failed = true;
}

/* Calls `check` for every vector of a layer; fails the running test if one of them complained. */
static void for_each_vector(vector_layer layer, size_t min_count,
                            void (*check)(const vector_file *v))
{
    vector_paths all = vector_find(SB_SOURCE_DIR "/vectors");
    size_t       seen = 0, failed = 0;
    for (size_t i = 0; i < all.count; i++) {
        vector_file v;
        char        error[512];
        if (!vector_read(&v, all.paths[i], error, sizeof error)) continue; /* its own test */
        if (v.layer == layer) {
            current = &v;
            current_failed = false;
            check(&v);
            seen++;
            failed += current_failed;
        }
        vector_free(&v);
    }
    vector_paths_free(&all);
    if (failed > 0) FAIL("%zu of %zu vectors", failed, seen);
    if (seen < min_count) FAIL("only %zu vectors, at least %zu are known", seen, min_count);
}

static bool same(sb_span a, const uint8_t *data, size_t size)
{
    return a.size == size && (size == 0 || memcmp(a.data, data, size) == 0);
}

static void compare_bytes(const char *what, sb_span expected, const uint8_t *data, size_t size)
{
    if (same(expected, data, size)) return;
    size_t at = 0;
    while (at < size && at < expected.size && data[at] == expected.data[at]) at++;
    complain(1, "%s: %zu bytes instead of %zu, different from byte %zu on (%02X, not %02X)", what,
             size, expected.size, at, at < size ? data[at] : 0,
             at < expected.size ? expected.data[at] : 0);
}

static void compare_fields(const vector_file *v, const shown_fields *s)
{
    for (size_t i = 0; i < v->line_count; i++) {
        char               why[512];
        const vector_line *l = &v->lines[i];
        if (!shown_fields_agree(s, v->bytes.size, l->cells[0], l->cells[1], why, sizeof why))
            complain(l->line, "%s = %s: %s", l->cells[0], l->cells[1], why);
    }
}

static void compare_refusal(const char *what, const vector_file *v, sb_result result, size_t offset)
{
    if (result == v->result && (result == SB_OK || offset == v->offset)) return;
    complain(1, "%s: %s at %zu instead of %s at %zu", what, sb_result_name(result), offset,
             sb_result_name(v->result), v->offset);
}

/* ---- game messages ---- */

static sb_message_context context_of(const vector_file *v)
{
    return (sb_message_context){ .ship = sb_find_ship(sb_stock_ships(), v->species),
                                 .own = v->own,
                                 .layout = v->shields };
}

/* Shows a payload below `base`, with its opcode and name beside the fields. */
static sb_result show_payload(shown_fields *s, const char *base, sb_span payload,
                              const sb_message_context *context, sb_refusal *refusal)
{
    char path[256];
    shown_fields_enter(s, base);
    sb_sink   sink = shown_fields_sink(s);
    sb_result result = sb_show_message(payload, context, &sink, refusal);
    if (result != SB_OK) return result;
    if (s->place.depth != 1) complain(1, "a group or list is not left");
    const char *name = sb_find_message_type(payload.data[0])->name;
    snprintf(path, sizeof path, "%s%sopcode", base, *base ? "." : "");
    shown_fields_add_number(s, path, SB_KIND_U8, payload.data[0]);
    snprintf(path, sizeof path, "%s%smessage", base, *base ? "." : "");
    shown_fields_add_text(s, path, SB_KIND_NOTE, (sb_span){ (const uint8_t *)name, strlen(name) });
    return SB_OK;
}

static void encode_struct(const char *what, sb_span payload, const sb_message_context *context)
{
    static sb_message message;
    static uint8_t    out[ROOM];
    sb_refusal        refusal = { SB_OK, 0, NULL };
    size_t            size = 0;
    sb_result         result = sb_decode_message(payload, context, &message, &refusal);
    if (result != SB_OK) {
        complain(1, "%s: shown but not decoded: %s at %zu", what, sb_result_name(result),
                 refusal.offset);
        return;
    }
    result = sb_encode_message(&message, context, out, sizeof out, &size);
    if (result != SB_OK)
        complain(1, "%s: cannot be encoded again: %s", what, sb_result_name(result));
    else compare_bytes(what, payload, out, size);
}

static void build_again(const char *what, sb_span payload, const sb_message_context *context,
                        const shown_fields *s)
{
    static uint8_t out[ROOM];
    field_replay   replay;
    sb_source      source = field_replay_source(&replay, s);
    sb_refusal     refusal = { SB_OK, 0, NULL };
    size_t         size = 0;
    sb_result      result =
        sb_build_message(payload.data[0], context, &source, out, sizeof out, &size, &refusal);
    if (result != SB_OK)
        complain(1, "%s: cannot be built again: %s at %zu (%s)", what, sb_result_name(result),
                 refusal.offset, refusal.field ? refusal.field : "-");
    else compare_bytes(what, payload, out, size);
    if (result == SB_OK && replay.place.depth != 1)
        complain(1, "%s: a group or list of the source is not left", what);
}

/* The spec's optional tails. A message may end before (or behind) the field and anywhere later;
 * every other cut is refused. The rows that fit a message all count. */
static const struct {
    int         opcode; /* -1: any */
    const char *field;
    bool        behind;
    const char *spec;
} optional_tails[] = {
    { 0x00, "correction", false, "06 §5.6: opaque behind the third boolean" },
    { 0x02, "set_name", true, "07 §2.3: a snapshot of another length stays opaque" },
    { 0x03, "set_name", true, "07 §2.3" },
    { 0x02, "opaque", false, "07 §2.4: the torpedo's rest is unknown" },
    { 0x19, "documented", false, "08 §14.1: any other length is the stock form, with flags 7" },
    { 0x1C, "start_index", true, "03 §4.5, §9: an entry cut short keeps the entries before it" },
    { 0x1C, "pairs[0].index", false, "03 §5: any number of pairs; an odd last byte is ignored" },
    { 0x25, "name", true, "06 §5.4: file bytes to the end" },
    { 0x2A, "flag", false, "06 §5.9: accept a missing second byte" },
    { -1, "extension", false, "08 §3: the extension of an unknown event class is opaque" },
    { -1, "content", false, "09 §9.1: mod messages are opaque" },
    { -1, "trailing", false, "02 §9: bytes behind the last field are ignored" },
};

/* Behind the field, the number of bytes that a message of another form may have. */
static bool has_no_files(const shown_field *f, size_t behind)
{
    (void)f;
    return behind == 0;
}

static bool lacks_ids(const shown_field *f, size_t behind)
{
    size_t k = f->value.number;
    return behind % 4 == 0 && behind >= 4 * k && behind < 8 * k;
}

static const struct {
    int         opcode;
    const char *field;
    bool (*may_follow)(const shown_field *f, size_t behind);
    const char *spec;
} other_forms[] = {
    { 0x21, "dir_hash", has_no_files, "06 §5.2: a client without files sends no tree" },
    { 0x36, "k", lacks_ids, "09 §6: four bytes less for each id that a stock host leaves out" },
};

/* True if the bytes of another form end here. */
static bool ends_another_form(const vector_file *v, const shown_fields *s, size_t size)
{
    for (size_t i = 0; i < sizeof other_forms / sizeof *other_forms; i++) {
        const shown_field *f = shown_fields_find(s, other_forms[i].field);
        if (!f || other_forms[i].opcode != v->bytes.data[0] || size < f->offset + f->size) continue;
        if (other_forms[i].may_follow(f, size - f->offset - f->size)) return true;
    }
    return false;
}

static size_t earliest_end(const vector_file *v, const shown_fields *s)
{
    size_t end = v->bytes.size;
    for (size_t i = 0; i < sizeof optional_tails / sizeof *optional_tails; i++) {
        const shown_field *f = shown_fields_find(s, optional_tails[i].field);
        bool here = optional_tails[i].opcode < 0 || optional_tails[i].opcode == v->bytes.data[0];
        if (!f || !here) continue;
        size_t at = f->offset + (optional_tails[i].behind ? f->size : 0);
        if (at < end) end = at;
    }
    return end;
}

static void cut_message(const vector_file *v, const sb_message_context *context,
                        const shown_fields *whole)
{
    size_t end = earliest_end(v, whole);
    for (size_t size = 0; size < v->bytes.size; size++) {
        shown_fields s;
        char         what[64];
        sb_span      payload = { v->bytes.data, size };
        shown_fields_init(&s);
        snprintf(what, sizeof what, "cut to %zu bytes", size);
        bool              accepted = show_payload(&s, "", payload, context, NULL) == SB_OK;
        static sb_message message;
        if (accepted != (size >= end || ends_another_form(v, whole, size)))
            complain(1, "%s: %s", what,
                     accepted ? "accepted, but no tail the spec calls optional"
                              : "refused, although the tail is optional");
        if (accepted != (sb_decode_message(payload, context, &message, NULL) == SB_OK))
            complain(1, "%s: showing and decoding disagree", what);
        if (accepted) {
            encode_struct(what, payload, context);
            build_again(what, payload, context, &s);
        }
        shown_fields_free(&s);
    }
}

static void check_refused_message(const vector_file *v, const sb_message_context *context)
{
    static sb_message message;
    shown_fields      s;
    sb_refusal        shown = { SB_OK, 0, NULL }, decoded = { SB_OK, 0, NULL };
    shown_fields_init(&s);
    sb_result result = show_payload(&s, "", v->bytes, context, &shown);
    compare_refusal("shown", v, result, shown.offset);
    result = sb_decode_message(v->bytes, context, &message, &decoded);
    compare_refusal("decoded", v, result, decoded.offset);
    shown_fields_free(&s);
}

static void check_message(const vector_file *v)
{
    sb_message_context context = context_of(v);
    if (v->species && !context.ship) complain(1, "no ship of species %u", v->species);
    if (v->refused) {
        check_refused_message(v, &context);
        return;
    }
    shown_fields s;
    sb_refusal   refusal = { SB_OK, 0, NULL };
    shown_fields_init(&s);
    sb_result result = show_payload(&s, "", v->bytes, &context, &refusal);
    if (result != SB_OK) {
        complain(1, "refused: %s at %zu (%s)", sb_result_name(result), refusal.offset,
                 refusal.field ? refusal.field : "-");
    } else {
        compare_fields(v, &s);
        encode_struct("encoded", v->bytes, &context);
        build_again("built", v->bytes, &context, &s);
        cut_message(v, &context, &s);
    }
    shown_fields_free(&s);
}

TEST(vectors_of_messages_decode_to_the_stated_values_and_back)
{
    for_each_vector(VECTOR_MESSAGE, MESSAGES_LEAST, check_message);
}

static bool has_vector[256];

static void note_opcode(const vector_file *v)
{
    if (!v->refused) has_vector[v->bytes.data[0]] = true;
}

TEST(vectors_exist_for_every_message_of_the_table)
{
    for_each_vector(VECTOR_MESSAGE, MESSAGES_LEAST, note_opcode);
    for (unsigned opcode = 0; opcode < 256; opcode++) {
        const sb_message_type *type = sb_find_message_type((uint8_t)opcode);
        bool stock = type->relay != SB_RELAY_IGNORE && type->relay != SB_RELAY_CONFIGURABLE;
        if (stock && !has_vector[opcode]) FAIL("0x%02X %s has no vector", opcode, type->name);
    }
}

/* ---- datagrams ---- */

/* Shows the payload of Data messages below the path `game` of the message. */
static void show_games(const vector_file *v, const sb_datagram *datagram, shown_fields *s)
{
    sb_message_context   context = context_of(v);
    sb_transport_message m;
    size_t               at = 0;
    for (size_t i = 0; sb_datagram_next(datagram, &at, &m); i++) {
        char base[64];
        snprintf(base, sizeof base, "messages[%zu].game", i);
        if (m.type == SB_TRANSPORT_DATA && !m.fragment && m.payload.size > 0)
            (void)!show_payload(s, base, m.payload, &context, NULL);
    }
}

static void encode_control(const sb_transport_message *m, sb_side from)
{
    sb_control control;
    uint8_t    out[SB_DATAGRAM_ACCEPTED];
    size_t     size = 0;
    if (m->type == SB_TRANSPORT_DATA || m->type == SB_TRANSPORT_ACK || m->type == SB_TRANSPORT_NOOP)
        return;
    if (sb_decode_control(m->type, from, m->payload, &control) != SB_OK ||
        sb_encode_control(m->type, from, &control, out, sizeof out, &size) != SB_OK)
        complain(1, "the payload of a control message is not understood");
    else compare_bytes("control payload", m->payload, out, size);
}

/* Writes the messages one by one, without the bytes after the last one. */
static void write_datagram(sb_span plain, const sb_datagram *datagram)
{
    uint8_t              out[SB_DATAGRAM_ACCEPTED];
    sb_datagram_writer   w;
    sb_transport_message m;
    size_t               at = 0;
    sb_side              from = datagram->peer_id == SB_PEER_HOST ? SB_SIDE_HOST : SB_SIDE_CLIENT;
    sb_datagram_writer_init(&w, out, sizeof out, datagram->peer_id);
    while (sb_datagram_next(datagram, &at, &m)) {
        encode_control(&m, from);
        if (sb_datagram_writer_add(&w, &m) != SB_OK) complain(1, "a message cannot be written");
    }
    out[1] = datagram->msg_count;
    plain.size -= datagram->rest.size;
    compare_bytes("written", plain, out, w.size);
}

static void build_datagram_again(sb_span plain, const shown_fields *s)
{
    uint8_t      out[SB_DATAGRAM_ACCEPTED];
    field_replay replay;
    sb_source    source = field_replay_source(&replay, s);
    sb_refusal   refusal = { SB_OK, 0, NULL };
    size_t       size = 0;
    sb_result    result = sb_build_datagram(&source, out, sizeof out, &size, &refusal);
    if (result != SB_OK)
        complain(1, "cannot be built again: %s at %zu", sb_result_name(result), refusal.offset);
    else compare_bytes("built", plain, out, size);
}

static void check_cipher(const vector_file *v)
{
    uint8_t bytes[SB_DATAGRAM_ACCEPTED];
    if (v->encrypted.size == 0) return;
    if (v->bytes.size > sizeof bytes || v->encrypted.size != v->bytes.size) {
        complain(1, "the encrypted form has another length");
        return;
    }
    memcpy(bytes, v->bytes.data, v->bytes.size);
    sb_encrypt_datagram(bytes, v->bytes.size);
    compare_bytes("encrypted", v->encrypted, bytes, v->bytes.size);
    memcpy(bytes, v->encrypted.data, v->encrypted.size);
    sb_decrypt_datagram(bytes, v->encrypted.size);
    compare_bytes("decrypted", v->bytes, bytes, v->bytes.size);
}

/* Spec 01 §14 #7: every cut is refused. Bytes behind the last message are not part of it; behind
 * an unknown type at least that type must be left. */
static void cut_datagram(const vector_file *v, const sb_datagram *whole)
{
    size_t end = v->bytes.size - whole->rest.size + whole->unknown_type;
    for (size_t size = 0; size < v->bytes.size; size++) {
        sb_datagram datagram;
        bool        accepted =
            sb_decode_datagram((sb_span){ v->bytes.data, size }, &datagram, NULL) == SB_OK;
        if (accepted != (size >= end))
            complain(1, "cut to %zu bytes: %s", size, accepted ? "accepted" : "refused");
    }
}

static void check_plain(const vector_file *v)
{
    shown_fields s;
    sb_datagram  datagram;
    sb_refusal   refusal = { SB_OK, 0, NULL };
    check_cipher(v);
    sb_result result = sb_decode_datagram(v->bytes, &datagram, &refusal);
    if (v->refused) {
        compare_refusal("decoded", v, result, refusal.offset);
        return;
    }
    if (result != SB_OK) {
        complain(1, "refused: %s at %zu", sb_result_name(result), refusal.offset);
        return;
    }
    shown_fields_init(&s);
    sb_sink sink = shown_fields_sink(&s);
    if (sb_show_datagram(v->bytes, &sink, &refusal) != SB_OK) complain(1, "cannot be shown");
    build_datagram_again(v->bytes, &s);
    show_games(v, &datagram, &s);
    compare_fields(v, &s);
    write_datagram(v->bytes, &datagram);
    cut_datagram(v, &datagram);
    shown_fields_free(&s);
}

TEST(vectors_of_datagrams_decode_to_the_stated_values_and_back)
{
    for_each_vector(VECTOR_PLAIN, PLAIN_LEAST, check_plain);
}

TEST(vectors_of_the_cipher_agree_both_ways)
{
    for_each_vector(VECTOR_CIPHER, 5, check_cipher);
}

/* ---- transport messages on their own ---- */

static void build_transport_again(const vector_file *v, const shown_fields *s)
{
    uint8_t      out[SB_DATAGRAM_ACCEPTED];
    field_replay replay;
    sb_source    source = field_replay_source(&replay, s);
    sb_refusal   refusal = { SB_OK, 0, NULL };
    size_t       size = 0;
    sb_result    result =
        sb_build_transport_message(&source, v->from, out, sizeof out, &size, &refusal);
    if (result != SB_OK) complain(1, "cannot be built again: %s", sb_result_name(result));
    else compare_bytes("built", v->bytes, out, size);
}

/* The same message as the only one of a datagram. */
static void wrap_transport(const vector_file *v, shown_fields *s)
{
    uint8_t     plain[SB_DATAGRAM_ACCEPTED];
    sb_datagram datagram;
    plain[0] = v->from == SB_SIDE_HOST ? SB_PEER_HOST : 2;
    plain[1] = 1;
    memcpy(plain + 2, v->bytes.data, v->bytes.size);
    sb_span span = { plain, v->bytes.size + 2 };
    if (sb_decode_datagram(span, &datagram, NULL) != SB_OK) {
        complain(1, "refused inside a datagram");
        return;
    }
    write_datagram(span, &datagram);
    sb_transport_message m;
    sb_message_context   context = context_of(v);
    size_t               at = 0;
    if (sb_datagram_next(&datagram, &at, &m) && m.type == SB_TRANSPORT_DATA && !m.fragment)
        (void)!show_payload(s, "game", m.payload, &context, NULL);
}

static void check_transport(const vector_file *v)
{
    shown_fields s;
    sb_refusal   refusal = { SB_OK, 0, NULL };
    shown_fields_init(&s);
    sb_sink   sink = shown_fields_sink(&s);
    sb_result result = sb_show_transport_message(v->bytes, v->from, &sink, &refusal);
    if (v->refused || result != SB_OK) {
        compare_refusal("shown", v, result, refusal.offset);
    } else {
        build_transport_again(v, &s);
        wrap_transport(v, &s);
        compare_fields(v, &s);
        for (size_t size = 0; size < v->bytes.size; size++) {
            sb_sink again = shown_fields_sink(&s);
            if (sb_show_transport_message((sb_span){ v->bytes.data, size }, v->from, &again,
                                          NULL) == SB_OK)
                complain(1, "cut to %zu bytes: accepted", size);
        }
    }
    shown_fields_free(&s);
}

TEST(vectors_of_transport_messages_decode_and_encode_as_stated)
{
    for_each_vector(VECTOR_TRANSPORT, OTHERS_LEAST / 3, check_transport);
}

/* ---- GameSpy ---- */

static void show_gamespy(shown_fields *s, const sb_gamespy_text *text)
{
    static const sb_field    f_pairs = { .name = "pairs", .kind = SB_KIND_LIST };
    static const sb_field    f_pair = { .name = "pair", .kind = SB_KIND_GROUP };
    static const sb_field    f_key = { .name = "key", .kind = SB_KIND_TEXT8 };
    static const sb_field    f_value = { .name = "value", .kind = SB_KIND_TEXT8 };
    static const char *const ends[] = { "value", "key", "backslash" };
    sb_sink                  sink = shown_fields_sink(s);
    sink.enter(s, &f_pairs);
    for (size_t i = 0; i < text->count; i++) {
        sink.enter(s, &f_pair);
        sink.value(s, &f_key, &(sb_value){ .bytes = text->pairs[i].key }, 0, 0);
        sink.value(s, &f_value, &(sb_value){ .bytes = text->pairs[i].value }, 0, 0);
        sink.leave(s, &f_pair);
    }
    sink.leave(s, &f_pairs);
    const char *end = ends[text->end];
    shown_fields_add_text(s, "end", SB_KIND_NOTE, (sb_span){ (const uint8_t *)end, strlen(end) });
    for (size_t i = 0; i < text->count; i++) { /* by key, as \key */
        char path[64];
        snprintf(path, sizeof path, "\\%.*s", (int)text->pairs[i].key.size,
                 (const char *)text->pairs[i].key.data);
        const sb_gamespy_pair *first = sb_gamespy_find(text, path + 1);
        if (first) shown_fields_add_text(s, path, SB_KIND_TEXT8, first->value);
    }
}

static void write_gamespy(const char *what, sb_span bytes)
{
    static uint8_t  out[2000];
    sb_gamespy_text text;
    if (sb_decode_gamespy(bytes, &text) != SB_OK) return;
    sb_gamespy_writer w;
    sb_gamespy_writer_init(&w, out, sizeof out);
    if (sb_encode_gamespy(&w, &text) != SB_OK) complain(1, "%s: cannot be written", what);
    else compare_bytes(what, bytes, out, w.size);
}

static void check_gamespy(const vector_file *v)
{
    sb_gamespy_text text;
    shown_fields    s;
    sb_result       result = sb_decode_gamespy(v->bytes, &text);
    if (v->refused || result != SB_OK) {
        compare_refusal("decoded", v, result, text.fault_offset);
        return;
    }
    shown_fields_init(&s);
    show_gamespy(&s, &text);
    compare_fields(v, &s);
    shown_fields_free(&s);
    /* The grammar has no length, so most cuts are texts too; each is written back as it is. */
    for (size_t size = 0; size <= v->bytes.size; size++)
        write_gamespy(size == v->bytes.size ? "written" : "cut and written",
                      (sb_span){ v->bytes.data, size });
}

TEST(vectors_of_query_texts_parse_to_the_stated_pairs_and_back)
{
    for_each_vector(VECTOR_GAMESPY, OTHERS_LEAST / 3, check_gamespy);
}

static void check_master_list(const vector_file *v)
{
    uint8_t          out[1000];
    size_t           size = 0;
    sb_gamespy_list  list = { 0 };
    sb_gamespy_entry entry;
    shown_fields     s;
    shown_fields_init(&s);
    sb_sink               sink = shown_fields_sink(&s);
    static const sb_field f_entries = { .name = "entries", .kind = SB_KIND_LIST };
    static const sb_field f_entry = { .name = "entry", .kind = SB_KIND_GROUP };
    static const sb_field f_address = { .name = "address", .kind = SB_KIND_ADDRESS };
    static const sb_field f_port = { .name = "port", .kind = SB_KIND_U16 };
    sink.enter(&s, &f_entries);
    sb_result result = sb_gamespy_list_next(&list, v->bytes, true, &entry);
    while (result == SB_OK && !list.ended && size + 13 < sizeof out) {
        uint32_t address = (uint32_t)entry.ip[0] << 24 | (uint32_t)entry.ip[1] << 16 |
                           (uint32_t)entry.ip[2] << 8 | entry.ip[3];
        sink.enter(&s, &f_entry);
        sink.value(&s, &f_address, &(sb_value){ .number = address }, 0, 0);
        sink.value(&s, &f_port, &(sb_value){ .number = entry.port }, 0, 0);
        sink.leave(&s, &f_entry);
        sb_encode_gamespy_entry(&entry, out + size);
        size += SB_GAMESPY_ENTRY_BYTES;
        result = sb_gamespy_list_next(&list, v->bytes, true, &entry);
    }
    sink.leave(&s, &f_entries);
    if (result != SB_OK) {
        compare_refusal("read", v, result, list.at);
    } else {
        for (size_t i = 0; i < 7; i++) out[size + i] = (uint8_t)SB_GAMESPY_LIST_END[i];
        compare_bytes("written", v->bytes, out, size + 7);
        compare_fields(v, &s);
    }
    shown_fields_free(&s);
}

TEST(vectors_of_master_lists_read_to_the_stated_servers_and_back)
{
    for_each_vector(VECTOR_MASTER_LIST, 1, check_master_list);
}

/* ---- the files themselves ---- */

TEST(vectors_are_all_well_formed)
{
    vector_paths all = vector_find(SB_SOURCE_DIR "/vectors");
    size_t       failed = 0, tables = 0;
    for (size_t i = 0; i < all.count; i++) {
        vector_file v;
        char        error[512];
        if (!vector_read(&v, all.paths[i], error, sizeof error)) {
            printf("    %s\n", error);
            failed++;
            continue;
        }
        tables += v.layer == VECTOR_TABLE;
        vector_free(&v);
    }
    size_t count = all.count;
    vector_paths_free(&all);
    CHECK_EQ(failed, 0);
    CHECK(count >= MESSAGES_LEAST + PLAIN_LEAST + OTHERS_LEAST + TABLES_LEAST);
    CHECK(tables >= TABLES_LEAST);
}

/* True if a file with this content is a vector. */
static bool is_vector(const char *content)
{
    char path[] = "/tmp/starbase-vector-XXXXXX", error[512];
    int  file = mkstemp(path);
    CHECK(file >= 0);
    bool written = write(file, content, strlen(content)) == (ssize_t)strlen(content);
    close(file);
    vector_file v;
    bool        good = vector_read(&v, path, error, sizeof error);
    if (good) vector_free(&v);
    unlink(path);
    CHECK(written);
    return good;
}

TEST(vectors_are_read_strictly)
{
#define HEAD "spec: 08 §9\nevidence: T\ntitle: x\n"
    CHECK(is_vector(HEAD "layer: message\nhex: 14 00\nexpect:\n    a = 1\n"));
    CHECK(is_vector(HEAD "layer: message\nhex:\n    14\n    00\nrefuse: TRUNCATED at 1\n"));
    CHECK(!is_vector(HEAD "layer: message\nhex: 14 00\n"));
    CHECK(!is_vector(HEAD "layer: message\nhex: 14 0\nexpect:\n    a = 1\n"));
    CHECK(!is_vector(HEAD "layer: message\nhex: 14\nhex: 14\nexpect:\n    a = 1\n"));
    CHECK(!is_vector(HEAD "layer: massage\nhex: 14\nexpect:\n    a = 1\n"));
    CHECK(!is_vector(HEAD "layer: message\nhex: 14\nexpect:\n    a\n"));
    CHECK(!is_vector(HEAD "layer: message\nhex: 14\nexpects:\n    a = 1\n"));
    CHECK(!is_vector(HEAD "layer: message\nhex: 14\nrefuse: TOO_SHORT at 1\n"));
    CHECK(!is_vector(HEAD "layer: message\nhex: 14\nrefuse: TRUNCATED\n"));
    CHECK(!is_vector(HEAD "layer: message\nhex: 14\nexpect:\n    a = 1\nrefuse: TRUNCATED at 1\n"));
    CHECK(!is_vector("evidence: T\ntitle: x\nlayer: message\nhex: 14\nexpect:\n    a = 1\n"));
    CHECK(!is_vector(
        "spec: 1\nevidence: X\ntitle: x\nlayer: message\nhex: 14\nexpect:\n    a = 1\n"));
    CHECK(is_vector(HEAD "table: cv3\ncolumns: a | b\nrows:\n    1 | 2\n"));
    CHECK(!is_vector(HEAD "table: cv3\ncolumns: a | b\nrows:\n    1 | 2 | 3\n"));
    CHECK(!is_vector(HEAD "table: cv3\ncolumns: a | b\n"));
#undef HEAD
}
