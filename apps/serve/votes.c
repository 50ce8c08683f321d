/* apps/serve/votes.c -- the commands vote, yes and no, and what becomes of a vote.
 *
 * For:      rules.c, and the command table. admin/votes.h counts.
 * Tests:    tests/apps/rules_test.py
 */
#include "serve/rules.h"

#include "admin/admin.h"
#include "admin/find_player.h"
#include "admin/run_commands.h"
#include "admin/words.h"
#include "platform/clock.h"

#include <string.h>

static sb_votes *votes_of(serve *s, size_t room)
{
    return &s->rules->rooms[room].votes;
}

/* ---- results ---- */

/* A log line: passed votes act, and their commands are recorded as those of `vote`. */
static void announce(serve *s, size_t room, const char *format, const char *question)
{
    const sb_votes *v = votes_of(s, room);
    char            result[64];
    snprintf(result, sizeof result, "%u yes, %u no", v->yes, v->no);
    serve_say(s, room, format, question, result);
    sb_log_line line;
    if (!sb_log_start(&line, &s->log, SB_LOG_INFO, "vote", s->rooms[room].number)) return;
    sb_log_text(&line, format, question, result);
    sb_log_value_word(&line, "question", question);
    sb_log_value_number(&line, "yes", v->yes);
    sb_log_value_number(&line, "no", v->no);
    sb_log_end(&line);
}

static void run_passed(serve *s, size_t room, sb_time now)
{
    char     command[SB_VOTE_COMMAND_MAX];
    sb_actor actor = { .door = SB_DOOR_VOTE, .role = SB_ROLE_OPERATOR, .name = "vote" };
    sb_reply reply;
    sb_votes_command(votes_of(s, room), command);
    actor.room = room;
    sb_reply_init(&reply, &s->log, "vote");
    (void)sb_admin_run(s->admin, &actor, command, now, &reply);
    if (reply.status != SB_REPLY_FINE) serve_say(s, room, "That did not work: %s", reply.summary);
}

void serve_votes_advance(serve *s, size_t room, sb_time now)
{
    char question[SB_VOTE_TEXT_MAX];
    if (!votes_of(s, room)->open) return;
    serve_snapshot_room(s, room);
    sb_vote_state state = sb_votes_advance(votes_of(s, room), serve_count_people(s), now);
    if (state != SB_VOTE_PASSED && state != SB_VOTE_FAILED) return;
    sb_votes_question(votes_of(s, room), question);
    if (state == SB_VOTE_FAILED) announce(s, room, "The vote has failed: %s (%s)", question);
    else {
        announce(s, room, "The vote has passed: %s (%s)", question);
        run_passed(s, room, now);
    }
}

void serve_votes_leave(serve *s, size_t room, uint8_t peer_id, sb_time now)
{
    char question[SB_VOTE_TEXT_MAX];
    if (!votes_of(s, room)->open) return;
    if (sb_votes_leave(votes_of(s, room), peer_id, now)) {
        sb_votes_question(votes_of(s, room), question);
        announce(s, room, "The player has left, the vote is over: %s (%s)", question);
    } else serve_votes_advance(s, room, now);
}

/* ---- calling a vote ---- */

static void list_votes(sb_call *call, const sb_votes *v)
{
    static const char *const forms[] = { "", " NAME", " WORD" };
    char                     question[SB_VOTE_TEXT_MAX], list[200] = "";
    size_t                   size = 0;
    for (size_t i = 0; i < v->row_count && size < sizeof list; i++)
        size += (size_t)snprintf(list + size, sizeof list - size, "%s!vote %s%s", i ? ", " : "",
                                 v->rows[i].name, forms[v->rows[i].argument]);
    if (v->row_count == 0) sb_reply_refuse(call->reply, 0, "There are no votes on this server.");
    else sb_reply_say(call->reply, 0, "%s", list);
    if (!v->open) return;
    sb_votes_question(v, question);
    sb_reply_say(call->reply, 0, "Now: %s? %u yes, %u no: type !yes or !no", question, v->yes,
                 v->no);
}

static const sb_player_view *find_caller(const serve *s, const sb_call *call)
{
    for (uint32_t i = 0; i < s->snapshot->player_count; i++)
        if (s->snapshot->players[i].view.peer_id == call->actor->peer_id)
            return &s->snapshot->players[i].view;
    return NULL;
}

static void refuse_call(sb_call *call, sb_vote_fault fault, uint32_t wait_s)
{
    switch (fault) {
    case SB_VOTE_IS_OPEN:
        sb_reply_refuse(call->reply, 0, "There is a vote already: type !yes or !no");
        break;
    case SB_VOTE_ROW_COOLS:
    case SB_VOTE_CALLER_COOLS:
        sb_reply_refuse(call->reply, 0, "A vote of %s failed: try again in %u s.",
                        fault == SB_VOTE_ROW_COOLS ? "this kind" : "yours", wait_s);
        break;
    case SB_VOTE_AGAINST_SELF:
        sb_reply_refuse(call->reply, 0, "You can leave without a vote.");
        break;
    default: sb_reply_refuse(call->reply, 0, "There is no vote now."); break;
    }
}

/* A stranger can forge whole joins, and the lines of such players, but does not hear the server. So
 * they count as people without a vote. NULL: the answer says why the caller has none, or the caller
 * is gone. */
static const sb_player_view *find_voter(const serve *s, sb_call *call)
{
    const sb_player_view *caller = find_caller(s, call);
    if (!caller || caller->peer.proven) return caller;
    sb_reply_refuse(call->reply, 0, "Your game has not answered the server yet: try again.");
    return NULL;
}

/* Finds the player that the vote is about. False: the answer says why not. */
static bool read_player(serve *s, sb_call *call, char *text, sb_argument_value *who)
{
    char          explanation[SB_FIND_TEXT_MAX];
    sb_find_rooms rooms = { call->effects, call->first_room, 1, sb_call_mark(call) };
    if (sb_find_player(&rooms, &text, who, explanation) != SB_FIND_ONE) {
        sb_reply_refuse(call->reply, 0, "%s", explanation);
        return false;
    }
    sb_conversation player = sb_conversation_of(call->first_room, &who->player);
    if (!serve_is_person(&who->player))
        sb_reply_refuse(call->reply, 0, "%s is a bot of this server.", who->player.name);
    else if (sb_roles_of(&s->admin->roles, &player) != SB_ROLE_PLAYER)
        sb_reply_refuse(call->reply, 0, "%s has a role: there is no vote about such players.",
                        who->player.name);
    else return true;
    return false;
}

bool serve_vote_takes(const sb_room_config *room, const sb_vote_row *row, const char *word,
                      char *why, size_t capacity)
{
    bool map = strncmp(row->command, "map ", 4) == 0;
    bool mission = strncmp(row->command, "mission ", 8) == 0;
    char names[160];
    if (map && !sb_config_find_system(room->server.systems, word)) {
        serve_list_systems(room, names, sizeof names);
        snprintf(why, capacity, "There is no star system `%.40s`, only %s.", word, names);
    } else if (mission && !sb_find_mode(word))
        snprintf(why, capacity, "There is no mission `%.40s`, only ffa, team, faction, assault.",
                 word);
    else return true;
    return false;
}

/* A wrong system is refused before the vote, not after it. */
static bool check_word(serve *s, sb_call *call, const sb_vote_row *row, const char *word)
{
    char why[256];
    if (serve_vote_takes(s->rooms[call->first_room].config, row, word, why, sizeof why))
        return true;
    sb_reply_refuse(call->reply, 0, "%s", why);
    return false;
}

static void tell_voters(serve *s, size_t room, const char *caller)
{
    const sb_votes *v = votes_of(s, room);
    char            question[SB_VOTE_TEXT_MAX];
    sb_votes_question(v, question);
    serve_say(s, room, "%s asks to %s: type !yes or !no within %d s.", caller, question,
              v->rows[v->row].seconds);
    if (v->target != 0)
        serve_tell(s, room, v->target, "This vote is about you: %u of the players must vote.",
                   sb_votes_needed(&v->rows[v->row], serve_count_people(s)));
}

static void call_vote(serve *s, sb_call *call, size_t row, const char *argument, uint8_t target)
{
    size_t   room = call->first_room;
    uint32_t wait_s = 0;
    serve_snapshot_room(s, room);
    const sb_player_view *caller = find_voter(s, call);
    if (!caller) return;
    char          name[96];
    uint32_t      address = caller->address.address;
    sb_vote_fault fault = sb_votes_call(votes_of(s, room), row, call->actor->peer_id, address,
                                        target, argument, call->now, &wait_s);
    if (fault != SB_VOTE_FINE) {
        refuse_call(call, fault, wait_s);
        return;
    }
    snprintf(name, sizeof name, "%s", caller->name);
    tell_voters(s, room, name);
    serve_rules_wake(s, sb_votes_deadline(votes_of(s, room)));
    serve_votes_advance(s, room, call->now);
}

void serve_run_vote(void *context, sb_call *call)
{
    serve            *s = context;
    char              text[SB_ADMIN_LINE_MAX];
    sb_argument_value who = { .given = false };
    size_t            room = call->first_room;
    snprintf(text, sizeof text, "%s", call->values[0].text);
    char *rest = text, *name = sb_words_next(&rest, NULL);
    int   found = name ? sb_votes_find_row(votes_of(s, room), name) : -1;
    if (found < 0) {
        list_votes(call, votes_of(s, room));
        return;
    }
    const sb_vote_row *row = &votes_of(s, room)->rows[found];
    rest = sb_words_skip_blanks(rest);
    sb_words_trim_end(rest);
    if (row->argument != SB_VOTE_NOTHING && rest[0] == '\0')
        sb_reply_usage(call->reply, 0, "!vote %s %s", row->name,
                       row->argument == SB_VOTE_PLAYER ? "NAME" : "WORD");
    else if (row->argument == SB_VOTE_PLAYER) {
        if (read_player(s, call, rest, &who))
            call_vote(s, call, (size_t)found, who.player.name, who.player.peer_id);
    } else if (row->argument == SB_VOTE_NOTHING) call_vote(s, call, (size_t)found, "", 0);
    else {
        char *word = sb_words_next(&rest, NULL);
        if (word && strlen(word) < SB_VOTE_ARGUMENT_MAX && check_word(s, call, row, word))
            call_vote(s, call, (size_t)found, word, 0);
    }
}

/* ---- casting ---- */

static void cast(serve *s, sb_call *call, bool yes)
{
    sb_votes *v = votes_of(s, call->first_room);
    serve_snapshot_room(s, call->first_room);
    if (v->open && !find_voter(s, call)) return;
    sb_vote_fault fault = sb_votes_cast(v, call->actor->peer_id, yes);
    if (fault == SB_VOTE_NOT_OPEN) refuse_call(call, fault, 0);
    else
        sb_reply_say(call->reply, 0, "You vote %s: %u yes, %u no.", yes ? "yes" : "no", v->yes,
                     v->no);
    serve_votes_advance(s, call->first_room, call->now);
}

void serve_run_yes(void *context, sb_call *call)
{
    cast(context, call, true);
}

void serve_run_no(void *context, sb_call *call)
{
    cast(context, call, false);
}
