/* src/discovery/answer.c -- see answer.h. */
#include "discovery/answer.h"

#include "base/assert.h"
#include "base/text.h"
#include "discovery/decimal.h"

#include <string.h>

/* Builds an answer packet by packet. Only the last packet is open; the others have a queryid. */
typedef struct answer_builder {
    sb_answer        *answer;
    sb_gamespy_writer packet;
    uint32_t          number;
} answer_builder;

/* Callers have cleaned the texts and checked that the pair fits. */
static void write_pair(sb_gamespy_writer *w, sb_span key, sb_span value)
{
    sb_result result = sb_gamespy_writer_write_pair(w, key, value);
    SB_ASSERT(result == SB_OK);
}

static void open_packet(answer_builder *b)
{
    SB_ASSERT(b->answer->count < SB_ANSWER_PACKETS_MAX);
    sb_gamespy_writer_init(&b->packet, b->answer->packets[b->answer->count], SB_ANSWER_PAYLOAD_MAX);
}

/* Appends the queryid N.M; M counts from 1. Its bytes do not count toward the payload limit (spec
 * 05 §3.3). */
static void close_packet(answer_builder *b)
{
    _Static_assert(SB_ANSWER_PAYLOAD_MAX + sizeof "\\queryid\\4294967295.6" <= SB_ANSWER_MAX,
                   "every queryid fits");
    sb_answer *a = b->answer;
    sb_decimal number = sb_decimal_of(b->number), part = sb_decimal_of((int64_t)a->count + 1);
    char       id[sizeof "4294967295.6"];
    size_t     size = strlen(number.text);
    memcpy(id, number.text, size);
    id[size] = '.';
    memcpy(id + size + 1, part.text, 2); /* one digit and the NUL */
    b->packet.capacity = SB_ANSWER_MAX;
    write_pair(&b->packet, sb_text_span("queryid"), sb_text_span(id));
    a->sizes[a->count++] = (uint16_t)b->packet.size;
}

static void next_packet(answer_builder *b)
{
    close_packet(b);
    open_packet(b);
}

/* Opens another packet if the pair does not fit; a pair is never split (spec 05 §3.3). */
static void add_pair(answer_builder *b, const char *key, sb_span value)
{
    if (2 + strlen(key) + value.size > b->packet.capacity - b->packet.size) next_packet(b);
    write_pair(&b->packet, sb_text_span(key), value);
}

static void add_text(answer_builder *b, const char *key, const char *value)
{
    add_pair(b, key, sb_text_span(value));
}

static void add_number(answer_builder *b, const char *key, int64_t value)
{
    sb_decimal number = sb_decimal_of(value);
    add_text(b, key, number.text);
}

/* Adds `prefix` and a text that a person typed, cleaned: a backslash in it would start another key
 * (spec 05 §2). */
static void add_user_text(answer_builder *b, const char *key, const char *prefix, sb_span value,
                          size_t limit)
{
    uint8_t clean[SB_GAMESPY_VALUE_MAX];
    size_t  size = strlen(prefix);
    SB_ASSERT(size <= limit && limit <= sizeof clean);
    memcpy(clean, prefix, size);
    size += sb_gamespy_clean_value(value, clean + size, limit - size);
    add_pair(b, key, (sb_span){ clean, size });
}

static void add_basic(answer_builder *b, const sb_server_status *s)
{
    add_text(b, "gamename", "bcommander");
    add_text(b, "gamever", "60");
    add_number(b, "location", s->location);
}

static void add_info(answer_builder *b, const sb_server_status *s)
{
    add_user_text(b, "hostname", s->password ? "*" : "", s->host_name, SB_GAMESPY_VALUE_MAX);
    add_user_text(b, "missionscript", "", s->mission_script, SB_GAMESPY_VALUE_MAX);
    add_user_text(b, "mapname", "", s->mode_name, SB_GAMESPY_VALUE_MAX);
    add_number(b, "numplayers", s->player_count);
    add_number(b, "maxplayers", s->player_limit);
    add_text(b, "gamemode", s->open ? "openplaying" : "settings");
}

static void add_rules(answer_builder *b, const sb_server_status *s)
{
    add_number(b, "timelimit", s->time_limit);
    add_number(b, "fraglimit", s->frag_limit);
    add_user_text(b, "system", "", s->system, SB_GAMESPY_VALUE_MAX);
    add_text(b, "password", s->password ? "1" : "0");
}

static void add_players(answer_builder *b, const sb_server_status *s)
{
    SB_ASSERT(s->name_count <= SB_STATUS_PLAYERS_MAX);
    for (uint32_t i = 0; i < s->name_count; i++) {
        char       key[sizeof "player_" + 2] = "player_";
        sb_decimal number = sb_decimal_of(i);
        _Static_assert(SB_STATUS_PLAYERS_MAX <= 100, "two digits");
        memcpy(key + sizeof "player_" - 1, number.text, 3);
        add_user_text(b, key, "", s->names[i], SB_ANSWER_NAME_MAX);
    }
}

/* Adds each requested group once, in the order of spec 05 §3, whatever the order in the query. */
static void add_groups(answer_builder *b, const sb_question *q, const sb_server_status *s)
{
    static void (*const groups[])(answer_builder *,
                                  const sb_server_status *) = { add_basic, add_info, add_rules,
                                                                add_players };
    bool separate = q->asks & SB_ASKS_PACKETS;
    for (unsigned i = 0; i < sizeof groups / sizeof *groups; i++) {
        if (!separate && !(q->asks & SB_ASKS_BASIC << i)) continue;
        if (separate && i > 0) next_packet(b);
        groups[i](b, s);
    }
}

static void add_validate(answer_builder *b, const sb_question *q)
{
    char      response[SB_GAMESPY_RESPONSE_MAX + 1];
    sb_span   challenge = { q->challenge, q->challenge_size };
    sb_result result =
        sb_gamespy_validate(challenge, (sb_span){ NULL, 0 }, response, sizeof response);
    SB_ASSERT(result == SB_OK);
    add_text(b, "validate", response);
}

void sb_answer_build(sb_answer *out, const sb_question *q, const sb_server_status *status,
                     uint32_t number)
{
    answer_builder b = { .answer = out, .number = number };
    out->count = 0;
    open_packet(&b);
    add_groups(&b, q, status);
    if (q->asks & SB_ASKS_ECHO) add_pair(&b, "echo", (sb_span){ q->echo, q->echo_size });
    /* A challenge that cannot be answered is left out; the rest is sent (spec 05 §8). */
    if (q->challenge_size > 0) add_validate(&b, q);
    add_text(&b, "final", "");
    close_packet(&b);
}
