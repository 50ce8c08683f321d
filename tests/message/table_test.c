/* tests/message/table_test.c -- properties that hold for every row of the opcode table.
 *
 * The random source builds the messages, so a new row is tested without a change here.
 */
#include "message/names.h"
#include "message/table.h"

#include <starbase/message.h>

#include "test.h"
#include "wire/random_source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEEDS = 40, BUFFER_BYTES = 32768, LOG_MAX = 4000 };

typedef struct logged {
    const char *name;
    sb_kind     kind;
    sb_value    value;
} logged;

typedef struct value_log {
    logged  entries[LOG_MAX];
    size_t  count;
    uint8_t bytes[BUFFER_BYTES]; /* shown bytes are lent for the call only: copied */
    size_t  bytes_used;
} value_log;

static void clear_log(value_log *log)
{
    log->count = log->bytes_used = 0;
}

static bool has_bytes(sb_kind kind)
{
    return kind == SB_KIND_RATIOS || (kind >= SB_KIND_TEXT8 && kind <= SB_KIND_UTF16) ||
           kind == SB_KIND_BYTES;
}

static void keep_bytes(value_log *log, sb_span *bytes)
{
    if (bytes->size == 0) return;
    if (bytes->size > sizeof log->bytes - log->bytes_used) FAIL("more bytes than fit");
    bytes->data = memcpy(log->bytes + log->bytes_used, bytes->data, bytes->size);
    log->bytes_used += bytes->size;
}

static void log_value(value_log *log, const sb_field *f, const sb_value *v)
{
    if (f->derived || f->kind == SB_KIND_NOTE) return;
    if (log->count == LOG_MAX) FAIL("more than %d values", LOG_MAX);
    logged *entry = &log->entries[log->count++];
    *entry = (logged){ f->name, f->kind, *v };
    if (has_bytes(f->kind)) keep_bytes(log, &entry->value.bytes);
}

static void log_given(void *self, const sb_field *f, const sb_value *v)
{
    log_value(self, f, v);
}

static void check_name_size(const sb_field *f)
{
    if (f->name_size > 0) CHECK_EQ(f->name_size, strlen(f->name));
}

static void log_shown(void *self, const sb_field *f, const sb_value *v, size_t at, size_t size)
{
    (void)at, (void)size;
    check_name_size(f);
    log_value(self, f, v);
}

static void ignore_shown(void *self, const sb_field *f, const sb_value *v, size_t at, size_t size)
{
    (void)self, (void)f, (void)v, (void)at, (void)size;
}

static void bracket(void *self, const sb_field *f)
{
    (void)self;
    check_name_size(f);
}

/* Compares only the members that are on the wire: decoded values of lossy kinds follow from them.
 */
static bool same_value(sb_kind kind, const sb_value *a, const sb_value *b)
{
    size_t reals = kind == SB_KIND_F32                                ? 1
                   : kind == SB_KIND_VEC3 || kind == SB_KIND_POSITION ? 3
                   : kind == SB_KIND_QUAT                             ? 4
                                                                      : 0;
    bool   directed = kind >= SB_KIND_CV3 && kind <= SB_KIND_CV4B;
    if (kind == SB_KIND_CV4F)
        return memcmp(&a->real[3], &b->real[3], sizeof(float)) == 0 &&
               memcmp(a->direction, b->direction, 3) == 0;
    if (reals) return memcmp(a->real, b->real, reals * sizeof(float)) == 0;
    if (has_bytes(kind))
        return a->bytes.size == b->bytes.size &&
               (a->bytes.size == 0 || memcmp(a->bytes.data, b->bytes.data, a->bytes.size) == 0);
    if (directed && memcmp(a->direction, b->direction, 3) != 0) return false;
    return kind == SB_KIND_CV3 || a->number == b->number;
}

typedef struct sample {
    uint8_t            opcode;
    sb_message_context context;
    uint8_t            bytes[BUFFER_BYTES];
    size_t             size;
    value_log          given;
    uint8_t            buffer[BUFFER_BYTES];
} sample;

static sample s; /* large; one test at a time */

static bool make_sample(uint8_t opcode, const sb_message_context *context, uint64_t seed)
{
    s.opcode = opcode;
    s.context = *context;
    clear_log(&s.given);
    sb_random_source random;
    sb_random_source_init(&random, seed, s.buffer, sizeof s.buffer);
    random.log = log_given;
    random.log_self = &s.given;
    sb_source source = sb_random_source_of(&random);
    return sb_build_message(opcode, context, &source, s.bytes, sizeof s.bytes, &s.size, NULL) ==
           SB_OK;
}

static void check_shown_values_are_the_given_ones(void)
{
    static value_log shown;
    clear_log(&shown);
    sb_sink    sink = { &shown, log_shown, bracket, bracket };
    sb_refusal why = { 0 };
    sb_result  result = sb_show_message((sb_span){ s.bytes, s.size }, &s.context, &sink, &why);
    if (result != SB_OK)
        FAIL("0x%02X: %s at %zu (%s)", s.opcode, sb_result_name(result), why.offset, why.field);
    CHECK_EQ(shown.count, s.given.count);
    for (size_t i = 0; i < shown.count; i++) {
        const logged *a = &shown.entries[i], *b = &s.given.entries[i];
        if (strcmp(a->name, b->name) != 0 || !same_value(a->kind, &a->value, &b->value))
            FAIL("0x%02X: value %zu is %s, given was %s (or its value differs)", s.opcode, i,
                 a->name, b->name);
    }
}

/* Checks that the bytes are refused or encode to themselves. Returns true if they are accepted. */
static bool check_refused_or_exact(sb_span bytes, const sb_message_context *context)
{
    static sb_message message;
    static uint8_t    again[BUFFER_BYTES];
    size_t            size;
    if (sb_decode_message(bytes, context, &message, NULL) != SB_OK) return false;
    sb_result result = sb_encode_message(&message, context, again, sizeof again, &size);
    if (result != SB_OK) FAIL("0x%02X does not encode: %s", bytes.data[0], sb_result_name(result));
    CHECK_BYTES(again, size, bytes.data, bytes.size);
    return true;
}

static void for_every_sample(unsigned seeds, void (*check)(void))
{
    unsigned made = 0, tried = 0;
    for (unsigned opcode = 0; opcode < 256; opcode++) {
        if (!sb_find_row((uint8_t)opcode)->walk) continue;
        unsigned made_here = 0;
        for (uint64_t seed = 0; seed < seeds; seed++) {
            const sb_ship_set *stock = sb_stock_ships();
            sb_message_context context = { .ship = NULL };
            context.own = seed % 3 == 0;
            if (seed % 8 != 0) context.ship = &stock->ships[(seed + opcode) % stock->count];
            tried++;
            if (!make_sample((uint8_t)opcode, &context, seed * 1000 + opcode)) continue;
            made++, made_here++;
            check();
        }
        if (made_here == 0) FAIL("no random message of opcode 0x%02X", opcode);
    }
    if (made * 2 < tried) FAIL("only %u of %u random messages could be built", made, tried);
}

TEST(every_random_message_shows_the_values_it_was_built_from)
{
    for_every_sample(SEEDS * 5, check_shown_values_are_the_given_ones);
}

static void check_round_trip(void)
{
    if (!check_refused_or_exact((sb_span){ s.bytes, s.size }, &s.context))
        FAIL("0x%02X is refused", s.opcode);
}

TEST(every_random_message_decodes_and_encodes_to_the_same_bytes)
{
    for_every_sample(SEEDS * 5, check_round_trip);
}

/* Each in a block of its own size: the address sanitizer finds reads behind its end. */
static void check_truncations(void)
{
    sb_sink sink = { NULL, ignore_shown, bracket, bracket };
    for (size_t size = 0; size < s.size; size++) {
        uint8_t *cut = malloc(size > 0 ? size : 1);
        CHECK(cut);
        memcpy(cut, s.bytes, size);
        bool      accepted = check_refused_or_exact((sb_span){ cut, size }, &s.context);
        sb_result shown = sb_show_message((sb_span){ cut, size }, &s.context, &sink, NULL);
        free(cut);
        CHECK_EQ(shown == SB_OK, accepted);
    }
}

TEST(every_truncation_is_refused_or_encodes_to_itself)
{
    for_every_sample(SEEDS, check_truncations);
}

/* Tries all 255 other values of every byte; in long messages, of every step-th byte. */
static void check_corruptions(void)
{
    size_t step = s.size > 400 ? s.size / 100 : 1;
    for (size_t at = 0; at < s.size; at += step) {
        uint8_t kept = s.bytes[at];
        for (unsigned other = 1; other < 256; other++) {
            s.bytes[at] = (uint8_t)(kept ^ other);
            check_refused_or_exact((sb_span){ s.bytes, s.size }, &s.context);
        }
        s.bytes[at] = kept;
    }
}

TEST(every_corrupted_byte_is_refused_or_encodes_to_itself)
{
    for_every_sample(SEEDS / 4, check_corruptions);
}

static void check_extension(void)
{
    for (unsigned extra = 1; extra < 4 && s.size + extra < BUFFER_BYTES; extra++) {
        s.bytes[s.size + extra - 1] = (uint8_t)(0x5A * extra);
        bool accepted = check_refused_or_exact((sb_span){ s.bytes, s.size + extra }, &s.context);
        bool exact = s.opcode == SB_OP_COLLISION || s.opcode == SB_OP_CHECKSUM_RESPONSE ||
                     s.opcode == SB_OP_SCORE_CHANGE; /* spec 02 §9 */
        if (exact && accepted) FAIL("0x%02X takes extra bytes", s.opcode);
    }
}

TEST(extra_bytes_are_kept_or_refused_where_the_length_is_exact)
{
    for_every_sample(SEEDS, check_extension);
}

static void check_small_buffers(void)
{
    static sb_message message;
    static uint8_t    guarded[BUFFER_BYTES];
    size_t            size;
    if (sb_decode_message((sb_span){ s.bytes, s.size }, &s.context, &message, NULL) != SB_OK)
        FAIL("0x%02X is refused", s.opcode);
    size_t step = s.size > 200 ? s.size / 50 : 1;
    for (size_t capacity = 0; capacity < s.size; capacity += step) {
        memset(guarded, 0xA5, s.size + 8);
        CHECK_EQ(sb_encode_message(&message, &s.context, guarded, capacity, &size), SB_FULL);
        CHECK(size <= capacity);
        for (size_t i = capacity; i < s.size + 8; i++) CHECK_EQ(guarded[i], 0xA5);
    }
}

TEST(a_buffer_that_is_too_small_is_full_and_never_overrun)
{
    for_every_sample(SEEDS / 4, check_small_buffers);
}

TEST(dead_opcodes_are_refused_with_their_opcode_as_the_reason)
{
    static const uint8_t dead[] = { 0x04, 0x05, 0x24, 0x26 };
    for (size_t i = 0; i < sizeof dead; i++) {
        uint8_t    bytes[3] = { dead[i], 1, 2 };
        sb_message message;
        sb_refusal why;
        CHECK_EQ(sb_decode_message((sb_span){ bytes, 3 }, NULL, &message, &why), SB_UNKNOWN_OPCODE);
        CHECK_EQ(why.offset, 0);
        CHECK_TEXT(why.field, "opcode");
    }
}

/* The same for everything that can be done with a message. */
TEST(dead_opcodes_are_neither_encoded_nor_shown_nor_built)
{
    static const uint8_t bytes[] = { 0x24, 1, 2 };
    sb_message           message = { .opcode = 0x24 };
    sb_sink              sink = { NULL, log_shown, bracket, bracket };
    sb_random_source     random;
    sb_refusal           why = { 0 };
    size_t               size = 7;
    CHECK_EQ(sb_encode_message(&message, NULL, s.bytes, sizeof s.bytes, &size), SB_UNKNOWN_OPCODE);
    CHECK_EQ(size, 0);
    CHECK_EQ(sb_show_message((sb_span){ bytes, 3 }, NULL, &sink, &why), SB_UNKNOWN_OPCODE);
    CHECK_EQ(why.result, SB_UNKNOWN_OPCODE);
    CHECK_EQ(why.offset, 0);
    CHECK_TEXT(why.field, "opcode");
    sb_random_source_init(&random, 1, s.buffer, sizeof s.buffer);
    sb_source source = sb_random_source_of(&random);
    why = (sb_refusal){ .offset = 9 };
    size = 7;
    CHECK_EQ(sb_build_message(0x24, NULL, &source, s.bytes, sizeof s.bytes, &size, &why),
             SB_UNKNOWN_OPCODE);
    CHECK_EQ(size, 0);
    CHECK_EQ(why.offset, 0);
    CHECK_TEXT(why.field, "opcode");
}

TEST(an_empty_payload_is_truncated)
{
    sb_message message;
    sb_refusal why = { .offset = 9 };
    sb_sink    sink = { NULL, log_shown, bracket, bracket };
    CHECK_EQ(sb_decode_message((sb_span){ NULL, 0 }, NULL, &message, &why), SB_TRUNCATED);
    CHECK_EQ(why.offset, 0);
    CHECK_TEXT(why.field, "opcode");
    why = (sb_refusal){ .offset = 9 };
    CHECK_EQ(sb_show_message((sb_span){ NULL, 0 }, NULL, &sink, &why), SB_TRUNCATED);
    CHECK_EQ(why.offset, 0);
    CHECK_TEXT(why.field, "opcode");
}

TEST(a_refusal_names_field_and_offset)
{
    uint8_t    bytes[] = { 0x1C, 0xFF, 0xFF, 0xFF, 0x3F, 0, 0, 0xC0, 0x7F, 0 }; /* time is NaN */
    sb_message message;
    sb_refusal why;
    CHECK_EQ(sb_decode_message((sb_span){ bytes, sizeof bytes }, NULL, &message, &why),
             SB_BAD_VALUE);
    CHECK_EQ(why.offset, 5);
    CHECK_TEXT(why.field, "game_time");
}

/* ---- the table compared with the spec and the captures ---- */

/* Cuts off and returns the next cell of `line`, without blanks at its ends. */
static char *next_cell(char **line, char separator)
{
    char *start = *line + strspn(*line, " ");
    char *end = strchr(start, separator);
    *line = end ? end + 1 : start + strlen(start);
    if (!end) end = *line;
    while (end > start && (end[-1] == ' ' || end[-1] == '\n')) end--;
    *end = '\0';
    return start;
}

/* "0x1C" or "0x2E-0x34". */
static void read_range(const char *text, unsigned *first, unsigned *last)
{
    const char *dash = strchr(text, '-');
    *first = *last = (unsigned)strtoul(text, NULL, 16);
    if (dash) *last = (unsigned)strtoul(dash + 1, NULL, 16);
}

/* The index may add another name in brackets. A name that is all brackets means: no message of the
 * game. A mod type may have a row of its own. */
static void check_indexed(unsigned opcode, const char *name, const char *section)
{
    const sb_message_type *type = sb_find_message_type((uint8_t)opcode);
    size_t                 length = strlen(type->name);
    bool                   free_for_mods = strstr(name, "mods") != NULL;
    if (name[0] == '(' && !free_for_mods) CHECK_EQ(type->relay, SB_RELAY_IGNORE);
    if (name[0] == '(') return;
    if (strncmp(name, type->name, length) != 0 || (name[length] != '\0' && name[length] != ' '))
        FAIL("0x%02X is %s in the spec, %s in the table", opcode, name, type->name);
    CHECK_TEXT(type->spec, section);
}

TEST(the_table_agrees_with_the_index_of_the_spec)
{
    FILE *file = fopen(SB_SOURCE_DIR "/docs/spec/README.md", "r");
    CHECK(file);
    char     line[1024];
    unsigned seen = 0, first, last;
    bool     in_index = false;
    while (fgets(line, sizeof line, file)) {
        if (strncmp(line, "## ", 3) == 0) in_index = strstr(line, "Index of opcodes") != NULL;
        if (!in_index || strncmp(line, "| 0x", 4) != 0) continue;
        char *rest = line + 1;
        for (int half = 0; half < 2; half++) {
            const char *range = next_cell(&rest, '|'), *name = next_cell(&rest, '|');
            const char *section = next_cell(&rest, '|');
            if (range[0] != '0') continue;
            read_range(range, &first, &last);
            for (unsigned opcode = first; opcode <= last; opcode++, seen++)
                check_indexed(opcode, name, section);
        }
    }
    fclose(file);
    CHECK_EQ(seen, 256);
}

static void check_relay_class(const char *opcodes, sb_relay relay, unsigned *seen)
{
    for (const char *at = strstr(opcodes, "0x"); at; at = strstr(at + 2, "0x")) {
        unsigned opcode = (unsigned)strtoul(at, NULL, 16);
        if (strchr(opcodes, '(') && at > strchr(opcodes, '(')) break; /* rules of other chapters */
        if (sb_find_message_type((uint8_t)opcode)->relay != relay)
            FAIL("0x%02X is relayed %s in the table", opcode,
                 sb_relay_text(sb_find_message_type((uint8_t)opcode)->relay));
        ++*seen;
    }
}

TEST(the_table_relays_as_the_spec_classifies)
{
    static const struct {
        const char *row;
        sb_relay    relay;
    } classes[] = { { "| F (forward) |", SB_RELAY_OTHERS },
                    { "| A (absorb) |", SB_RELAY_ABSORB },
                    { "| S (server) |", SB_RELAY_SERVER },
                    { "| U (state) |", SB_RELAY_STATE } };
    FILE    *file = fopen(SB_SOURCE_DIR "/docs/spec/08-game-messages.md", "r");
    char     line[1024];
    unsigned seen = 0;
    CHECK(file);
    while (fgets(line, sizeof line, file))
        for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
            if (strncmp(line, classes[i].row, strlen(classes[i].row)) != 0) continue;
            char *rest = line + strlen(classes[i].row);
            (void)next_cell(&rest, '|'); /* the rule */
            check_relay_class(next_cell(&rest, '|'), classes[i].relay, &seen);
        }
    fclose(file);
    CHECK_EQ(seen, 31);
}

static void check_captured(unsigned opcode, bool from_client, bool from_host)
{
    const sb_message_type *type = sb_find_message_type((uint8_t)opcode);
    bool                   either = type->direction == SB_FROM_EITHER;
    if (from_client && !either && type->direction != SB_FROM_CLIENT)
        FAIL("0x%02X was captured from a client", opcode);
    if (from_host && !either && type->direction != SB_FROM_HOST)
        FAIL("0x%02X was captured from a host", opcode);
}

TEST(the_table_allows_every_captured_sender)
{
    FILE *file = fopen(SB_SOURCE_DIR "/docs/facts/opcodes.csv", "r");
    CHECK(file);
    char     line[1024];
    unsigned expected = 0, first, last;
    while (fgets(line, sizeof line, file)) {
        if (line[0] != '0') continue;
        char *rest = line;
        read_range(next_cell(&rest, ','), &first, &last);
        CHECK_EQ(first, expected); /* each opcode once, in order */
        expected = last + 1;
        (void)next_cell(&rest, ','); /* size */
        int a_received = atoi(next_cell(&rest, ',')), a_sent = atoi(next_cell(&rest, ','));
        int b_received = atoi(next_cell(&rest, ',')), b_sent = atoi(next_cell(&rest, ','));
        check_captured(first, a_received + b_received > 0, a_sent + b_sent > 0);
    }
    fclose(file);
    CHECK_EQ(expected, 256);
}

/* Ids that exist in the game without a known use stay marked as such. */
TEST(class_ids_are_unique_and_four_have_an_unknown_use)
{
    static const unsigned unknown[] = { 0x865, 0x867, 0x812E, 0x8145 };
    FILE                 *file = fopen(SB_SOURCE_DIR "/docs/facts/class_ids.csv", "r");
    char                  line[1024];
    unsigned              last = 0, found = 0;
    CHECK(file);
    while (fgets(line, sizeof line, file)) {
        if (line[0] != '0') continue;
        unsigned id = (unsigned)strtoul(line, NULL, 16);
        CHECK(id > last);
        last = id;
        if (!strstr(line, "use unknown")) continue;
        CHECK(found < 4);
        CHECK_EQ(id, unknown[found++]);
    }
    fclose(file);
    CHECK_EQ(found, 4);
}

/* "hull (also bridge)" or "torpedo / projectile" in the file, name and remark in the table. */
static void check_class_name(const sb_class_id *c, const char *name)
{
    char brackets[96], slash[96];
    snprintf(brackets, sizeof brackets, c->remark ? "%s (%s)" : "%s", c->name, c->remark);
    snprintf(slash, sizeof slash, "%s / %s", c->name, c->remark ? c->remark : "");
    if (strcmp(name, brackets) != 0 && strcmp(name, slash) != 0)
        FAIL("0x%04X is %s in the facts, %s in the table", c->id, name, brackets);
}

TEST(class_ids_have_the_names_of_the_facts_file)
{
    FILE    *file = fopen(SB_SOURCE_DIR "/docs/facts/class_ids.csv", "r");
    char     line[1024];
    unsigned seen = 0;
    size_t   count, events = 0;
    CHECK(file);
    while (fgets(line, sizeof line, file)) {
        if (line[0] != '0') continue;
        char              *rest = line;
        unsigned           id = (unsigned)strtoul(next_cell(&rest, ','), NULL, 16);
        const char        *name = next_cell(&rest, ','), *kind = next_cell(&rest, ',');
        const sb_class_id *c = sb_find_class_id(id);
        if (!c) FAIL("0x%04X has no row in the table", id);
        check_class_name(c, name);
        CHECK_TEXT(sb_class_kind_text(c->kind), kind);
        seen++;
    }
    fclose(file);
    const sb_class_id *all = sb_class_id_list(&count);
    for (size_t i = 0; i < count; i++) events += all[i].kind == SB_CLASS_KIND_EVENT;
    CHECK_EQ(count, seen + 10); /* the file lacks the ten classes of serialized events */
    CHECK_EQ(events, 12);
    CHECK(!sb_find_class_id(0x8010));
}

TEST(class_names_serve_objects_and_events)
{
    CHECK_TEXT(sb_class_name(SB_CLASS_SHIP), "ship");
    CHECK_TEXT(sb_class_name(0x801F), "phaser system");
    CHECK_TEXT(sb_class_name(0x813F), "repair subsystem property");
    CHECK_TEXT(sb_class_name(SB_EVENT_START_WARP), "StartWarpEvent");
    CHECK(!sb_class_name(0x8010));
}

TEST(event_codes_of_the_published_pair_have_names)
{
    CHECK_TEXT(sb_find_name(sb_event_code_names(), 0x008000E0), "SET_PHASER_LEVEL");
    CHECK_TEXT(sb_find_name(sb_event_code_names(), 0x008000E1), "REPAIR_LIST_PRIORITY_E1");
    CHECK_TEXT(sb_find_name(sb_event_code_names(), 0x00800076), "REPAIR_LIST_PRIORITY");
}

TEST(opcodes_without_a_message_say_what_is_known)
{
    static const uint8_t unused[] = { 0x04, 0x05, 0x24, 0x26 };
    for (size_t i = 0; i < sizeof unused; i++) {
        CHECK_EQ(sb_find_message_type(unused[i])->relay, SB_RELAY_IGNORE);
        CHECK(sb_find_opcode_remark(unused[i]));
    }
    CHECK_TEXT(sb_find_message_type(0x24)->spec, "06 §5.4");
    CHECK(strstr(sb_find_opcode_remark(SB_OP_SCRIPT_FIRST), "boundary"));
    CHECK(strstr(sb_find_opcode_remark(0xCD), "mod"));
    CHECK(!sb_find_opcode_remark(SB_OP_CHAT));
}

/* Spec 09 §8: a restart is a request; all other messages of chapter 09 that a server makes itself
 * are dropped. */
TEST(a_restart_of_the_acting_host_is_obeyed)
{
    CHECK_EQ(sb_find_message_type(SB_OP_RESTART_GAME)->relay, SB_RELAY_ACTING);
    CHECK_TEXT(sb_relay_text(SB_RELAY_ACTING), "acting host");
    CHECK_TEXT(sb_relay_text(SB_RELAY_IGNORE), "ignore");
    CHECK_EQ(sb_find_message_type(SB_OP_END_GAME)->relay, SB_RELAY_SERVER);
}

TEST(messages_are_found_by_name_and_by_published_name)
{
    CHECK_EQ(sb_find_message_type_by_name("stateupdate")->opcode, 0x1C);
    CHECK_EQ(sb_find_message_type_by_name("DeletePlayerUI")->opcode, 0x17);
    CHECK(!sb_find_message_type_by_name("ModMessage"));
    CHECK_EQ(sb_find_message_type_by_name("Settings")->opcode, 0x00);
    CHECK(!sb_find_message_type_by_name("(unused)"));
    CHECK(!sb_find_message_type_by_name(""));
}

TEST(every_relay_direction_delivery_and_kind_has_a_word)
{
    CHECK_TEXT(sb_relay_text(SB_RELAY_SERVER), "server");
    CHECK_TEXT(sb_relay_text(SB_RELAY_COUNT), "?");
    CHECK_TEXT(sb_direction_text(SB_FROM_NOBODY), "-");
    CHECK_TEXT(sb_direction_text(SB_FROM_EITHER), "both");
    CHECK_TEXT(sb_direction_text((sb_direction)(SB_FROM_EITHER + 1)), "?");
    CHECK_TEXT(sb_delivery_text(SB_EITHER_DELIVERY), "either");
    CHECK_TEXT(sb_delivery_text((sb_delivery)(SB_EITHER_DELIVERY + 1)), "?");
    CHECK_TEXT(sb_class_kind_text(SB_CLASS_KIND_COUNT), "?");
}

TEST(only_the_stock_delivery_of_a_message_is_stock)
{
    const sb_message_type *update = sb_find_message_type(SB_OP_STATE_UPDATE);
    const sb_message_type *mod = sb_find_message_type(0xCD);
    CHECK(sb_is_stock_delivery(update, update->delivery));
    CHECK(!sb_is_stock_delivery(update, update->delivery == SB_RELIABLE ? 0 : SB_RELIABLE));
    CHECK(sb_is_stock_delivery(mod, SB_RELIABLE));
    CHECK(sb_is_stock_delivery(mod, SB_UNRELIABLE));
}
