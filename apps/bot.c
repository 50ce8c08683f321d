/* apps/bot.c -- `starbase bot`: headless players that join any server, fly and fight. */
#include "clean_text.h"
#include "commands.h"
#include "numbers.h"
#include "options.h"

#include "host/clock.h"
#include "host/manifest_file.h"
#include "host/player_loop.h"
#include "host/signals.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum {
    KEY_SHIP = 256,
    KEY_SKILL,
    KEY_NAME,
    KEY_TEAM,
    KEY_MANIFEST,
    KEY_PASSWORD,
    KEY_TIME,
    KEY_PEACEFUL,
    KEY_JSON
};
enum {
    BOTS_MAX = 120, /* more than any server takes */
    MANIFESTS_MAX = 8,
    GAME_PORT = 22101,
    TEXT_BYTES = 1100, /* 255 characters of a chat line */
    NAME_BYTES = SB_CLIENT_NAME_MAX + 8,
    REASON_BYTES = 320,
    VERSION_MISMATCH = 0x22, /* spec 06 §5.3; the other one is 0x23 */
};

static const sb_time look_every = SB_SECOND / 4;
static const sb_time join_limit = 120 * SB_SECOND; /* a match that is over restarts after 30 s */
static const sb_time leave_limit = 5 * SB_SECOND;

static const sb_option options[] = {
    { 'n', "count", "N", "how many players (1)" },
    { KEY_SHIP, "ship", "SHIP",
      "key, name or species of the ship; any: another one each time\n(any)" },
    { KEY_SKILL, "skill", "LEVEL", "easy, normal or hard (normal)" },
    { KEY_NAME, "name", "NAME", "what they are called (Bot); several are numbered" },
    { KEY_TEAM, "team", "0|1", "in team games; otherwise the smaller team" },
    { KEY_PASSWORD, "password", "TEXT", "of the server" },
    { KEY_MANIFEST, "manifest", "FILE",
      "files to claim when the server checks them: a CSV file as\n`starbase serve --learn` writes "
      "it; may be repeated (vanilla 1.1)" },
    { KEY_TIME, "time", "SECONDS", "leave after so long (stay)" },
    { KEY_PEACEFUL, "peaceful", NULL, "fly and chat, but do not shoot" },
    { 'q', "quiet", NULL, "no line per event, only the summary" },
    { KEY_JSON, "json", NULL, "one object per event, and one per player at the end" },
    { 0, NULL, NULL, NULL },
};

static const sb_usage usage = {
    .command = "bot",
    .synopsis = "[options] HOST[:PORT]",
    .about =
        "Joins a server with one or more headless players, who fly and fight until they are told\n"
        "to stop. Works with any server of the game; the port is 22101 unless given. Prints a\n"
        "line per event. Ctrl-C and SIGTERM make them leave politely. Exit status 1: a player\n"
        "could not join, or lost the connection.",
    .options = options,
    .footer = "Examples:\n"
              "  starbase bot localhost\n"
              "  starbase bot -n 4 --skill hard example.org:22101\n"
              "  starbase bot --ship sovereign --name Picard --time 600 --json 192.0.2.7\n",
};

typedef struct bot {
    char            name[NAME_BYTES];
    sb_client_phase phase;                        /* before the end */
    sb_time         began_at, joined_at, left_at; /* 0: not yet */
    bool            failed, lost;
    int32_t         kills, deaths, score;
    uint32_t        ships, shots;
    sb_time         round_trip_us;
} bot;

typedef struct job {
    sb_player_loop    *loop;
    bot                bots[BOTS_MAX];
    size_t             count;
    sb_endpoint        server;
    const char        *name, *password, *ship;
    sb_pilot_config    pilot;
    sb_time            time_us; /* 0: stay */
    bool               quiet, json;
    sb_data            data;
    const sb_manifest *manifests[MANIFESTS_MAX];
    const char        *manifest_files[MANIFESTS_MAX];
    size_t             manifest_count;
    int                signals;
    sb_time            started_at, give_up_at;
    bool               leaving;
    bool               arrived[256]; /* by peer id: to be told once the name is known */
} job;

/* ---- lines ---- */

static double seconds_since(sb_time start, sb_time now)
{
    return (double)(now - start) / (double)SB_SECOND;
}

/* Prints the sentence. True: JSON is wanted instead, and the object is open for values. */
static bool say(const job *j, size_t index, const char *event, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static bool say(const job *j, size_t index, const char *event, const char *format, ...)
{
    double  time = seconds_since(j->started_at, sb_clock_now());
    va_list list;
    if (j->quiet) return false;
    if (j->json) {
        printf("{\"time\":%.3f,\"bot\":", time);
        sb_print_json_text(stdout, j->bots[index].name);
        printf(",\"event\":\"%s\"", event);
        return true;
    }
    printf("%9.3f  %-12s  ", time, j->bots[index].name);
    va_start(list, format);
    vprintf(format, list);
    va_end(list);
    putchar('\n');
    return false;
}

static void put_text(const char *key, const char *value)
{
    printf(",\"%s\":", key);
    sb_print_json_text(stdout, value);
}

static void put_number(const char *key, int64_t value)
{
    printf(",\"%s\":%lld", key, (long long)value);
}

static void end_object(void)
{
    printf("}\n");
}

/* ---- names of what is seen ---- */

static void name_player(const sb_client *client, uint8_t peer_id, char out[NAME_BYTES])
{
    const sb_seen_player *player = sb_client_find_player(client, peer_id);
    if (player && player->name[0]) (void)sb_clean_utf8(player->name, out, NAME_BYTES);
    else if (peer_id <= 1) snprintf(out, NAME_BYTES, "server");
    else snprintf(out, NAME_BYTES, "player %u", peer_id);
}

static const char *name_ship(const sb_client *client, uint32_t object_id)
{
    const sb_seen_ship *ship = sb_client_find_ship(client, object_id);
    return ship && ship->ship.model ? ship->ship.model->name : "a ship";
}

/* ---- joins that fail ---- */

static const char *boot_advice(const job *j, uint8_t reason)
{
    switch (reason) {
    case SB_BOOT_FULL:
        return "the server is full, or has too many players of this address: try "
               "again later, or with fewer";
    case SB_BOOT_PASSWORD:
        return j->password ? "the password is wrong" : "the server wants a password: --password";
    case SB_BOOT_KICKED:
        return "the server removed us; did it find our files wrong? --manifest "
               "claims others";
    case SB_BOOT_BANNED: return "we are banned there";
    case SB_BOOT_TIMED_OUT: return "the server has not heard from us for too long";
    default: return "the server removed us without a reason";
    }
}

static void explain_end(const job *j, const bot *b, const sb_client_event *e,
                        char out[REASON_BYTES])
{
    char server[SB_ENDPOINT_TEXT];
    sb_endpoint_text(j->server, server);
    if (e->reason == SB_LEFT_NO_ANSWER)
        snprintf(out, REASON_BYTES,
                 "no answer from %s: is a server running there, and may UDP pass? `starbase query "
                 "%s` asks for its status",
                 server, server);
    else if (e->reason == SB_LEFT_BOOTED)
        snprintf(out, REASON_BYTES, "%s", boot_advice(j, e->boot_reason));
    else if (e->reason == SB_LEFT_TIMED_OUT)
        snprintf(out, REASON_BYTES, "%s fell silent (%s)", server, sb_client_phase_text(b->phase));
    else if (e->reason == SB_LEFT_HOST_CLOSED) snprintf(out, REASON_BYTES, "the server closes");
    else snprintf(out, REASON_BYTES, "%s", sb_leave_reason_text(e->reason));
}

/* Failures are told also with --quiet: then nothing else would say why there is nobody. */
static void tell_failure(job *j, size_t index, const char *reason)
{
    bot *b = &j->bots[index];
    if (b->failed) return;
    b->failed = true;
    if (j->quiet) fprintf(stderr, "starbase bot: %s could not join: %s\n", b->name, reason);
    if (!say(j, index, "failed", "could not join: %s", reason)) return;
    put_text("reason", reason);
    end_object();
}

static void tell_refused_files(job *j, size_t index, const sb_client_event *e)
{
    char file[TEXT_BYTES], reason[TEXT_BYTES + REASON_BYTES];
    (void)sb_clean_game_text(e->text, file, sizeof file);
    snprintf(reason, sizeof reason,
             "the server does not accept our %s `%s` (0x%02X): --manifest FILE claims the files "
             "its players have",
             e->value == VERSION_MISMATCH ? "version, file" : "file", file, (unsigned)e->value);
    tell_failure(j, index, reason);
}

/* ---- events ---- */

static void tell_joined(job *j, size_t index, const sb_client *client)
{
    bot               *b = &j->bots[index];
    const sb_settings *settings = sb_client_settings(client);
    char               map[TEXT_BYTES];
    (void)sb_clean_game_text(settings->map, map, sizeof map);
    b->joined_at = sb_clock_now();
    if (!say(j, index, "joined", "joined as player %u, slot %d: %s", sb_client_id(client),
             sb_client_slot(client), map))
        return;
    put_number("peer_id", sb_client_id(client));
    put_number("slot", sb_client_slot(client));
    put_text("map", map);
    put_number("system", sb_client_mission(client)->system);
    end_object();
}

static void tell_phase(job *j, size_t index, const sb_client *client, const sb_client_event *e)
{
    bot *b = &j->bots[index];
    if (b->began_at == 0) b->began_at = e->now;
    if (e->value == SB_CLIENT_LOBBY && b->joined_at == 0) tell_joined(j, index, client);
    if (e->value != SB_CLIENT_OVER) b->phase = (sb_client_phase)e->value;
}

static void tell_left(job *j, size_t index, const sb_client_event *e)
{
    bot *b = &j->bots[index];
    char reason[REASON_BYTES];
    b->left_at = e->now;
    explain_end(j, b, e, reason);
    if (b->joined_at == 0 && !j->leaving) tell_failure(j, index, reason);
    if (b->joined_at == 0) return;
    b->lost = e->reason == SB_LEFT_TIMED_OUT || e->reason == SB_LEFT_STALLED;
    if (!say(j, index, "left", "left: %s", reason)) return;
    put_text("how", sb_leave_reason_text(e->reason));
    put_text("reason", reason);
    end_object();
}

static void tell_spawned(job *j, size_t index, const sb_client *client, const sb_client_event *e)
{
    const char *ship = name_ship(client, e->object_id);
    if (e->peer_id != sb_client_id(client)) return;
    j->bots[index].ships++;
    if (!say(j, index, "spawned", "flies %s", ship)) return;
    put_text("ship", ship);
    put_number("object_id", e->object_id);
    end_object();
}

static void tell_death(job *j, size_t index, const sb_client *client, const sb_client_event *e)
{
    char                killer[NAME_BYTES] = "";
    const sb_seen_ship *ship = sb_client_find_ship(client, e->object_id);
    if (!ship || !ship->own) return;
    if (e->peer_id != 0) name_player(client, e->peer_id, killer);
    if (!say(j, index, "death", "%s is destroyed%s%s", name_ship(client, e->object_id),
             e->peer_id ? " by " : "", killer))
        return;
    put_text("ship", name_ship(client, e->object_id));
    if (e->peer_id != 0) put_text("killer", killer);
    end_object();
}

static void tell_kill(job *j, size_t index, const sb_client *client, const sb_client_event *e)
{
    char killer[NAME_BYTES], victim[NAME_BYTES];
    if (e->peer_id == 0 || e->peer_id == e->value) return;
    name_player(client, e->peer_id, killer);
    name_player(client, (uint8_t)e->value, victim);
    if (!say(j, index, "kill", "%s has destroyed %s", killer, victim)) return;
    put_text("killer", killer);
    put_text("victim", victim);
    end_object();
}

static void tell_chat(job *j, size_t index, const sb_client *client, const sb_client_event *e)
{
    char name[NAME_BYTES], text[TEXT_BYTES];
    name_player(client, e->peer_id, name);
    (void)sb_clean_game_text(e->text, text, sizeof text);
    if (!say(j, index, "chat", "%s%s: %s", name, e->value ? " (team)" : "", text)) return;
    put_text("from", name);
    put_text("text", text);
    printf(",\"team\":%s", e->value ? "true" : "false");
    end_object();
}

static void tell_player(const job *j, size_t index, const sb_client *client, uint8_t peer_id,
                        bool joined)
{
    char name[NAME_BYTES];
    name_player(client, peer_id, name);
    if (!say(j, index, joined ? "player_joined" : "player_left", "%s %s the game", name,
             joined ? "is in" : "has left"))
        return;
    put_text("player", name);
    end_object();
}

/* 0x17 comes before the name: an arrival is told at the next look. */
static void note_player(job *j, size_t index, const sb_client *client, const sb_client_event *e)
{
    if (e->peer_id == sb_client_id(client)) return;
    if (e->type == SB_CLIENT_PLAYER_JOINED) {
        j->arrived[e->peer_id] = true;
        return;
    }
    j->arrived[e->peer_id] = false;
    tell_player(j, index, client, e->peer_id, false);
}

/* What all players of a room see is told once: by the first who is in the game. */
static bool is_reporter(const job *j, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (j->bots[i].joined_at != 0 && j->bots[i].left_at == 0) return false;
    return true;
}

static void tell_arrivals(job *j, size_t index)
{
    const sb_client *client = sb_player_loop_client(j->loop, index);
    if (!client || j->bots[index].joined_at == 0 || !is_reporter(j, index)) return;
    for (unsigned i = 0; i < 256; i++) {
        if (j->arrived[i]) tell_player(j, index, client, (uint8_t)i, true);
        j->arrived[i] = false;
    }
}

static void tell_match(job *j, size_t index, const sb_client_event *e)
{
    bool over = e->type == SB_CLIENT_GAME_OVER;
    if (!say(j, index, over ? "game_over" : "restarted", "%s",
             over ? "the match is over" : "a new match begins"))
        return;
    if (over) put_number("reason", e->value);
    end_object();
}

static void tell(void *context, size_t index, const sb_client *client, const sb_client_event *e)
{
    job *j = context;
    switch (e->type) {
    case SB_CLIENT_PHASE: tell_phase(j, index, client, e); return;
    case SB_CLIENT_REFUSED_FILES: tell_refused_files(j, index, e); return;
    case SB_CLIENT_LEFT: tell_left(j, index, e); return;
    case SB_CLIENT_SPAWNED: tell_spawned(j, index, client, e); return;
    case SB_CLIENT_EXPLODING: tell_death(j, index, client, e); return;
    default: break;
    }
    if (!is_reporter(j, index)) return;
    switch (e->type) {
    case SB_CLIENT_SCORE: tell_kill(j, index, client, e); break;
    case SB_CLIENT_CHAT: tell_chat(j, index, client, e); break;
    case SB_CLIENT_PLAYER_JOINED:
    case SB_CLIENT_PLAYER_LEFT: note_player(j, index, client, e); break;
    case SB_CLIENT_GAME_OVER:
    case SB_CLIENT_RESTARTED: tell_match(j, index, e); break;
    default: break;
    }
}

/* ---- the summary ---- */

/* Taken now and then, because not all of it can be asked for after the end. */
static void remember(job *j, size_t index)
{
    bot             *b = &j->bots[index];
    const sb_client *client = sb_player_loop_client(j->loop, index);
    const sb_pilot  *pilot = sb_player_loop_pilot(j->loop, index);
    sb_peer_info     info;
    if (!client || b->joined_at == 0) return;
    const sb_seen_player *self = sb_client_find_player(client, sb_client_id(client));
    if (self) {
        b->kills = self->kills;
        b->deaths = self->deaths;
        b->score = self->score;
    }
    b->shots = pilot->shots;
    if (sb_transport_client_peer(sb_client_transport(client), &info) && info.round_trip_us > 0)
        b->round_trip_us = info.round_trip_us;
}

static double played(const bot *b)
{
    sb_time end = b->left_at ? b->left_at : sb_clock_now();
    return b->joined_at ? seconds_since(b->joined_at, end) : 0;
}

static void print_summary_line(const job *j, const bot *b)
{
    if (!j->json) {
        printf("%-16s %8.1f %6u %6u %6d %6d %8d %8.1f%s\n", b->name, played(b), b->ships, b->shots,
               b->kills, b->deaths, b->score, (double)b->round_trip_us / 1000,
               b->failed ? "  not joined"
               : b->lost ? "  lost"
                         : "");
        return;
    }
    printf("{\"event\":\"summary\",\"bot\":");
    sb_print_json_text(stdout, b->name);
    printf(",\"joined\":%s,\"lost\":%s,\"seconds\":%.3f,\"ships\":%u,\"shots\":%u,\"kills\":%d,"
           "\"deaths\":%d,\"score\":%d,\"round_trip_ms\":%.3f}\n",
           b->joined_at ? "true" : "false", b->lost ? "true" : "false", played(b), b->ships,
           b->shots, b->kills, b->deaths, b->score, (double)b->round_trip_us / 1000);
}

static int summarize(const job *j)
{
    bool fine = true;
    if (!j->json)
        printf("\n%-16s %8s %6s %6s %6s %6s %8s %8s\n", "NAME", "SECONDS", "SHIPS", "SHOTS",
               "KILLS", "DEATHS", "SCORE", "PING ms");
    for (size_t i = 0; i < j->count; i++) {
        print_summary_line(j, &j->bots[i]);
        if (j->bots[i].failed || j->bots[i].lost) fine = false;
    }
    return fine ? SB_EXIT_FINE : SB_EXIT_NEGATIVE;
}

/* ---- running ---- */

static void leave(job *j)
{
    for (size_t i = 0; i < j->count; i++) remember(j, i);
    j->leaving = true;
    j->give_up_at = sb_clock_now() + leave_limit;
    sb_player_loop_leave_all(j->loop);
}

static void take_signal(void *context)
{
    job *j = context;
    if (sb_signals_next(j->signals) != SB_SIGNAL_STOP || j->leaving) return;
    sb_signals_release();
    leave(j);
}

/* A server that keeps us waiting for ever is no server to play on. */
static void give_up_joining(job *j, size_t index, sb_time now)
{
    bot *b = &j->bots[index];
    char reason[REASON_BYTES];
    if (b->began_at == 0 || b->joined_at != 0 || b->failed || now < b->began_at + join_limit)
        return;
    snprintf(reason, sizeof reason, "still %s after %d s", sb_client_phase_text(b->phase),
             (int)(join_limit / SB_SECOND));
    tell_failure(j, index, reason);
    sb_player_loop_leave(j->loop, index);
}

static void look_around(job *j)
{
    sb_time now = sb_clock_now();
    for (size_t i = 0; i < j->count; i++) {
        remember(j, i);
        tell_arrivals(j, i);
        give_up_joining(j, i, now);
    }
    bool late = j->time_us > 0 && now >= j->started_at + j->time_us;
    if (!j->leaving && (late || ferror(stdout))) leave(j);
}

static void run_loop(job *j)
{
    sb_time look_at = j->started_at;
    while (!sb_player_loop_is_over(j->loop) && sb_clock_now() < j->give_up_at) {
        if (sb_clock_now() >= look_at) {
            look_around(j);
            look_at = sb_clock_now() + look_every;
        }
        sb_player_loop_turn(j->loop, look_at);
    }
}

/* ---- preparing ---- */

static void name_bots(job *j, sb_player_seat *seats)
{
    for (size_t i = 0; i < j->count; i++) {
        bot *b = &j->bots[i];
        char number[24] = "";
        if (j->count > 1) snprintf(number, sizeof number, " %zu", i + 1);
        size_t size = sb_clean_utf8(j->name, b->name, SB_CLIENT_NAME_MAX);
        snprintf(b->name + size, sizeof b->name - size, "%s", number);
        seats[i] = (sb_player_seat){ .server = j->server,
                                     .local_address = sb_player_source(j->server, i),
                                     .name = b->name,
                                     .password = j->password,
                                     .start_us = sb_player_start(j->server, i),
                                     .pilot = j->pilot };
        seats[i].pilot.seed = sb_clock_seed();
    }
}

static bool create_loop(job *j)
{
    static sb_player_seat seats[BOTS_MAX];
    sb_player_loop_config config = {
        .seats = seats, .count = j->count, .tell = tell, .tell_context = j
    };
    char error[SB_UDP_ERROR_MAX];
    name_bots(j, seats);
    sb_client_defaults(&config.client);
    config.client.manifests = j->manifests;
    config.client.manifest_count = j->manifest_count;
    j->loop = sb_player_loop_create(&config, error);
    if (!j->loop) fprintf(stderr, "starbase bot: %s\n", error);
    return j->loop != NULL;
}

static int play(job *j)
{
    j->signals = sb_signals_open();
    j->started_at = sb_clock_now();
    j->give_up_at = SB_TIME_NEVER;
    (void)setvbuf(stdout, NULL, _IOLBF, 0); /* events are news, also through a pipe */
    if (!create_loop(j)) return SB_EXIT_NEGATIVE;
    int status = SB_EXIT_NEGATIVE;
    if (j->signals >= 0 && sb_player_loop_watch(j->loop, j->signals, take_signal, j)) {
        run_loop(j);
        status = summarize(j);
    } else perror("starbase bot: signals");
    sb_player_loop_destroy(j->loop);
    sb_signals_close(j->signals);
    return status;
}

static int load_manifests(job *j)
{
    for (size_t i = 0; i < j->manifest_count; i++) {
        sb_data_source source = { .name = j->manifest_files[i] };
        if (sb_data_load_manifest(&j->data, source, &j->manifests[i]) == SB_OK) continue;
        fprintf(stderr, "starbase bot: %s\n", j->data.error);
        return SB_EXIT_USAGE;
    }
    return SB_EXIT_FINE;
}

static int find_ship(job *j)
{
    unsigned long species;
    if (strcmp(j->ship, "any") == 0) return SB_EXIT_FINE;
    const sb_ship_class *ship = sb_find_ship_by_name(sb_stock_ships(), j->ship);
    if (!ship && sb_read_count(j->ship, 1, 255, &species))
        ship = sb_find_ship(sb_stock_ships(), (uint8_t)species);
    if (!ship)
        return sb_complain(&usage, "there is no ship `%s`; `starbase hash` lists them", j->ship);
    j->pilot.species = ship->species;
    return SB_EXIT_FINE;
}

static int run(job *j, int count, char **operands)
{
    char   error[SB_UDP_ERROR_MAX];
    size_t room = SB_NAME_UNITS - (j->count > 1 ? 4 : 0); /* " 120" */
    if (count != 1) return sb_complain(&usage, "one server is needed: HOST or HOST:PORT");
    if (j->name[0] == '\0' || sb_count_columns(j->name) > room)
        return sb_complain(&usage, "--name needs 1 to %zu characters", room);
    int status = find_ship(j);
    if (status != SB_EXIT_FINE) return status;
    if (!sb_resolve_endpoint(operands[0], GAME_PORT, &j->server, error))
        return sb_complain(&usage, "%s", error);
    status = load_manifests(j);
    if (status == SB_EXIT_FINE) status = play(j);
    sb_data_free(&j->data);
    return status;
}

/* ---- the command line ---- */

static int take_numbers(job *j, int key, const char *text)
{
    unsigned long number;
    sb_skill      skill;
    if (key == 'n') {
        if (!sb_read_count(text, 1, BOTS_MAX, &number))
            return sb_complain(&usage, "--count needs a number from 1 to %d, is `%s`", BOTS_MAX,
                               text);
        j->count = number;
    } else if (key == KEY_TEAM) {
        if (!sb_read_count(text, 0, 1, &number))
            return sb_complain(&usage, "--team needs 0 or 1, is `%s`", text);
        j->pilot.team = (uint8_t)number;
    } else if (key == KEY_SKILL) {
        if (!sb_find_skill(text, &skill))
            return sb_complain(&usage, "--skill needs easy, normal or hard, is `%s`", text);
        j->pilot.skill = (uint8_t)skill;
    } else if (key == KEY_TIME && !sb_read_seconds(text, 0.1, 1e7, &j->time_us))
        return sb_complain(&usage, "--time needs seconds from 0.1, is `%s`", text);
    return SB_EXIT_FINE;
}

static int take_option(job *j, int key, const char *text)
{
    switch (key) {
    case KEY_SHIP: j->ship = text; break;
    case KEY_NAME: j->name = text; break;
    case KEY_PASSWORD: j->password = text; break;
    case KEY_PEACEFUL: j->pilot.peaceful = true; break;
    case KEY_JSON: j->json = true; break;
    case 'q': j->quiet = true; break;
    case KEY_MANIFEST:
        if (j->manifest_count == MANIFESTS_MAX)
            return sb_complain(&usage, "at most %d manifests", MANIFESTS_MAX);
        j->manifest_files[j->manifest_count++] = text;
        break;
    default: return take_numbers(j, key, text);
    }
    return SB_EXIT_FINE;
}

int sb_run_bot(int argc, char **argv)
{
    static job j = { .count = 1, .name = "Bot", .ship = "any" };
    sb_options o;
    sb_pilot_defaults(&j.pilot);
    j.pilot.talkative = true;
    sb_options_init(&o, &usage, argc, argv);
    for (int key; (key = sb_options_next(&o)) != SB_OPTIONS_END;) {
        if (key == SB_OPTIONS_BAD) return SB_EXIT_USAGE;
        if (key == SB_OPTIONS_DONE) return SB_EXIT_FINE;
        int status = take_option(&j, key, o.argument);
        if (status != SB_EXIT_FINE) return status;
    }
    return run(&j, argc - o.operand, argv + o.operand);
}
