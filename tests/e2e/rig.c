/* tests/e2e/rig.c -- runs one server at a time, and seats on sockets. */
#include "rig.h"

#include <starbase/cipher.h>
#include <starbase/message.h>

#include "base/bytes.h"
#include "platform/clock.h"
#include "player_messages.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    MARKER = 0xF0, /* a type of message the game does not use */
    LOOPBACK = 0x7F000000,
};

/* Global, so that the next test can stop the server of a test that failed. */
static live          the_live;
static sb_udp_batch *batch;

sb_time live_now(void)
{
    return sb_clock_now();
}

/* ---- beginning and end ---- */

/* False: the server had ended by itself. */
static bool close_live(void)
{
    live *l = &the_live;
    bool  fine = l->server.pid == 0 || process_status(&l->server) == -1;
    if (!fine) printf("    a server has ended by itself:\n%s", process_log(&l->server));
    process_kill(&l->bots);
    process_kill(&l->relay);
    process_kill(&l->server);
    for (unsigned i = 0; i < l->seat_count; i++) {
        sb_udp_close(&l->seats[i]->udp);
        free(l->seats[i]->client);
        free(l->seats[i]->heard);
        free(l->seats[i]);
    }
    *l = (live){ 0 };
    return fine;
}

static void close_last(void)
{
    if (close_live()) return;
    (void)fflush(stdout);
    _exit(1);
}

static void start_test(void)
{
    if (!batch) {
        batch = sb_udp_batch_create();
        CHECK(batch != NULL);
        (void)signal(SIGPIPE, SIG_IGN);
        (void)atexit(close_last);
    }
    test_allow_seconds(0); /* a test may start several servers, one after the other */
    if (!close_live()) FAIL("the server of the test before did not survive it");
}

live *live_open_with(const char *const *arguments, const char *const *variables)
{
    static const char *const fixed[] = { "serve",
                                         "--bind",
                                         "127.0.0.1",
                                         "--port",
                                         "0",
                                         "--set",
                                         "peers_per_address=0",
                                         "--set",
                                         "mod_policy=all",
                                         "--set",
                                         "mod_per_s=1000" };
    const char              *argv[LIVE_ARGUMENTS_MAX] = { program_path() };
    size_t                   count = 1;
    unsigned                 port;
    start_test();
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) argv[count++] = fixed[i];
    for (; arguments && *arguments; arguments++) {
        CHECK(count + 1 < LIVE_ARGUMENTS_MAX);
        argv[count++] = *arguments;
    }
    live *l = &the_live;
    process_start(&l->server, argv, variables);
    process_read_line(&l->server, l->ready, sizeof l->ready);
    const char *place = strstr(l->ready, " on 127.0.0.1:");
    if (!place || sscanf(place, " on 127.0.0.1:%u,", &port) != 1)
        FAIL("not a ready line: %s", l->ready);
    l->address = (sb_endpoint){ INADDR_LOOPBACK, (uint16_t)port };
    return l;
}

live *live_open(const char *const *arguments)
{
    return live_open_with(arguments, NULL);
}

int live_stop_process(live *l, process *p)
{
    int status = -1;
    CHECK_EQ(kill(p->pid, SIGTERM), 0);
    UNTIL(l, (status = process_status(p)) >= 0);
    if (status != 0) printf("it ended with %d:\n%s", status, process_log(p));
    return status;
}

int live_stop(live *l, sb_time *duration)
{
    sb_time start = live_now();
    int     status = live_stop_process(l, &l->server);
    if (duration) *duration = live_now() - start;
    return status;
}

long live_resident_kib(const live *l)
{
    char path[64], line[256];
    long kib = 0;
    snprintf(path, sizeof path, "/proc/%d/status", (int)l->server.pid);
    FILE *file = fopen(path, "r");
    CHECK(file != NULL);
    while (fgets(line, sizeof line, file)) (void)sscanf(line, "VmRSS: %ld kB", &kib);
    (void)fclose(file);
    CHECK(kib > 0);
    return kib;
}

void live_give_up(const char *file, int line, const char *condition, live *l)
{
    test_fail(file, line, "waited in vain for: %s\n    the server's log:\n%s", condition,
              process_log(&l->server));
}

/* ---- hearing ---- */

static void handle_left(seat *s, const sb_transport_event *e)
{
    if (e->peer_id == s->id || e->peer_id == SB_PEER_NONE) {
        s->left = true;
        s->left_reason = e->reason;
        s->boot_reason = e->boot_reason;
    } else if (s->gone_count < sizeof s->gone) {
        s->gone_reasons[s->gone_count] = e->reason;
        s->gone[s->gone_count++] = e->peer_id;
    }
}

static void store_message(seat *s, const sb_transport_event *e)
{
    const uint8_t *bytes = e->bytes.data;
    if (bytes[0] == MARKER && e->bytes.size == 3) {
        s->marker = sb_load_u16(bytes + 1);
        return;
    }
    s->by_opcode[bytes[0]]++;
    if (bytes[0] == SB_OP_SETTINGS && e->bytes.size > 6)
        s->slot = bytes[6]; /* Settings, spec 06 §5.6 */
    if (bytes[0] == SB_OP_MISSION_INIT) s->in_game = true;
    CHECK(s->heard_count < SEAT_HEARD_MAX);
    heard *h = &s->heard[s->heard_count++];
    CHECK(e->bytes.size <= sizeof h->bytes);
    h->delivery = e->delivery;
    h->size = e->bytes.size;
    memcpy(h->bytes, bytes, e->bytes.size);
}

static void drain_events(seat *s, sb_time now)
{
    sb_transport_event e;
    while (sb_transport_client_next_event(s->client, now, &e)) {
        if (e.type == SB_EVENT_JOINED) s->id = e.peer_id;
        if (e.type == SB_EVENT_NAMED && e.peer_id != s->id) s->named_count++;
        if (e.type == SB_EVENT_LEFT) handle_left(s, &e);
        if (e.type == SB_EVENT_MESSAGE) store_message(s, &e);
    }
}

static void tap(seat *s, sb_span datagram)
{
    if (s->tap_count == SEAT_TAPS_MAX || datagram.size > SB_DATAGRAM_MAX) return;
    s->taps[s->tap_count].size = datagram.size;
    memcpy(s->taps[s->tap_count].bytes, datagram.data, datagram.size);
    sb_decrypt_datagram(s->taps[s->tap_count].bytes, datagram.size);
    s->tap_count++;
}

/* ---- the loop ---- */

static void step_seat(live *l, seat *s, sb_time now)
{
    size_t      count, size;
    sb_endpoint from;
    while ((count = sb_udp_receive(&s->udp, batch, SB_UDP_BATCH)) > 0)
        for (size_t i = 0; i < count; i++) {
            sb_span datagram = sb_udp_received(batch, i, &from);
            tap(s, datagram);
            (void)!sb_transport_client_receive(s->client, now, from, datagram);
            drain_events(s, now);
        }
    drain_events(s, now);
    while ((size = sb_transport_client_write(s->client, now, sb_udp_next_buffer(&s->udp, batch))) >
           0)
        sb_udp_send(&s->udp, batch, l->address, size);
    sb_udp_flush(&s->udp, batch);
}

static void sleep_a_little(const live *l)
{
    struct pollfd ready[LIVE_SEATS_MAX];
    nfds_t        count = 0;
    sb_time       now = live_now(), left = 10000;
    for (unsigned i = 0; i < l->seat_count; i++) {
        if (l->seats[i]->mute) continue;
        ready[count++] = (struct pollfd){ .fd = l->seats[i]->udp.descriptor, .events = POLLIN };
        sb_time due = sb_transport_client_next_deadline(l->seats[i]->client);
        if (due != SB_TIME_NEVER && due - now < left) left = due - now;
    }
    if (left > 0) (void)poll(ready, count, (int)((left + 999) / 1000));
}

void live_step(live *l)
{
    sleep_a_little(l);
    sb_time now = live_now();
    for (unsigned i = 0; i < l->seat_count; i++)
        if (!l->seats[i]->mute) step_seat(l, l->seats[i], now);
}

void live_wait(live *l, sb_time duration)
{
    for (sb_time end = live_now() + duration; live_now() < end;) live_step(l);
}

static bool all_heard_marker(const live *l)
{
    for (unsigned i = 0; i < l->seat_count; i++) {
        const seat *s = l->seats[i];
        if (s->in_game && !s->left && !s->mute && s->marker != l->marker) return false;
    }
    return true;
}

void live_settle(live *l, seat *speaker)
{
    uint8_t message[3] = { MARKER };
    l->marker = (l->marker + 1) & 0xFFFF;
    sb_store_u16(message + 1, (uint16_t)l->marker);
    seat_say(speaker, SB_RELIABLE, (sb_span){ message, sizeof message });
    UNTIL(l, all_heard_marker(l));
}

/* ---- strangers ---- */

void live_open_stranger(sb_udp *udp, uint8_t number)
{
    char           error[SB_UDP_ERROR_MAX];
    sb_udp_options options = { .local = { LOOPBACK + 0x6300u + number, 0 } };
    if (sb_udp_open(udp, &options, error) != SB_OK) FAIL("%s", error);
}

void live_send_raw(const live *l, const sb_udp *udp, const void *bytes, size_t size)
{
    struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(l->address.port) };
    to.sin_addr.s_addr = htonl(l->address.address);
    (void)sendto(udp->descriptor, bytes, size, 0, (struct sockaddr *)&to, sizeof to);
}

void live_send_game(const live *l, const sb_udp *udp, const void *bytes, size_t size)
{
    uint8_t copy[SB_DATAGRAM_MAX];
    CHECK(size <= sizeof copy);
    memcpy(copy, bytes, size);
    sb_encrypt_datagram(copy, size);
    live_send_raw(l, udp, copy, size);
}

const char *live_ask(const live *l, const sb_udp *udp)
{
    static char answer[2048];
    for (int tries = 0; tries < LIVE_LIMIT_S * 2; tries++) {
        struct pollfd ready = { .fd = udp->descriptor, .events = POLLIN };
        live_send_raw(l, udp, "\\status\\", 8);
        while (poll(&ready, 1, 500) == 1) {
            ssize_t size = recv(udp->descriptor, answer, sizeof answer - 1, 0);
            if (size <= 0 || answer[0] != '\\') continue;
            answer[size] = '\0';
            return answer;
        }
    }
    FAIL("no answer to a status query; the log:\n%s", process_log(&l->server));
}

/* ---- seats ---- */

static void open_seat(live *l, seat *s)
{
    char     error[SB_UDP_ERROR_MAX];
    unsigned number = l->one_address ? 1 : l->seat_count;
    /* Each seat has its own address: Connects from one address are rate-limited (spec 01 §10.6). */
    sb_udp_options options = { .local = { LOOPBACK + 0x0100u + number, 0 } };
    if (sb_udp_open(&s->udp, &options, error) != SB_OK) FAIL("%s", error);
}

static seat *make_seat(live *l)
{
    CHECK(l->seat_count < LIVE_SEATS_MAX);
    seat *s = calloc(1, sizeof *s);
    CHECK(s != NULL);
    s->udp.descriptor = -1;
    s->id = SB_PEER_NONE;
    s->marker = -1;
    l->seats[l->seat_count++] = s;
    s->heard = calloc(SEAT_HEARD_MAX, sizeof *s->heard);
    CHECK(s->heard != NULL);
    open_seat(l, s);
    return s;
}

seat *live_connect(live *l, const char *name)
{
    seat                      *s = make_seat(l);
    sb_transport_client_config c;
    uint8_t                    utf16[2 * SB_NAME_UNITS] = { 0 };
    size_t                     length = strlen(name) < SB_NAME_UNITS ? strlen(name) : SB_NAME_UNITS;
    for (size_t i = 0; i < length; i++) utf16[2 * i] = (uint8_t)name[i];
    sb_transport_client_defaults(&c);
    c.name = (sb_span){ utf16, 2 * length };
    c.server = l->address;
    c.local_address = s->udp.local.address;
    c.local_port = s->udp.local.port;
    c.cells = 1024;
    void *memory = malloc(sb_transport_client_bytes(&c));
    CHECK(memory != NULL);
    s->client = sb_transport_client_init(memory, &c, live_now());
    UNTIL(l, s->id != SB_PEER_NONE || s->left);
    return s;
}

void seat_answer_round(live *l, seat *s, const sb_manifest *manifest)
{
    seat_say(s, SB_RELIABLE, player_checksum_answer(seat_find(l, s, 0x20), manifest));
}

seat *live_join_with(live *l, const char *name, const sb_manifest *manifest)
{
    seat *s = live_connect(l, name);
    CHECK(s->id != SB_PEER_NONE);
    for (unsigned i = 0; i < SB_CHECKSUM_ROUNDS; i++) seat_answer_round(l, s, manifest);
    (void)seat_find(l, s, 0x01);
    seat_say_hex(s, "2A 20");
    (void)seat_find(l, s, 0x35);
    live_settle(l, s);
    for (unsigned i = 0; i < l->seat_count; i++) seat_forget(l->seats[i]);
    return s;
}

seat *live_join(live *l, const char *name)
{
    return live_join_with(l, name, sb_vanilla_manifest());
}

void seat_say(seat *s, sb_delivery delivery, sb_span message)
{
    CHECK_EQ(sb_transport_client_send(s->client, delivery, message), SB_OK);
}

uint32_t seat_first_id(const seat *s)
{
    return sb_slot_first_id(s->slot);
}

static size_t bytes_of(const seat *s, const char *hex, uint8_t *out, size_t capacity)
{
    return player_hex(hex, s->id, seat_first_id(s), out, capacity);
}

void seat_say_hex(seat *s, const char *hex)
{
    uint8_t bytes[2048];
    size_t  size = bytes_of(s, hex, bytes, sizeof bytes);
    bool    is_state = size > 0 && bytes[0] == SB_OP_STATE_UPDATE;
    seat_say(s, is_state ? SB_UNRELIABLE : SB_RELIABLE, (sb_span){ bytes, size });
}

uint32_t seat_spawn(seat *s, uint8_t species, sb_vec3 position)
{
    uint8_t  bytes[512];
    uint32_t id = seat_first_id(s);
    size_t   size = player_creation(species, id, s->id, position, "Multi1", bytes, sizeof bytes);
    seat_say(s, SB_RELIABLE, (sb_span){ bytes, size });
    return id;
}

void seat_leave(seat *s)
{
    sb_transport_client_leave(s->client, live_now());
}

/* ---- what was heard ---- */

void seat_forget(seat *s)
{
    s->heard_next = s->heard_count = 0;
}

sb_span seat_next(seat *s)
{
    while (s->heard_next < s->heard_count) {
        const heard *h = &s->heard[s->heard_next++];
        if (h->bytes[0] != SB_OP_STATE_UPDATE) return (sb_span){ h->bytes, h->size };
    }
    return (sb_span){ NULL, 0 };
}

static bool pop_message(seat *s, sb_span *out)
{
    *out = seat_next(s);
    return out->size > 0;
}

sb_span seat_find(live *l, seat *s, uint8_t opcode)
{
    sb_span message = { NULL, 0 };
    UNTIL(l, pop_message(s, &message) && message.data[0] == opcode);
    return message;
}

void seat_expect(const char *file, int line, live *l, seat *s, const char *hex)
{
    uint8_t expected[2048];
    size_t  size = bytes_of(s, hex, expected, sizeof expected);
    sb_span message = { NULL, 0 };
    sb_time end = live_now() + LIVE_LIMIT_S * SB_SECOND;
    while (!pop_message(s, &message)) {
        if (live_now() > end) live_give_up(file, line, hex, l);
        live_step(l);
    }
    test_check_bytes(file, line, "the next message", message.data, message.size, expected, size);
}

void seat_expect_quiet(const char *file, int line, seat *s)
{
    sb_span message = seat_next(s);
    test_check_bytes(file, line, "what was heard", message.data, message.size, "", 0);
}

static bool matches(const uint8_t *bytes, const uint8_t *wanted, const uint8_t *any, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (!any[i] && bytes[i] != wanted[i]) return false;
    return true;
}

bool seat_tapped(const seat *s, const char *hex)
{
    uint8_t wanted[SB_DATAGRAM_MAX], any[SB_DATAGRAM_MAX];
    char    text[4 * SB_DATAGRAM_MAX];
    size_t  size = 0;
    CHECK(strlen(hex) < sizeof text);
    strcpy(text, hex);
    for (char *c = text; *c; c++) {
        if (*c == ' ') continue;
        CHECK(c[1] != '\0' && size < sizeof any);
        any[size++] = *c == '?';
        if (*c == '?') c[0] = c[1] = '0';
        c++;
    }
    CHECK_EQ(test_hex(text, wanted, sizeof wanted), size);
    for (size_t i = 0; i < s->tap_count; i++)
        for (size_t at = 0; at + size <= s->taps[i].size; at++)
            if (matches(s->taps[i].bytes + at, wanted, any, size)) return true;
    return false;
}
