/* apps/serve/chat.c -- commands that players type in chat: lines that begin with `!`.
 *
 * For:      the main thread, which gets chat lines as notices of the rooms. The answer goes to the
 *           player alone.
 * Never:    answers more than a few commands of one player in a second, or with more than
 *           ANSWER_LINES lines. The room limits chat lines before (spec 09 §4).
 * Tests:    tests/apps/ctl_test.py
 */
#include "serve/serve.h"

#include "admin/admin.h"
#include "base/text.h"
#include "platform/clock.h"

#include <ctype.h>
#include <string.h>

enum { COMMANDS_PER_SECOND = 5, ANSWER_LINES = 16 };

/* Where the answer of the running command goes. */
typedef struct chat_answer {
    serve  *s;
    size_t  room;
    uint8_t peer_id;
    size_t  lines;
} chat_answer;

/* The bytes of `text` that fit into a chat line, up to a blank where there is one. */
static size_t part_size(const uint8_t *text, size_t size)
{
    if (size <= SB_CHAT_MAX) return size;
    for (size_t i = SB_CHAT_MAX; i > SB_CHAT_MAX / 2; i--)
        if (text[i] == ' ') return i;
    return SB_CHAT_MAX;
}

static void take_line(void *context, const sb_log_line *line)
{
    chat_answer    *a = context;
    char            utf8[sizeof line->text + 1];
    uint8_t         game[sizeof utf8];
    sb_room_command c = { .type = SB_ROOM_TELL, .peer_id = a->peer_id };
    memcpy(utf8, line->text, line->text_size);
    utf8[line->text_size] = '\0';
    size_t size = sb_windows1252_from_utf8(utf8, game, sizeof game);
    c.room = (int)a->s->rooms[a->room].index;
    for (size_t at = 0; at < size && a->lines < ANSWER_LINES; a->lines++) {
        size_t part = part_size(game + at, size - at);
        memcpy(c.text, game + at, part);
        c.text[part] = '\0';
        serve_post(a->s, a->s->rooms[a->room].loop, &c);
        at += part;
        while (at < size && game[at] == ' ') at++;
    }
}

/* The player who wrote the line, if that conversation goes on. */
static const sb_player_view *find_author(serve *s, const sb_notice *n)
{
    serve_snapshot_room(s, n->room - 1);
    for (uint32_t i = 0; i < s->snapshot->player_count; i++) {
        const sb_player_view *p = &s->snapshot->players[i].view;
        if (p->peer_id == n->peer_id && p->address.address == n->address.address) return p;
    }
    return NULL;
}

/* Players also begin lines with `!` that are no commands. */
static bool is_command(const char *line)
{
    char   word[24];
    size_t size = strcspn(line, " ");
    if (size >= sizeof word) return false;
    memcpy(word, line, size);
    word[size] = '\0';
    return sb_command_find(word) != SB_COMMAND_COUNT;
}

static void run_chat_line(serve *s, const sb_notice *n, const sb_player_view *author)
{
    chat_answer     answer = { .s = s, .room = n->room - 1, .peer_id = n->peer_id };
    sb_log          log = { .options = { .descriptor = -1, .take = take_line } };
    sb_actor        actor = { .door = SB_DOOR_CHAT, .room = n->room - 1, .peer_id = n->peer_id };
    sb_reply        reply;
    sb_conversation conversation = { n->room, author->peer_id, author->address,
                                     author->connected_at };
    actor.role = sb_roles_of(&s->admin->roles, &conversation);
    snprintf(actor.name, sizeof actor.name, "chat:%s", author->name);
    log.options.take_context = &answer;
    sb_reply_init(&reply, &log, "chat");
    (void)sb_admin_run(s->admin, &actor, n->text + 1, sb_clock_now(), &reply);
    serve_update_access(s); /* the player may hold a role now */
}

/* A mute with an end also holds when its player joins anew. */
static void mute_again(serve *s, const sb_notice *n)
{
    sb_time         until = sb_admin_muted_until(s->admin, n->address.address, sb_clock_now());
    sb_room_command c = { .type = SB_ROOM_MUTE, .peer_id = n->peer_id, .until = until };
    if (until == 0) return;
    c.room = (int)s->rooms[n->room - 1].index;
    serve_post(s, s->rooms[n->room - 1].loop, &c);
}

void serve_read_chat(serve *s, const sb_notice *n)
{
    uint64_t skipped;
    if (n->type == SB_NOTICE_JOINED) mute_again(s, n);
    bool chat = n->type == SB_NOTICE_CHAT || n->type == SB_NOTICE_COMMAND;
    if (n->type == SB_NOTICE_LEFT || n->type == SB_NOTICE_CONNECTED)
        sb_roles_leave(&s->admin->roles, n->room, n->peer_id);
    if (!chat || n->text[0] != '!' || !isalpha((unsigned char)n->text[1])) return;
    if (n->type == SB_NOTICE_CHAT && !is_command(n->text + 1)) return;
    sb_log_limit *limit = &s->chat_limits[(n->room * 131u + n->peer_id) % SERVE_CHAT_LIMITS];
    if (!sb_log_limit_spend(limit, sb_clock_now(), COMMANDS_PER_SECOND, &skipped)) return;
    const sb_player_view *author = find_author(s, n);
    if (author) run_chat_line(s, n, author);
}
