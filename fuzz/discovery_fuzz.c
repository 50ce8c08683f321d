/* fuzz/discovery_fuzz.c -- a responder and a browser, fed by sources that send anything.
 *
 * The input is a script. Byte 0 has switches of the configuration, byte 1 the number of players;
 * then steps of one byte (low three bits: the action, next three: the source) with arguments:
 *
 *   0  time passes                1 byte n: n ms if n < 128, else (n - 127) / 2 s
 *   1  a datagram of raw bytes    length, bytes
 *   2  a query made of keys       1 byte: a bit per key of spec 05 §3
 *   3  the last answer is sent back to us
 *   4  the status changes         length, bytes: host name and names of players
 *   5  a call by the program      1 byte: state changed, stop, set or remove a master
 *   6  one packet is written
 *   7  a packet for the browser   length, bytes
 *
 * Sources 0 and 1 are masters, 2 and 3 are on our LAN (3 in the network of 2), the rest strangers.
 *
 * Checked: packets stay below their limit and go to a source that asked or to a master; no address
 * gets more packets than its budget allows, plus those that long answers add; answers sent back to
 * us are never answered; sb_found understands every answer, its packets in any order, and no value
 * has a backslash; the write loop ends.
 */
#include <starbase/discovery.h>

#include "base/assert.h"
#include "discovery/testing.h"
#include "script.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SOURCES = 8, MASTERS = 2, PACKETS_OF_ANSWER = 6, PACKETS_MAX = 2000 };

typedef struct source {
    sb_endpoint address;
    bool        asked;
    uint64_t    answers; /* packets */
} source;

typedef struct world {
    sb_responder       *responder;
    sb_responder_config config;
    sb_time             start, now;
    source              sources[SOURCES];
    sb_server_status    status;
    uint8_t             names[256];
    sb_found            answer, browser;
    uint32_t            answer_parts; /* packets of the answer being written; 0: none */
    sb_endpoint         answer_to;
    uint8_t             parts[PACKETS_OF_ANSWER][SB_ANSWER_MAX];
    size_t              part_sizes[PACKETS_OF_ANSWER];
    uint8_t             last[SB_ANSWER_MAX];
    size_t              last_size;
} world;

/* ---- packets that the responder writes ---- */

static void check_found(const sb_found *f)
{
    sb_span key, value;
    sb_found_check(f);
    for (size_t at = 0; sb_found_pair(f, at, &key, &value); at++) {
        SB_ASSERT(key.size > 0 && key.size <= SB_GAMESPY_KEY_MAX);
        SB_ASSERT(value.size <= SB_GAMESPY_VALUE_MAX);
        SB_ASSERT(!memchr(key.data, '\\', key.size) && !memchr(value.data, '\\', value.size));
        for (size_t i = 0; i < value.size; i++) SB_ASSERT(value.data[i] >= 0x20);
    }
}

/* All packets have arrived. Adding them in reverse order must give the same text. */
static void check_complete_answer(world *w)
{
    static sb_found backwards;
    memset(&backwards, 0, sizeof backwards);
    for (uint32_t i = w->answer_parts; i-- > 0;) {
        SB_ASSERT(!backwards.complete);
        sb_result added = sb_found_add(&backwards, (sb_span){ w->parts[i], w->part_sizes[i] });
        SB_ASSERT(added == SB_OK);
    }
    SB_ASSERT(backwards.complete && backwards.size == w->answer.size);
    SB_ASSERT(memcmp(backwards.text, w->answer.text, backwards.size) == 0);
    sb_span map, host, players;
    bool    has_host = sb_found_value(&w->answer, "hostname", &host);
    if (sb_found_value(&w->answer, "mapname", &map)) SB_ASSERT(has_host); /* both are in group I */
    if (sb_found_value(&w->answer, "numplayers", &players)) SB_ASSERT(players.size == 1);
    w->answer_parts = 0;
}

static void check_answer_packet(world *w, sb_endpoint to, sb_span packet)
{
    if (w->answer_parts == 0) {
        memset(&w->answer, 0, sizeof w->answer);
        w->answer_to = to;
    }
    SB_ASSERT(w->answer_to.address == to.address && w->answer_to.port == to.port);
    SB_ASSERT(w->answer_parts < PACKETS_OF_ANSWER);
    memcpy(w->parts[w->answer_parts], packet.data, packet.size);
    w->part_sizes[w->answer_parts++] = packet.size;
    sb_result added = sb_found_add(&w->answer, packet);
    SB_ASSERT(added == SB_OK);
    check_found(&w->answer);
    memcpy(w->last, packet.data, packet.size);
    w->last_size = packet.size;
    if (w->answer.complete) check_complete_answer(w);
}

/* The most packets an address that is no master's can have got so far. All waiting queries are
 * answered before time passes, so at most a burst of answers can have exceeded the packets that
 * were charged when the queries came. */
static uint64_t max_packets(const world *w)
{
    uint64_t past = (uint64_t)(w->now - w->start) * w->config.source_per_s / (uint64_t)SB_SECOND;
    return w->config.source_burst * (uint64_t)PACKETS_OF_ANSWER + past;
}

static void check_packet(world *w, sb_endpoint to, sb_span packet, bool is_answer)
{
    size_t who = 0;
    while (who < SOURCES && (w->sources[who].address.address != to.address ||
                             w->sources[who].address.port != to.port))
        who++;
    SB_ASSERT(who < SOURCES);
    if (!is_answer) {
        SB_ASSERT(who < MASTERS && packet.size <= 52);
        return;
    }
    SB_ASSERT(w->sources[who].asked);
    w->sources[who].answers++;
    SB_ASSERT(who < MASTERS || w->sources[who].answers <= max_packets(w));
    check_answer_packet(w, to, packet);
}

/* Writes one packet into a heap buffer of exactly the promised size. */
static bool write_one(world *w)
{
    static uint8_t *out;
    sb_endpoint     to = { 0, 0 };
    if (!out) out = malloc(SB_ANSWER_MAX);
    SB_ASSERT(out != NULL);
    uint64_t answers = sb_responder_counter_value(w->responder, SB_QUERY_ANSWERS);
    size_t   size = sb_responder_write(w->responder, w->now, &w->status, &to, out);
    if (size == 0) return false;
    SB_ASSERT(size <= SB_ANSWER_MAX);
    bool is_answer = sb_responder_counter_value(w->responder, SB_QUERY_ANSWERS) > answers;
    check_packet(w, to, (sb_span){ out, size }, is_answer);
    return true;
}

/* Writes everything that is due. The check of all buckets is slow, so it runs here and not after
 * each step: a third as many inputs per second otherwise. */
static void drain(world *w)
{
    for (int packets = 0; write_one(w); packets++) SB_ASSERT(packets < PACKETS_MAX);
    sb_responder_check(w->responder);
    SB_ASSERT(!sb_responder_is_waiting(w->responder) && w->answer_parts == 0);
    SB_ASSERT(sb_responder_next_deadline(w->responder) > w->now);
}

/* ---- input ---- */

static void receive(world *w, source *from, sb_span query)
{
    if (sb_responder_receive(w->responder, w->now, from->address, query) == SB_OK)
        from->asked = true;
    SB_ASSERT(sb_responder_counter_value(w->responder, SB_QUERY_QUERIES) > 0);
}

static void send_query_keys(world *w, source *from, script *s)
{
    static const char *const keys[] = { "\\basic\\",  "\\info\\",    "\\rules\\", "\\players\\",
                                        "\\status\\", "\\packets\\", "\\echo\\e", "\\secure\\c" };
    uint8_t                  query[128], which = next_byte(s);
    size_t                   size = 0;
    for (size_t i = 0; i < 8; i++) {
        if (!(which >> i & 1)) continue;
        memcpy(query + size, keys[i], strlen(keys[i]));
        size += strlen(keys[i]);
    }
    receive(w, from, (sb_span){ query, size });
}

static void send_answer_back(world *w, source *from)
{
    if (w->last_size == 0) return;
    sb_span   answer = { w->last, w->last_size };
    sb_result result = sb_responder_receive(w->responder, w->now, from->address, answer);
    SB_ASSERT(result != SB_OK);
}

static void change_status(world *w, script *s)
{
    sb_span bytes = next_bytes(s, next_byte(s));
    if (bytes.size > 0) memcpy(w->names, bytes.data, bytes.size);
    sb_span text = { w->names, bytes.size };
    w->status.host_name = w->status.system = text;
    for (size_t i = 0; i < SB_STATUS_PLAYERS_MAX; i++) {
        size_t skip = i * 5 < text.size ? i * 5 : text.size;
        w->status.names[i] = (sb_span){ text.data + skip, text.size - skip };
    }
    w->status.password = bytes.size & 1;
    w->status.open = bytes.size & 2;
}

static void call_responder(world *w, script *s)
{
    uint8_t     what = next_byte(s);
    unsigned    index = what >> 4 & 1;
    sb_endpoint none = { 0, 0 };
    if (what % 4 == 0) sb_responder_state_changed(w->responder, w->now);
    else if (what == 0xFF) sb_responder_stop(w->responder, w->now);
    else
        sb_responder_set_master(w->responder, index,
                                what % 4 == 1 ? none : w->sources[index].address, w->now);
    sb_master_view view;
    if (sb_responder_master(w->responder, what, &view))
        SB_ASSERT(view.heard_at == SB_TIME_NEVER || view.heard_at <= w->now);
}

static void browse(world *w, sb_span packet)
{
    static sb_found before;
    memcpy(&before, &w->browser, sizeof before);
    if (sb_found_add(&w->browser, packet) != SB_OK)
        SB_ASSERT(memcmp(&before, &w->browser, sizeof before) == 0);
    check_found(&w->browser);
}

static void pass_time(world *w, uint8_t code)
{
    drain(w);
    w->now += code < 128 ? code * SB_SECOND / 1000 : (code - 127) * SB_SECOND / 2;
    drain(w);
}

static void step(world *w, script *s)
{
    uint8_t what = next_byte(s);
    source *from = &w->sources[what >> 3 & 7];
    switch (what & 7) {
    case 0: pass_time(w, next_byte(s)); break;
    case 1: receive(w, from, next_bytes(s, next_byte(s))); break;
    case 2: send_query_keys(w, from, s); break;
    case 3: send_answer_back(w, from); break;
    case 4: change_status(w, s); break;
    case 5: call_responder(w, s); break;
    case 6: write_one(w); break;
    default: browse(w, next_bytes(s, next_byte(s))); break;
    }
}

/* ---- setup ---- */

static void open_world(world *w, uint8_t flags, uint8_t players)
{
    static const sb_endpoint addresses[SOURCES] = {
        { 0x51CD5D5E, 27900 }, { 0x51CD5D5F, 27900 }, { 0xC0A80102, 4000 }, { 0xC0A80103, 4000 },
        { 0x0B000001, 4000 },  { 0x0C000001, 1024 },  { 0x0D000001, 1023 }, { 0x0E000001, 22101 },
    };
    static void *memory;
    memset(w, 0, sizeof *w);
    for (size_t i = 0; i < SOURCES; i++) w->sources[i].address = addresses[i];
    sb_responder_defaults(&w->config);
    w->config.seed = 1;
    w->config.own = addresses[SOURCES - 1];
    w->config.basic_includes_info = flags & 1;
    w->config.echo = (sb_query_policy)(flags >> 1 & 1 ? SB_QUERY_ALWAYS : SB_QUERY_LAN);
    w->config.packets = (sb_query_policy)(flags >> 2 & 1 ? SB_QUERY_ALWAYS : SB_QUERY_LAN);
    if (flags & 8) w->config.heartbeat_port = 0;
    if (flags & 16) w->config.source_burst = 2;
    if (!memory) memory = malloc(sb_responder_bytes(&w->config));
    SB_ASSERT(memory != NULL);
    w->start = w->now = 1000 * SB_SECOND;
    w->responder = sb_responder_init(memory, &w->config, w->now);
    w->status = (sb_server_status){ .player_limit = 8, .location = 1 };
    w->status.name_count = players % (SB_STATUS_PLAYERS_MAX + 1);
    for (unsigned i = 0; i < MASTERS; i++)
        if (flags >> (5 + i) & 1) sb_responder_set_master(w->responder, i, addresses[i], w->now);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static world w;
    script       s = { data, size };
    if (size > 1024) s.left = 1024; /* reaches every limit, and stays fast */
    uint8_t flags = next_byte(&s), players = next_byte(&s);
    open_world(&w, flags, players);
    while (s.left > 0) step(&w, &s);
    drain(&w);
    return 0;
}
