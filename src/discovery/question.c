/* src/discovery/question.c -- see question.h.
 *
 * Tests:    tests/discovery/answer_test.c, tests/discovery/responder_test.c
 */
#include "discovery/question.h"

#include <string.h>

static const struct {
    const char *key;
    uint8_t     asks;
} queries[] = {
    { "basic", SB_ASKS_BASIC },     { "info", SB_ASKS_INFO },     { "rules", SB_ASKS_RULES },
    { "players", SB_ASKS_PLAYERS }, { "status", SB_ASKS_GROUPS }, { "packets", SB_ASKS_PACKETS },
    { "echo", SB_ASKS_ECHO },       { "secure", SB_ASKS_SECURE },
};

bool sb_question_is_answer(const sb_gamespy_text *text)
{
    static const char *const keys[] = { "final", "queryid", "gamename", "validate" };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (sb_gamespy_find(text, keys[i])) return true;
    return false;
}

/* If a key occurs several times, the first one counts. */
static void parse_arguments(sb_question *out, const sb_gamespy_text *text)
{
    const sb_gamespy_pair *echo = sb_gamespy_find(text, "echo");
    const sb_gamespy_pair *secure = sb_gamespy_find(text, "secure");
    if (echo) {
        out->echo_size = (uint8_t)echo->value.size;
        if (echo->value.size > 0 && echo->value.size <= SB_ECHO_MAX)
            memcpy(out->echo, echo->value.data, echo->value.size);
    }
    if (secure && secure->value.size > 0 && secure->value.size <= SB_GAMESPY_CHALLENGE_MAX) {
        out->challenge_size = (uint8_t)secure->value.size;
        memcpy(out->challenge, secure->value.data, secure->value.size);
    }
}

void sb_question_parse(sb_question *out, const sb_gamespy_text *text)
{
    _Static_assert(SB_GAMESPY_VALUE_MAX <= UINT8_MAX, "sizes of values fit");
    *out = (sb_question){ 0 };
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++)
        if (sb_gamespy_find(text, queries[i].key)) out->asks |= queries[i].asks;
    parse_arguments(out, text);
}
