/* sim/plan.h -- the plan of one run, derived from a seed.
 *
 * For:      the world, which carries it out, and the runner, which shrinks a failing plan. Every
 *           feature has random numbers of its own: removing a feature leaves the rest of the plan
 *           unchanged.
 */
#ifndef SIM_PLAN_H
#define SIM_PLAN_H

#include <starbase/transport.h>

#include "sim/attacker.h"

#include <stdio.h>

/* The features of plans. X(id, name, chance in percent, text). The attacker is not drawn: it is in
 * every fourth seed, and in all seeds if the request asks for it. */
#define SIM_FEATURES(X)                                                                            \
    X(SIM_HAS_LOSS, "loss", 50, "each datagram is lost with a chance of up to 30 %")               \
    X(SIM_HAS_BURSTS, "bursts", 25, "bursts of losses")                                            \
    X(SIM_HAS_DUPLICATES, "duplicates", 35, "datagrams arrive twice")                              \
    X(SIM_HAS_DELAY, "delay", 70, "up to 300 ms each way")                                         \
    X(SIM_HAS_JITTER, "jitter", 45, "delays differ")                                               \
    X(SIM_HAS_REORDER, "reorder", 30, "some datagrams are held back")                              \
    X(SIM_HAS_DAMAGE, "damage", 8, "bits flip, ends are cut off")                                  \
    X(SIM_HAS_PARTITIONS, "partitions", 25, "one direction or both are dead for 1 to 60 s")        \
    X(SIM_HAS_REBIND, "rebind", 20, "a client's port changes")                                     \
    X(SIM_HAS_NO_REBIND, "no_rebind", 10, "the host does not follow to another port")              \
    X(SIM_HAS_MOVE, "move", 8, "a client's address changes")                                       \
    X(SIM_HAS_VANISH, "vanish", 20, "clients fall silent, some start again on the same port")      \
    X(SIM_HAS_AGAIN, "again", 35, "clients start a new session after the last one ended")          \
    X(SIM_HAS_LEAVE, "leave", 25, "clients send Disconnect and leave")                             \
    X(SIM_HAS_BOOT, "boot", 15, "the host removes clients")                                        \
    X(SIM_HAS_JUMPS, "jumps", 15, "clocks jump forward")                                           \
    X(SIM_HAS_HOSTILE, "hostile", 20, "strangers send rubbish, stolen ids and floods of Connects") \
    X(SIM_HAS_REPLAY, "replay", 15, "exact copies of earlier datagrams arrive")                    \
    X(SIM_HAS_ABUSE, "abuse", 8, "a client that has joined lies: ids, numbers, fragments, Acks")   \
    X(SIM_HAS_RENAME, "rename", 30, "clients change their names")                                  \
    X(SIM_HAS_PASSWORD, "password", 12, "a password, and clients that do not know it")             \
    X(SIM_HAS_FULL, "full", 12, "more clients than the host accepts")                              \
    X(SIM_HAS_SHARED_ADDRESS, "shared_address", 15, "several clients behind one address")          \
    X(SIM_HAS_NUMBERS, "numbers", 35, "sequence numbers start just below a wrap")                  \
    X(SIM_HAS_UP, "up", 92, "reliable messages to the host")                                       \
    X(SIM_HAS_DOWN, "down", 92, "reliable messages to the clients")                                \
    X(SIM_HAS_UNRELIABLE, "unreliable", 70, "unreliable messages both ways")                       \
    X(SIM_HAS_MEDIUM, "medium", 60, "messages of up to some hundred bytes, among the short ones")  \
    X(SIM_HAS_LARGE, "large", 20, "messages of many fragments")                                    \
    X(SIM_HAS_BULK, "bulk", 25, "many messages at once")                                           \
    X(SIM_HAS_RECKLESS, "reckless", 6, "messages are sent even if the queue is full")              \
    X(SIM_HAS_MEMORY, "memory", 15, "little memory")                                               \
    X(SIM_HAS_STOCK_PACE, "stock_pace", 50,                                                        \
      "some parties retransmit after 1, 3, 6 ... s as stock")                                      \
    X(SIM_HAS_TICKS, "ticks", 30, "some parties write only at ticks")                              \
    X(SIM_HAS_ACK_DELAY, "ack_delay", 30, "Acks are delayed, to share datagrams")                  \
    X(SIM_HAS_NO_NOTICE, "no_notice", 8, "the host does not pass departures on")                   \
    X(SIM_HAS_CROWD, "crowd", 8, "up to 16 clients")                                               \
    X(SIM_HAS_FAREWELL, "farewell", 30,                                                            \
      "at the end all clients leave, instead of the host stopping")                                \
    X(SIM_HAS_ATTACKER, "attacker", 0, "an off-path attacker forges addresses, guesses numbers")

typedef enum sim_feature {
#define SIM_FEATURE_ID(id, name, chance, text) id,
    SIM_FEATURES(SIM_FEATURE_ID)
#undef SIM_FEATURE_ID
        SIM_FEATURE_COUNT
} sim_feature;

const char *sim_feature_name(sim_feature feature);
const char *sim_feature_text(sim_feature feature);

enum { SIM_CLIENTS_MAX = 16, SIM_ACTIONS_MAX = 512 };
enum { SIM_UP, SIM_DOWN, SIM_DIRECTIONS }; /* to the host, to the client */

/* The input of a run; the command line that replays the run contains all of it. */
typedef struct sim_request {
    uint64_t seed;
    uint64_t without;     /* bits of features that are left out */
    uint64_t spared;      /* bits of forgeries that the attacker leaves out */
    bool     attacker;    /* with the attacker, whatever the seed */
    uint32_t max_clients; /* 0: as the seed decides */
    sb_time  max_length;  /* 0: as the seed decides */
} sim_request;

/* Random traffic of one direction. */
typedef struct sim_flow {
    sb_time reliable_gap_us;   /* average pause between messages; 0: no messages */
    sb_time unreliable_gap_us; /* average pause between messages; 0: no messages */
} sim_flow;

typedef struct sim_client_plan {
    sb_endpoint    endpoint;
    sb_time        start_us;
    sb_time        again_us; /* pause before a new session; 0: never */
    sb_time        tick_us;  /* 0: writes immediately */
    sb_time        ack_delay_us;
    sb_retransmit  retransmit;
    uint32_t       message_limit;
    bool           wrong_password, plain_fragment_acks;
    bool           cautious; /* unless the plan is clean */
    bool           numbers;  /* the data channel starts at first_number */
    uint16_t       first_number[SIM_DIRECTIONS];
    sim_conditions conditions[SIM_DIRECTIONS];
    sim_flow       flow[SIM_DIRECTIONS];
} sim_client_plan;

typedef enum sim_action_kind {
    SIM_ACT_PARTITION, /* amount: bits of directions */
    SIM_ACT_HEAL,
    SIM_ACT_REBIND, /* amount: the new port */
    SIM_ACT_MOVE,   /* amount: the new address */
    SIM_ACT_VANISH,
    SIM_ACT_RESTART,
    SIM_ACT_LEAVE,
    SIM_ACT_BOOT,
    SIM_ACT_RENAME,
    SIM_ACT_JUMP_HOST, /* amount: microseconds */
    SIM_ACT_JUMP_CLIENT,
    SIM_ACT_LARGE_UP, /* amount: bytes */
    SIM_ACT_LARGE_DOWN,
    SIM_ACT_BULK_UP, /* amount: messages */
    SIM_ACT_BULK_DOWN,
    SIM_ACT_RUBBISH, /* amount: datagrams */
    SIM_ACT_STOLEN_ID,
    SIM_ACT_FLOOD,
    SIM_ACT_REPLAY,
    SIM_ACT_ABUSE,
    SIM_ACT_ATTACK,  /* amount: datagrams */
    SIM_ACT_TRICKLE, /* a datagram every 5 to 20 s, until most of the settling is over */
    SIM_ACT_COUNT
} sim_action_kind;

const char *sim_action_name(sim_action_kind kind);

typedef struct sim_action {
    sb_time         time;
    sim_action_kind kind;
    uint32_t        client;
    int64_t         amount;
    sim_forgery     forgery; /* of SIM_ACT_ATTACK and SIM_ACT_TRICKLE */
} sim_action;

typedef struct sim_plan {
    sim_request     request;
    uint64_t        features; /* bits */
    sb_time         length_us;
    sb_endpoint     host;
    sb_time         host_tick_us, host_ack_delay_us;
    sb_retransmit   host_retransmit;
    uint32_t        max_peers, peers_per_ip;
    uint32_t        send_cells, receive_cells, shared_cells, client_cells;
    uint32_t        client_count;
    sim_client_plan clients[SIM_CLIENTS_MAX];
    uint32_t        action_count;
    sim_action      actions[SIM_ACTIONS_MAX]; /* by time */
} sim_plan;

void sim_plan_make(sim_plan *plan, const sim_request *request);
bool sim_plan_has(const sim_plan *plan, sim_feature feature);
/* True: an attacker of this request sends forgeries of this kind. */
bool sim_request_has_forgery(const sim_request *request, sim_forgery kind);
/* True: nothing in the plan loses, changes or delays datagrams beyond a constant delay, and all
 * parties stay alive at their addresses. Then every message must arrive without retransmission. */
bool sim_plan_is_clean(const sim_plan *plan);
/* The same, but there may be an attacker. */
bool sim_plan_is_clean_but_attacked(const sim_plan *plan);
/* True: nothing in the plan keeps a client that is alive from being answered: no faults of the
 * network, and no clock that jumps. Strangers, attackers and liars are no excuse. */
bool sim_plan_answers(const sim_plan *plan);
void sim_plan_print(const sim_plan *plan, FILE *out);
/* Prints the options of the request except its seed, such as " --without loss,delay --clients 2".
 */
void sim_request_print(const sim_request *request, FILE *out);

#endif
