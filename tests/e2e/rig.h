/* tests/e2e/rig.h -- the real program on a port of this machine, and players connected to it.
 *
 * For:      end-to-end tests. `starbase serve` runs as a child process; a seat is a player made of
 *           nothing but a transport client and a socket: it says exactly what the test says, and
 *           keeps what it hears. tests/server/rig.h has the same without sockets and clocks.
 *
 * Time passes by itself here. So a test waits for things (UNTIL, EXPECT_HEARD), with a limit that
 * is only reached when something is broken; and that something does *not* happen is known when
 * what was said afterwards has arrived (live_settle), never because a while has passed.
 *
 * The program is the one of the same build directory, or the one that STARBASE names.
 */
#ifndef TESTS_E2E_RIG_H
#define TESTS_E2E_RIG_H

#include <starbase/server.h>
#include <sys/types.h>

#include "platform/udp.h"
#include "test.h"

enum {
    LIVE_SEATS_MAX = 12,
    LIVE_ARGUMENTS_MAX = 40,
    SEAT_HEARD_MAX = 8192,
    SEAT_TAPS_MAX = 256,
};

/* ---- processes: none survives this one, and each test begins without any ---- */

typedef struct process {
    pid_t pid;    /* 0: none */
    int   output; /* its stdout; -1: closed */
    int   log;    /* a file with its stderr, or with both */
} process;

/* Variables as "NAME=value", NULL at the end; may be NULL. argv[0] is the program. */
void process_start(process *p, const char *const *argv, const char *const *variables);
/* The same with its output in the log. */
void process_start_logged(process *p, const char *const *argv);
/* The next line of its output, without the end; fails the test if none comes. */
void process_read_line(process *p, char *out, size_t capacity);
/* The status once it has ended by itself, -1: it is still running. */
int  process_status(process *p);
void process_kill(process *p); /* also one that has ended */
/* True if its log contains this text. */
bool process_logged(const process *p, const char *text);
/* A copy of its log; lent until the next call. */
const char *process_log(const process *p);
/* Path of `starbase`; of another program of the same build directory, lent until the next call. */
const char *program_path(void);
const char *build_path(const char *program);

/* ---- the server and its players ---- */

typedef struct heard {
    sb_delivery delivery;
    size_t      size;
    uint8_t     bytes[1100];
} heard;

typedef struct seat {
    sb_transport_client *client;
    sb_udp               udp;
    uint8_t              id, slot;
    bool                 in_game, left, mute; /* mute: neither sends nor receives any more */
    sb_leave_reason      left_reason;
    uint8_t              boot_reason;
    uint8_t              gone[16]; /* ids of others whose departure it was told, in order */
    sb_leave_reason      gone_reasons[16];
    unsigned             gone_count, named_count;
    int                  marker; /* of the latest live_settle it has heard */
    heard               *heard;
    size_t               heard_count, heard_next;
    uint64_t             by_opcode[256];
    struct {
        size_t  size;
        uint8_t bytes[SB_DATAGRAM_MAX];
    } taps[SEAT_TAPS_MAX]; /* the first datagrams that arrived, deciphered */
    size_t tap_count;
} seat;

typedef struct live {
    process     server, relay, bots;
    sb_endpoint address;
    char        ready[512];
    seat       *seats[LIVE_SEATS_MAX];
    unsigned    seat_count;
    int         marker;
    bool        one_address; /* set by a test: later seats have the address of the first */
} live;

/* Starts the server on a free port with these arguments (NULL at the end; may be NULL) and waits
 * until it is ready. Players need not have different addresses, and types of messages that the game
 * does not use go to all (live_settle needs one). What an earlier test left is ended. */
live *live_open(const char *const *arguments);
live *live_open_with(const char *const *arguments, const char *const *variables);
#define LIVE(...) live_open((const char *const[]){ __VA_ARGS__, NULL })
/* Sends SIGTERM and runs the players until the server has ended; returns its exit status. */
int live_stop(live *l, sb_time *duration);
int live_stop_process(live *l, process *p);
/* Memory that the server has in use. */
long live_resident_kib(const live *l);
/* One step of all seats: sleeps until a datagram or a deadline, at most 10 ms. */
void live_step(live *l);
void live_wait(live *l, sb_time duration);
/* Waits until all earlier messages have taken effect: the speaker, who is in the game, sends a
 * marker, and all players in the game have received it. */
void live_settle(live *l, seat *speaker);
/* Opens a stranger's socket on an address of its own. */
void live_open_stranger(sb_udp *udp, uint8_t number);
void live_send_raw(const live *l, const sb_udp *udp, const void *bytes, size_t size);
/* The same after enciphering. */
void live_send_game(const live *l, const sb_udp *udp, const void *bytes, size_t size);
/* Waits until the server has received everything this socket sent: a status query is answered.
 * Returns the answer, lent until the next call. */
const char *live_ask(const live *l, const sb_udp *udp);

/* Connects, or is refused: SB_PEER_NONE or an id. */
seat *live_connect(live *l, const char *name);
/* Joins completely with these files, without a ship; clears the received messages. */
seat *live_join_with(live *l, const char *name, const sb_manifest *manifest);
seat *live_join(live *l, const char *name); /* vanilla 1.1 */
void  seat_say(seat *s, sb_delivery delivery, sb_span message);
/* Hex with blanks; {id} as i32 is the seat's own peer id, {ship} its first object id. */
void seat_say_hex(seat *s, const char *hex);
/* Waits for the next request and answers it. */
void     seat_answer_round(live *l, seat *s, const sb_manifest *manifest);
uint32_t seat_first_id(const seat *s);
/* A ship of the seat's (0x03); returns its object id. */
uint32_t seat_spawn(seat *s, uint8_t species, sb_vec3 position);
void     seat_leave(seat *s);
void     seat_forget(seat *s); /* what it has heard so far */
/* The next message it heard that is not a StateUpdate; size 0: none. */
sb_span seat_next(seat *s);
/* The next one with this opcode, skipping others; waits for it. */
sb_span seat_find(live *l, seat *s, uint8_t opcode);
/* Hex with blanks; "??" is any byte. True if a datagram that arrived holds these bytes. */
bool seat_tapped(const seat *s, const char *hex);

sb_time live_now(void);
enum { LIVE_LIMIT_S = 20 };

_Noreturn void live_give_up(const char *file, int line, const char *condition, live *l);
#define UNTIL(l, condition)                                                                        \
    do {                                                                                           \
        sb_time until_end = live_now() + LIVE_LIMIT_S * SB_SECOND;                                 \
        while (!(condition)) {                                                                     \
            if (live_now() > until_end) live_give_up(__FILE__, __LINE__, #condition, l);           \
            live_step(l);                                                                          \
        }                                                                                          \
    } while (0)

/* The next message of the seat, which may have to come yet. */
void seat_expect(const char *file, int line, live *l, seat *s, const char *hex);
#define EXPECT_HEARD(l, s, hex) seat_expect(__FILE__, __LINE__, l, s, hex)
/* Only after live_settle. */
void seat_expect_quiet(const char *file, int line, seat *s);
#define EXPECT_QUIET(s) seat_expect_quiet(__FILE__, __LINE__, s)

#endif
