/* apps/serve.c -- `starbase serve`: a dedicated server of one or many rooms.
 *
 * For:      hosts. Starts rooms and the threads that run them, waits for signals, ends in good
 *           order. What a room is, is in src/server; how it is run, in src/host/room_loop.c.
 */
#include "serve.h"

#include "base/assert.h"
#include "commands.h"
#include "host/clock.h"
#include "host/resolver.h"
#include "host/signals.h"
#include "host/terminal.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { VIEW_MS = 250, ANSWER_MS = 1000 };

/* ---- masters: names become addresses beside the game ---- */

static void post_patiently(serve *s, size_t loop, const sb_room_command *command)
{
    for (int i = 0; i < ANSWER_MS && !sb_room_loop_post(s->loops[loop], command); i++)
        (void)usleep(1000);
}

static void set_master(serve *s, const char *name, sb_endpoint address)
{
    for (size_t i = 0; i < s->room_count; i++) {
        const sb_texts *masters = &s->current->rooms[i].masters;
        for (unsigned k = 0; k < masters->count; k++) {
            sb_room_command c = { .type = SB_ROOM_MASTER, .room = (int)s->rooms[i].index };
            c.master = address;
            c.index = k;
            if (strcmp(masters->items[k], name) == 0) post_patiently(s, s->rooms[i].loop, &c);
        }
    }
}

/* Every name once, however many rooms announce themselves there. */
static size_t list_masters(const serve *s, const char *names[SB_RESOLVER_NAMES])
{
    size_t count = 0;
    for (size_t i = 0; i < s->room_count; i++) {
        const sb_texts *masters = &s->current->rooms[i].masters;
        for (size_t k = 0; k < masters->count; k++) {
            bool known = count == SB_RESOLVER_NAMES;
            for (size_t m = 0; m < count; m++)
                known = known || strcmp(names[m], masters->items[k]) == 0;
            if (!known) names[count++] = masters->items[k];
        }
    }
    return count;
}

static void tell_address(void *context, size_t index, sb_endpoint address, const char *error)
{
    serve      *s = context;
    const char *names[SB_RESOLVER_NAMES];
    char        text[SB_ENDPOINT_TEXT];
    if (index >= list_masters(s, names)) return;
    if (error) {
        sb_log_say(&s->log, SB_LOG_WARNING, "master", SB_LOG_NO_ROOM, "%s; will ask again", error);
        return;
    }
    sb_endpoint_text(address, text);
    sb_log_say(&s->log, SB_LOG_INFO, "master", SB_LOG_NO_ROOM, "%s is %s", names[index], text);
    set_master(s, names[index], address);
}

static void find_masters(serve *s)
{
    const char *names[SB_RESOLVER_NAMES];
    size_t      count = list_masters(s, names);
    if (count == 0) return;
    s->resolver = sb_resolver_start(names, count, SB_MASTER_PORT, tell_address, s);
    if (!s->resolver)
        sb_log_say(&s->log, SB_LOG_ERROR, "master", SB_LOG_NO_ROOM, "no thread to find masters");
}

static void forget_masters(serve *s)
{
    if (s->resolver) sb_resolver_stop(s->resolver);
    s->resolver = NULL;
}

/* ---- rooms ---- */

/* What the server object must know from us, besides its configuration. */
static void connect_config(serve_room *r, sb_server_config *config)
{
    config->tell = serve_tell;
    config->tell_context = r;
    config->responder.own = r->room.udp.local;
}

static bool prepare_learning(serve *s, serve_room *r)
{
    if (r->config->server.checksums != SB_CHECKSUM_LEARN) return true;
    r->learn = s->current->learn[0] ? s->current->learn : "learned.csv";
    r->learned = &s->learned;
    r->learning = calloc(SERVE_PEERS, sizeof *r->learning);
    return r->learning != NULL;
}

static bool open_room(serve *s, size_t index)
{
    char            error[SB_UDP_ERROR_MAX];
    serve_room     *r = &s->rooms[index];
    sb_room_config *config = &s->first->rooms[index];
    sb_udp_options  options = { .local = { s->first->bind_address.address,
                                           (uint16_t)config->port } };
    r->number = (unsigned)index + 1;
    r->config = config;
    r->ship_set = config->server.ships;
    r->log = &s->log;
    if (sb_udp_open(&r->room.udp, &options, error) != SB_OK) {
        sb_log_say(&s->log, SB_LOG_ERROR, "server", r->number, "%s", error);
        return false;
    }
    connect_config(r, &config->server);
    r->memory = calloc(1, sb_server_bytes(&config->server));
    if (!r->memory || !prepare_learning(s, r)) {
        sb_log_say(&s->log, SB_LOG_ERROR, "server", r->number, "out of memory: start fewer rooms");
        return false;
    }
    r->room.server = sb_server_init(r->memory, &config->server, sb_clock_now());
    return true;
}

static bool open_rooms(serve *s)
{
    s->room_count = s->first->room_count;
    s->rooms = calloc(s->room_count, sizeof *s->rooms);
    if (!s->rooms) return false;
    for (size_t i = 0; i < s->room_count; i++) s->rooms[i].room.udp.descriptor = -1;
    for (size_t i = 0; i < s->room_count; i++)
        if (!open_room(s, i)) return false;
    return true;
}

static void close_rooms(serve *s)
{
    for (size_t i = 0; s->rooms && i < s->room_count; i++) {
        serve_room *r = &s->rooms[i];
        sb_udp_close(&r->room.udp);
        for (size_t k = 0; r->learning && k < SERVE_PEERS; k++) sb_learned_free(&r->learning[k]);
        free(r->learning);
        free(r->memory);
    }
    free(s->rooms);
}

static void print_ready(const serve *s)
{
    char place[SB_ENDPOINT_TEXT];
    for (size_t i = 0; i < s->room_count; i++) {
        const serve_room     *r = &s->rooms[i];
        const sb_room_config *c = r->config;
        sb_endpoint_text(r->room.udp.local, place);
        printf("ready: room %u \"%s\" on %s, mission %s in %s, %u players\n", r->number,
               c->shown_name, place, c->server.match.mode->key, c->place->name,
               c->server.max_players);
    }
    fflush(stdout);
}

/* ---- loops: rooms dealt out like cards ---- */

static size_t count_loops(const serve *s)
{
    long   processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t count = s->first->threads ? s->first->threads : processors > 0 ? (size_t)processors : 1;
    return count < s->room_count ? count : s->room_count;
}

static size_t deal_rooms(serve *s, size_t loop, size_t at)
{
    size_t first = at;
    for (size_t i = loop; i < s->room_count; i += s->loop_count) {
        s->rooms[i].loop = loop;
        s->rooms[i].index = at - first;
        s->order[at++] = &s->rooms[i].room;
    }
    return at;
}

static bool make_loops(serve *s)
{
    s->loop_count = count_loops(s);
    SB_ASSERT(s->room_count > 0);
    s->order = calloc(s->room_count, sizeof *s->order);
    s->loops = calloc(s->loop_count, sizeof *s->loops);
    if (!s->order || !s->loops) return false;
    for (size_t i = 0, at = 0; i < s->loop_count; i++) {
        size_t end = deal_rooms(s, i, at);
        s->loops[i] = sb_room_loop_create(s->order + at, end - at);
        if (!s->loops[i]) {
            sb_log_say(&s->log, SB_LOG_ERROR, "server", SB_LOG_NO_ROOM,
                       "cannot wait for sockets: %s", strerror(errno));
            return false;
        }
        at = end;
    }
    return true;
}

static void stop_loops(serve *s, size_t started)
{
    sb_room_command stop = { .type = SB_ROOM_STOP, .room = SB_ROOM_ALL };
    for (size_t i = 0; i < started; i++) post_patiently(s, i, &stop);
    for (size_t i = 0; i < started; i++) sb_room_loop_join(s->loops[i]);
}

static bool start_loops(serve *s)
{
    for (size_t i = 0; i < s->loop_count; i++) {
        if (sb_room_loop_start(s->loops[i]) == SB_OK) continue;
        sb_log_say(&s->log, SB_LOG_ERROR, "server", SB_LOG_NO_ROOM, "cannot start a thread");
        stop_loops(s, i);
        return false;
    }
    return true;
}

static void destroy_loops(serve *s)
{
    for (size_t i = 0; s->loops && i < s->loop_count; i++)
        if (s->loops[i]) sb_room_loop_destroy(s->loops[i]);
    free(s->loops);
    free(s->order);
}

/* ---- SIGHUP ---- */

static void warn_about_fixed(serve *s, const sb_serve_config *next)
{
    bool ports = false, seats = false;
    for (size_t i = 0; i < s->room_count && i < next->room_count; i++) {
        const sb_room_config *old = &s->first->rooms[i], *new = &next->rooms[i];
        ports = ports || old->port != new->port;
        seats = seats || old->server.max_players != new->server.max_players;
    }
    if (next->room_count != s->room_count || ports || seats ||
        strcmp(next->bind, s->first->bind) != 0 || next->threads != s->first->threads ||
        strcmp(next->data_dir, s->first->data_dir) != 0 ||
        strcmp(next->learn, s->first->learn) != 0)
        sb_log_say(
            &s->log, SB_LOG_WARNING, "server", SB_LOG_NO_ROOM,
            "rooms, port, bind, threads, data, learn and max_players change with a restart only");
}

static bool is_done(atomic_bool *done)
{
    for (int i = 0; i < ANSWER_MS; i++) {
        if (atomic_load_explicit(done, memory_order_acquire)) return true;
        (void)usleep(1000);
    }
    return false;
}

/* Ships and projectiles in play are those of the start. False: a room did not answer. */
static bool configure_room(serve *s, size_t index, sb_serve_config *next)
{
    serve_room       *r = &s->rooms[index];
    sb_server_config *config = &next->rooms[index].server, *old = &s->first->rooms[index].server;
    atomic_bool       done = false;
    sb_room_command   c = { .type = SB_ROOM_CONFIGURE, .room = (int)r->index, .done = &done };
    connect_config(r, config);
    config->ships = old->ships;
    config->combat.projectiles = old->combat.projectiles;
    config->max_players = old->max_players;
    c.config = config;
    if (!sb_room_loop_post(s->loops[r->loop], &c)) return false;
    while (!is_done(&done)) continue; /* `done` must not go before the answer comes */
    r->config = &next->rooms[index];
    return true;
}

static void clear_masters(serve *s)
{
    for (size_t i = 0; i < s->room_count; i++)
        for (unsigned k = 0; k < s->current->rooms[i].masters.count; k++) {
            sb_room_command c = { .type = SB_ROOM_MASTER, .room = (int)s->rooms[i].index };
            c.index = k;
            post_patiently(s, s->rooms[i].loop, &c);
        }
}

static void adopt(serve *s, sb_serve_config *next)
{
    sb_serve_config *before = s->current;
    forget_masters(s);
    clear_masters(s);
    warn_about_fixed(s, next);
    for (size_t i = 0; i < s->room_count; i++)
        if (!configure_room(s, i, next))
            sb_log_say(&s->log, SB_LOG_ERROR, "server", s->rooms[i].number, "was not told");
    sb_log_set_level(&s->log, (sb_log_level)next->log_level);
    s->current = next;
    if (before != s->first) {
        sb_serve_config_free(before);
        free(before);
    }
}

static void reload(serve *s)
{
    sb_serve_config *next = calloc(1, sizeof *next);
    if (!next) return;
    if (sb_serve_config_load(next, &s->options->sources) != SB_OK) {
        sb_log_say(&s->log, SB_LOG_ERROR, "server", SB_LOG_NO_ROOM, "not reloaded: %s",
                   next->data.error);
        sb_serve_config_free(next);
        free(next);
        return;
    }
    if (next->room_count < s->room_count) {
        sb_log_say(&s->log, SB_LOG_ERROR, "server", SB_LOG_NO_ROOM,
                   "not reloaded: there are fewer rooms than run; that needs a restart");
        sb_serve_config_free(next);
        free(next);
        return;
    }
    adopt(s, next);
    find_masters(s);
    sb_log_say(&s->log, SB_LOG_INFO, "server", SB_LOG_NO_ROOM, "reloaded %s",
               next->file ? next->file : "the environment and the command line");
}

/* ---- SIGUSR1 ---- */

static void tell_status(serve *s)
{
    for (size_t i = 0; i < s->room_count; i++) {
        const sb_room_traffic *t = &s->rooms[i].room.traffic;
        sb_log_line            line;
        if (!sb_log_begin(&line, &s->log, SB_LOG_INFO, "status", s->rooms[i].number)) return;
        uint64_t in = atomic_load(&t->datagrams_in), out = atomic_load(&t->datagrams_out);
        uint64_t lost = atomic_load(&t->not_sent), turns = atomic_load(&t->turns);
        sb_log_text(&line, "%llu datagrams in, %llu out, %llu not sent, %llu turns",
                    (unsigned long long)in, (unsigned long long)out, (unsigned long long)lost,
                    (unsigned long long)turns);
        sb_log_value_number(&line, "datagrams_in", (int64_t)in);
        sb_log_value_number(&line, "bytes_in", (int64_t)atomic_load(&t->bytes_in));
        sb_log_value_number(&line, "datagrams_out", (int64_t)out);
        sb_log_value_number(&line, "bytes_out", (int64_t)atomic_load(&t->bytes_out));
        sb_log_value_number(&line, "not_sent", (int64_t)lost);
        sb_log_value_number(&line, "turns", (int64_t)turns);
        sb_log_end(&line);
    }
}

/* ---- running ---- */

static void wait_for_stop(serve *s, int signals)
{
    serve_view   *view = s->first->view ? serve_view_open(s) : NULL;
    struct pollfd ready = { .fd = signals, .events = POLLIN };
    for (;;) {
        if (view) serve_view_draw(view);
        (void)poll(&ready, 1, view ? VIEW_MS : -1);
        sb_signal signal = sb_signals_next(signals);
        if (signal == SB_SIGNAL_STOP) break;
        if (signal == SB_SIGNAL_RELOAD) reload(s);
        if (signal == SB_SIGNAL_STATUS) tell_status(s);
    }
    if (view) serve_view_close(view);
    sb_signals_release();
}

static int run_rooms(serve *s, int signals)
{
    if (!start_loops(s)) return SB_EXIT_NEGATIVE;
    print_ready(s);
    find_masters(s);
    wait_for_stop(s, signals);
    sb_log_say(&s->log, SB_LOG_INFO, "server", SB_LOG_NO_ROOM, "stopping: players are told");
    forget_masters(s);
    stop_loops(s, s->loop_count);
    if (s->log.lost)
        sb_log_say(&s->log, SB_LOG_WARNING, "server", SB_LOG_NO_ROOM,
                   "%llu log lines were lost: nobody took them", (unsigned long long)s->log.lost);
    return SB_EXIT_FINE;
}

static int run(const serve_options *options, sb_serve_config *config)
{
    serve          s = { .options = options, .first = config, .current = config };
    int            status = SB_EXIT_NEGATIVE, signals = sb_signals_open();
    sb_log_options log = { .descriptor = STDERR_FILENO, .level = (sb_log_level)config->log_level };
    log.json = config->log_json;
    log.colour = !log.json && sb_terminal_has_colour(stderr);
    sb_log_open(&s.log, &log);
    atomic_flag_clear(&s.learned);
    s.started_at = sb_clock_now();
    if (open_rooms(&s) && make_loops(&s)) status = run_rooms(&s, signals);
    destroy_loops(&s);
    close_rooms(&s);
    if (s.current != s.first) {
        sb_serve_config_free(s.current);
        free(s.current);
    }
    sb_log_close(&s.log);
    sb_signals_close(signals);
    return status;
}

static int run_configured(const serve_options *o)
{
    sb_serve_config *config = calloc(1, sizeof *config);
    int              status = SB_EXIT_CONFIG;
    if (!config) return SB_EXIT_NEGATIVE;
    if (sb_serve_config_load(config, &o->sources) != SB_OK)
        fprintf(stderr, "starbase serve: %s\n", config->data.error);
    else if (o->check) {
        sb_serve_config_print(stdout, config);
        status = SB_EXIT_FINE;
    } else status = run(o, config);
    sb_serve_config_free(config);
    free(config);
    return status;
}

int sb_run_serve(int argc, char **argv)
{
    serve_options *o = malloc(sizeof *o);
    if (!o) return SB_EXIT_NEGATIVE;
    int status = serve_read_options(o, argc, argv);
    if (status == SB_OPTIONS_END && o->list_keys) {
        serve_print_keys();
        status = SB_EXIT_FINE;
    } else if (status == SB_OPTIONS_END) status = run_configured(o);
    serve_free_options(o);
    free(o);
    return status;
}
