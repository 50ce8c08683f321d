/* apps/serve/events.c -- logs the events of a room, and learns manifests from clients.
 *
 * For:      serve.c, as callbacks of a room. Runs on the thread of the room's loop. Texts of
 *           players are untrusted: the log replaces control characters.
 * Tests:    tests/apps/serve_trace_test.c, tests/apps/serve_test.py
 */
#include "serve/serve.h"

#include "base/assert.h"

#include <starbase/message.h>

#include "base/text.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
    EVENTS_PER_SECOND = 20,  /* lines of one event type per room: players can cause floods */
    REFUSALS_PER_SECOND = 2, /* lines about refused Connects from all addresses */
    QUIET_SECONDS = 10,      /* between two lines about refusals of one source (spec 01 §10.3) */
    DIFFERENCES_LOGGED = 8,  /* differing files per round; --log-level debug logs all */
    FILES_PER_SECOND = 40,   /* lines about differing files of one player: five full rounds */
    ALL_FILES_PER_SECOND = 2000, /* the same with --log-level debug */
};

/* ---- names ---- */

static void store_name(serve_room *r, const sb_server_event *e)
{
    size_t size = e->name.size < SERVE_NAME - 1 ? e->name.size : SERVE_NAME - 1;
    if (e->peer_id >= SERVE_PEERS || size == 0) return;
    memcpy(r->names[e->peer_id], e->name.data, size);
    r->names[e->peer_id][size] = '\0';
}

void serve_append_player(const serve_room *r, sb_log_line *line, uint8_t peer_id)
{
    const char *name = peer_id < SERVE_PEERS ? r->names[peer_id] : "";
    if (name[0]) sb_log_span(line, sb_text_span(name));
    else if (peer_id) sb_log_text(line, "player %u", peer_id);
    else sb_log_text(line, "no player");
}

/* ---- rate limits ---- */

/* Each player has a limit of their own for lines about differing files. */
static sb_log_limit *find_limit(serve_room *r, const sb_server_event *e, unsigned *per_second)
{
    *per_second = e->type == SB_SERVER_CONNECT_REFUSED ? REFUSALS_PER_SECOND : EVENTS_PER_SECOND;
    if (e->type != SB_SERVER_FILES_DIFFER || e->peer_id >= SERVE_PEERS) return &r->events[e->type];
    *per_second = sb_log_wants(r->log, SB_LOG_DEBUG) ? ALL_FILES_PER_SECOND : FILES_PER_SECOND;
    return &r->files[e->peer_id];
}

/* Spends one line of the limit for this event; false: the limit is exhausted. Damage has no limit,
 * because --trace-damage asks for all of it. */
static bool spend_log_budget(serve_room *r, const sb_server_event *e)
{
    uint64_t skipped = 0;
    unsigned per_second;
    if (e->type == SB_SERVER_COMBAT) return true;
    sb_log_limit *limit = find_limit(r, e, &per_second);
    if (!sb_log_limit_spend(limit, e->now, per_second, &skipped)) return false;
    if (skipped)
        sb_log_message(r->log, SB_LOG_WARNING, "log", r->number,
                       "%llu events of type `%s` were not logged", (unsigned long long)skipped,
                       sb_server_event_name(e->type));
    return true;
}

static serve_source *find_source(serve_sources *sources, sb_endpoint from)
{
    serve_source *oldest = &sources->entries[0];
    for (size_t i = 0; i < sources->count; i++) {
        serve_source *s = &sources->entries[i];
        if (s->from.address == from.address && s->from.port == from.port) return s;
        if (s->quiet_until < oldest->quiet_until) oldest = s;
    }
    if (sources->count < SERVE_SOURCES) oldest = &sources->entries[sources->count++];
    *oldest = (serve_source){ .from = from };
    return oldest;
}

/* Finds the source if a line about it may be written: one line per QUIET_SECONDS, whatever the
 * reason. NULL: too soon; the refusal is counted. With a limit per source, one source can neither
 * fill the log nor hide others. */
static serve_source *find_due_source(serve_sources *sources, sb_endpoint from, sb_time now)
{
    serve_source *s = find_source(sources, from);
    if (now >= s->quiet_until) return s;
    s->skipped++;
    return NULL;
}

/* Appends the number of skipped refusals to the line about the source, and resets it. */
static void append_skipped(serve_source *s, sb_log_line *line, sb_time now)
{
    if (s->skipped) sb_log_text(line, ", and %llu times before", (unsigned long long)s->skipped);
    sb_log_value_number(line, "skipped", (int64_t)s->skipped);
    s->skipped = 0;
    s->quiet_until = now + QUIET_SECONDS * SB_SECOND;
}

/* Checks the level before the limit, so that only written lines spend it. */
static bool start_event_line(serve_room *r, sb_log_line *line, const sb_server_event *e,
                             sb_log_level level, const char *subsystem)
{
    if (!sb_log_wants(r->log, level) || !spend_log_budget(r, e)) return false;
    if (!sb_log_start(line, r->log, level, subsystem, r->number)) return false;
    sb_log_value_word(line, "event", sb_server_event_name(e->type));
    return true;
}

bool serve_start_line(serve_room *r, sb_log_line *line, const sb_server_event *e,
                      sb_log_level level, const char *subsystem)
{
    char address[SB_ENDPOINT_TEXT];
    if (!start_event_line(r, line, e, level, subsystem)) return false;
    if (e->peer_id == 0) return true;
    sb_log_value_number(line, "peer", e->peer_id);
    if (e->peer_id < SERVE_PEERS && r->names[e->peer_id][0])
        sb_log_value_word(line, "player", r->names[e->peer_id]);
    if (e->house) sb_log_value_number(line, "bot", 1);
    else if (e->address.port != 0) {
        sb_endpoint_text(e->address, address);
        sb_log_value_word(line, "address", address);
    }
    serve_append_player(r, line, e->peer_id);
    return true;
}

/* ---- joining ---- */

static void log_connected(serve_room *r, const sb_server_event *e)
{
    sb_log_line line;
    char        address[SB_ENDPOINT_TEXT];
    sb_endpoint_text(e->address, address);
    if (!serve_start_line(r, &line, e, SB_LOG_INFO, "join")) return;
    if (e->house) sb_log_text(&line, " connects: a bot of this server");
    else sb_log_text(&line, " connects from %s", address);
    sb_log_end(&line);
}

static void log_named(serve_room *r, const sb_server_event *e)
{
    sb_log_line line;
    if (!start_event_line(r, &line, e, SB_LOG_INFO, "join")) return;
    sb_log_value_number(&line, "peer", e->peer_id);
    sb_log_value_text(&line, "player", e->name);
    sb_log_text(&line, "player %u is called ", e->peer_id);
    sb_log_span(&line, e->name);
    sb_log_end(&line);
}

/* There is no player yet, only an address. The limit ignores the port, which a
 * stranger can vary. */
static void log_connect_refused(serve_room *r, const sb_server_event *e)
{
    sb_log_line line;
    char        address[SB_ENDPOINT_TEXT];
    sb_endpoint from = { e->address.address, 0 };
    sb_endpoint_text(e->address, address);
    if (!sb_log_wants(r->log, SB_LOG_WARNING)) return;
    serve_source *source = find_due_source(&r->strangers, from, e->now);
    if (!source) return;
    if (!start_event_line(r, &line, e, SB_LOG_WARNING, "join")) {
        source->skipped++;
        return;
    }
    sb_log_text(&line, "%s is refused: ", address);
    sb_log_span(&line, e->text);
    sb_log_value_word(&line, "address", address);
    sb_log_value_text(&line, "reason", e->text);
    sb_log_value_word(&line, "cause", sb_transport_counter_name((sb_transport_counter)e->other));
    sb_log_value_number(&line, "boot_reason", e->value);
    append_skipped(source, &line, e->now);
    sb_log_end(&line);
}

static void log_kicked(serve_room *r, const sb_server_event *e)
{
    sb_log_line line;
    if (!serve_start_line(r, &line, e, SB_LOG_WARNING, "leave")) return;
    sb_log_text(&line, e->text.size ? " is removed: " : " is removed");
    sb_log_span(&line, e->text);
    sb_log_value_text(&line, "reason", e->text);
    sb_log_end(&line);
}

static void append_difference(sb_log_line *line, const sb_difference *d)
{
    char name[160];
    SB_ASSERT(d->position < SB_CHECKSUM_ROUNDS);
    const sb_checksum_round *round = &sb_checksum_rounds()[d->position];
    size_t                   length = strlen(round->directory);
    bool                     slash = length && round->directory[length - 1] == '/';
    sb_difference_name(d, name, sizeof name);
    sb_log_text(line, ", round %u: %s: %s%s", round->index, sb_difference_text(d->kind),
                round->directory, slash ? "" : "/");
    sb_log_text(line, "%s (%08X, expected %08X)", name, d->found, d->expected);
    sb_log_value_number(line, "round", round->index);
    sb_log_value_word(line, "directory", round->directory);
    sb_log_value_word(line, "file", name);
    sb_log_value_word(line, "difference", sb_difference_text(d->kind));
    sb_log_value_number(line, "found", d->found);
    sb_log_value_number(line, "expected", d->expected);
}

static void log_difference(serve_room *r, const sb_server_event *e)
{
    sb_log_line line;
    bool        few = e->peer_id < SERVE_PEERS && r->differences[e->peer_id] <= DIFFERENCES_LOGGED;
    if (!e->difference ||
        !serve_start_line(r, &line, e, few ? SB_LOG_WARNING : SB_LOG_DEBUG, "files"))
        return;
    append_difference(&line, e->difference);
    if (e->text.size) {
        sb_log_text(&line, " in ");
        sb_log_span(&line, e->text);
        sb_log_value_text(&line, "manifest", e->text);
    }
    sb_log_end(&line);
}

/* ---- learning (spec 06 §7) ---- */

static void write_learned(serve_room *r, sb_learned *learned)
{
    if (atomic_flag_test_and_set(r->learned)) return; /* only the first complete set is written */
    if (sb_learned_write(learned, r->learn) == SB_OK)
        sb_log_message(r->log, SB_LOG_INFO, "files", r->number, "wrote the learned manifest to %s",
                       r->learn);
    else {
        sb_log_message(r->log, SB_LOG_ERROR, "files", r->number, "%s", learned->error);
        atomic_flag_clear(r->learned);
    }
}

static void learn_files(serve_room *r, const sb_server_event *e)
{
    sb_message message;
    if (!r->learning || e->peer_id >= SERVE_PEERS || e->bytes.size == 0) return;
    if (e->bytes.data[0] != SB_OP_CHECKSUM_RESPONSE) return;
    if (sb_decode_message(e->bytes, NULL, &message, NULL) != SB_OK) return;
    sb_learned *learned = &r->learning[e->peer_id];
    if (sb_learned_add(learned, NULL, &message.as.checksum_response) != SB_OK) {
        sb_log_message(r->log, SB_LOG_WARNING, "files", r->number, "response not learned: %s",
                       learned->error);
        return;
    }
    if (sb_learned_is_complete(learned)) write_learned(r, learned);
}

static void discard_learned(serve_room *r, uint8_t peer_id)
{
    if (!r->learning || peer_id >= SERVE_PEERS) return;
    sb_learned_free(&r->learning[peer_id]);
    r->learning[peer_id] = (sb_learned){ .error = "" };
}

static void log_checked(serve_room *r, const sb_server_event *e)
{
    sb_log_line line;
    if (!serve_start_line(r, &line, e, e->value ? SB_LOG_INFO : SB_LOG_DEBUG, "files")) return;
    sb_log_text(&line, ": %lld differences in a round", (long long)e->value);
    sb_log_value_number(&line, "differences", e->value);
    sb_log_end(&line);
}

/* ---- joining and leaving ---- */

static void log_plain(serve_room *r, const sb_server_event *e, sb_log_level level,
                      const char *subsystem, const char *sentence)
{
    sb_log_line line;
    if (!serve_start_line(r, &line, e, level, subsystem)) return;
    sb_log_text(&line, "%s", sentence);
    if (e->text.size) {
        sb_log_span(&line, e->text);
        sb_log_value_text(&line, "text", e->text);
    }
    sb_log_end(&line);
}

static void log_joined(serve_room *r, const sb_server_event *e)
{
    sb_log_line line;
    if (!serve_start_line(r, &line, e, SB_LOG_INFO, "join")) return;
    sb_log_text(&line, " is in the game after %lld ms", (long long)e->value);
    sb_log_value_number(&line, "ms", e->value);
    sb_log_end(&line);
}

static void log_left(serve_room *r, const sb_server_event *e)
{
    sb_log_line line;
    if (!serve_start_line(r, &line, e, SB_LOG_INFO, "leave")) return;
    sb_log_text(&line, " left after %lld s: ", (long long)e->value);
    sb_log_span(&line, e->text);
    sb_log_value_number(&line, "seconds", e->value);
    sb_log_value_text(&line, "reason", e->text);
    sb_log_end(&line);
}

/* ---- the match ---- */

static void log_chat(serve_room *r, const sb_server_event *e)
{
    log_plain(r, e, SB_LOG_INFO, "chat", e->other ? " (team): " : ": ");
}

static void log_team(serve_room *r, const sb_server_event *e)
{
    sb_log_line line;
    if (!serve_start_line(r, &line, e, SB_LOG_INFO, "game")) return;
    sb_log_text(&line, " is in team %lld", (long long)e->value);
    sb_log_value_number(&line, "team", e->value);
    sb_log_end(&line);
}

/* The name of the class, or of a species without data; NULL: unknown. */
static const char *ship_name(const serve_room *r, int64_t species)
{
    const sb_ship_class *ship = serve_ship_class(r, (uint8_t)species);
    const char          *name = sb_find_name(sb_species_names(), (uint32_t)species);
    return ship ? ship->name : name;
}

static void log_spawned(serve_room *r, const sb_server_event *e)
{
    sb_log_line line;
    const char *species = ship_name(r, e->value);
    if (!serve_start_line(r, &line, e, SB_LOG_INFO, "game")) return;
    sb_log_text(&line, " flies %s", species ? species : "an unknown ship");
    sb_log_value_number(&line, "species", e->value);
    sb_log_value_number(&line, "object", e->object_id);
    sb_log_end(&line);
}

/* Decides the open point about TargetChanged (docs/evidence/open-points.md): for operators who look
 * for it, hence at level debug. */
static void log_target(serve_room *r, const sb_server_event *e)
{
    sb_log_line line;
    if (!serve_start_line(r, &line, e, SB_LOG_DEBUG, "game")) return;
    if (e->object_id) sb_log_text(&line, ": the first TargetChanged of the ship names an object");
    else sb_log_text(&line, ": the first TargetChanged of the ship names no object");
    sb_log_value_number(&line, "object", e->object_id);
    sb_log_value_number(&line, "new", e->other);
    sb_log_end(&line);
}

static void log_killed(serve_room *r, const sb_server_event *e)
{
    sb_log_line line;
    const char *cause = sb_damage_cause_text((sb_damage_cause)e->cause);
    if (!serve_start_line(r, &line, e, SB_LOG_INFO, "game")) return;
    sb_log_text(&line, e->other ? " was destroyed by " : " was destroyed");
    if (e->other) {
        serve_append_player(r, &line, e->other);
        sb_log_value_number(&line, "killer", e->other);
        if (e->other_house) sb_log_value_number(&line, "killer_bot", 1);
        if (e->other < SERVE_PEERS && r->names[e->other][0])
            sb_log_value_word(&line, "killer_name", r->names[e->other]);
    }
    sb_log_text(&line, " (%s)", cause);
    sb_log_value_word(&line, "cause", cause);
    sb_log_end(&line);
}

static void log_score(serve_room *r, const sb_server_event *e)
{
    sb_log_line line;
    if (!serve_start_line(r, &line, e, SB_LOG_INFO, "score")) return;
    sb_log_text(&line, ": %lld points, %d kills, %d deaths", (long long)e->value, e->kills,
                e->deaths);
    sb_log_value_number(&line, "score", e->value);
    sb_log_value_number(&line, "kills", e->kills);
    sb_log_value_number(&line, "deaths", e->deaths);
    sb_log_end(&line);
}

/* ---- refusals ---- */

static void log_refused(serve_room *r, const sb_server_event *e)
{
    sb_log_line line;
    if (e->value < 0 || e->value >= SB_SERVER_COUNTER_COUNT) return;
    sb_server_counter why = (sb_server_counter)e->value;
    if (!sb_log_wants(r->log, SB_LOG_WARNING)) return;
    serve_source *source = find_due_source(&r->players, e->address, e->now);
    if (!source) return;
    if (!serve_start_line(r, &line, e, SB_LOG_WARNING, "refused")) return;
    sb_log_text(&line, ": %s: ", sb_server_counter_name(why));
    sb_log_span(&line, e->text);
    if (e->bytes.size)
        sb_log_text(&line, " (%zu bytes, first 0x%02X)", e->bytes.size, e->bytes.data[0]);
    append_skipped(source, &line, e->now);
    sb_log_value_word(&line, "reason", sb_server_counter_name(why));
    sb_log_value_number(&line, "bytes", (int64_t)e->bytes.size);
    sb_log_end(&line);
}

/* The transport counts Connects beyond the limits of a /24 and of all strangers, and does not
 * answer them. Honest players can be among them, so the log warns without naming an address. */
void serve_log_refused_connects(sb_room *room, sb_time now)
{
    _Static_assert(offsetof(serve_room, room) == 0, "a serve_room starts with its sb_room");
    serve_room *r = (serve_room *)room;
    sb_log_line line;
    uint64_t    network =
        sb_server_transport_count(room->server, SB_TRANSPORT_COUNT_CONNECT_RATE_SOURCE);
    uint64_t rate = sb_server_transport_count(room->server, SB_TRANSPORT_COUNT_CONNECT_RATE_TOTAL);
    if (network + rate == r->connects_logged || now < r->connects_quiet_until) return;
    if (!sb_log_start(&line, r->log, SB_LOG_WARNING, "join", r->number)) return;
    sb_log_text(&line,
                "Connects are not answered, probably because of a flood: %llu above the rate limit "
                "of a /24, %llu above that of all strangers; players must try again",
                (unsigned long long)network, (unsigned long long)rate);
    sb_log_value_word(&line, "event", "connects-unanswered");
    sb_log_value_number(&line, "connect_rate_source", (int64_t)network);
    sb_log_value_number(&line, "connect_rate_total", (int64_t)rate);
    sb_log_end(&line);
    r->connects_logged = network + rate;
    r->connects_quiet_until = now + QUIET_SECONDS * SB_SECOND;
}

/* The server reports each kind at most once a second per player (spec 10 §8, §11.3). */
static void log_implausible(serve_room *r, const sb_server_event *e)
{
    sb_log_line line;
    if (!serve_start_line(r, &line, e, SB_LOG_WARNING, "cheat")) return;
    sb_implausible what = (sb_implausible)e->value;
    sb_log_text(&line, ": %s: ", sb_implausible_name(what));
    sb_log_span(&line, e->text);
    sb_log_text(&line, " (%.4g %s, possible %.4g)", e->claimed, sb_implausible_unit(what),
                e->possible);
    sb_log_value_word(&line, "reason", sb_implausible_name(what));
    sb_log_value_number(&line, "object", e->object_id);
    sb_log_value_figure(&line, "claimed", e->claimed);
    sb_log_value_figure(&line, "possible", e->possible);
    sb_log_value_word(&line, "unit", sb_implausible_unit(what));
    sb_log_end(&line);
}

/* ---- the callback ---- */

/* Seats that people have, for admit.c. */
static void count_seat(serve_room *r, const sb_server_event *e)
{
    unsigned seated = atomic_load_explicit(&r->seated, memory_order_relaxed);
    if (sb_endpoint_is_house(e->address)) return;
    if (e->type == SB_SERVER_CONNECTED) seated++;
    else if (seated > 0) seated--;
    atomic_store_explicit(&r->seated, seated, memory_order_relaxed);
}

/* Updates names, ships and learned files, whether the event is logged or not. */
static void update_room(serve_room *r, const sb_server_event *e)
{
    if (e->peer_id >= SERVE_PEERS) return;
    if (e->type == SB_SERVER_CONNECTED)
        r->names[e->peer_id][0] = '\0'; /* forget the id's last owner */
    else store_name(r, e);
    if (e->type == SB_SERVER_SPAWNED) serve_store_ship(r, e);
    if (e->type == SB_SERVER_FILES_DIFFER) r->differences[e->peer_id]++;
    if (e->type == SB_SERVER_CHECKED || e->type == SB_SERVER_CONNECTED)
        r->differences[e->peer_id] = 0;
    if (e->type == SB_SERVER_CHECKED) learn_files(r, e);
    if (e->type == SB_SERVER_LEFT) discard_learned(r, e->peer_id);
    if (e->type == SB_SERVER_CONNECTED || e->type == SB_SERVER_LEFT) count_seat(r, e);
}

static void log_event(serve_room *r, const sb_server_event *e)
{
    update_room(r, e);
    serve_notify(r, e);
    switch (e->type) {
    case SB_SERVER_CONNECTED: log_connected(r, e); break;
    case SB_SERVER_NAMED: log_named(r, e); break;
    case SB_SERVER_FILES_DIFFER: log_difference(r, e); break;
    case SB_SERVER_CHECKED: log_checked(r, e); break;
    case SB_SERVER_FILES_STARTED:
    case SB_SERVER_FILES_PROGRESS:
    case SB_SERVER_FILES_SENT:
    case SB_SERVER_FILES_STOPPED:
    case SB_SERVER_FILES_WITHHELD: serve_log_files(r, e); break;
    case SB_SERVER_JOIN_FAILED: log_plain(r, e, SB_LOG_WARNING, "join", " cannot join: "); break;
    case SB_SERVER_CONNECT_REFUSED: log_connect_refused(r, e); break;
    case SB_SERVER_KICKED: log_kicked(r, e); break;
    case SB_SERVER_WAITING: log_plain(r, e, SB_LOG_INFO, "join", " waits: "); break;
    case SB_SERVER_JOINED: log_joined(r, e); break;
    case SB_SERVER_LEFT: log_left(r, e); break;
    case SB_SERVER_CHAT: log_chat(r, e); break;
    case SB_SERVER_COMMAND: break; /* commands.c logs what was done */
    case SB_SERVER_TEAM: log_team(r, e); break;
    case SB_SERVER_SPAWNED: log_spawned(r, e); break;
    case SB_SERVER_TARGET: log_target(r, e); break;
    case SB_SERVER_KILLED: log_killed(r, e); break;
    case SB_SERVER_SCORE: log_score(r, e); break;
    case SB_SERVER_MATCH_OVER: serve_log_match_over(r, e); break;
    case SB_SERVER_MATCH_STARTED: log_plain(r, e, SB_LOG_INFO, "game", "a match starts"); break;
    case SB_SERVER_REFUSED: log_refused(r, e); break;
    case SB_SERVER_SUSPICIOUS: log_implausible(r, e); break;
    case SB_SERVER_HASH_CHANGED: serve_log_hash_changed(r, e); break;
    case SB_SERVER_HASH_DIFFERS: serve_log_hash_differs(r, e); break;
    case SB_SERVER_COMBAT: serve_log_combat(r, e); break;
    case SB_SERVER_STOPPED: log_plain(r, e, SB_LOG_INFO, "server", "stopped"); break;
    case SB_SERVER_EVENT_TYPES: break;
    }
}

void serve_log_late(serve_room *r)
{
    for (unsigned i = 0; i < r->late_count; i++) log_event(r, &r->late[i].event);
    r->late_count = 0;
}

/* Formatting a line takes as long as passing it on, and waking whoever reads the log longer: so the
 * rest of the step comes first. False: it cannot wait. */
static bool keep_for_later(serve_room *r, const sb_server_event *e)
{
    if (e->type != SB_SERVER_CHAT || r->late_count == SERVE_LATE_MAX) return false;
    serve_late_chat *late = &r->late[r->late_count];
    if (e->text.size > sizeof late->text) return false;
    store_name(r, e);
    late->event = *e;
    late->event.name = (sb_span){ NULL, 0 };
    late->event.text = (sb_span){ (const uint8_t *)late->text, e->text.size };
    if (e->text.size > 0) memcpy(late->text, e->text.data, e->text.size);
    r->late_count++;
    return true;
}

void serve_log_event(void *context, const sb_server_event *e)
{
    serve_room *r = context;
    if ((unsigned)e->type >= SB_SERVER_EVENT_TYPES || keep_for_later(r, e)) return;
    serve_log_late(r); /* events stay in order */
    log_event(r, e);
}
