/* fuzz/gamespy_fuzz.c -- any bytes as a query text, a challenge, a value and a server list; and as
 * what a master sends to a browser, in pieces. */
#include <starbase/discovery.h>
#include <starbase/gamespy.h>

#include "base/assert.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_text(sb_span bytes)
{
    static sb_gamespy_text text;
    static uint8_t         again[1 << 16];
    if (sb_decode_gamespy(bytes, &text) != SB_OK) {
        SB_ASSERT(text.fault_offset <= bytes.size);
        SB_ASSERT(sb_gamespy_fault_text(text.fault));
        return;
    }
    sb_gamespy_writer writer;
    sb_gamespy_writer_init(&writer, again, sizeof again);
    sb_result encoded = sb_encode_gamespy(&writer, &text);
    SB_ASSERT(encoded == SB_OK);
    SB_ASSERT(writer.size == bytes.size);
    SB_ASSERT(memcmp(again, bytes.data, bytes.size) == 0);
    const sb_gamespy_pair *secure = sb_gamespy_find(&text, "secure");
    char                   response[SB_GAMESPY_RESPONSE_MAX + 1];
    if (secure)
        (void)!sb_gamespy_validate(secure->value, (sb_span){ NULL, 0 }, response, sizeof response);
}

static void check_cleaning(sb_span bytes)
{
    uint8_t clean[300];
    size_t  size = sb_gamespy_clean_value(bytes, clean, sizeof clean);
    SB_ASSERT(size <= sizeof clean);
    for (size_t i = 0; i < size; i++) SB_ASSERT(clean[i] >= 0x20 && clean[i] != '\\');
}

static void check_list(sb_span bytes, bool closed)
{
    sb_gamespy_list  list = { 0 };
    sb_gamespy_entry entry;
    unsigned         count = 0;
    while (sb_gamespy_list_next(&list, bytes, closed, &entry) == SB_OK && !list.ended) count++;
    SB_ASSERT(count <= SB_GAMESPY_ENTRIES_MAX);
}

/* The first byte says how long the pieces are. */
static void check_browse(sb_span bytes)
{
    static sb_browse b;
    sb_browse_init(&b);
    if (bytes.size == 0) return;
    size_t piece = 1u + bytes.data[0];
    for (size_t at = 1; at < bytes.size; at += piece) {
        size_t left = bytes.size - at;
        sb_browse_receive(&b, (sb_span){ bytes.data + at, left < piece ? left : piece }, false);
        SB_ASSERT(b.count <= SB_BROWSE_MAX);
        SB_ASSERT(b.state != SB_BROWSE_FAILED || b.error);
        SB_ASSERT(b.state == SB_BROWSE_GREETING || b.state == SB_BROWSE_FAILED ||
                  sb_browse_request(&b).size > 0);
    }
    sb_browse_receive(&b, (sb_span){ NULL, 0 }, true);
    SB_ASSERT(b.state == SB_BROWSE_DONE || b.state == SB_BROWSE_FAILED);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 1 << 15) return 0;
    sb_span bytes = { data, size };
    check_text(bytes);
    check_cleaning(bytes);
    check_list(bytes, false);
    check_list(bytes, true);
    check_browse(bytes);
    return 0;
}
