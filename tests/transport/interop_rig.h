/* tests/transport/interop_rig.h -- a host, its clients and a network between them; each endpoint is
 * ours or a model of a foreign one.
 *
 * For:      the interop tests. One host and up to eight clients exchange numbered messages; the rig
 *           runs every endpoint and counts what arrives.
 * Never:    knows the purpose of a scenario; it only checks what must hold in all of them.
 */
#ifndef STARBASE_INTEROP_RIG_H
#define STARBASE_INTEROP_RIG_H

#include <starbase/transport.h>

#include "sim/network.h"
#include "sim/openbc_host.h"
#include "sim/stock_client.h"
#include "sim/stock_host.h"
#include "test.h"

enum { INTEROP_CLIENTS = 8, INTEROP_MESSAGES = 8192 };

/* Numbered messages in one direction between the host and one client. */
typedef struct interop_flow {
    uint32_t sent, received;             /* reliable; `received` counts each number once */
    uint32_t repeated, displaced;        /* arrived again; arrived before an earlier one */
    uint32_t loose_sent, loose_received; /* unreliable, copies included */
    uint32_t damaged;                    /* content differs from the message sent */
    sb_time  last_at;                    /* time of the last reliable arrival */
    uint8_t  seen[INTEROP_MESSAGES];
    sb_time  arrived_at[INTEROP_MESSAGES];
} interop_flow;

/* Events that one side got about a client's session. */
typedef struct interop_news {
    uint32_t        joined, named, left;
    sb_time         joined_at, left_at;
    sb_leave_reason reason; /* from endpoints of ours */
    bool            by_boot;
    uint8_t         boot_reason;
    char            name[SB_NAME_UNITS + 1];
} interop_news;

typedef struct interop_client {
    sb_endpoint          address;
    sb_transport_client *ours;   /* NULL: a model */
    sim_stock_client    *theirs; /* NULL: ours */
    void                *memory;
    interop_flow         down, up;                /* from the host, to the host */
    interop_news         here;                    /* events at this client about itself */
    interop_news         others[INTEROP_CLIENTS]; /* events at this client about the others */
    interop_news         at_host;                 /* events at the host about this client */
    uint8_t              id;                      /* last id of the client */
} interop_client;

/* A datagram that is being sent, for the scenario's callback `watch`. */
typedef struct interop_sight {
    sb_time            at;
    sb_endpoint        from, to;
    size_t             size;
    const sb_datagram *datagram;
} interop_sight;

typedef struct interop {
    sim_network       *network;
    const char        *weather; /* name of the conditions, for failures */
    uint64_t           seed;
    sb_time            now;
    sb_endpoint        host_address;
    sb_transport_host *our_host; /* one of the three hosts is set */
    sim_stock_host    *stock_host;
    sim_openbc_host   *openbc_host;
    void              *host_memory;
    bool               one_address; /* set by a test: clients differ only in their ports */
    size_t             client_count;
    interop_client     clients[INTEROP_CLIENTS];
    void (*watch)(void *context, const interop_sight *sight);
    void *watch_context;
} interop;

/* Network conditions, from a clean path to one that is too bad for a game. */
typedef struct interop_weather {
    const char    *name;
    sim_conditions conditions;
} interop_weather;

enum { INTEROP_CLEAN, INTEROP_MILD, INTEROP_ROUGH, INTEROP_WEATHERS };
extern const interop_weather interop_weathers[INTEROP_WEATHERS];

/* Opens an empty world and closes the previous one; there is no close function. */
interop *interop_open(size_t weather, uint64_t seed);

/* Add a host; NULL: the defaults. The rig sets the callbacks. */
void interop_add_our_host(interop *w, const sb_transport_host_config *config);
void interop_add_stock_host(interop *w, const sim_stock_host_config *config);
void interop_add_openbc_host(interop *w, const sim_openbc_config *config);
/* Add a client, which starts to connect; the rig sets the server address. */
interop_client *interop_add_our_client(interop *w, const sb_transport_client_config *config);
interop_client *interop_add_stock_client(interop *w, const sim_stock_client_config *config);

/* Changes the conditions of one direction of one client's link. */
void interop_set_up_link(interop *w, const interop_client *c, const sim_conditions *conditions);
void interop_set_down_link(interop *w, const interop_client *c, const sim_conditions *conditions);
/* Index of the client in `clients`. */
size_t interop_index(const interop *w, const interop_client *c);
/* Puts a datagram (plain bytes) on the network under any address. */
void interop_forge(interop *w, sb_endpoint from, sb_endpoint to, const char *plain_hex);

/* Sends the next numbered message of `size` (at least 8) bytes. False: the queue is full. */
bool interop_send_down(interop *w, interop_client *c, bool reliable, size_t size);
bool interop_send_up(interop *w, interop_client *c, bool reliable, size_t size);
/* Sends `count` reliable messages each way with every client, one per `interval`, with unreliable
 * ones in between while the queue has space. */
void interop_stream(interop *w, uint32_t count, sb_time interval);

/* Counts a numbered message that arrived. */
void interop_count_message(interop *w, interop_flow *flow, size_t index, bool up, bool reliable,
                           sb_span message);

void interop_run(interop *w, sb_time duration);
/* Runs until every client has joined and got its name back; fails after `limit`. */
void interop_run_until_joined(interop *w, sb_time limit);
/* Runs until no reliable message is queued or in flight; false: not within `limit`. */
bool interop_run_until_quiet(interop *w, sb_time limit);

/* Checks that everything arrived once and in order, both ways, and that all queues are empty. */
void interop_check_streams(interop *w);
/* The same for messages from the host only. */
void interop_check_down(interop *w, const interop_client *c);
/* Checks that no session has ended. */
void interop_check_all_there(interop *w);
/* Checks that our side counted no refusals except `allowed` (ends with -1) and those that every
 * network causes: duplicate, unmatched_ack. */
void         interop_check_refusals(interop *w, const int *allowed);
uint64_t     interop_counter(const interop *w, sb_transport_counter counter);
sb_peer_info interop_peer_info(const interop *w, const interop_client *c);

/* Defaults of the models; `instrumented`: without defect D3. */
sim_stock_client_config interop_stock_client(bool instrumented);
sim_stock_host_config   interop_stock_host(bool instrumented, sb_time tick_us);
/* Open a world with our host and `count` stock clients, or a stock host and our client, all joined.
 */
interop *interop_open_with_stock_clients(size_t weather, uint64_t seed, size_t count,
                                         sb_retransmit retransmit);
interop *interop_open_with_stock_host(size_t weather, uint64_t seed,
                                      const sim_stock_host_config      *host,
                                      const sb_transport_client_config *client);
/* All checks above, and that the stock side understood all our datagrams; for scenarios without
 * errors. */
void interop_check_good_end(interop *w);

/* Sizes of fragments from one address, and the number of Acks with an index from others. */
typedef struct interop_fragments {
    uint32_t from;
    size_t   sizes[64];
    size_t   count, indexed_acks;
} interop_fragments;

void interop_watch_fragments(void *context, const interop_sight *sight);

_Noreturn void interop_fail(const interop *w, const char *file, int line, const char *text,
                            long long actual, long long expected);

/* Like CHECK and CHECK_EQ; a failure also prints conditions and seed. */
#define HOLDS(w, condition)                                                                        \
    do {                                                                                           \
        if (!(condition)) interop_fail(w, __FILE__, __LINE__, #condition, 0, 1);                   \
    } while (0)
#define EQUALS(w, actual, expected)                                                                \
    do {                                                                                           \
        long long a_ = (long long)(actual), b_ = (long long)(expected);                            \
        if (a_ != b_) interop_fail(w, __FILE__, __LINE__, #actual, a_, b_);                        \
    } while (0)

#endif
