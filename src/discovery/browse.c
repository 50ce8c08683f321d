/* src/discovery/browse.c -- the TCP session of a browser with a master server, without a socket.
 *
 * For:      `starbase query --master`. The caller moves bytes between a connection and sb_browse.
 * Spec:     05 §6, §7.
 * Tests:    tests/discovery/browse_test.c; fuzz/gamespy_fuzz.c
 */
#include <starbase/discovery.h>

#include "base/assert.h"

#include <string.h>

void sb_browse_init(sb_browse *b)
{
    memset(b, 0, sizeof *b);
}

static void fail(sb_browse *b, const char *why)
{
    b->state = SB_BROWSE_FAILED;
    b->error = why;
}

/* Steps 3 and 4 of spec 05 §7: who asks, the response to the challenge, and the request. */
static void write_request(sb_browse *b, const char *response)
{
    static const char *const pairs[][2] = {
        { "gamename", "bcommander" }, { "gamever", "1.6" }, { "location", "0" },
        { "validate", "" },           { "final", "" },      { "queryid", "1.1" }
    };
    static const char list[] = "\\list\\cmp\\gamename\\bcommander\\final\\";
    sb_gamespy_writer w;
    sb_result         result = SB_OK;
    sb_gamespy_writer_init(&w, b->request, sizeof b->request);
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs && result == SB_OK; i++)
        result = sb_gamespy_writer_write_text(&w, pairs[i][0], i == 3 ? response : pairs[i][1]);
    if (result == SB_OK) result = sb_gamespy_writer_write_backslash(&w);
    SB_ASSERT(result == SB_OK && w.size + sizeof list - 1 <= sizeof b->request);
    memcpy(b->request + w.size, list, sizeof list - 1);
    b->request_size = w.size + sizeof list - 1;
}

/* Step 2. The text has no end mark: it is complete when the challenge has the usual length, or when
 * nothing follows. */
static void read_challenge(sb_browse *b, bool closed)
{
    char                   response[SB_GAMESPY_RESPONSE_MAX + 1];
    sb_gamespy_text        text;
    sb_span                bytes = { b->bytes, b->size };
    const sb_gamespy_pair *secure =
        sb_decode_gamespy(bytes, &text) == SB_OK ? sb_gamespy_find(&text, "secure") : NULL;
    if (!secure || secure->value.size < SB_BROWSE_CHALLENGE_BYTES) {
        if (closed) fail(b, "the master closed the connection before it sent a challenge");
        else if (b->size >= SB_BROWSE_GREETING_MAX) fail(b, "the answer is not a master server's");
        return;
    }
    if (sb_gamespy_validate(secure->value, (sb_span){ NULL, 0 }, response, sizeof response) !=
        SB_OK) {
        fail(b, "the master's challenge cannot be answered");
        return;
    }
    write_request(b, response);
    b->size = 0;
    b->state = SB_BROWSE_LISTING;
}

/* Step 5. */
static void read_list(sb_browse *b, bool closed)
{
    sb_gamespy_list  list = { 0 };
    sb_gamespy_entry entry;
    sb_span          bytes = { b->bytes, b->size };
    sb_result        result;
    b->count = 0;
    while ((result = sb_gamespy_list_next(&list, bytes, closed, &entry)) == SB_OK && !list.ended) {
        uint32_t address = (uint32_t)entry.ip[0] << 24 | (uint32_t)entry.ip[1] << 16 |
                           (uint32_t)entry.ip[2] << 8 | entry.ip[3];
        if (address != 0 && entry.port != 0 && b->count < SB_BROWSE_MAX)
            b->servers[b->count++] = (sb_endpoint){ address, entry.port };
    }
    if (list.ended) b->state = SB_BROWSE_DONE;
    else if (result == SB_FULL) fail(b, "the master's list is too long");
    else if (closed) fail(b, "the master closed the connection within its list");
}

void sb_browse_receive(sb_browse *b, sb_span bytes, bool closed)
{
    size_t space = sizeof b->bytes - b->size;
    if (b->state == SB_BROWSE_DONE && bytes.size > 0) b->state = SB_BROWSE_LISTING; /* §7: no end */
    if (b->state == SB_BROWSE_DONE || b->state == SB_BROWSE_FAILED) return;
    if (bytes.size > space) {
        fail(b, "the master's list is too long");
        return;
    }
    if (bytes.size > 0) memcpy(b->bytes + b->size, bytes.data, bytes.size);
    b->size += bytes.size;
    if (b->state == SB_BROWSE_GREETING) read_challenge(b, closed);
    else read_list(b, closed);
}

sb_span sb_browse_request(const sb_browse *b)
{
    return (sb_span){ b->request, b->request_size };
}
