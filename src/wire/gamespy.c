/* src/wire/gamespy.c -- GameSpy query texts, the master's challenge and its compact server list.
 *
 * For:      starbase/gamespy.h.
 * Never:    copies a text that it reads, or knows the meaning of a key.
 * Spec:     05 §2, §6, §7.
 */
#include <starbase/gamespy.h>

#include "base/assert.h"

#include <string.h>

#define BACKSLASH 0x5C

static bool is_control(uint8_t byte)
{
    return byte < 0x20;
}

const char *sb_gamespy_fault_text(sb_gamespy_fault fault)
{
    static const char *const texts[SB_GAMESPY_FAULT_COUNT] = {
        [SB_GAMESPY_FINE] = "no fault",
        [SB_GAMESPY_NO_BACKSLASH] = "the text does not begin with a backslash",
        [SB_GAMESPY_EMPTY_KEY] = "a key is empty",
        [SB_GAMESPY_CONTROL_BYTE] = "a control byte is in the text",
        [SB_GAMESPY_LONG_KEY] = "a key is longer than 32 bytes",
        [SB_GAMESPY_LONG_VALUE] = "a value is longer than 255 bytes",
        [SB_GAMESPY_TOO_MANY_PAIRS] = "the text has more than 32 pairs",
    };
    return (unsigned)fault < SB_GAMESPY_FAULT_COUNT ? texts[fault] : "unknown fault";
}

static sb_result refuse(sb_gamespy_text *text, sb_gamespy_fault fault, size_t offset)
{
    text->fault = fault;
    text->fault_offset = offset;
    bool limit = fault == SB_GAMESPY_LONG_KEY || fault == SB_GAMESPY_LONG_VALUE ||
                 fault == SB_GAMESPY_TOO_MANY_PAIRS;
    return limit ? SB_FULL : SB_BAD_VALUE;
}

/* Parses the bytes from `*at` to the next backslash or the end, and moves `*at` there; on a fault,
 * to the offending byte. */
static sb_gamespy_fault parse_piece(sb_span bytes, size_t *at, size_t limit,
                                    sb_gamespy_fault too_long, sb_span *piece)
{
    size_t start = *at;
    for (; *at < bytes.size && bytes.data[*at] != BACKSLASH; ++*at) {
        if (is_control(bytes.data[*at])) return SB_GAMESPY_CONTROL_BYTE;
        if (*at - start == limit) return too_long;
    }
    *piece = (sb_span){ bytes.data + start, *at - start };
    return SB_GAMESPY_FINE;
}

/* `*at` is at the first byte of the key. */
static sb_gamespy_fault parse_pair(sb_span bytes, size_t *at, sb_gamespy_text *text)
{
    if (text->count == SB_GAMESPY_PAIRS_MAX) return SB_GAMESPY_TOO_MANY_PAIRS;
    sb_gamespy_pair  pair;
    sb_gamespy_fault fault =
        parse_piece(bytes, at, SB_GAMESPY_KEY_MAX, SB_GAMESPY_LONG_KEY, &pair.key);
    if (fault != SB_GAMESPY_FINE) return fault;
    if (pair.key.size == 0) return SB_GAMESPY_EMPTY_KEY;

    if (*at == bytes.size) {
        text->end = SB_GAMESPY_END_KEY;
        pair.value = (sb_span){ bytes.data + *at, 0 };
    } else {
        ++*at;
        fault = parse_piece(bytes, at, SB_GAMESPY_VALUE_MAX, SB_GAMESPY_LONG_VALUE, &pair.value);
        if (fault != SB_GAMESPY_FINE) return fault;
    }
    text->pairs[text->count++] = pair;
    return SB_GAMESPY_FINE;
}

sb_result sb_decode_gamespy(sb_span bytes, sb_gamespy_text *out)
{
    out->count = 0;
    out->end = SB_GAMESPY_END_VALUE;
    out->fault = SB_GAMESPY_FINE;
    out->fault_offset = 0;
    if (bytes.size == 0 || bytes.data[0] != BACKSLASH)
        return refuse(out, SB_GAMESPY_NO_BACKSLASH, 0);

    size_t at = 0;
    while (at < bytes.size) {
        SB_ASSERT(bytes.data[at] == BACKSLASH);
        at++;
        if (at == bytes.size && out->count > 0) {
            out->end = SB_GAMESPY_END_BACKSLASH;
            break;
        }
        sb_gamespy_fault fault = parse_pair(bytes, &at, out);
        if (fault != SB_GAMESPY_FINE) return refuse(out, fault, at);
    }
    return SB_OK;
}

const sb_gamespy_pair *sb_gamespy_find(const sb_gamespy_text *text, const char *key)
{
    size_t size = strlen(key);
    for (size_t i = 0; i < text->count; i++) {
        sb_span candidate = text->pairs[i].key;
        if (candidate.size == size && memcmp(candidate.data, key, size) == 0)
            return &text->pairs[i];
    }
    return NULL;
}

void sb_gamespy_writer_init(sb_gamespy_writer *w, uint8_t *out, size_t capacity)
{
    *w = (sb_gamespy_writer){ .data = out, .capacity = capacity };
}

static bool is_clean(sb_span piece, size_t limit)
{
    if (piece.size > limit) return false;
    for (size_t i = 0; i < piece.size; i++)
        if (piece.data[i] == BACKSLASH || is_control(piece.data[i])) return false;
    return true;
}

/* Appends a backslash and the piece; the caller has checked the capacity. */
static void append_piece(sb_gamespy_writer *w, sb_span piece)
{
    w->data[w->size++] = BACKSLASH;
    if (piece.size > 0) memcpy(w->data + w->size, piece.data, piece.size);
    w->size += piece.size;
}

static bool has_capacity(const sb_gamespy_writer *w, size_t bytes)
{
    SB_ASSERT(w->size <= w->capacity);
    return bytes <= w->capacity - w->size;
}

sb_result sb_gamespy_writer_write_pair(sb_gamespy_writer *w, sb_span key, sb_span value)
{
    if (w->ended) return SB_NOT_ALLOWED;
    if (key.size == 0 || !is_clean(key, SB_GAMESPY_KEY_MAX)) return SB_BAD_VALUE;
    if (!is_clean(value, SB_GAMESPY_VALUE_MAX)) return SB_BAD_VALUE;
    if (!has_capacity(w, 2 + key.size + value.size)) return SB_FULL;
    append_piece(w, key);
    append_piece(w, value);
    w->count++;
    return SB_OK;
}

sb_result sb_gamespy_writer_write_text(sb_gamespy_writer *w, const char *key, const char *value)
{
    return sb_gamespy_writer_write_pair(w, (sb_span){ (const uint8_t *)key, strlen(key) },
                                        (sb_span){ (const uint8_t *)value, strlen(value) });
}

sb_result sb_gamespy_writer_write_bare_key(sb_gamespy_writer *w, sb_span key)
{
    if (w->ended) return SB_NOT_ALLOWED;
    if (key.size == 0 || !is_clean(key, SB_GAMESPY_KEY_MAX)) return SB_BAD_VALUE;
    if (!has_capacity(w, 1 + key.size)) return SB_FULL;
    append_piece(w, key);
    w->count++;
    w->ended = true;
    return SB_OK;
}

sb_result sb_gamespy_writer_write_backslash(sb_gamespy_writer *w)
{
    if (w->ended || w->count == 0) return SB_NOT_ALLOWED;
    if (!has_capacity(w, 1)) return SB_FULL;
    append_piece(w, (sb_span){ NULL, 0 });
    w->ended = true;
    return SB_OK;
}

static sb_result write_all(sb_gamespy_writer *w, const sb_gamespy_text *text)
{
    sb_result result = SB_OK;
    for (size_t i = 0; i < text->count && result == SB_OK; i++) {
        sb_gamespy_pair pair = text->pairs[i];
        bool            last = i + 1 == text->count;
        if (last && text->end == SB_GAMESPY_END_KEY) {
            result = sb_gamespy_writer_write_bare_key(w, pair.key);
        } else {
            result = sb_gamespy_writer_write_pair(w, pair.key, pair.value);
        }
    }
    if (result == SB_OK && text->count > 0 && text->end == SB_GAMESPY_END_BACKSLASH)
        result = sb_gamespy_writer_write_backslash(w);
    return result;
}

sb_result sb_encode_gamespy(sb_gamespy_writer *w, const sb_gamespy_text *text)
{
    SB_ASSERT(text->count <= SB_GAMESPY_PAIRS_MAX);
    sb_gamespy_writer before = *w;
    sb_result         result = write_all(w, text);
    if (result != SB_OK) *w = before;
    return result;
}

size_t sb_gamespy_clean_value(sb_span value, uint8_t *out, size_t capacity)
{
    if (capacity > SB_GAMESPY_VALUE_MAX) capacity = SB_GAMESPY_VALUE_MAX;
    size_t size = 0;
    for (size_t i = 0; i < value.size && size < capacity; i++) {
        uint8_t byte = value.data[i];
        if (is_control(byte)) continue;
        out[size++] = byte == BACKSLASH ? '/' : byte;
    }
    return size;
}

static void swap(uint8_t *a, uint8_t *b)
{
    uint8_t old_a = *a;
    *a = *b;
    *b = old_a;
}

/* Steps 1 to 4 of spec 05 §6: RC4, except that each input byte is added to the index i. */
static void encipher(sb_span challenge, sb_span key, uint8_t *out)
{
    uint8_t s[256], i = 0, j = 0;
    for (unsigned k = 0; k < 256; k++) s[k] = (uint8_t)k;
    for (unsigned k = 0; k < 256; k++) {
        j = (uint8_t)(j + s[k] + key.data[k % key.size]);
        swap(&s[k], &s[j]);
    }
    j = 0;
    for (size_t t = 0; t < challenge.size; t++) {
        i = (uint8_t)(i + challenge.data[t] + 1);
        j = (uint8_t)(j + s[i]);
        swap(&s[i], &s[j]);
        out[t] = challenge.data[t] ^ s[(uint8_t)(s[i] + s[j])];
    }
}

/* Encodes three bytes as four characters. There is no padding: missing bytes are encoded as zeros.
 */
static void write_base64(const uint8_t *in, char *out)
{
    static const char alphabet[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    out[0] = alphabet[in[0] >> 2];
    out[1] = alphabet[(in[0] & 0x03) << 4 | in[1] >> 4];
    out[2] = alphabet[(in[1] & 0x0F) << 2 | in[2] >> 6];
    out[3] = alphabet[in[2] & 0x3F];
}

sb_result sb_gamespy_validate(sb_span challenge, sb_span key, char *out, size_t capacity)
{
    static const uint8_t game_key[] = { 'N', 'm', '3', 'a', 'Z', '9' };
    uint8_t              cipher[SB_GAMESPY_RESPONSE_MAX / 4 * 3] = { 0 };
    _Static_assert(sizeof cipher >= SB_GAMESPY_CHALLENGE_MAX,
                   "the cipher buffer holds a challenge");

    if (capacity > 0) out[0] = '\0';
    if (challenge.size == 0 || challenge.size > SB_GAMESPY_CHALLENGE_MAX) return SB_BAD_VALUE;
    size_t groups = (challenge.size + 2) / 3;
    if (capacity < groups * 4 + 1) return SB_FULL;

    if (key.size == 0) key = (sb_span){ game_key, sizeof game_key };
    encipher(challenge, key, cipher);
    for (size_t g = 0; g < groups; g++) write_base64(cipher + g * 3, out + g * 4);
    out[groups * 4] = '\0';
    return SB_OK;
}

void sb_encode_gamespy_entry(const sb_gamespy_entry *entry, uint8_t out[SB_GAMESPY_ENTRY_BYTES])
{
    memcpy(out, entry->ip, sizeof entry->ip);
    out[4] = (uint8_t)(entry->port >> 8);
    out[5] = (uint8_t)entry->port;
}

void sb_decode_gamespy_entry(const uint8_t bytes[SB_GAMESPY_ENTRY_BYTES], sb_gamespy_entry *out)
{
    memcpy(out->ip, bytes, sizeof out->ip);
    out->port = (uint16_t)(bytes[4] << 8 | bytes[5]);
}

enum { END_BYTES = sizeof SB_GAMESPY_LIST_END - 1 };

/* True if `rest`, which starts at an entry boundary, starts with the end mark and not with an entry
 * of the same bytes (starbase/gamespy.h). */
static bool is_list_end(sb_span rest, bool closed)
{
    if (rest.size < END_BYTES || memcmp(rest.data, SB_GAMESPY_LIST_END, END_BYTES) != 0)
        return false;
    if (rest.size == END_BYTES) return true;
    if (!closed) return false;
    bool at_boundary = (rest.size - END_BYTES) % SB_GAMESPY_ENTRY_BYTES == 0;
    bool marked = memcmp(rest.data + rest.size - END_BYTES, SB_GAMESPY_LIST_END, END_BYTES) == 0;
    return !(at_boundary && marked);
}

sb_result sb_gamespy_list_next(sb_gamespy_list *list, sb_span stream, bool closed,
                               sb_gamespy_entry *out)
{
    SB_ASSERT(list->at <= stream.size);
    *out = (sb_gamespy_entry){ 0 };
    list->ended = false;
    if (list->at == stream.size) return SB_TRUNCATED;

    sb_span rest = { stream.data + list->at, stream.size - list->at };
    if (is_list_end(rest, closed)) {
        list->ended = true;
        return SB_OK;
    }
    if (rest.size < SB_GAMESPY_ENTRY_BYTES) return SB_TRUNCATED;
    /* Six bytes that are either an entry or the beginning of the end mark. */
    bool undecided = !closed && rest.size == SB_GAMESPY_ENTRY_BYTES &&
                     memcmp(rest.data, SB_GAMESPY_LIST_END, SB_GAMESPY_ENTRY_BYTES) == 0;
    if (undecided) return SB_TRUNCATED;
    if (list->count == SB_GAMESPY_ENTRIES_MAX) return SB_FULL;
    sb_decode_gamespy_entry(rest.data, out);
    list->at += SB_GAMESPY_ENTRY_BYTES;
    list->count++;
    return SB_OK;
}
