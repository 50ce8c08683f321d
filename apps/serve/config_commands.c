/* apps/serve/config_commands.c -- the commands that the configuration names: lists of roles, and
 * what votes run.
 *
 * For:      commands.c, and the check of a configuration before it counts.
 * Tests:    tests/apps/rules_test.py, tests/apps/ctl_test.py
 */
#include "serve/rules.h"

#include "admin/admin.h"
#include "admin/words.h"

#include <stdlib.h>
#include <string.h>

/* ---- the lists of roles ---- */

/* Splits a list at commas and blanks, in place. */
static size_t split_list(char *text, const char **words, size_t max)
{
    size_t count = 0;
    char  *rest = NULL;
    for (char *w = strtok_r(text, ", ", &rest); w && count < max; w = strtok_r(NULL, ", ", &rest))
        words[count++] = w;
    return count;
}

static bool allow(sb_admin *admin, sb_role role, const char *list, char *error, size_t capacity)
{
    char        copy[1024];
    const char *words[SB_COMMAND_COUNT * 2], *wrong = "";
    snprintf(copy, sizeof copy, "%s", list);
    size_t count = split_list(copy, words, sizeof words / sizeof *words);
    if (sb_admin_allow(admin, role, words, count, &wrong)) return true;
    snprintf(error, capacity, "%s_commands: `%.40s` is no command for the chat",
             sb_role_words[role], wrong);
    return false;
}

bool serve_apply_roles(sb_admin *admin, const sb_process_config *config, char *error,
                       size_t capacity)
{
    return allow(admin, SB_ROLE_HELPER, config->helper_commands, error, capacity) &&
           allow(admin, SB_ROLE_MODERATOR, config->moderator_commands, error, capacity) &&
           allow(admin, SB_ROLE_ADMIN, config->admin_commands, error, capacity);
}

/* ---- the commands of votes ---- */

/* An admin without a server, for checks. */
typedef struct checker {
    sb_admin admin;
    sb_log   log; /* takes answers, of which only the summary is read */
} checker;

static void drop_line(void *context, const sb_log_line *line)
{
    (void)context;
    (void)line;
}

/* The word after `map` or `mission`, unless players choose it. */
static bool check_fixed_word(const sb_room_config *room, const sb_vote_row *row, char *why,
                             size_t capacity)
{
    char copy[SB_VOTE_COMMAND_MAX], *rest = copy;
    snprintf(copy, sizeof copy, "%s", row->command);
    (void)sb_words_next(&rest, NULL);
    const char *word = sb_words_next(&rest, NULL);
    return !word || strcmp(word, "%s") == 0 || serve_vote_takes(room, row, word, why, capacity);
}

static bool check_vote(checker *c, const sb_room_config *room, const sb_vote_row *row, char *why,
                       size_t capacity)
{
    static const sb_actor vote = { SB_DOOR_VOTE, SB_ROLE_OPERATOR, "vote", 0, 0 };
    sb_command_check      check = { row->argument == SB_VOTE_NOTHING ? NULL : "%s",
                               row->argument == SB_VOTE_PLAYER };
    sb_reply reply;
    sb_reply_init(&reply, &c->log, "vote");
    if (sb_admin_check(&c->admin, &vote, row->command, &check, &reply))
        return check_fixed_word(room, row, why, capacity);
    snprintf(why, capacity, "%s", reply.summary);
    return false;
}

/* The rows of one room. False: `error` names the row. */
static bool check_votes(checker *c, const sb_process_config *config, size_t room, char *error,
                        size_t capacity)
{
    const sb_vote_rows *votes = &config->rooms[room].votes;
    char                why[SB_REPLY_SUMMARY], place[32] = "";
    if (room > 0) snprintf(place, sizeof place, "rooms[%zu].", room + 1);
    for (size_t i = 0; i < votes->count; i++) {
        const sb_vote_row *row = &votes->rows[i];
        if (check_vote(c, &config->rooms[room], row, why, sizeof why)) continue;
        snprintf(error, capacity, "%s: %svotes[%zu].command: `%s`: %.300s",
                 config->file ? config->file : "votes", place, i + 1, row->command, why);
        return false;
    }
    return true;
}

bool serve_check_commands(const sb_process_config *config, char *error, size_t capacity)
{
    sb_effects none = { .room_count = 1 };
    checker   *c = calloc(1, sizeof *c);
    if (!c) return true;
    sb_admin_init(&c->admin, &none);
    c->log.options = (sb_log_options){ .descriptor = -1, .take = drop_line };
    bool fine = serve_apply_roles(&c->admin, config, error, capacity);
    for (size_t i = 0; fine && i < config->room_count; i++)
        fine = check_votes(c, config, i, error, capacity);
    free(c);
    return fine;
}
