/* apps/serve/standings.c -- logs the end of a match: the reason, the winner, and every player's
 * result.
 *
 * For:      events.c. Text logs have a line per player; a JSON log has all results in one line.
 * Tests:    tests/apps/serve_test.py
 */
#include "serve/serve.h"

#include "base/text.h"

static const char *end_text(int64_t reason)
{
    static const char *const texts[] = { "ended by the operator", "time limit reached",
                                         "kill limit reached", "score limit reached",
                                         "the starbase is destroyed" };
    bool known = reason >= 0 && reason < (int64_t)(sizeof texts / sizeof *texts);
    return known ? texts[reason] : "?";
}

enum { NAME_BYTES = 3 * SB_NAME_UNITS + 1 }; /* UTF-8 */

static const char *name_of(const sb_match_row *row, char out[NAME_BYTES])
{
    sb_utf8_from_utf16((sb_span){ row->name, row->name_size }, out, NAME_BYTES);
    return out;
}

static void append_winner(sb_log_line *line, const sb_match *match)
{
    char                name[NAME_BYTES];
    const sb_match_row *player;
    uint8_t             team;
    sb_match_winner(match, &player, &team);
    if (player) {
        sb_log_text(line, "; %s wins", name_of(player, name));
        sb_log_value_word(line, "winner", name);
    } else if (team != SB_NO_TEAM) {
        sb_log_text(line, "; team %u wins", team);
        sb_log_value_number(line, "winner_team", team);
    } else sb_log_text(line, "; nobody is ahead");
}

static void append_teams(sb_log_line *line, const sb_match *match)
{
    if (!match->config.mode->teams) return;
    sb_log_start_list(line, "teams");
    for (unsigned i = 0; i < 2; i++) {
        sb_log_text(line, "%s team %u: %d kills, %d points", i ? "," : ";", i,
                    match->teams[i].kills, match->teams[i].score);
        sb_log_start_item(line);
        sb_log_value_number(line, "team", i);
        sb_log_value_number(line, "kills", match->teams[i].kills);
        sb_log_value_number(line, "score", match->teams[i].score);
        sb_log_end_item(line);
    }
    sb_log_end_list(line);
}

static bool is_bot(const sb_match_row *row)
{
    return sb_endpoint_is_house((sb_endpoint){ row->address, 0 });
}

static void append_item(sb_log_line *line, const sb_match_row *row)
{
    char name[NAME_BYTES];
    sb_log_start_item(line);
    sb_log_value_number(line, "peer", row->peer_id);
    sb_log_value_word(line, "player", name_of(row, name));
    if (row->team != SB_NO_TEAM) sb_log_value_number(line, "team", row->team);
    sb_log_value_number(line, "kills", row->kills);
    sb_log_value_number(line, "deaths", row->deaths);
    sb_log_value_number(line, "score", row->score);
    if (!row->present) sb_log_value_number(line, "left", 1);
    if (is_bot(row)) sb_log_value_number(line, "bot", 1);
    sb_log_end_item(line);
}

static void log_row(serve_room *r, unsigned place, const sb_match_row *row)
{
    sb_log_line line;
    char        name[NAME_BYTES];
    if (!sb_log_start(&line, r->log, SB_LOG_INFO, "score", r->number)) return;
    sb_log_text(&line, "%u. %s", place, name_of(row, name));
    if (row->team != SB_NO_TEAM) sb_log_text(&line, " (team %u)", row->team);
    sb_log_text(&line, ": %d kills, %d deaths, %d points%s", row->kills, row->deaths, row->score,
                row->present ? "" : ", left before the end");
    sb_log_end(&line);
}

void serve_log_match_over(serve_room *r, const sb_server_event *e)
{
    sb_log_line         line;
    const sb_match_row *rows[SB_MATCH_PLAYERS];
    size_t              count = sb_match_standings(e->match, rows);
    if (!serve_start_line(r, &line, e, SB_LOG_INFO, "game")) return;
    sb_log_text(&line, "the match is over: %s", end_text(e->value));
    sb_log_value_number(&line, "reason", e->value);
    append_winner(&line, e->match);
    append_teams(&line, e->match);
    sb_log_value_number(&line, "players", (int64_t)count);
    sb_log_start_list(&line, "standings");
    for (size_t i = 0; i < count; i++) append_item(&line, rows[i]);
    sb_log_end_list(&line);
    sb_log_end(&line);
    for (size_t i = 0; i < count && !r->log->options.json; i++)
        log_row(r, (unsigned)i + 1, rows[i]);
}
