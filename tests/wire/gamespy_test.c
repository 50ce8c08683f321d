/* tests/wire/gamespy_test.c -- the worked examples of spec 05 and the edges of its grammar. */
#include <starbase/gamespy.h>

#include "base/random.h"
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static sb_span span(const void *data, size_t size)
{
    return (sb_span){ data, size };
}

static sb_span text(const char *s)
{
    return span(s, strlen(s));
}

static void check_span(sb_span actual, const char *expected)
{
    CHECK_BYTES(actual.data, actual.size, expected, strlen(expected));
}

/* Into a buffer of exactly the right size, and not into one that is a byte smaller. */
static void check_rewrites(const sb_gamespy_text *t, sb_span original)
{
    uint8_t          *out = malloc(original.size); /* exact, so that sanitizers see the edge */
    sb_gamespy_writer w;
    CHECK(out);
    sb_gamespy_writer_init(&w, out, original.size);
    CHECK_EQ(sb_encode_gamespy(&w, t), SB_OK);
    CHECK_BYTES(out, w.size, original.data, original.size);
    CHECK_EQ(w.count, t->count);
    sb_gamespy_writer_init(&w, out, original.size - 1);
    CHECK_EQ(sb_encode_gamespy(&w, t), SB_FULL);
    CHECK_EQ(w.size, 0);
    CHECK_EQ(w.count, 0);
    free(out);
}

static void check_accepted(sb_gamespy_text *t, const char *s, size_t pairs, sb_gamespy_end end)
{
    CHECK_EQ(sb_decode_gamespy(text(s), t), SB_OK);
    CHECK_EQ(t->count, pairs);
    CHECK_EQ(t->end, end);
    CHECK_EQ(t->fault, SB_GAMESPY_FINE);
    check_rewrites(t, text(s));
}

static void check_pair(const sb_gamespy_text *t, size_t i, const char *key, const char *value)
{
    CHECK(i < t->count);
    check_span(t->pairs[i].key, key);
    check_span(t->pairs[i].value, value);
}

static void check_refused(sb_span bytes, sb_result result, sb_gamespy_fault fault, size_t offset)
{
    sb_gamespy_text t;
    CHECK_EQ(sb_decode_gamespy(bytes, &t), result);
    CHECK_EQ(t.fault, fault);
    CHECK_EQ(t.fault_offset, offset);
}

TEST(gamespy_status_answer_of_the_spec_is_read_and_written)
{
    static const char *const pairs[][2] = {
        { "gamename", "bcommander" },
        { "gamever", "60" },
        { "location", "1" },
        { "hostname", "My Game23" },
        { "missionscript", "Multiplayer.Episode.Mission1.Mission1" },
        { "mapname", "DM" },
        { "numplayers", "0" },
        { "maxplayers", "8" },
        { "gamemode", "openplaying" },
        { "timelimit", "-1" },
        { "fraglimit", "-2" },
        { "system", "Multi1" },
        { "password", "0" },
        { "player_0", "Dedicated Server" },
        { "final", "" },
        { "queryid", "2.1" },
    };
    static const char answer[] =
        "\\gamename\\bcommander\\gamever\\60\\location\\1\\hostname\\My Game23\\missionscript"
        "\\Multiplayer.Episode.Mission1.Mission1\\mapname\\DM\\numplayers\\0\\maxplayers\\8"
        "\\gamemode\\openplaying\\timelimit\\-1\\fraglimit\\-2\\system\\Multi1\\password\\0"
        "\\player_0\\Dedicated Server\\final\\\\queryid\\2.1";
    size_t          count = sizeof pairs / sizeof *pairs;
    sb_gamespy_text t;
    CHECK_EQ(strlen(answer), 267);
    check_accepted(&t, answer, count, SB_GAMESPY_END_VALUE);

    uint8_t           out[267];
    sb_gamespy_writer w;
    sb_gamespy_writer_init(&w, out, sizeof out);
    for (size_t i = 0; i < count; i++) {
        check_pair(&t, i, pairs[i][0], pairs[i][1]);
        CHECK_EQ(sb_gamespy_writer_write_text(&w, pairs[i][0], pairs[i][1]), SB_OK);
    }
    CHECK_BYTES(out, w.size, answer, strlen(answer));
}

TEST(gamespy_find_matches_whole_keys_only)
{
    sb_gamespy_text t;
    check_accepted(&t, "\\numplayers\\3\\Status\\players\\echo\\a\\echo\\b", 4,
                   SB_GAMESPY_END_VALUE);
    CHECK(!sb_gamespy_find(&t, "players")); /* part of a key, and a value */
    CHECK(!sb_gamespy_find(&t, "status"));  /* other case */
    CHECK(!sb_gamespy_find(&t, "numplayers\\"));
    CHECK(!sb_gamespy_find(&t, ""));
    CHECK(sb_gamespy_find(&t, "numplayers") == &t.pairs[0]);
    CHECK(sb_gamespy_find(&t, "echo") == &t.pairs[2]); /* the first of two */
}

TEST(gamespy_queries_of_the_spec_are_read)
{
    static const uint8_t status[] = { 0x5C, 0x73, 0x74, 0x61, 0x74, 0x75, 0x73, 0x5C };
    sb_gamespy_text      t;
    check_accepted(&t, "\\status\\", 1, SB_GAMESPY_END_VALUE);
    check_pair(&t, 0, "status", "");
    CHECK_EQ(sb_decode_gamespy(span(status, sizeof status), &t), SB_OK);
    check_pair(&t, 0, "status", "");

    check_accepted(&t, "\\echo\\abc", 1, SB_GAMESPY_END_VALUE);
    check_pair(&t, 0, "echo", "abc");

    check_accepted(&t, "\\status\\\\secure\\ABCDEF", 2, SB_GAMESPY_END_VALUE);
    check_pair(&t, 0, "status", "");
    check_pair(&t, 1, "secure", "ABCDEF");
}

TEST(gamespy_secure_answer_of_the_spec_is_read)
{
    sb_gamespy_text t;
    check_accepted(&t,
                   "\\gamename\\bcommander\\gamever\\60\\location\\1\\validate\\zfmiAycI\\final\\"
                   "\\queryid\\7.1",
                   6, SB_GAMESPY_END_VALUE);
    check_pair(&t, 3, "validate", "zfmiAycI");
    check_pair(&t, 4, "final", "");
    check_pair(&t, 5, "queryid", "7.1");
}

TEST(gamespy_heartbeat_of_the_spec_is_read_and_written_exactly)
{
    static const char heartbeat[] = "\\heartbeat\\0\\gamename\\bcommander\\statechanged\\1";
    sb_gamespy_text   t;
    CHECK_EQ(strlen(heartbeat), 47);
    check_accepted(&t, heartbeat, 3, SB_GAMESPY_END_VALUE);
    check_pair(&t, 0, "heartbeat", "0");
    check_pair(&t, 1, "gamename", "bcommander");
    check_pair(&t, 2, "statechanged", "1");
}

TEST(gamespy_texts_of_the_master_session_are_read_and_written)
{
    static const char challenge[] = "\\basic\\\\secure\\LRPOPQ";
    static const char answer[] = "\\gamename\\bcommander\\gamever\\1.6\\location\\0\\validate"
                                 "\\hMwdTNWS\\final\\\\queryid\\1.1\\";
    static const char request[] = "\\list\\cmp\\gamename\\bcommander\\final\\";
    sb_gamespy_text   t;
    CHECK_EQ(strlen(challenge), 21);
    check_accepted(&t, challenge, 2, SB_GAMESPY_END_VALUE);
    check_pair(&t, 0, "basic", "");
    check_pair(&t, 1, "secure", "LRPOPQ");

    CHECK_EQ(strlen(answer), 81);
    check_accepted(&t, answer, 6, SB_GAMESPY_END_BACKSLASH);
    check_pair(&t, 3, "validate", "hMwdTNWS");
    check_pair(&t, 5, "queryid", "1.1");

    CHECK_EQ(strlen(request), 36);
    check_accepted(&t, request, 3, SB_GAMESPY_END_VALUE);
    check_pair(&t, 0, "list", "cmp");
    check_pair(&t, 2, "final", "");
}

TEST(gamespy_text_may_end_in_a_bare_key_or_one_more_backslash)
{
    sb_gamespy_text t;
    check_accepted(&t, "\\status", 1, SB_GAMESPY_END_KEY);
    check_pair(&t, 0, "status", "");
    check_accepted(&t, "\\basic\\\\status", 2, SB_GAMESPY_END_KEY);
    check_pair(&t, 1, "status", "");
    check_accepted(&t, "\\a\\b\\", 1, SB_GAMESPY_END_BACKSLASH);
    check_pair(&t, 0, "a", "b");
    check_accepted(&t, "\\a\\\\", 1, SB_GAMESPY_END_BACKSLASH);
    check_pair(&t, 0, "a", "");
}

TEST(gamespy_malformed_texts_are_refused_with_their_place)
{
    static const uint8_t nul[] = { '\\', 'a', '\\', 'b', 0, 'c' };
    static const uint8_t escape[] = { '\\', 'a', 0x1F, '\\', 'b' };
    check_refused(span(NULL, 0), SB_BAD_VALUE, SB_GAMESPY_NO_BACKSLASH, 0);
    check_refused(text("status\\"), SB_BAD_VALUE, SB_GAMESPY_NO_BACKSLASH, 0);
    check_refused(text("\\"), SB_BAD_VALUE, SB_GAMESPY_EMPTY_KEY, 1);
    check_refused(text("\\\\"), SB_BAD_VALUE, SB_GAMESPY_EMPTY_KEY, 1);
    check_refused(text("\\\\a"), SB_BAD_VALUE, SB_GAMESPY_EMPTY_KEY, 1);
    check_refused(text("\\a\\b\\\\"), SB_BAD_VALUE, SB_GAMESPY_EMPTY_KEY, 5);
    check_refused(text("\\a\\b\\\\c\\d"), SB_BAD_VALUE, SB_GAMESPY_EMPTY_KEY, 5);
    check_refused(text("\\a\\\\\\"), SB_BAD_VALUE, SB_GAMESPY_EMPTY_KEY, 4);
    check_refused(span(nul, sizeof nul), SB_BAD_VALUE, SB_GAMESPY_CONTROL_BYTE, 4);
    check_refused(span(escape, sizeof escape), SB_BAD_VALUE, SB_GAMESPY_CONTROL_BYTE, 2);
}

TEST(gamespy_refusal_keeps_the_pairs_before_it)
{
    sb_gamespy_text t;
    CHECK_EQ(sb_decode_gamespy(text("\\a\\b\\c\\d\n"), &t), SB_BAD_VALUE);
    CHECK_EQ(t.count, 1);
    check_pair(&t, 0, "a", "b");
}

TEST(gamespy_bytes_from_0x20_up_are_text)
{
    uint8_t         bytes[3 + 0x100 - 0x20 - 1];
    size_t          size = 0;
    sb_gamespy_text t;
    bytes[size++] = '\\';
    bytes[size++] = 'k';
    bytes[size++] = '\\';
    for (unsigned b = 0x20; b < 0x100; b++)
        if (b != 0x5C) bytes[size++] = (uint8_t)b;
    CHECK_EQ(size, sizeof bytes);
    CHECK_EQ(sb_decode_gamespy(span(bytes, size), &t), SB_OK);
    CHECK_BYTES(t.pairs[0].value.data, t.pairs[0].value.size, bytes + 3, size - 3);
    check_rewrites(&t, span(bytes, size));
}

TEST(gamespy_control_bytes_are_refused_each)
{
    for (unsigned b = 0; b < 0x20; b++) {
        uint8_t bytes[] = { '\\', (uint8_t)b, '\\', 'v' };
        check_refused(span(bytes, 4), SB_BAD_VALUE, SB_GAMESPY_CONTROL_BYTE, 1);
        uint8_t           out[8];
        sb_gamespy_writer w;
        sb_gamespy_writer_init(&w, out, sizeof out);
        CHECK_EQ(sb_gamespy_writer_write_pair(&w, span(bytes + 1, 1), text("v")), SB_BAD_VALUE);
        CHECK_EQ(sb_gamespy_writer_write_pair(&w, text("k"), span(bytes + 1, 1)), SB_BAD_VALUE);
        CHECK_EQ(sb_gamespy_writer_write_bare_key(&w, span(bytes + 1, 1)), SB_BAD_VALUE);
        CHECK_EQ(w.size, 0);
    }
}

/* `\` key `\` value with sizes of choice. */
static sb_span sized_text(uint8_t *out, size_t key_size, size_t value_size)
{
    size_t size = 0;
    out[size++] = '\\';
    memset(out + size, 'k', key_size);
    size += key_size;
    out[size++] = '\\';
    memset(out + size, 'v', value_size);
    return span(out, size + value_size);
}

TEST(gamespy_limits_of_size_are_exact)
{
    uint8_t         bytes[512];
    sb_gamespy_text t;
    sb_span         largest = sized_text(bytes, 32, 255);
    CHECK_EQ(sb_decode_gamespy(largest, &t), SB_OK);
    CHECK_EQ(t.pairs[0].key.size, SB_GAMESPY_KEY_MAX);
    CHECK_EQ(t.pairs[0].value.size, SB_GAMESPY_VALUE_MAX);
    check_rewrites(&t, largest);
    check_refused(sized_text(bytes, 33, 1), SB_FULL, SB_GAMESPY_LONG_KEY, 33);
    check_refused(sized_text(bytes, 3, 256), SB_FULL, SB_GAMESPY_LONG_VALUE, 5 + 255);

    uint8_t           out[512];
    sb_gamespy_writer w;
    sb_gamespy_writer_init(&w, out, sizeof out);
    memset(bytes, 'x', sizeof bytes);
    CHECK_EQ(sb_gamespy_writer_write_pair(&w, span(bytes, 33), text("")), SB_BAD_VALUE);
    CHECK_EQ(sb_gamespy_writer_write_pair(&w, text("k"), span(bytes, 256)), SB_BAD_VALUE);
    CHECK_EQ(sb_gamespy_writer_write_bare_key(&w, span(bytes, 33)), SB_BAD_VALUE);
    CHECK_EQ(w.size, 0);
    CHECK_EQ(sb_gamespy_writer_write_pair(&w, span(bytes, 32), span(bytes, 255)), SB_OK);
}

TEST(gamespy_limit_of_pairs_is_exact)
{
    uint8_t           bytes[256];
    sb_gamespy_writer w;
    sb_gamespy_text   t;
    sb_gamespy_writer_init(&w, bytes, sizeof bytes);
    for (unsigned i = 0; i < 32; i++) CHECK_EQ(sb_gamespy_writer_write_text(&w, "k", "v"), SB_OK);
    CHECK_EQ(sb_decode_gamespy(span(bytes, w.size), &t), SB_OK);
    CHECK_EQ(t.count, SB_GAMESPY_PAIRS_MAX);
    check_rewrites(&t, span(bytes, w.size));

    sb_gamespy_writer ended = w;
    CHECK_EQ(sb_gamespy_writer_write_backslash(&ended), SB_OK);
    CHECK_EQ(sb_decode_gamespy(span(bytes, ended.size), &t), SB_OK);
    CHECK_EQ(t.end, SB_GAMESPY_END_BACKSLASH);
    check_rewrites(&t, span(bytes, ended.size));

    CHECK_EQ(sb_gamespy_writer_write_text(&w, "k", "v"), SB_OK);
    check_refused(span(bytes, w.size), SB_FULL, SB_GAMESPY_TOO_MANY_PAIRS, 32 * 4 + 1);
}

TEST(gamespy_writer_refuses_what_would_break_the_text)
{
    uint8_t           out[64];
    sb_gamespy_writer w;
    sb_gamespy_writer_init(&w, out, sizeof out);
    CHECK_EQ(sb_gamespy_writer_write_text(&w, "", "v"), SB_BAD_VALUE);
    CHECK_EQ(sb_gamespy_writer_write_text(&w, "a\\b", "v"), SB_BAD_VALUE);
    CHECK_EQ(sb_gamespy_writer_write_text(&w, "a", "v\\"), SB_BAD_VALUE);
    CHECK_EQ(sb_gamespy_writer_write_bare_key(&w, text("")), SB_BAD_VALUE);
    CHECK_EQ(sb_gamespy_writer_write_backslash(&w), SB_NOT_ALLOWED); /* `\` is no text */
    CHECK_EQ(w.size, 0);
    CHECK_EQ(sb_gamespy_writer_write_text(&w, "a", ""), SB_OK);
    CHECK_EQ(sb_gamespy_writer_write_backslash(&w), SB_OK);
    CHECK_EQ(sb_gamespy_writer_write_backslash(&w), SB_NOT_ALLOWED);
    CHECK_EQ(sb_gamespy_writer_write_text(&w, "b", ""), SB_NOT_ALLOWED);
    CHECK_EQ(sb_gamespy_writer_write_bare_key(&w, text("b")), SB_NOT_ALLOWED);
    CHECK_BYTES(out, w.size, "\\a\\\\", 4);

    sb_gamespy_writer_init(&w, out, sizeof out);
    CHECK_EQ(sb_gamespy_writer_write_bare_key(&w, text("status")), SB_OK);
    CHECK_EQ(sb_gamespy_writer_write_text(&w, "b", ""), SB_NOT_ALLOWED);
    CHECK_BYTES(out, w.size, "\\status", 7);
}

TEST(gamespy_writer_never_passes_its_capacity)
{
    for (size_t capacity = 0; capacity < 16; capacity++) {
        uint8_t           out[16], untouched[16];
        sb_gamespy_writer w;
        memset(out, 0xAA, sizeof out);
        memset(untouched, 0xAA, sizeof untouched);
        sb_gamespy_writer_init(&w, out, capacity);
        CHECK_EQ(sb_gamespy_writer_write_text(&w, "abc", "def"), capacity < 8 ? SB_FULL : SB_OK);
        CHECK_EQ(w.size, capacity < 8 ? 0 : 8);
        size_t left = capacity - w.size;
        CHECK_EQ(sb_gamespy_writer_write_bare_key(&w, text("abc")), left < 4 ? SB_FULL : SB_OK);
        CHECK(w.size <= capacity);
        CHECK_BYTES(out + w.size, sizeof out - w.size, untouched, sizeof out - w.size);
    }
    uint8_t           out[4];
    sb_gamespy_writer w;
    sb_gamespy_writer_init(&w, out, 4);
    CHECK_EQ(sb_gamespy_writer_write_text(&w, "a", "b"), SB_OK);
    CHECK_EQ(sb_gamespy_writer_write_backslash(&w), SB_FULL);
    sb_gamespy_writer_init(&w, NULL, 0);
    CHECK_EQ(sb_gamespy_writer_write_text(&w, "a", "b"), SB_FULL);
}

TEST(gamespy_clean_value_makes_any_bytes_a_value)
{
    static const uint8_t typed[] = { 'a', '\\', 'b', 0, '\n', 0x1F, 0x20, 0x7F, 0x80, 0xFF };
    uint8_t              out[300];
    size_t               size = sb_gamespy_clean_value(span(typed, sizeof typed), out, sizeof out);
    CHECK_BYTES(out, size, "a/b \x7F\x80\xFF", 7);
    CHECK_EQ(sb_gamespy_clean_value(span(typed, sizeof typed), out, 2), 2);
    CHECK_EQ(sb_gamespy_clean_value(span(typed, sizeof typed), NULL, 0), 0);
    CHECK_EQ(sb_gamespy_clean_value(span(NULL, 0), out, sizeof out), 0);

    memset(out, '\\', sizeof out);
    size = sb_gamespy_clean_value(span(out, sizeof out), out, sizeof out); /* in place */
    CHECK_EQ(size, SB_GAMESPY_VALUE_MAX);
    CHECK_EQ(out[254], '/');
    CHECK_EQ(out[255], '\\');
    memset(out, 'x', sizeof out);
    CHECK_EQ(sb_gamespy_clean_value(span(out, sizeof out), out, SB_GAMESPY_VALUE_MAX + 1),
             SB_GAMESPY_VALUE_MAX);

    sb_random random;
    sb_random_init(&random, 2);
    for (unsigned round = 0; round < 2000; round++) {
        uint8_t bytes[64], packet[128];
        size_t  given = sb_random_below(&random, sizeof bytes + 1);
        for (size_t i = 0; i < given; i++) bytes[i] = (uint8_t)sb_random_next(&random);
        size = sb_gamespy_clean_value(span(bytes, given), out, sizeof out);
        sb_gamespy_writer w;
        sb_gamespy_writer_init(&w, packet, sizeof packet);
        CHECK_EQ(sb_gamespy_writer_write_pair(&w, text("hostname"), span(out, size)), SB_OK);
    }
}

TEST(gamespy_faults_have_texts)
{
    for (int f = 0; f < SB_GAMESPY_FAULT_COUNT; f++)
        CHECK(strlen(sb_gamespy_fault_text((sb_gamespy_fault)f)) > 0);
    CHECK(sb_gamespy_fault_text(SB_GAMESPY_FAULT_COUNT));
}

/* Few distinct bytes, so that structure is common and faults are not the rule. */
static size_t random_text(sb_random *random, uint8_t *out, size_t capacity)
{
    static const uint8_t alphabet[] = { '\\', '\\', '\\', 'a', 'b', 'a', 'b', 0x80, 0xFF, ' ' };
    size_t               size = sb_random_below(random, (uint32_t)capacity + 1);
    bool                 noise = sb_random_below(random, 4) == 0;
    for (size_t i = 0; i < size; i++)
        out[i] = noise ? (uint8_t)sb_random_next(random)
                       : alphabet[sb_random_below(random, sizeof alphabet)];
    if (size > 0 && sb_random_below(random, 8) != 0) out[0] = '\\';
    return size;
}

TEST(gamespy_any_bytes_are_refused_or_rewritten_identically)
{
    sb_random random;
    size_t    ends[3] = { 0 }, faults[SB_GAMESPY_FAULT_COUNT] = { 0 };
    sb_random_init(&random, 5);
    for (unsigned round = 0; round < 300000; round++) {
        uint8_t scratch[400];
        size_t  bound = round % 16 == 0 ? sizeof scratch : 24;
        size_t  size = random_text(&random, scratch, bound);
        if (round % 64 == 0) { /* long pieces and many pairs do not come by chance */
            memset(scratch + 1, round % 128 == 0 ? 'x' : '\\', sizeof scratch - 1);
            scratch[0] = '\\';
            for (size_t i = 1; round % 128 != 0 && i < sizeof scratch; i += 2) scratch[i] = 'x';
            if (round % 256 == 0) scratch[2] = '\\';
            size = sizeof scratch;
        }
        uint8_t *exact = malloc(size ? size : 1);
        CHECK(exact);
        memcpy(exact, scratch, size);
        sb_gamespy_text t;
        sb_result       result = sb_decode_gamespy(span(exact, size), &t);
        CHECK(t.count <= SB_GAMESPY_PAIRS_MAX);
        CHECK(t.fault_offset <= size);
        CHECK_EQ(result == SB_OK, t.fault == SB_GAMESPY_FINE);
        faults[t.fault]++;
        if (result == SB_OK) {
            ends[t.end]++;
            check_rewrites(&t, span(exact, size));
        }
        free(exact);
    }
    for (size_t i = 0; i < 3; i++) CHECK(ends[i] > 100);
    for (size_t i = 0; i < SB_GAMESPY_FAULT_COUNT; i++) CHECK(faults[i] > 100);
}

TEST(gamespy_text_without_pairs_has_no_end_either)
{
    uint8_t           out[4];
    sb_gamespy_writer w;
    for (int end = 0; end < 3; end++) {
        sb_gamespy_text t = { .count = 0, .end = (sb_gamespy_end)end };
        sb_gamespy_writer_init(&w, out, sizeof out);
        CHECK_EQ(sb_encode_gamespy(&w, &t), SB_OK);
        CHECK_EQ(w.size, 0);
    }
}

/* --- Challenge ------------------------------------------------------------------------------ */

static size_t decode_base64(const char *s, uint8_t *out)
{
    static const char alphabet[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t   size = 0;
    uint32_t bits = 0;
    CHECK_EQ(strlen(s) % 4, 0);
    for (size_t i = 0; s[i]; i++) {
        const char *at = strchr(alphabet, s[i]);
        CHECK(at);
        bits = bits << 6 | (uint32_t)(at - alphabet);
        if (i % 4 != 3) continue;
        out[size++] = (uint8_t)(bits >> 16);
        out[size++] = (uint8_t)(bits >> 8);
        out[size++] = (uint8_t)bits;
    }
    return size;
}

/* RC4; with `mixes` as in spec 05 §6, where each byte is added to the index. */
static void plain_rc4(sb_span in, const char *key, bool mixes, uint8_t *out)
{
    uint8_t s[256], i = 0, j = 0, kept;
    for (unsigned k = 0; k < 256; k++) s[k] = (uint8_t)k;
    for (unsigned k = 0; k < 256; k++) {
        j = (uint8_t)(j + s[k] + key[k % strlen(key)]);
        kept = s[k], s[k] = s[j], s[j] = kept;
    }
    j = 0;
    for (size_t t = 0; t < in.size; t++) {
        i = (uint8_t)(i + 1 + (mixes ? in.data[t] : 0));
        j = (uint8_t)(j + s[i]);
        kept = s[i], s[i] = s[j], s[j] = kept;
        out[t] = in.data[t] ^ s[(uint8_t)(s[i] + s[j])];
    }
}

TEST(gamespy_challenge_gives_the_responses_of_the_spec)
{
    static const char *const rows[][2] = {
        { "LRPOPQ", "hMwdTNWS" },
        { "ABCDEF", "zfmiAycI" },
        { "AAAAAA", "zRNlMVhc" },
    };
    char out[SB_GAMESPY_RESPONSE_MAX + 1];
    for (size_t i = 0; i < 3; i++) {
        CHECK_EQ(sb_gamespy_validate(text(rows[i][0]), span(NULL, 0), out, sizeof out), SB_OK);
        CHECK_TEXT(out, rows[i][1]);
        CHECK_EQ(sb_gamespy_validate(text(rows[i][0]), text("Nm3aZ9"), out, 9), SB_OK);
        CHECK_TEXT(out, rows[i][1]);
    }
    CHECK_EQ(sb_gamespy_validate(text("LRPOPQ"), text("Nm3aZ8"), out, sizeof out), SB_OK);
    CHECK(strcmp(out, "hMwdTNWS") != 0);
}

TEST(gamespy_challenge_cipher_is_not_plain_rc4)
{
    static const uint8_t expected[] = { 0x84, 0xCC, 0x1D, 0x4C, 0xD5, 0x92 };
    uint8_t              cipher[6], rc4[6], published[6];
    char                 out[SB_GAMESPY_RESPONSE_MAX + 1];
    CHECK_EQ(sb_gamespy_validate(text("LRPOPQ"), span(NULL, 0), out, sizeof out), SB_OK);
    CHECK_BYTES(cipher, decode_base64(out, cipher), expected, sizeof expected);
    plain_rc4(text("LRPOPQ"), "Nm3aZ9", false, rc4);
    CHECK_EQ(decode_base64("3kNyAAqe", published), 6);
    CHECK_BYTES(rc4, 6, published, 6);
    CHECK(memcmp(rc4, cipher, 6) != 0);
}

TEST(gamespy_challenge_is_answered_as_the_spec_computes)
{
    static const char *const keys[] = { "Nm3aZ9", "k", "a longer key" };
    sb_random                random;
    sb_random_init(&random, 9);
    for (unsigned round = 0; round < 600; round++) {
        uint8_t challenge[SB_GAMESPY_CHALLENGE_MAX], expected[66], cipher[66];
        char    out[SB_GAMESPY_RESPONSE_MAX + 1];
        size_t  size = 1 + round % SB_GAMESPY_CHALLENGE_MAX;
        for (size_t i = 0; i < size; i++) challenge[i] = (uint8_t)sb_random_next(&random);
        CHECK_EQ(sb_gamespy_validate(span(challenge, size), text(keys[round % 3]), out, sizeof out),
                 SB_OK);
        plain_rc4(span(challenge, size), keys[round % 3], true, expected);
        CHECK(decode_base64(out, cipher) >= size);
        CHECK_BYTES(cipher, size, expected, size);
    }
}

TEST(gamespy_challenge_of_any_allowed_size_is_answered)
{
    uint8_t challenge[66], previous[66] = { 0 };
    char    out[SB_GAMESPY_RESPONSE_MAX + 1];
    for (size_t i = 0; i < sizeof challenge; i++) challenge[i] = (uint8_t)(0xFF - i * 7);
    for (size_t n = 1; n <= SB_GAMESPY_CHALLENGE_MAX; n++) {
        size_t  length = (n + 2) / 3 * 4;
        uint8_t cipher[66];
        CHECK_EQ(sb_gamespy_validate(span(challenge, n), span(NULL, 0), out, length), SB_FULL);
        CHECK_TEXT(out, "");
        CHECK_EQ(sb_gamespy_validate(span(challenge, n), span(NULL, 0), out, length + 1), SB_OK);
        CHECK_EQ(strlen(out), length);
        size_t size = decode_base64(out, cipher);
        for (size_t i = n; i < size; i++) CHECK_EQ(cipher[i], 0); /* the zero bytes of step 5 */
        CHECK_BYTES(cipher, n - 1, previous, n - 1); /* a stream: a longer input changes no byte */
        memcpy(previous, cipher, n);
    }
    CHECK_EQ(sb_gamespy_validate(span(challenge, 65), span(NULL, 0), out, sizeof out),
             SB_BAD_VALUE);
    CHECK_TEXT(out, "");
    CHECK_EQ(sb_gamespy_validate(span(NULL, 0), span(NULL, 0), out, sizeof out), SB_BAD_VALUE);
    CHECK_EQ(sb_gamespy_validate(span(challenge, 6), span(NULL, 0), NULL, 0), SB_FULL);
}

/* --- List ----------------------------------------------------------------------------------- */

static void check_next(sb_gamespy_list *list, sb_span stream, bool closed, const char *address)
{
    sb_gamespy_entry e;
    char             printed[32];
    CHECK_EQ(sb_gamespy_list_next(list, stream, closed, &e), SB_OK);
    CHECK(!list->ended);
    snprintf(printed, sizeof printed, "%u.%u.%u.%u:%u", e.ip[0], e.ip[1], e.ip[2], e.ip[3], e.port);
    CHECK_TEXT(printed, address);
    uint8_t written[SB_GAMESPY_ENTRY_BYTES];
    sb_encode_gamespy_entry(&e, written);
    CHECK_BYTES(written, sizeof written, stream.data + list->at - 6, 6);
}

static void check_end(sb_gamespy_list *list, sb_span stream, bool closed)
{
    sb_gamespy_entry e;
    size_t           at = list->at;
    CHECK_EQ(sb_gamespy_list_next(list, stream, closed, &e), SB_OK);
    CHECK(list->ended);
    CHECK_EQ(list->at, at);
    CHECK_EQ(e.port, 0);
}

static void check_no_entry(sb_gamespy_list *list, sb_span stream, bool closed, sb_result result)
{
    sb_gamespy_entry e;
    size_t           at = list->at;
    CHECK_EQ(sb_gamespy_list_next(list, stream, closed, &e), result);
    CHECK(!list->ended);
    CHECK_EQ(list->at, at);
}

TEST(gamespy_list_gives_the_entry_of_the_spec_and_ends)
{
    static const uint8_t stream[] = "\xCB\x00\x71\x05\x56\x55\\final\\";
    sb_span              whole = span(stream, sizeof stream - 1);
    CHECK_EQ(whole.size, 6 + 7);
    for (int closed = 0; closed < 2; closed++) {
        sb_gamespy_list list = { 0 };
        check_next(&list, whole, closed, "203.0.113.5:22101");
        check_end(&list, whole, closed);
        check_end(&list, whole, closed); /* and stays there */
        CHECK_EQ(list.count, 1);
    }
    sb_gamespy_list empty = { 0 };
    check_end(&empty, text("\\final\\"), false);
}

TEST(gamespy_list_waits_for_what_has_not_arrived)
{
    static const uint8_t stream[] = "\xCB\x00\x71\x05\x56\x55\x0A\x00\x00\x01\x74\xB4\\final\\";
    sb_gamespy_list      list = { 0 };
    for (size_t size = 0; size < sizeof stream - 1; size++) {
        if (size == 6) check_next(&list, span(stream, size), false, "203.0.113.5:22101");
        if (size == 12) check_next(&list, span(stream, size), false, "10.0.0.1:29876");
        check_no_entry(&list, span(stream, size), false, SB_TRUNCATED);
    }
    check_end(&list, span(stream, sizeof stream - 1), false);
}

TEST(gamespy_list_that_is_cut_off_is_told_from_one_that_ended)
{
    sb_gamespy_list list = { 0 };
    check_no_entry(&list, span(NULL, 0), true, SB_TRUNCATED);
    check_no_entry(&list, text("\\fina"), true, SB_TRUNCATED);
    check_next(&list, text("\\final"), true, "92.102.105.110:24940"); /* six bytes are an entry */
    check_no_entry(&list, text("\\final"), true, SB_TRUNCATED);
}

TEST(gamespy_list_entry_may_look_like_the_end)
{
    /* 92.102.105.110:24940 is `\final`; the entry after it begins with a backslash too */
    static const uint8_t stream[] = "\\final\\\x01\x02\x03\x04\x05\\final\\";
    sb_span              whole = span(stream, sizeof stream - 1);
    for (int closed = 0; closed < 2; closed++) {
        sb_gamespy_list list = { 0 };
        check_next(&list, whole, closed, "92.102.105.110:24940");
        check_next(&list, whole, closed, "92.1.2.3:1029");
        check_end(&list, whole, closed);
    }
    sb_gamespy_list arriving = { 0 };
    check_end(&arriving, span(stream, 7), false); /* as far as one can tell */
    check_next(&arriving, span(stream, 8), false, "92.102.105.110:24940");
}

TEST(gamespy_list_entry_may_look_like_all_but_the_last_byte)
{
    sb_gamespy_list list = { 0 };
    check_next(&list, text("\\final/"), true, "92.102.105.110:24940");
    check_no_entry(&list, text("\\final/"), true, SB_TRUNCATED);
}

TEST(gamespy_list_ignores_bytes_after_the_end_once_closed)
{
    sb_gamespy_list list = { 0 };
    check_next(&list, text("abcdef\\final\\\r\n"), true, "97.98.99.100:25958");
    check_end(&list, text("abcdef\\final\\\r\n"), true);
    CHECK_EQ(list.at, 6);
    /* the second mark is not at an entry boundary */
    list = (sb_gamespy_list){ 0 };
    check_end(&list, text("\\final\\ab\\final\\"), true);
}

TEST(gamespy_list_is_bounded)
{
    size_t   size = 4097 * 6;
    uint8_t *stream = malloc(size + 7);
    CHECK(stream);
    memset(stream, 1, size);
    memcpy(stream + size - 6, SB_GAMESPY_LIST_END, 7);
    sb_gamespy_list  list = { 0 };
    sb_gamespy_entry e;
    for (unsigned i = 0; i < SB_GAMESPY_ENTRIES_MAX; i++)
        CHECK_EQ(sb_gamespy_list_next(&list, span(stream, size + 1), true, &e), SB_OK);
    check_end(&list, span(stream, size + 1), true);
    CHECK_EQ(list.count, SB_GAMESPY_ENTRIES_MAX);

    memset(stream, 1, size);
    memcpy(stream + size, SB_GAMESPY_LIST_END, 7);
    check_no_entry(&list, span(stream, size + 7), true, SB_FULL);
    free(stream);
}

TEST(gamespy_list_reads_no_byte_beyond_any_stream)
{
    sb_random random;
    sb_random_init(&random, 7);
    for (unsigned round = 0; round < 50000; round++) {
        static const char mark[] = SB_GAMESPY_LIST_END;
        size_t            size = sb_random_below(&random, 40);
        uint8_t          *stream = malloc(size ? size : 1);
        CHECK(stream);
        for (size_t i = 0; i < size; i++)
            stream[i] = (uint8_t)mark[(i + (sb_random_below(&random, 9) == 0)) % 6];
        sb_gamespy_list  list = { 0 };
        sb_gamespy_entry e;
        bool             closed = sb_random_below(&random, 2);
        while (sb_gamespy_list_next(&list, span(stream, size), closed, &e) == SB_OK && !list.ended)
            CHECK(list.at <= size);
        CHECK_EQ(list.at, list.count * SB_GAMESPY_ENTRY_BYTES);
        free(stream);
    }
}
