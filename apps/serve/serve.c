/* apps/serve/serve.c -- `starbase serve`: a dedicated server of one or many rooms.
 *
 * For:      operators. Starts rooms and the threads that run them, waits for signals and commands,
 *           and stops. src/server implements a room; src/run/room_loop.c runs it.
 * Tests:    tests/apps/serve_test.py
 */
#include "serve/rules.h"

#include "base/assert.h"
#include "common/commands.h"
#include "config/keys.h"
#include "platform/clock.h"
#include "platform/process.h"
#include "platform/signals.h"
#include "platform/terminal.h"
#include "store/store.h"
#include "web/pages.h"

#include <errno.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { VIEW_MS = 250, BACKGROUND_MS = 1000, NOTICES_MS = 20 };

/* ---- commands for rooms ---- */

void serve_post(serve *s, size_t loop, const sb_room_command *command)
{
    SB_ASSERT(loop < s->loop_count);
    while (!sb_room_loop_post(s->loops[loop], command)) (void)usleep(1000);
}

void serve_wait_done(atomic_bool *done)
{
    while (!atomic_load_explicit(done, memory_order_acquire)) (void)usleep(500);
}

/* ---- rooms ---- */

void serve_set_callbacks(serve *s, serve_room *r, sb_server_config *config)
{
    config->transport.admit = serve_admit;
    config->transport.admit_context = r;
    config->refuse_name = serve_bans_refuse_name;
    config->name_context = r;
    atomic_store(&r->limit, config->max_players);
    config->on_event = serve_log_event;
    config->event_context = r;
    config->responder.own = r->room.udp.local;
    sb_query_limits_share(s->query_limits, &config->responder);
}

static bool prepare_learning(serve *s, serve_room *r)
{
    if (r->config->server.checksums != SB_CHECKSUM_LEARN) return true;
    r->learn = s->current->learn[0] ? s->current->learn : SB_LEARNED_FILE;
    r->learned = &s->learned;
    r->learning = calloc(SERVE_PEERS, sizeof *r->learning);
    return r->learning != NULL;
}

/* The name of the setting that changes the port, for errors. A script that starts the server for
 * another command, such as `make run`, names that command in STARBASE_PORT_HINT. */
static const char *port_hint(const serve *s)
{
    const char *command = getenv("STARBASE_PORT_HINT");
    const char *source = s->first->set_by[sb_config_find_key("port") - sb_config_keys()];
    if (command && command[0]) return command;
    return source && strncmp(source, "STARBASE_", 9) == 0 ? source : NULL;
}

static bool open_room(serve *s, size_t index)
{
    char            error[SB_UDP_ERROR_MAX];
    serve_room     *r = &s->rooms[index];
    sb_room_config *config = &s->first->rooms[index];
    sb_udp_options  options = { .local = { s->first->bind_address.address, (uint16_t)config->port },
                                .port_hint = port_hint(s) };
    r->number = (unsigned)index + 1;
    r->config = config;
    r->ship_set = config->server.ships;
    r->log = &s->log;
    r->access = &s->access;
    atomic_store(&r->slots, config->slots);
    r->room.on_step = serve_log_step;
    if (sb_udp_open(&r->room.udp, &options, error) != SB_OK) {
        sb_log_message(&s->log, SB_LOG_ERROR, "server", r->number, "%s", error);
        return false;
    }
    serve_set_callbacks(s, r, &config->server);
    config->server.transport.newcomers = s->newcomers;
    config->server.transport.house = true; /* the room's loop drops forged sources */
    r->room.memory_bytes = sb_server_bytes(&config->server);
    r->room.memory = calloc(1, r->room.memory_bytes);
    if (!r->room.memory || !prepare_learning(s, r)) {
        sb_log_message(&s->log, SB_LOG_ERROR, "server", r->number,
                       "out of memory: start fewer rooms");
        return false;
    }
    r->room.start = config->server;
    return true;
}

static bool open_query_limits(serve *s)
{
    sb_responder_config rates = s->first->queries;
    rates.seed = sb_clock_seed();
    s->query_limits = sb_query_limits_create(&rates, s->room_count, sb_clock_now());
    return s->query_limits != NULL;
}

static bool reserve_descriptors(serve *s)
{
    size_t wanted = sb_process_config_descriptors(s->first);
    size_t missing = sb_process_reserve_descriptors(wanted);
    if (missing == 0) return true;
    sb_log_message(
        &s->log, SB_LOG_ERROR, "server", SB_LOG_NO_ROOM,
        "%zu rooms need %zu open files, %zu more than this process may have: start fewer "
        "rooms, or raise the limit (ulimit -n %zu, LimitNOFILE= of a systemd unit)",
        s->room_count, wanted, missing, wanted);
    return false;
}

static bool open_rooms(serve *s)
{
    s->room_count = s->first->room_count;
    if (!reserve_descriptors(s)) return false;
    s->rooms = calloc(s->room_count, sizeof *s->rooms);
    void *newcomers = malloc(sb_newcomers_bytes());
    s->newcomers = newcomers ? sb_newcomers_init(newcomers, sb_clock_seed()) : NULL;
    if (!s->rooms || !s->newcomers || !open_query_limits(s)) return false;
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
        sb_room_free_memory(&r->room);
    }
    sb_query_limits_destroy(s->query_limits);
    free(s->rooms);
    free(s->newcomers);
}

/* A line of the log's JSON, for readers that merge stdout and stderr. */
static void print_ready_json(serve *s, const serve_room *r, const char *address)
{
    sb_log_line           line;
    char                  out[SB_LOG_BYTES_MAX];
    const sb_room_config *c = r->config;
    sb_log_start_answer(&line, &s->log, "server", r->number);
    sb_log_text(&line, "%s is ready on %s", c->shown_name, address);
    sb_log_value_word(&line, "event", "ready");
    sb_log_value_word(&line, "name", c->shown_name);
    sb_log_value_word(&line, "address", address);
    sb_log_value_number(&line, "port", r->room.udp.local.port);
    sb_log_value_word(&line, "mission", c->server.match.mode->key);
    sb_log_value_word(&line, "system", c->place->name);
    sb_log_value_number(&line, "max_players", c->server.max_players);
    size_t size = sb_log_format(&line, out);
    fwrite(out, 1, size, stdout);
}

static void print_ready(serve *s)
{
    char address[SB_ENDPOINT_TEXT];
    for (size_t i = 0; i < s->room_count; i++) {
        const serve_room     *r = &s->rooms[i];
        const sb_room_config *c = r->config;
        sb_endpoint_text(r->room.udp.local, address);
        if (s->first->log_json) print_ready_json(s, r, address);
        else
            printf("ready: room %u \"%s\" on %s, mission %s in %s, %u players\n", r->number,
                   c->shown_name, address, c->server.match.mode->key, c->place->name,
                   c->server.max_players);
    }
    serve_print_eyes(s);
    fflush(stdout);
}

void serve_log_config_warnings(serve *s, const sb_process_config *config)
{
    for (const sb_data_warning *w = config->data.warnings; w; w = w->next)
        sb_log_message(&s->log, SB_LOG_WARNING, "server", SB_LOG_NO_ROOM, "%s", w->text);
}

/* docs/decisions/mission5-starbase.md */
void serve_warn_missions(serve *s, const sb_process_config *config, const sb_process_config *before)
{
    for (size_t i = 0; i < s->room_count; i++) {
        const sb_mode *mode = config->rooms[i].server.match.mode;
        if (mode->mission != SB_MISSION_ASSAULT) continue;
        if (before && before->rooms[i].server.match.mode == mode) continue;
        sb_log_message(&s->log, SB_LOG_WARNING, "game", s->rooms[i].number,
                       "mission assault has no starbase on this server: attackers and defenders "
                       "fight each other, and the time or kill limit ends the match");
    }
}

/* ---- loops ---- */

static size_t choose_loop_count(const serve *s)
{
    long   processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t count = s->first->threads ? s->first->threads : processors > 0 ? (size_t)processors : 1;
    return count < s->room_count ? count : s->room_count;
}

/* Assigns every loop_count-th room to the loop. Fills s->order from `at` on; returns the end. */
static size_t assign_rooms(serve *s, size_t loop, size_t at)
{
    size_t first = at;
    for (size_t i = loop; i < s->room_count; i += s->loop_count) {
        s->rooms[i].loop = loop;
        s->rooms[i].index = at - first;
        s->order[at++] = &s->rooms[i].room;
    }
    return at;
}

/* Once for each step; the loop waits ten seconds before it takes one back. States that
 * share datagrams need no line: there is nothing to do about them. */
static void report_load(void *context, sb_server_load load, bool worse)
{
    static const char *const texts[] = {
        [SB_LOAD_SHARED] = "ship states go out at their full rate again",
        [SB_LOAD_HALF] = "ship states go out half as often",
        [SB_LOAD_THIRD] = "ship states go out a third as often",
        [SB_LOAD_CLOSED] = "ship states go out a third as often and newcomers are refused",
    };
    serve *s = context;
    if (load == SB_LOAD_NORMAL || (load == SB_LOAD_SHARED && worse)) return;
    sb_log_message(&s->log, worse ? SB_LOG_WARNING : SB_LOG_INFO, "server", SB_LOG_NO_ROOM,
                   worse ? "a thread has more to do than it can: %s; run fewer rooms or players on "
                           "this machine, or more threads if it has idle processors"
                         : "%s: a thread has time to spare",
                   texts[load]);
}

static bool create_loops(serve *s)
{
    s->loop_count = choose_loop_count(s);
    SB_ASSERT(s->room_count > 0);
    s->order = calloc(s->room_count, sizeof *s->order);
    s->loops = calloc(s->loop_count, sizeof *s->loops);
    if (!s->order || !s->loops) return false;
    for (size_t i = 0, at = 0; i < s->loop_count; i++) {
        size_t end = assign_rooms(s, i, at);
        s->loops[i] = sb_room_loop_create(s->order + at, end - at);
        if (!s->loops[i]) {
            sb_log_message(&s->log, SB_LOG_ERROR, "server", SB_LOG_NO_ROOM,
                           "cannot poll the sockets: %s", strerror(errno));
            return false;
        }
        sb_room_loop_on_load(s->loops[i], report_load, s);
        at = end;
    }
    return true;
}

static void stop_loops(serve *s, size_t started)
{
    sb_room_command stop = { .type = SB_ROOM_STOP, .room = SB_ROOM_ALL };
    for (size_t i = 0; i < started; i++) serve_post(s, i, &stop);
    for (size_t i = 0; i < started; i++) sb_room_loop_join(s->loops[i]);
}

static bool start_loops(serve *s)
{
    for (size_t i = 0; i < s->loop_count; i++) {
        if (sb_room_loop_start(s->loops[i]) == SB_OK) continue;
        sb_log_message(&s->log, SB_LOG_ERROR, "server", SB_LOG_NO_ROOM, "cannot start a thread");
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

/* ---- running ---- */

static void on_signal(serve *s, void *context, short events)
{
    (void)events;
    sb_signal signal = sb_signals_next(*(const int *)context);
    if (signal == SB_SIGNAL_RELOAD) serve_reload(s);
    if (signal == SB_SIGNAL_STATUS) serve_log_status(s, 0, s->room_count);
    if (signal == SB_SIGNAL_STOP) s->stop = true;
}

static void read_notices(serve *s, void *context)
{
    (void)context;
    serve_watch_events(s, s->notice_wake, POLLIN);
    serve_read_notices(s);
}

/* Notices that arrive within NOTICES_MS are read together, and only the first of them wakes this
 * thread: the threads of rooms write to the eventfd when a ring stops being empty. */
static void on_notices(serve *s, void *context, short events)
{
    (void)context;
    (void)events;
    serve_watch_events(s, s->notice_wake, 0);
    serve_call_at(s, sb_clock_now() + NOTICES_MS * (SB_SECOND / 1000), read_notices, NULL);
}

/* The time until the next drawing. A background process wakes every BACKGROUND_MS to notice its
 * return to the foreground. */
static int poll_timeout_ms(const serve *s, const serve_view *view, sb_time draw_at)
{
    sb_time left = draw_at - sb_clock_now();
    if (view) return left > 0 ? (int)((left + 999) / 1000) : 0;
    return serve_console_is_in_background(s) ? BACKGROUND_MS : -1;
}

static void draw(serve_view *view, sb_time *draw_at)
{
    sb_time now = sb_clock_now();
    if (now < *draw_at) {
        serve_view_prompt(view);
        return;
    }
    serve_view_draw(view);
    *draw_at = now + VIEW_MS * (SB_SECOND / 1000);
}

static void wait_for_stop(serve *s, int signals)
{
    serve_view *view = s->first->view ? serve_view_open(s) : NULL;
    sb_time     draw_at = 0;
    (void)serve_watch(s, signals, POLLIN, on_signal, &signals);
    (void)serve_watch(s, s->notice_wake, POLLIN, on_notices, NULL);
    serve_console_watch(s);
    while (!s->stop) {
        if (view) draw(view, &draw_at);
        serve_console_update(s);
        serve_wait(s, poll_timeout_ms(s, view, draw_at));
    }
    if (view) serve_view_close(view);
    serve_close_prompt(s);
    serve_close_control(s);
    sb_signals_release();
}

static int run_rooms(serve *s, int signals)
{
    if (!start_loops(s)) return SB_EXIT_NEGATIVE;
    print_ready(s);
    serve_open_control(s);
    serve_on_notice(s, serve_note_match);
    serve_on_notice(s, serve_remember);
    serve_on_notice(s, serve_rules_notice);
    serve_on_notice(s, serve_read_chat);
    serve_update_access(s);
    serve_fill_rooms(s, NULL);
    serve_log_config_warnings(s, s->first);
    serve_warn_missions(s, s->first, NULL);
    serve_start_resolving(s);
    serve_eyes_ready(s);
    wait_for_stop(s, signals);
    serve_eyes_stopping(s);
    serve_read_notices(s); /* a match that has just ended is over, not stopped */
    serve_finish_matches(s);
    sb_log_message(&s->log, SB_LOG_INFO, "server", SB_LOG_NO_ROOM,
                   "stopping: saying goodbye to the players");
    serve_stop_resolving(s);
    sb_house_close(s->house);
    stop_loops(s, s->loop_count);
    if (s->log.lost)
        sb_log_message(&s->log, SB_LOG_WARNING, "server", SB_LOG_NO_ROOM,
                       "log lines were lost, %llu of them: the reader of the log was too slow",
                       (unsigned long long)s->log.lost);
    return SB_EXIT_FINE;
}

/* Keeps the memory of rooms apart from the heap: the system gives fresh pages, which cost nothing
 * until they are used, and gets them back when a room has grown. */
static void set_allocator(void)
{
#ifdef __GLIBC__
    enum { OWN_PAGES_FROM = 128 * 1024 };
    (void)mallopt(M_MMAP_THRESHOLD, OWN_PAGES_FROM);
    (void)mallopt(M_MMAP_MAX, 4 * SB_ROOMS_MAX);
#endif
}

static void keep_audit(serve *s, const char *who, const char *command, const char *result)
{
    sb_store_audit(serve_store(s), sb_clock_wall_us() / 1000, who, command, result);
}

static int run(const serve_options *options, sb_process_config *config)
{
    set_allocator();
    serve s = { .options = options, .first = config, .current = config, .notice_wake = -1 };
    serve_console_open(&s); /* first: if stdin is closed, the next open could get its number */
    int            status = SB_EXIT_NEGATIVE, signals = sb_signals_open(SB_HANGUP_RELOADS);
    sb_log_options log = { .descriptor = STDERR_FILENO, .level = (sb_log_level)config->log_level };
    log.json = config->log_json;
    log.colour = !log.json && sb_terminal_has_colour(stderr);
    log.priorities = sb_log_is_journal(STDERR_FILENO);
    sb_log_open(&s.log, &log);
    atomic_flag_clear(&s.learned);
    s.started_at = sb_clock_now();
    s.answers = &s.log;
    s.audit = keep_audit;
    s.snapshot = calloc(1, sizeof *s.snapshot);
    if (s.snapshot && serve_open_memory(&s) && open_rooms(&s) && serve_rules_open(&s) &&
        create_loops(&s) && serve_open_notices(&s) && serve_open_commands(&s) &&
        serve_open_house(&s) && serve_open_eyes(&s))
        status = run_rooms(&s, signals);
    serve_close_eyes(&s);
    sb_house_destroy(s.house);
    destroy_loops(&s);
    serve_rules_close(&s);
    serve_close_notices(&s);
    close_rooms(&s);
    serve_close_commands(&s);
    serve_free_overrides(&s);
    serve_close_memory(&s);
    free(s.snapshot);
    if (s.current != s.first) {
        sb_process_config_free(s.current);
        free(s.current);
    }
    sb_log_close(&s.log);
    sb_signals_close(signals);
    return status;
}

static int run_configured(const serve_options *o)
{
    sb_process_config *config = calloc(1, sizeof *config);
    int                status = SB_EXIT_CONFIG;
    if (!config) return SB_EXIT_NEGATIVE;
    if (sb_process_config_load(config, &o->sources) != SB_OK ||
        !serve_check_commands(config, config->data.error, sizeof config->data.error))
        serve_report_config_error(o, config);
    else if (o->check) {
        for (const sb_data_warning *w = config->data.warnings; w; w = w->next)
            fprintf(stderr, "starbase serve: warning: %s\n", w->text);
        sb_process_config_print(stdout, config);
        status = SB_EXIT_FINE;
    } else status = run(o, config);
    sb_process_config_free(config);
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
    } else if (status == SB_OPTIONS_END && o->print_example) {
        serve_print_example();
        status = SB_EXIT_FINE;
    } else if (status == SB_OPTIONS_END && o->print_metrics) {
        sb_web_print_reference(stdout);
        status = SB_EXIT_FINE;
    } else if (status == SB_OPTIONS_END) status = run_configured(o);
    serve_free_options(o);
    free(o);
    return status;
}
