/* src/config/keys.c -- the one table of keys: words, checks, and which key was meant. What the
 * table says about values is done in server_values.c. */
#include "config/keys.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "platform/udp.h"

/* ---- words ---- */

/* In the order of the enums; server_config_test.c compares them with what the library says. */
static const char *const level_words[] = { "error", "warning", "info", "debug", NULL };
static const char *const layout_words[] = { "ship", "stock", "documented", NULL };
static const char *const retransmit_words[] = { "stock", "measured", NULL };

static const char *const query_words[] = { "never", "lan", "always", NULL };
static const char *const fidelity_words[] = { "relay", "collisions", "weapons", "enforce", NULL };

/* ---- checks ---- */

static const char *check_mission(const char *text)
{
    return sb_find_mode(text) ? NULL
                              : "must be ffa, team, faction, assault or the script of one of them";
}

static const char *check_bind(const char *text)
{
    sb_endpoint ignored;
    return !strchr(text, ':') && sb_parse_endpoint(text, 0, &ignored)
               ? NULL
               : "must be an IPv4 address of this machine, or 0.0.0.0 for all";
}

/* Letters, digits, '-' and '_' with single dots between them; of digits only, an address. */
static bool is_host(const char *text, size_t size)
{
    sb_endpoint ignored;
    char        host[254] = "";
    if (size == 0 || size >= sizeof host || text[0] == '.') return false;
    for (size_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)text[i];
        bool          letter = (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
        bool          digit = c >= '0' && c <= '9';
        if (!letter && !digit && c != '-' && c != '_' && c != '.') return false;
        if (c == '.' && i > 0 && text[i - 1] == '.') return false;
        host[i] = (char)c;
    }
    return host[strspn(host, "0123456789.")] != '\0' || sb_parse_endpoint(host, 1, &ignored);
}

static bool is_port(const char *text)
{
    size_t size = strspn(text, "0123456789");
    long   port = strtol(text, NULL, 10);
    return size > 0 && size <= 5 && text[size] == '\0' && port > 0 && port <= 65535;
}

static const char *check_master(const char *text)
{
    size_t size = strcspn(text, ":");
    bool   fine = is_host(text, size) && (text[size] == '\0' || is_port(text + size + 1));
    return fine ? NULL : "must be HOST or HOST:PORT";
}

static const char *check_not_empty(const char *text)
{
    return text[0] ? NULL : "must not be empty";
}

/* ---- the table ---- */

/* Where it is kept, and when a change counts: ROOM and PROCESS with a restart. What counts at once
 * or in an empty room is what sb_server_reconfigure and serve.c can do; a test compares. */
#define ROOM(member)        true, SB_CHANGE_RESTART, offsetof(sb_room_config, member)
#define ROOM_NOW(member)    true, SB_CHANGE_AT_ONCE, offsetof(sb_room_config, member)
#define ROOM_EMPTY(member)  true, SB_CHANGE_WHEN_EMPTY, offsetof(sb_room_config, member)
#define PROCESS(member)     false, SB_CHANGE_RESTART, offsetof(sb_process_config, member)
#define PROCESS_NOW(member) false, SB_CHANGE_AT_ONCE, offsetof(sb_process_config, member)

#define KEY(...) KEY_OF(__VA_ARGS__) /* after ROOM or PROCESS has become three arguments */
#define KEY_OF(name_, of_room_, change_, offset_, kind_, store_, low_, high_, words_, argument_,   \
               check_, help_)                                                                      \
    { name_,  of_room_,  change_, SB_KEY_##kind_, SB_STORE_##store_, offset_, low_, high_,         \
      words_, argument_, check_,  help_ },
#define FLAG(name, place, argument, help)                                                          \
    KEY(name, place, FLAG, BOOL, 0, 1, NULL, argument, NULL, help)
#define TEXT(name, place, most, argument, check, help)                                             \
    KEY(name, place, TEXT, TEXT, 0, most, NULL, argument, check, help)
#define TEXTS(name, place, argument, check, help)                                                  \
    KEY(name, place, TEXTS, TEXTS, 0, 255, NULL, argument, check, help)
#define COUNT(name, place, low, high, argument, help)                                              \
    KEY(name, place, WHOLE, U32, low, high, NULL, argument, NULL, help)
#define SECONDS(name, place, low, high, argument, help)                                            \
    KEY(name, place, SECONDS, TIME, low, high, NULL, argument, NULL, help)
#define WORD(name, place, store, words, argument, help)                                            \
    KEY(name, place, WORD, store, 0, 0, words, argument, NULL, help)
#define LEVEL(name, place, store, most, words, argument, help)                                     \
    KEY(name, place, WORD, store, 0, most, words, argument, NULL, help)

/* clang-format off */
static const sb_key keys[] = {
    /* what players see first */
    TEXT("name", ROOM_NOW(name), 63, "NAME", check_not_empty,
         "how the server is called in lists of servers (Starbase); several\n"
         "rooms with one name are numbered")
    COUNT("port", ROOM(port), 0, 65535, "PORT",
          "UDP port (22101); several rooms take the ports that follow; stock\n"
          "clients find 22101 to 22201 on the LAN; 0: any free one")
    TEXT("bind", PROCESS(bind), 15, "ADDRESS", check_bind, "address to listen on (0.0.0.0: all)")
    COUNT("max_players", ROOM(server.max_players), 1, SB_SERVER_PLAYERS_MAX, "N",
          "players, 1 to 16 (8)")
    TEXT("password", ROOM(password), 31, "TEXT", NULL,
         "what players must enter to join; whether stock clients send it in\n"
         "the form we expect is not certain (spec 01 §13)")

    /* the match */
    TEXT("mission", ROOM_EMPTY(mission), 63, "MISSION", check_mission,
         "ffa, team, faction, assault, or a mission's script (ffa); assault\n"
         "has no starbase yet: attackers and defenders fight each other")
    KEY("system", ROOM_EMPTY(system), NAME, TEXT, 1, 255, NULL, "SYSTEM", check_not_empty,
        "star system: its number or name (Multi1)")
    COUNT("time_limit", ROOM_EMPTY(server.match.time_limit_min), 0, 254, "MINUTES",
          "a match ends after so long (0: never)")
    COUNT("frag_limit", ROOM_EMPTY(server.match.frag_limit), 0, 254, "N",
          "a match ends when somebody has so many kills (0: never)")
    FLAG("score_limit", ROOM_EMPTY(server.match.score_limit), NULL,
         "frag_limit counts 10,000 points each instead of kills")
    FLAG("kills_as_kills", ROOM_EMPTY(server.match.kills_as_kills), NULL,
         "tell clients that kills ended the match; stock says points (spec 09 §10.1)")
    SECONDS("restart", ROOM_NOW(server.restart_us), 0, 3600, "SECONDS",
            "a new match begins so long after the end of one (30; 0: never)")
    FLAG("collision_damage", ROOM_NOW(server.collision_damage), NULL, "ships are hurt by collisions")
    FLAG("friendly_fire", ROOM_NOW(server.friendly_fire), NULL, "the setting clients are told")

    /* rooms */
    COUNT("rooms", PROCESS(wanted_rooms), 0, SB_ROOMS_MAX, "N",
          "matches at the same time, each on its own port (1)")
    COUNT("threads", PROCESS(threads), 0, 64, "N", "that run the rooms (0: one per processor)")

    /* files of players */
    WORD("checksums", ROOM_NOW(server.checksums), I32, sb_checksum_mode_words, "MODE",
         "when a player's files differ: off, log, strict, learn (log)")
    TEXTS("manifests", ROOM_NOW(manifests), "FILE", check_not_empty,
          "accepted sets of files: CSV files, or `vanilla`; more with commas\n"
          "(vanilla)")
    FLAG("allow_extra", ROOM_NOW(server.allow_extra), "", "files that no manifest lists do not count")
    TEXT("learn", PROCESS(learn), 255, "FILE", NULL,
         "write the files of the next player who has all rounds as a manifest;\n"
         "checksums becomes learn")

    /* being found */
    TEXTS("masters", ROOM_NOW(masters), "HOST[:PORT]", check_master,
          "master servers to announce the server to (none)")
    TEXT("masters_file", ROOM_NOW(masters_file), 255, NULL, NULL,
         "a masterserver.txt: one HOST[:PORT] per line, added to masters")
    SECONDS("heartbeat", ROOM(server.responder.heartbeat_us), 10, 3600, NULL,
            "between two announcements to a master")
    KEY("heartbeat_port", ROOM(server.responder.heartbeat_port), WHOLE, I32, -1, 65535, NULL, NULL,
        NULL, "the port that is announced; -1: the real one (spec 05 §5.1)")
    FLAG("basic_includes_info", ROOM(server.responder.basic_includes_info), NULL,
         "answer \\basic\\ with what \\info\\ asks for, too (spec 05 §9)")
    WORD("echo_queries", ROOM(server.responder.echo), I32, query_words, NULL,
         "who is answered to \\echo\\")
    WORD("packets_queries", ROOM(server.responder.packets), I32, query_words, NULL,
         "who is answered to \\packets\\")
    COUNT("answers_per_source", ROOM(server.responder.source_per_s), 1, 1000, NULL,
          "answers to one address in a second")
    COUNT("answers_burst", ROOM(server.responder.source_burst), 1, 1000, NULL, "and at once")
    COUNT("answers_per_network", ROOM(server.responder.network_per_s), 1, 10000, NULL,
          "answers to one /24 in a second")
    COUNT("answers_network_burst", ROOM(server.responder.network_burst), 1, 10000, NULL,
          "and at once")
    COUNT("answers_total", ROOM(server.responder.total_per_s), 1, 100000, NULL,
          "answers to all in a second")
    COUNT("answers_per_master", ROOM(server.responder.master_per_s), 1, 10000, NULL,
          "answers to one configured master in a second")

    /* the simulation */
    LEVEL("fidelity", ROOM(server.combat.fidelity), U8, 3, fidelity_words, "LEVEL",
          "what the server computes: relay, collisions, weapons, enforce\n"
          "(weapons); 0 to 3 mean the same")
    FLAG("no_damage", ROOM(server.combat.no_damage), NULL,
         "ships take no damage, not even by self-destruct (spec 10 §3.3, 08 §8)")
    FLAG("trace_damage", ROOM(server.trace_damage), "", "log every point of damage")
    FLAG("trust_clients", ROOM_NOW(server.trust_clients), NULL,
         "do not check who owns what a message is about (spec 07 §2.6)")
    TEXT("data", PROCESS(data_dir), 255, "DIR", NULL,
         "ships/, projectiles.lua and systems.lua in place of the stock data")

    /* connections */
    WORD("retransmit", ROOM(server.transport.retransmit), I32, retransmit_words, "HOW",
         "when to repeat what was lost: stock (as the game does) or measured")
    FLAG("stock_updates", ROOM(stock_updates), NULL,
         "send ship states exactly as often as the game does, not a bit better")
    WORD("shield_layout", ROOM(shield_layout), U8, layout_words, NULL,
         "shield entries of ship states: as the ship's data say, or one for all (spec 03 §4.2)")
    FLAG("hide_addresses", ROOM(server.transport.hide_addresses), "",
         "do not tell players the addresses of others")
    COUNT("peers_per_address", ROOM(server.transport.peers_per_ip), 0, 120, "N",
          "players behind one address (4; 0: any number)")
    SECONDS("timeout", ROOM(server.transport.timeout_us), 12, 600, NULL,
            "a player who is silent for so long has left; clients that wait speak every 5 seconds")
    SECONDS("ack_delay", ROOM(server.transport.ack_delay_us), 0, 0.05, NULL,
            "how long an acknowledgement may wait for company")
    FLAG("leave_notice", ROOM(server.transport.leave_notice), NULL,
         "tell the others' transport who left (spec 01 §8.3)")
    FLAG("rebind", ROOM(server.transport.rebind), NULL,
         "a player's port may change behind a router (spec 01 §10.5)")
    COUNT("datagrams_per_s", ROOM(server.transport.datagrams_per_s), 10, 100000, NULL,
          "of one player; more is dropped")
    COUNT("messages_per_s", ROOM(server.transport.messages_per_s), 10, 1000000, NULL, "likewise")
    COUNT("bytes_per_s", ROOM(server.transport.bytes_per_s), 1000, 100000000, NULL, "likewise")
    SECONDS("checksum_limit", ROOM_NOW(server.checksum_limit_us), 1, 600, NULL,
            "time to answer one checksum round")
    SECONDS("loading_limit", ROOM_NOW(server.loading_limit_us), 5, 3600, NULL,
            "time to load the game")

    /* mods, and what is not certain about the stock game */
    WORD("mod_policy", ROOM_NOW(mod_policy), U8, sb_mod_policy_words, NULL,
         "what is done with messages of mods: default is others; `mods` makes\n"
         "exceptions by type")
    COUNT("mod_bytes", ROOM_NOW(server.mod_bytes_max), 1, 16384, NULL, "length of such a message")
    COUNT("mod_per_s", ROOM_NOW(server.mod_per_s), 0, 1000, NULL, "such messages of one player")
    FLAG("list_host_as_player", ROOM_NOW(server.list_host_as_player), NULL,
         "the server is player 0 of status answers (spec 05 §3.1)")
    FLAG("spawn_notice", ROOM_NOW(server.spawn_notice), NULL, "0x1D after a creation (spec 07 §5)")
    FLAG("leave_destroy", ROOM_NOW(server.leave_destroy), NULL,
         "0x14 for the ship of who leaves (spec 07 §9)")
    FLAG("leave_event", ROOM_NOW(server.leave_event), NULL, "0x17 when somebody leaves (spec 07 §9)")
    FLAG("leave_text", ROOM_NOW(server.leave_text), NULL, "0x18 when somebody leaves (spec 07 §9)")
    FLAG("list_older_players", ROOM_NOW(server.list_older_players), NULL,
         "0x17 for everybody who is there, to a newcomer (spec 07 §8)")
    FLAG("score_self_on_join", ROOM_NOW(server.score_self_on_join), NULL,
         "a newcomer is told his own score, too (spec 06 §5.11)")
    COUNT("list_object", ROOM(server.list_object), 0, 4294967295.0, NULL,
          "destination of 0x17 (spec 07 §8)")

    /* the program */
    WORD("log_level", PROCESS_NOW(log_level), U8, level_words, "LEVEL",
         "error, warning, info, debug (info)")
    FLAG("log_json", PROCESS(log_json), "", "log lines as JSON")
    FLAG("console", PROCESS(console), NULL,
         "take commands from stdin, if it is a terminal or a pipe; --no-console does not")
    FLAG("view", PROCESS(view), "", "show rooms and players in the terminal instead of the log")
    { 0 },
};
/* clang-format on */
_Static_assert(sizeof keys / sizeof *keys <= SB_KEYS_MAX, "set_by has room for all");

static const char only_in_file[] = "only in the file";

const sb_table_key sb_config_tables[] = {
    { "combat", SB_CHANGE_RESTART, "{ NAME = NUMBER, ... }",
      "in the file, or one constant at a time with --set combat.NAME=NUMBER",
      "constants of the simulation, 0 to 1e9" },
    { "mods", SB_CHANGE_AT_ONCE, "{ { type = 0xCD, policy = \"drop\" }, ... }", only_in_file,
      "exceptions from mod_policy by type of message (spec 09 §9.1)" },
    { "modifiers", SB_CHANGE_WHEN_EMPTY, "{ { 1, 1, 1 }, { 1, 1, 1 }, { 1, 3, 1 } }", only_in_file,
      "of scores, -100 to 100: rows by class of the attacker, columns by that of the target" },
    { 0 },
};

const sb_table_key *sb_config_find_table(const char *name)
{
    for (const sb_table_key *table = sb_config_tables; table->name; table++)
        if (strcmp(table->name, name) == 0) return table;
    return NULL;
}

const char *sb_key_change_text(sb_key_change change)
{
    static const char *const texts[] = { "with a restart", "at once", "when the room is empty" };
    return texts[change];
}

const sb_key *sb_config_keys(void)
{
    return keys;
}

size_t sb_config_key_count(void)
{
    return sizeof keys / sizeof *keys - 1;
}

const sb_key *sb_config_find_key(const char *name)
{
    for (const sb_key *key = keys; key->name; key++)
        if (strcmp(key->name, name) == 0) return key;
    return NULL;
}

/* ---- what was probably meant ---- */

enum { WORD_MAX = 40 };

static size_t least(size_t a, size_t b, size_t c)
{
    size_t ab = a < b ? a : b;
    return ab < c ? ab : c;
}

/* Letters to insert, remove or replace. */
static size_t distance(const char *a, const char *b)
{
    size_t row[WORD_MAX + 1], b_size = strlen(b);
    if (strlen(a) > WORD_MAX || b_size > WORD_MAX) return WORD_MAX;
    for (size_t k = 0; k <= b_size; k++) row[k] = k;
    for (size_t i = 0; a[i]; i++) {
        size_t corner = row[0];
        row[0] = i + 1;
        for (size_t k = 0; k < b_size; k++) {
            bool   same = tolower((unsigned char)a[i]) == b[k] || (a[i] == '-' && b[k] == '_');
            size_t above = row[k + 1];
            row[k + 1] = least(above + 1, row[k] + 1, corner + !same);
            corner = above;
        }
    }
    return row[b_size];
}

static void consider(const char *name, const char *candidate, const char **best, size_t *nearest)
{
    size_t d = distance(name, candidate);
    bool   begins = strlen(name) >= 4 && strncmp(candidate, name, strlen(name)) == 0;
    if (begins && d > 1) d = 1;
    if (d >= *nearest || d > strlen(candidate) / 2) return;
    *nearest = d;
    *best = candidate;
}

const char *sb_config_suggest_key(const char *name)
{
    const char *best = NULL;
    size_t      nearest = 4;
    for (const sb_key *key = keys; key->name; key++) consider(name, key->name, &best, &nearest);
    for (const sb_table_key *table = sb_config_tables; table->name; table++)
        consider(name, table->name, &best, &nearest);
    return best;
}

const char *sb_config_suggest_constant(const char *name)
{
    const char *best = NULL, *constant;
    size_t      nearest = 4;
    for (size_t i = 0; sb_combat_constant_at(i, &constant, NULL, NULL, NULL); i++)
        consider(name, constant, &best, &nearest);
    return best;
}
