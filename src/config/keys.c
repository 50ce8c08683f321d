/* src/config/keys.c -- the one table of keys, the checks of their texts, and the key that a
 * misspelt name meant. key_values.c parses and prints values by this table.
 *
 * Tests:    tests/config/read_config_test.c, tests/config/reload_config_test.c
 */
#include "config/keys.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/suggestion.h"
#include "config/placeholders.h"
#include "platform/log.h"
#include "platform/udp.h"

/* ---- words, in the order of their enums ---- */

static const char *const layout_words[] = { "ship", "stock", "documented", NULL };
static const char *const retransmit_words[] = { "stock", "measured", NULL };
static const char *const query_words[] = { "never", "lan", "always", NULL };
static const char *const power_words[] = { "stock", "strict", NULL };
static const char *const integrity_words[] = { "off", "report", "boot", NULL };
static const char *const mod_ship_words[] = { "auto", "true", "false", NULL };
static const char *const idle_words[] = { "kick", "lobby", NULL };
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

/* True for a host name (letters, digits, '-', '_', single dots) or an IPv4 address. A text of
 * digits and dots only must be an address. */
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

/* A part of a file name; empty: no socket. */
static const char *check_instance(const char *text)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
    bool fine = text[strspn(text, letters)] == '\0' && text[0] != '.';
    return fine ? NULL : "must have letters, digits, '-', '_' and '.' only, and not start with '.'";
}

/* Addresses, separated by commas or blanks. */
static const char *check_addresses(const char *text)
{
    sb_endpoint ignored;
    char        word[24];
    for (text += strspn(text, ", "); *text; text += strspn(text, ", ")) {
        size_t size = strcspn(text, ", ");
        if (size >= sizeof word) return "must be a list of IPv4 addresses";
        memcpy(word, text, size);
        word[size] = '\0';
        if (strchr(word, ':') || !sb_parse_endpoint(word, 0, &ignored))
            return "must be a list of IPv4 addresses";
        text += size;
    }
    return NULL;
}

static const char *check_not_empty(const char *text)
{
    return text[0] ? NULL : "must not be empty";
}

/* ---- fields that resolve_config.c computes from keys ---- */

static const sb_config_field name_fields[] = { SB_CONFIG_FIELD(name), { 0 } };
static const sb_config_field mission_fields[] = { SB_CONFIG_FIELD(match.mode), { 0 } };
static const sb_config_field system_fields[] = { SB_CONFIG_FIELD(system),
                                                 SB_CONFIG_FIELD(system_name),
                                                 { 0 } };
static const sb_config_field manifest_fields[] = { SB_CONFIG_FIELD(manifests),
                                                   SB_CONFIG_FIELD(manifest_count),
                                                   { 0 } };
static const sb_config_field password_fields[] = { SB_CONFIG_FIELD(password), { 0 } };
static const sb_config_field file_fields[] = { SB_CONFIG_FIELD(files),
                                               SB_CONFIG_FIELD(file_count),
                                               { 0 } };
static const sb_config_field file_rate_fields[] = { SB_CONFIG_FIELD(file_bytes_per_s), { 0 } };
static const sb_config_field mod_fields[] = { SB_CONFIG_FIELD(mod_policy), { 0 } };
static const sb_config_field bots_fields[] = { SB_CONFIG_FIELD(list_house), { 0 } };
static const sb_config_field modifier_fields[] = { SB_CONFIG_FIELD(match.modifiers), { 0 } };
/* `starbase serve` itself applies these keys: no field of sb_server_config depends on them. */
static const sb_config_field no_fields[] = { { 0 } };

/* ---- the table ---- */

/* The columns of_room, change, offset and resolved of a row. A key of ROOM and SERVER belongs to a
 * room, a key of PROCESS to the process; a key of SERVER is itself a field of sb_server_config. A
 * change takes effect at once (_NOW), for newcomers (_NEW), when the room is empty (_EMPTY), or
 * after a restart. The column `change` alone decides what a reload changes (reload_config.c). */
#define ROOM(member)       true, SB_CHANGE_RESTART, offsetof(sb_room_config, member), NULL
#define SERVER(member)     ROOM(server.member)
#define SERVER_NOW(member) true, SB_CHANGE_AT_ONCE, offsetof(sb_room_config, server.member), NULL
#define SERVER_EMPTY(member)                                                                       \
    true, SB_CHANGE_WHEN_EMPTY, offsetof(sb_room_config, server.member), NULL
#define SERVER_NEW(member)   true, SB_CHANGE_NEWCOMERS, offsetof(sb_room_config, server.member), NULL
#define SERVER_GROWS(member) true, SB_CHANGE_GROWS, offsetof(sb_room_config, server.member), NULL
#define ROOM_NEW(member, resolved)                                                                 \
    true, SB_CHANGE_NEWCOMERS, offsetof(sb_room_config, member), resolved
#define ROOM_NOW(member, resolved)                                                                 \
    true, SB_CHANGE_AT_ONCE, offsetof(sb_room_config, member), resolved
#define ROOM_EMPTY(member, resolved)                                                               \
    true, SB_CHANGE_WHEN_EMPTY, offsetof(sb_room_config, member), resolved
#define PROCESS(member) false, SB_CHANGE_RESTART, offsetof(sb_process_config, member), NULL
/* A key of the process that changes fields of every room. */
#define PROCESS_ROOMS(member, resolved)                                                            \
    false, SB_CHANGE_AT_ONCE, offsetof(sb_process_config, member), resolved
#define PROCESS_NOW(member) false, SB_CHANGE_AT_ONCE, offsetof(sb_process_config, member), no_fields

#define KEY(...) KEY_OF(__VA_ARGS__) /* expands ROOM, SERVER or PROCESS to four arguments first */
#define KEY_OF(name_, of_room_, change_, offset_, resolved_, kind_, store_, low_, high_, words_,   \
               argument_, check_, help_)                                                           \
    { name_,     of_room_,  change_, SB_KEY_##kind_, SB_STORE_##store_,                            \
      offset_,   resolved_, low_,    high_,          words_,                                       \
      argument_, check_,    help_ },
#define FLAG(name, place, argument, help)                                                          \
    KEY(name, place, FLAG, BOOL, 0, 1, NULL, argument, NULL, help)
#define TEXT(name, place, max_bytes, argument, check, help)                                        \
    KEY(name, place, TEXT, TEXT, 0, max_bytes, NULL, argument, check, help)
#define TEXTS(name, place, argument, check, help)                                                  \
    KEY(name, place, TEXTS, TEXTS, 0, 255, NULL, argument, check, help)
#define COUNT(name, place, low, high, argument, help)                                              \
    KEY(name, place, WHOLE, U32, low, high, NULL, argument, NULL, help)
#define SECONDS(name, place, low, high, argument, help)                                            \
    KEY(name, place, SECONDS, TIME, low, high, NULL, argument, NULL, help)
#define WORD(name, place, store, words, argument, help)                                            \
    KEY(name, place, WORD, store, 0, 0, words, argument, NULL, help)
#define LEVEL(name, place, store, max_level, words, argument, help)                                \
    KEY(name, place, WORD, store, 0, max_level, words, argument, NULL, help)

/* clang-format off */
static const sb_key keys[] = {
    TEXT("name", ROOM_NOW(name, name_fields), 63, "NAME", check_not_empty,
         "the name in lists of servers (Starbase); rooms that share a name\n"
         "get numbers")
    COUNT("port", ROOM(port), 0, 65535, "PORT",
          "UDP port (22101); further rooms take the following ports; stock\n"
          "clients search the LAN from 22101 to 22201; 0: any free port")
    TEXT("bind", PROCESS(bind), 15, "ADDRESS", check_bind,
         "IPv4 address to listen on (0.0.0.0: all)")
    COUNT("max_players", SERVER_GROWS(max_players), 1, SB_SERVER_PLAYERS_MAX, "N",
          "players per room, 1 to 16 (8)")
    TEXT("password", ROOM_NEW(password, password_fields), 31, "TEXT", NULL,
         "password that players must enter; it is not certain that stock\n"
         "clients send it in the form that the server expects (spec 01 §13)")

    TEXT("mission", ROOM_EMPTY(mission, mission_fields), 63, "MISSION", check_mission,
         "ffa, team, faction, assault, or a mission's script (ffa); assault\n"
         "has no starbase yet: attackers and defenders fight each other")
    KEY("system", ROOM_EMPTY(system, system_fields), NAME, TEXT, 1, 255, NULL, "SYSTEM",
        check_not_empty, "star system, by number or name (Multi1)")
    COUNT("time_limit", SERVER_EMPTY(match.time_limit_min), 0, 254, "MINUTES",
          "length of a match in minutes (0: no limit)")
    COUNT("frag_limit", SERVER_EMPTY(match.frag_limit), 0, 254, "N",
          "a match ends when a player has this many kills (0: no limit)")
    FLAG("score_limit", SERVER_EMPTY(match.score_limit), NULL,
         "frag_limit counts units of 10,000 points instead of kills")
    FLAG("kills_as_kills", SERVER_EMPTY(match.kills_as_kills), NULL,
         "tell clients that the kill limit ended the match, not the score\n"
         "limit; it is not known which of them the stock server names (spec 09\n"
         "§10.1)")
    SECONDS("restart", SERVER_NOW(restart_us), 0, 3600, "SECONDS",
            "pause between the end of a match and the next match (30; 0: until\n"
            "all players have left); newcomers wait that long and are told")
    FLAG("player_restart", SERVER_NOW(player_restart), NULL,
         "obey RESTART_GAME (0x39) of the player with the lowest id, for\n"
         "mods: no stock client sends one (spec 09 §8)")
    FLAG("hide_commands", SERVER_NOW(hide_commands), NULL,
         "do not pass on chat lines that are commands: `!admin CODE` of anybody,\n"
         "and lines that begin with `!` of players with a role")
    FLAG("collision_damage", SERVER_NOW(collision_damage), NULL, "collisions damage ships")
    FLAG("friendly_fire", SERVER_NOW(friendly_fire), NULL,
         "weapons damage ships of the own team, as in the stock game; clients\n"
         "do not learn of this setting")

    TEXTS("motd", ROOM_NOW(motd, no_fields), NULL, sb_placeholder_fault,
          "lines that a player is told one second after joining; %server%,\n"
          "%player%, %players%, %max_players%, %system%, %mission%,\n"
          "%next_system%, %next_mission%, %time_left% and %frag_limit% are\n"
          "filled in")
    TEXTS("rules", ROOM_NOW(rules, no_fields), NULL, sb_placeholder_fault,
          "lines that answer !rules, with the same placeholders")
    SECONDS("kick_seconds", ROOM_NOW(kick_us, no_fields), 0, 86400, NULL,
            "how long the address of a kicked player is kept out (0: not at all)")
    SECONDS("idle_warn", ROOM_NOW(idle_warn, no_fields), 0, 86400, NULL,
            "a player who neither chats, shoots nor steers for so long is\n"
            "warned (0: not)")
    SECONDS("idle_limit", ROOM_NOW(idle_limit, no_fields), 0, 86400, NULL,
            "and after so long idle_action follows (0: never)")
    WORD("idle_action", ROOM_NOW(idle_action, no_fields), U8, idle_words, NULL,
         "kick (the player is removed, and may come back at once) or lobby (the\n"
         "player's ship is destroyed, and another may be chosen)")
    WORD("balance", SERVER_NOW(balance), U8, sb_balance_words, NULL,
         "when a player chooses the larger team, of two or more players\n"
         "difference: off (nothing), tell (the player is asked to change), or\n"
         "enforce (the player is put into the other team)")
    WORD("rotate", ROOM_NOW(rotate, no_fields), U8, sb_rotate_words, NULL,
         "when `rotation`, map, mission and next change a room with players:\n"
         "empty (when all have left) or rejoin (the match ends, and all are\n"
         "removed after 15 s and told to join again)")
    FLAG("resend_settings", ROOM_NOW(resend_settings, no_fields), NULL,
         "send players another system and limits (MissionInit, 0x35) without a\n"
         "new join; it is not known what stock clients do with it")

    COUNT("rooms", PROCESS(wanted_rooms), 0, SB_ROOMS_MAX, "N",
          "matches at the same time, each on its own port (1)")
    COUNT("threads", PROCESS(threads), 0, 64, "N",
          "threads that run the rooms (0: one per processor)")

    WORD("checksums", SERVER_NOW(checksums), I32, sb_checksum_mode_words, "MODE",
         "if a player's files differ: off (not checked), log, strict\n"
         "(refuse), learn (write a manifest; needs a restart) (log)")
    TEXTS("manifests", ROOM_NOW(manifests, manifest_fields), "FILE", check_not_empty,
          "accepted sets of files: CSV files, or `vanilla`; separated by\n"
          "commas (vanilla)")
    FLAG("allow_extra", SERVER_NOW(allow_extra), "", "accept files that no manifest lists")
    WORD("integrity", SERVER_NOW(integrity), I32, integrity_words, "MODE",
         "what a wrong integrity hash of a player's ship does: off (nothing),\n"
         "report (log lines), boot (as the original server: remove the player\n"
         "after the same wrong hash in ten updates over 5 s) (report); warning:\n"
         "no captured hash (Akira FB37, Nebula 040C) is reproduced yet, so boot\n"
         "may remove honest players (spec 04 §1)")
    TEXT("learn", PROCESS(learn), 255, "FILE", NULL,
         "write a manifest with the files of the next player who answers\n"
         "all checksum rounds; sets checksums to learn")
    TEXT("send_files", ROOM_NOW(send_files, file_fields), 255, "DIR", NULL,
         "send the mission scripts in DIR to players whose own differ, as the\n"
         "stock host does; DIR stands for Scripts/Multiplayer; every file must\n"
         "match a manifest. Players' games run these files: docs/files.md (none)")
    COUNT("send_files_rate", PROCESS_ROOMS(send_files_rate, file_rate_fields), 8, 1000000, NULL,
          "KiB of these files per second, to all players of all rooms together")

    TEXTS("masters", ROOM_NOW(masters, no_fields), "HOST[:PORT]", check_master,
          "master servers that list this server (none)")
    TEXT("masters_file", ROOM_NOW(masters_file, no_fields), 255, NULL, NULL,
         "a masterserver.txt: one HOST[:PORT] per line, added to masters")
    SECONDS("heartbeat", SERVER(responder.heartbeat_us), 10, 3600, NULL,
            "time between two heartbeats to a master")
    KEY("heartbeat_port", SERVER(responder.heartbeat_port), WHOLE, I32, -1, 65535, NULL, NULL,
        NULL, "the port that heartbeats announce; -1: the real port (spec 05 §5.1)")
    FLAG("basic_includes_info", SERVER(responder.basic_includes_info), NULL,
         "the answer to \\basic\\ includes the keys of \\info\\ (spec 05 §9)")
    WORD("echo_queries", SERVER(responder.echo), I32, query_words, NULL,
         "when to answer \\echo\\ queries: never, to the LAN, always")
    WORD("packets_queries", SERVER(responder.packets), I32, query_words, NULL,
         "when to answer \\packets\\ queries: never, to the LAN, always")
    COUNT("answers_per_source", PROCESS_NOW(queries.source_per_s), 1, 1000, NULL,
          "query answers per second of all rooms together to one address")
    COUNT("answers_burst", PROCESS_NOW(queries.source_burst), 1, 1000, NULL,
          "query answers of all rooms together in one burst to one address;\n"
          "a browser sees as many rooms at once")
    COUNT("answers_per_network", PROCESS_NOW(queries.network_per_s), 1, 10000, NULL,
          "query answers per second of all rooms together to one /24 network")
    COUNT("answers_network_burst", PROCESS_NOW(queries.network_burst), 1, 10000, NULL,
          "query answers of all rooms together in one burst to one /24 network")
    COUNT("answers_total", PROCESS_NOW(queries.total_per_s), 1, 100000, NULL,
          "query answers per second of all rooms together to all addresses")
    COUNT("answers_per_master", PROCESS_NOW(queries.master_per_s), 1, 10000, NULL,
          "query answers per second of all rooms together to one configured\n"
          "master; eight more per room may be sent in one burst")

    LEVEL("fidelity", SERVER(combat.fidelity), U8, 3, fidelity_words, "LEVEL",
          "what the server computes: relay, collisions, weapons, or enforce,\n"
          "which lets nobody gain by cheats (weapons), or 0 to 3")
    WORD("power", SERVER(combat.power), U8, power_words, NULL,
         "what a shortage of power does to players' ships: stock (batteries\n"
         "drain, systems keep working) or strict (systems get weaker); the\n"
         "stock server never weakens them (spec 10 §4.4)")
    FLAG("no_damage", SERVER(combat.no_damage), NULL,
         "ships take no damage, not even from self-destruct (spec 10 §3.3,\n"
         "08 §8)")
    FLAG("trace_damage", SERVER(trace_damage), "", "log every point of damage")
    FLAG("client_sets", SERVER_NOW(client_sets), NULL,
         "relay and apply EnterSet messages of clients, for mods: no stock\n"
         "client sends one (spec 07 §7.3)")
    FLAG("trust_clients", SERVER_NOW(trust_clients), NULL,
         "do not check that players own the objects in their messages (spec\n"
         "07 §2.6)")
    TEXT("data", PROCESS(data_dir), 255, "DIR", NULL,
         "load ships/, projectiles.lua and systems.lua from DIR; each one\n"
         "that is there replaces the whole stock set of its kind")

    WORD("retransmit", SERVER(transport.retransmit), I32, retransmit_words, "HOW",
         "when to retransmit: measured (from the round trip) or stock (after 1,\n"
         "3, 6 ... s, as the game) (measured)")
    FLAG("stock_updates", ROOM(stock_updates), NULL,
         "send ship states without our additions, as the stock server does\n"
         "(spec 03 §17); for its intervals see lane_distance")
    FLAG("stock_clock", ROOM(stock_clock), NULL,
         "send the states of all ships of a room together, every 0.1 s, as the\n"
         "stock server does, instead of each one when its owner's update\n"
         "arrives (spec 03 §17.1); implied by stock_updates")
    FLAG("lane_distance", SERVER_NOW(lane_distance), NULL,
         "send the states of distant ships less often, as the stock server\n"
         "does: half as often from 114 units, a fifth as often from 228, never\n"
         "from 343; from five players on every 0.125 s instead of 0.1 s (spec\n"
         "03 §8.1)")
    WORD("shield_layout", ROOM(shield_layout), U8, layout_words, NULL,
         "layout of the shields in ship states: from each ship's data, or one\n"
         "for all ships (spec 03 §4.2)")
    FLAG("hide_addresses", SERVER(transport.hide_addresses), "",
         "do not send players the addresses of other players")
    COUNT("peers_per_address", SERVER_NEW(transport.peers_per_ip), 0, 120, "N",
          "players behind one address (4; 0: no limit)")
    SECONDS("timeout", SERVER_NEW(transport.timeout_us), 12, 600, NULL,
            "a player who is silent this long has left; idle clients send every\n"
            "5 seconds")
    SECONDS("ack_delay", SERVER(transport.ack_delay_us), 0, 0.05, NULL,
            "how long an acknowledgement waits for data in the same datagram")
    FLAG("leave_notice", SERVER(transport.leave_notice), NULL,
         "send a Disconnect and a Boot to the other players when a player\n"
         "leaves (spec 01 §8.3)")
    FLAG("rebind", SERVER(transport.rebind), NULL,
         "accept a new port of a player behind a router (spec 01 §10.5)")
    COUNT("datagrams_per_s", SERVER_NEW(transport.datagrams_per_s), 10, 100000, NULL,
          "datagrams accepted per second from one player; the rest is dropped")
    COUNT("messages_per_s", SERVER_NEW(transport.messages_per_s), 10, 1000000, NULL,
          "messages accepted per second from one player; the rest is dropped")
    COUNT("bytes_per_s", SERVER_NEW(transport.bytes_per_s), 1000, 100000000, NULL,
          "bytes accepted per second from one player; the rest is dropped")
    SECONDS("checksum_limit", SERVER_NOW(checksum_limit_us), 1, 600, NULL,
            "time for the answer to one checksum round")
    SECONDS("loading_limit", SERVER_NOW(loading_limit_us), 5, 3600, NULL,
            "time for a client to load the game")

    WORD("mod_ships", SERVER_NOW(mod_ships), U8, mod_ship_words, NULL,
         "ships of unknown species, and ships with other subsystems than\n"
         "ours: true (they fly, take no damage, and their weapons do none),\n"
         "false (they are refused), auto (false with checksums strict, else\n"
         "true)")
    WORD("mod_policy", ROOM_NOW(mod_policy, mod_fields), U8, sb_mod_policy_words, NULL,
         "receivers of the messages of mods; default is the same as others;\n"
         "`mods` lists exceptions by message type")
    COUNT("mod_bytes", SERVER_NOW(mod_bytes_max), 1, 16384, NULL,
          "bytes of one message of a mod; longer ones are dropped")
    COUNT("mod_per_s", SERVER_NOW(mod_per_s), 0, 1000, NULL,
          "messages of mods per second from one player; the rest is dropped")

    FLAG("list_host_as_player", SERVER_NOW(list_host_as_player), NULL,
         "status answers list the server, too, after the players (spec 05 §3.1)")
    FLAG("spawn_notice", SERVER_NOW(spawn_notice), NULL,
         "send ObjectNotFound when a ship enters a set without warping, above\n"
         "all after its creation (spec 07 §5)")
    FLAG("leave_destroy", SERVER_NOW(leave_destroy), NULL,
         "send DestroyObject for the ship and the other objects of a player\n"
         "who leaves (spec 07 §9)")
    FLAG("leave_event", SERVER_NOW(leave_event), NULL,
         "send PlayerListEvent when a player leaves (spec 07 §9)")
    FLAG("leave_text", SERVER_NOW(leave_text), NULL,
         "send PlayerLeftText when a player leaves (spec 07 §9)")
    FLAG("list_older_players", SERVER_NOW(list_older_players), NULL,
         "send a newcomer PlayerListEvent for every player in the game (spec 07 §8)")
    FLAG("score_self_on_join", SERVER_NOW(score_self_on_join), NULL,
         "send a newcomer their own score, too (spec 06 §5.11)")
    FLAG("throttle_bit", SERVER_NOW(throttle_bit), NULL,
         "send the second boolean of Settings as 1 (spec 06 §5.6); warning: its\n"
         "only known readers are two throttles, and with four players or more\n"
         "stock clients may then send their ships' states only every 0.5 s")
    FLAG("throttle_health", SERVER_NOW(throttle_health), NULL,
         "with throttle_bit and two or more players, send the health of ships\n"
         "only in full updates, once a second, as one analysis says of the\n"
         "stock host (spec 03 §7); warning: damage is then shown seconds late")
    COUNT("list_object", SERVER(list_object), 0, 4294967295.0, NULL,
          "destination object of PlayerListEvent (spec 07 §8)")

    TEXT("instance", PROCESS(instance), 31, "NAME", check_instance,
         "name of the control socket, /run/starbase/NAME.ctl, for `starbase ctl`\n"
         "(server; empty: no socket)")
    COUNT("slots", ROOM_NOW(slots, no_fields), 0, SB_SERVER_PLAYERS_MAX, NULL,
          "seats of a room that only players may take who have held a role since\n"
          "the start, or whose address slots_for lists (0)")
    TEXT("slots_for", PROCESS_NOW(slots_for), 1000, NULL, check_addresses,
         "addresses, separated by commas, that may take the seats of `slots`")
    TEXT("helper_commands", PROCESS_NOW(helper_commands), 1000, NULL, NULL,
         "chat commands of helpers, separated by commas (mute, unmute, say, tell)")
    TEXT("moderator_commands", PROCESS_NOW(moderator_commands), 1000, NULL, NULL,
         "what moderators have in addition (kick, bans, restart, end)")
    TEXT("admin_commands", PROCESS_NOW(admin_commands), 1000, NULL, NULL,
         "what admins have in addition (ban, unban, map, mission, next, bots)")
    TEXT("store", PROCESS(store), 240, "PATH", NULL,
         "the database of results, bans and commands; \"\": none. The default\n"
         "is used only where its folder can be written (docs/store.md)")
    COUNT("keep_days", PROCESS(keep_days), 0, 36500, NULL,
          "days for which addresses of players are stored (0: for ever)")
    FLAG("store_chat", PROCESS(store_chat), NULL, "store what players say")

    WORD("log_level", PROCESS_NOW(log_level), U8, sb_log_level_words, "LEVEL",
         "error, warning, info or debug (info)")
    FLAG("log_json", PROCESS(log_json), "", "write log lines as JSON")
    FLAG("console", PROCESS(console), NULL,
         "read commands from stdin if it is a terminal or a pipe;\n"
         "--no-console switches this off")
    FLAG("view", PROCESS(view), "", "show rooms and players in the terminal instead of the log")
    { 0 },
};
/* clang-format on */
_Static_assert(sizeof keys / sizeof *keys <= SB_KEYS_MAX, "set_by has an entry for every key");

/* The first key of each section of the example. */
static const struct {
    const char *key, *heading;
} sections[] = {
    { "name", "Server" },
    { "mission", "Match" },
    { "motd", "Players" },
    { "rooms", "Rooms" },
    { "checksums", "Client file checks" },
    { "masters", "Discovery" },
    { "fidelity", "Simulation" },
    { "retransmit", "Connections" },
    { "mod_ships", "Mods" },
    { "list_host_as_player", "Choices where the behaviour of the stock game is not certain" },
    { "instance", "Operators: docs/admin.md" },
    { "store", "Store" },
    { "log_level", "Program" },
};

static const char only_in_file[] = "only in the file";

const sb_table_key sb_config_tables[] = {
    { "bots", SB_CHANGE_AT_ONCE, bots_fields,
      "{ fill = 4, skill = \"medium\", when = \"always\", count = true, names = { \"Ada\" } }",
      "in the file; the number `fill` alone also with --bots N or STARBASE_BOTS=N",
      "players of the server itself, up to `fill` together with people; they give their seats to "
      "people (docs/bots.md)" },
    { "combat", SB_CHANGE_RESTART, NULL, "{ NAME = NUMBER, ... }",
      "in the file, or one by one with --set combat.NAME=NUMBER",
      "constants of the simulation, 0 to 1e9" },
    { "mods", SB_CHANGE_AT_ONCE, mod_fields, "{ { type = 0xCD, policy = \"drop\" }, ... }",
      only_in_file, "exceptions to mod_policy by message type (spec 09 §9.1)" },
    { "modifiers", SB_CHANGE_WHEN_EMPTY, modifier_fields,
      "{ { 1, 1, 1 }, { 1, 1, 1 }, { 1, 3, 1 } }", only_in_file,
      "score factors, -100 to 100: a row per class of the attacker, a column per class of the "
      "target" },
    { "votes", SB_CHANGE_AT_ONCE, no_fields,
      "{ { name = \"kick\", text = \"remove %s\", command = \"kick %s\", argument = \"player\" }, "
      "... }",
      only_in_file, "what players can vote on with !vote NAME; docs/rules.md explains the fields" },
    { "rotation", SB_CHANGE_AT_ONCE, no_fields,
      "{ { system = \"Multi1\", mission = \"ffa\", time_limit = 15, frag_limit = 10 }, ... }",
      only_in_file,
      "what a room plays: the first entry at the start, the next one after each match (see "
      "rotate)" },
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
    static const char *const texts[] = {
        [SB_CHANGE_RESTART] = "after a restart",
        [SB_CHANGE_AT_ONCE] = "at once",
        [SB_CHANGE_WHEN_EMPTY] = "when the room is empty",
        [SB_CHANGE_NEWCOMERS] = "at once, for players who join later",
        [SB_CHANGE_GROWS] = "at once, above the value at the start when the room is empty",
    };
    SB_ASSERT((size_t)change < sizeof texts / sizeof *texts);
    return texts[change];
}

const char *sb_key_section(const sb_key *key)
{
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        if (strcmp(sections[i].key, key->name) == 0) return sections[i].heading;
    return NULL;
}

bool sb_key_is_server_field(const sb_key *key)
{
    size_t start = offsetof(sb_room_config, server);
    return key->of_room && key->offset >= start && key->offset < start + sizeof(sb_server_config);
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

/* ---- suggestions for misspelt names ---- */

const char *sb_config_suggest_key(const char *name)
{
    sb_suggestion found = sb_suggestion_start(name);
    for (const sb_key *key = keys; key->name; key++) sb_suggestion_try(&found, key->name);
    for (const sb_table_key *table = sb_config_tables; table->name; table++)
        sb_suggestion_try(&found, table->name);
    return found.best;
}

const char *sb_config_suggest_constant(const char *name)
{
    sb_suggestion found = sb_suggestion_start(name);
    const char   *constant;
    for (size_t i = 0; sb_combat_constant_at(i, &constant, NULL, NULL, NULL); i++)
        sb_suggestion_try(&found, constant);
    return found.best;
}
