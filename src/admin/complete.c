/* src/admin/complete.c -- the words that may stand at the end of an unfinished command line.
 *
 * Tests:    tests/admin/complete_test.c
 */
#include "admin/complete.h"

#include <stdio.h>
#include <string.h>

#include "admin/find_player.h"
#include "admin/words.h"
#include "config/keys.h"

typedef struct completion {
    sb_admin       *admin;
    const sb_actor *actor;
    const char     *start; /* of the word */
    sb_complete_fn  found;
    void           *context;
} completion;

static void offer(const completion *c, const char *word)
{
    if (sb_words_starts_with(word, c->start)) c->found(c->context, word);
}

static void offer_commands(const completion *c)
{
    for (int i = 0; i < SB_COMMAND_COUNT; i++)
        if (sb_admin_may(c->admin, c->actor, (sb_command_id)i) &&
            sb_admin_has(c->admin, (sb_command_id)i))
            offer(c, sb_commands[i].name);
}

static void offer_players(const completion *c)
{
    const sb_effects *e = &c->admin->effects;
    for (size_t i = 0; i < e->room_count && i < SB_FIND_ROOMS_MAX; i++) {
        const sb_room_snapshot *seen = e->snapshot(e->context, i);
        for (uint32_t k = 0; k < seen->player_count; k++)
            if (seen->players[k].view.name[0]) offer(c, seen->players[k].view.name);
    }
}

/* Keys that `set` can change. */
static void offer_keys(const completion *c)
{
    for (const sb_key *key = sb_config_keys(); key->name; key++)
        if (key->change != SB_CHANGE_RESTART) offer(c, key->name);
}

static void offer_roles(const completion *c)
{
    for (sb_role r = SB_ROLE_HELPER; r < SB_ROLE_OPERATOR; r++) offer(c, sb_role_words[r]);
    offer(c, "none");
}

static void offer_values(const completion *c, const sb_argument *a)
{
    switch (a->kind) {
    case SB_ARGUMENT_PLAYER:
    case SB_ARGUMENT_TARGET: offer_players(c); break;
    case SB_ARGUMENT_KEY: offer_keys(c); break;
    case SB_ARGUMENT_ROLE: offer_roles(c); break;
    case SB_ARGUMENT_COMMAND: offer_commands(c); break;
    case SB_ARGUMENT_CHOICE:
    case SB_ARGUMENT_COUNT:
        for (size_t i = 0; a->words && a->words[i]; i++) offer(c, a->words[i]);
        break;
    default: break;
    }
}

void sb_admin_complete(sb_admin *admin, const sb_actor *actor, const char *line,
                       sb_complete_fn found, void *context)
{
    char       buffer[SB_ADMIN_LINE_MAX], *text = buffer, *words[SB_ARGUMENTS_MAX + 2];
    size_t     count = 0, skipped = 0;
    completion c = { admin, actor, "", found, context };
    uint32_t   number;
    if (strlen(line) >= sizeof buffer) return;
    memcpy(buffer, line, strlen(line) + 1);
    size_t size = strlen(buffer);
    bool   ended = size == 0 || buffer[size - 1] == ' ';
    for (char *w; count < SB_ARGUMENTS_MAX + 2 && (w = sb_words_next(&text, NULL));)
        words[count++] = w;
    if (!ended && count > 0) c.start = words[--count];
    if (count > 0 && sb_words_parse_number(words[0], 1, UINT32_MAX, &number)) skipped = 1;
    if (count == skipped) {
        offer_commands(&c);
        return;
    }
    sb_command_id id = sb_command_find(words[skipped]);
    size_t        argument = count - skipped - 1;
    if (id == SB_COMMAND_COUNT || !sb_admin_may(admin, actor, id)) return;
    if (argument < SB_ARGUMENTS_MAX) offer_values(&c, &sb_commands[id].arguments[argument]);
}
