/* apps/bot/events.c -- prints the events of headless players: a line or a JSON object each.
 *
 * Tests:    tests/apps/bot_test.py
 */
#include "bot/bot.h"

#include <starbase/message_join.h>
#include <starbase/message_script.h>

#include "common/clean_text.h"
#include "platform/clock.h"

#include <stdarg.h>
#include <string.h>

enum { TEXT_BYTES = 1100 }; /* a chat line of 255 characters in UTF-8 */

/* ---- lines ---- */

double bot_seconds(sb_time start, sb_time now)
{
    return (double)(now - start) / (double)SB_SECOND;
}

/* Prints the sentence as a line. With --json it opens an object instead and returns true: the
 * caller appends values and calls end_object. */
static bool start_line(bot_job *j, size_t index, const char *event, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static bool start_line(bot_job *j, size_t index, const char *event, const char *format, ...)
{
    FILE   *line = j->output.line;
    double  time = bot_seconds(j->started_at, sb_clock_now());
    va_list list;
    if (j->quiet) return false;
    if (j->json) {
        fprintf(line, "{\"time\":%.3f,\"bot\":", time);
        sb_clean_print_json(line, j->bots[index].name);
        fprintf(line, ",\"event\":\"%s\"", event);
        return true;
    }
    fprintf(line, "%9.3f  %-12s  ", time, j->bots[index].name);
    va_start(list, format);
    vfprintf(line, format, list);
    va_end(list);
    putc('\n', line);
    bot_output_end_line(&j->output);
    return false;
}

static void append_text(bot_job *j, const char *key, const char *value)
{
    fprintf(j->output.line, ",\"%s\":", key);
    sb_clean_print_json(j->output.line, value);
}

static void append_number(bot_job *j, const char *key, int64_t value)
{
    fprintf(j->output.line, ",\"%s\":%lld", key, (long long)value);
}

static void end_object(bot_job *j)
{
    fprintf(j->output.line, "}\n");
    bot_output_end_line(&j->output);
}

/* ---- names of players and ships ---- */

static void format_player_name(const sb_client *client, uint8_t peer_id, char out[BOT_NAME_BYTES])
{
    const sb_seen_player *player = sb_client_find_player(client, peer_id);
    if (player && player->name[0]) (void)sb_clean_utf8(player->name, out, BOT_NAME_BYTES);
    else if (peer_id <= 1) snprintf(out, BOT_NAME_BYTES, "server");
    else snprintf(out, BOT_NAME_BYTES, "player %u", peer_id);
}

static const char *ship_name(const sb_client *client, uint32_t object_id)
{
    const sb_seen_ship *ship = sb_client_find_ship(client, object_id);
    return ship && ship->ship.model ? ship->ship.model->name : "a ship";
}

/* ---- joins that fail ---- */

static const char *explain_boot(const bot_job *j, uint8_t reason)
{
    switch (reason) {
    case SB_BOOT_FULL:
        return "the server is full, or has too many players from this address: try "
               "again later, or with fewer players";
    case SB_BOOT_PASSWORD:
        return j->password ? "wrong password" : "the server needs a password: --password";
    case SB_BOOT_KICKED:
        return "the server removed us, perhaps because of our files: --manifest FILE "
               "claims other files";
    case SB_BOOT_BANNED: return "the server has banned us";
    case SB_BOOT_TIMED_OUT: return "the server received nothing from us for too long";
    default: return "the server removed us without a reason";
    }
}

/* The reason of a Boot in the game. Files are not a possible reason: they were accepted. */
static const char *removal_text(uint8_t reason)
{
    switch (reason) {
    case SB_BOOT_KICKED: return "the server removed us (kicked)";
    case SB_BOOT_BANNED: return "the server removed us (banned)";
    case SB_BOOT_TIMED_OUT: return "the server received nothing from us for too long";
    default: return "the server removed us without a reason";
    }
}

static void explain_no_answer(const bot_job *j, char out[BOT_REASON_BYTES])
{
    char server[SB_ENDPOINT_TEXT];
    sb_endpoint_text(j->server, server);
    snprintf(out, BOT_REASON_BYTES,
             "no answer from %s: no server runs there, or a firewall blocks UDP; `starbase query "
             "%s` asks for its status",
             server, server);
}

static void explain_end(const bot_job *j, const bot_player *b, const sb_client_event *e,
                        char out[BOT_REASON_BYTES])
{
    char server[SB_ENDPOINT_TEXT];
    sb_endpoint_text(j->server, server);
    if (e->reason == SB_LEFT_NO_ANSWER) explain_no_answer(j, out);
    else if (e->reason == SB_LEFT_BOOTED)
        snprintf(out, BOT_REASON_BYTES, "%s",
                 b->joined_at ? removal_text(e->boot_reason) : explain_boot(j, e->boot_reason));
    else if (e->reason == SB_LEFT_TIMED_OUT)
        snprintf(out, BOT_REASON_BYTES, "%s timed out (%s)", server,
                 sb_client_phase_text(b->phase));
    else if (e->reason == SB_LEFT_HOST_CLOSED) snprintf(out, BOT_REASON_BYTES, "server closed");
    else snprintf(out, BOT_REASON_BYTES, "%s", sb_leave_reason_text(e->reason));
}

void bot_report_failure(bot_job *j, size_t index, const char *reason)
{
    bot_player *b = &j->bots[index];
    if (b->failed) return;
    b->failed = true;
    if (j->quiet)
        bot_output_error(&j->output, "starbase bot: %s could not join: %s\n", b->name, reason);
    if (!start_line(j, index, "failed", "could not join: %s", reason)) return;
    append_text(j, "reason", reason);
    end_object(j);
}

void bot_report_too_late(bot_job *j, size_t index)
{
    const sb_client *client = sb_player_loop_client(j->loop, index);
    char             reason[BOT_REASON_BYTES];
    if (j->bots[index].joined_at != 0) return;
    if (!client) snprintf(reason, sizeof reason, "the time was up before the join started");
    else if (sb_client_phase_of(client) == SB_CLIENT_CONNECTING) explain_no_answer(j, reason);
    else
        snprintf(reason, sizeof reason, "still %s when the time was up",
                 sb_client_phase_text(sb_client_phase_of(client)));
    bot_report_failure(j, index, reason);
}

static void report_refused_files(bot_job *j, size_t index, const sb_client_event *e)
{
    char file[TEXT_BYTES], reason[TEXT_BYTES + BOT_REASON_BYTES];
    (void)sb_clean_game_text(e->text, file, sizeof file);
    snprintf(reason, sizeof reason,
             "the server does not accept our %s `%s` (0x%02X): --manifest FILE claims the files "
             "its players have",
             e->value == SB_OP_VERSION_MISMATCH ? "version, file" : "file", file,
             (unsigned)e->value);
    bot_report_failure(j, index, reason);
}

static void print_offered_file(bot_job *j, size_t index, const sb_client_event *e)
{
    char file[TEXT_BYTES];
    (void)sb_clean_game_text(e->text, file, sizeof file);
    if (!start_line(j, index, "file_offered", "the server sends the file `%s`: not written", file))
        return;
    append_text(j, "file", file);
    end_object(j);
}

/* ---- events ---- */

static void handle_joined(bot_job *j, size_t index, const sb_client *client)
{
    bot_player        *b = &j->bots[index];
    const sb_settings *settings = sb_client_settings(client);
    char               map[TEXT_BYTES];
    (void)sb_clean_game_text(settings->map, map, sizeof map);
    b->joined_at = sb_clock_now();
    if (!start_line(j, index, "joined", "joined as player %u, slot %d: %s", sb_client_id(client),
                    sb_client_slot(client), map))
        return;
    append_number(j, "peer_id", sb_client_id(client));
    append_number(j, "slot", sb_client_slot(client));
    append_text(j, "map", map);
    append_number(j, "system", sb_client_mission(client)->system);
    end_object(j);
}

static void handle_phase(bot_job *j, size_t index, const sb_client *client,
                         const sb_client_event *e)
{
    bot_player *b = &j->bots[index];
    if (b->join_started_at == 0) b->join_started_at = e->now;
    if (e->value == SB_CLIENT_LOBBY && b->joined_at == 0) handle_joined(j, index, client);
    if (e->value != SB_CLIENT_OVER) b->phase = (sb_client_phase)e->value;
}

static void handle_left(bot_job *j, size_t index, const sb_client_event *e)
{
    bot_player *b = &j->bots[index];
    char        reason[BOT_REASON_BYTES];
    b->left_at = e->now;
    b->how = e->reason;
    explain_end(j, b, e, reason);
    if (b->joined_at == 0 && !j->leaving) bot_report_failure(j, index, reason);
    if (b->joined_at == 0) return;
    b->lost = e->reason != SB_LEFT_QUIT && e->reason != SB_LEFT_HOST_CLOSED;
    if (j->quiet && b->lost)
        bot_output_error(&j->output, "starbase bot: %s: %s\n", b->name, reason);
    if (!start_line(j, index, "left", "left: %s", reason)) return;
    append_text(j, "how", sb_leave_reason_text(e->reason));
    append_text(j, "reason", reason);
    end_object(j);
}

static void handle_spawned(bot_job *j, size_t index, const sb_client *client,
                           const sb_client_event *e)
{
    const char *ship = ship_name(client, e->object_id);
    if (e->peer_id != sb_client_id(client)) return;
    j->bots[index].ships++;
    if (!start_line(j, index, "spawned", "flies %s", ship)) return;
    append_text(j, "ship", ship);
    append_number(j, "object_id", e->object_id);
    end_object(j);
}

static void print_death(bot_job *j, size_t index, const sb_client *client, const sb_client_event *e)
{
    char                killer[BOT_NAME_BYTES] = "";
    const sb_seen_ship *ship = sb_client_find_ship(client, e->object_id);
    if (!ship || !ship->own) return;
    if (e->peer_id != 0) format_player_name(client, e->peer_id, killer);
    if (!start_line(j, index, "death", "%s is destroyed%s%s", ship_name(client, e->object_id),
                    e->peer_id ? " by " : "", killer))
        return;
    append_text(j, "ship", ship_name(client, e->object_id));
    if (e->peer_id != 0) append_text(j, "killer", killer);
    end_object(j);
}

static void print_kill(bot_job *j, size_t index, const sb_client *client, const sb_client_event *e)
{
    char killer[BOT_NAME_BYTES], victim[BOT_NAME_BYTES];
    if (e->peer_id == 0 || e->peer_id == e->value) return;
    format_player_name(client, e->peer_id, killer);
    format_player_name(client, (uint8_t)e->value, victim);
    if (!start_line(j, index, "kill", "%s has destroyed %s", killer, victim)) return;
    append_text(j, "killer", killer);
    append_text(j, "victim", victim);
    end_object(j);
}

static void print_chat(bot_job *j, size_t index, const sb_client *client, const sb_client_event *e)
{
    char name[BOT_NAME_BYTES], text[TEXT_BYTES];
    format_player_name(client, e->peer_id, name);
    (void)sb_clean_game_text(e->text, text, sizeof text);
    if (!start_line(j, index, "chat", "%s%s: %s", name, e->value ? " (team)" : "", text)) return;
    append_text(j, "from", name);
    append_text(j, "text", text);
    fprintf(j->output.line, ",\"team\":%s", e->value ? "true" : "false");
    end_object(j);
}

static void print_player(bot_job *j, size_t index, const sb_client *client, uint8_t peer_id,
                         bool joined)
{
    char name[BOT_NAME_BYTES];
    format_player_name(client, peer_id, name);
    if (!start_line(j, index, joined ? "player_joined" : "player_left", "%s %s the game", name,
                    joined ? "is in" : "has left"))
        return;
    append_text(j, "player", name);
    end_object(j);
}

/* PlayerListEvent (0x17) arrives before the name, so bot_report_arrivals reports an
 * arrival later. */
static void handle_player(bot_job *j, size_t index, const sb_client *client,
                          const sb_client_event *e)
{
    if (e->peer_id == sb_client_id(client)) return;
    if (e->type == SB_CLIENT_PLAYER_JOINED) {
        j->arrived[e->peer_id] = true;
        return;
    }
    j->arrived[e->peer_id] = false;
    print_player(j, index, client, e->peer_id, false);
}

/* Events that all players see are printed once: by the first player in the game. */
static bool is_reporter(const bot_job *j, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (j->bots[i].joined_at != 0 && j->bots[i].left_at == 0) return false;
    return true;
}

void bot_report_arrivals(bot_job *j, size_t index)
{
    const sb_client *client = sb_player_loop_client(j->loop, index);
    if (!client || j->bots[index].joined_at == 0 || !is_reporter(j, index)) return;
    for (unsigned i = 0; i < 256; i++) {
        if (j->arrived[i]) print_player(j, index, client, (uint8_t)i, true);
        j->arrived[i] = false;
    }
}

static void print_match(bot_job *j, size_t index, const sb_client_event *e)
{
    bool over = e->type == SB_CLIENT_GAME_OVER;
    if (!start_line(j, index, over ? "game_over" : "restarted", "%s",
                    over ? "the match is over" : "a new match starts"))
        return;
    if (over) append_number(j, "reason", e->value);
    end_object(j);
}

void bot_handle_event(void *context, size_t index, const sb_client *client,
                      const sb_client_event *e)
{
    bot_job *j = context;
    if (e->type == SB_CLIENT_SCORE)
        bot_update_score(&j->bots[index], sb_client_find_player(client, sb_client_id(client)));
    if (e->type == SB_CLIENT_RESTARTED) bot_finish_match(&j->bots[index]);
    switch (e->type) {
    case SB_CLIENT_PHASE: handle_phase(j, index, client, e); return;
    case SB_CLIENT_REFUSED_FILES: report_refused_files(j, index, e); return;
    case SB_CLIENT_FILE_OFFERED: print_offered_file(j, index, e); return;
    case SB_CLIENT_LEFT: handle_left(j, index, e); return;
    case SB_CLIENT_SPAWNED: handle_spawned(j, index, client, e); return;
    case SB_CLIENT_EXPLODING: print_death(j, index, client, e); return;
    default: break;
    }
    if (!is_reporter(j, index)) return;
    switch (e->type) {
    case SB_CLIENT_SCORE: print_kill(j, index, client, e); break;
    case SB_CLIENT_CHAT: print_chat(j, index, client, e); break;
    case SB_CLIENT_PLAYER_JOINED:
    case SB_CLIENT_PLAYER_LEFT: handle_player(j, index, client, e); break;
    case SB_CLIENT_GAME_OVER:
    case SB_CLIENT_RESTARTED: print_match(j, index, e); break;
    default: break;
    }
}
