/* sim/world.h -- a host, its clients and the network between them, in one simulated time.
 *
 * For:      sim/main.c. Carries out a plan with the real endpoints of starbase/transport.h and
 *           stops at the first broken invariant (invariants.c).
 */
#ifndef SIM_WORLD_H
#define SIM_WORLD_H

#include "sim/plan.h"
#include "sim/trace.h"

/* The lies of a client that has joined. X(id, name) */
#define SIM_LIES(X)                                                                                \
    X(SIM_LIE_RANDOM, "random messages")                                                           \
    X(SIM_LIE_ID, "the ids of others")                                                             \
    X(SIM_LIE_FRAGMENTS, "contradicting fragments")                                                \
    X(SIM_LIE_ACKS_NEVER_SENT, "Acks of things never sent")                                        \
    X(SIM_LIE_ACKS_OF_ALL, "Acks of all that is in flight")                                        \
    X(SIM_LIE_WINDOW, "numbers beyond the window")                                                 \
    X(SIM_LIE_OTHERS, "control messages about others")

typedef enum sim_lie_kind {
#define SIM_LIE_ID_OF(id, name) id,
    SIM_LIES(SIM_LIE_ID_OF)
#undef SIM_LIE_ID_OF
        SIM_LIE_COUNT
} sim_lie_kind;

enum { SIM_DELIVERIES = 2 }; /* indices: sb_delivery */

/* Why a session is exempt from checks of content: a row each of the table in docs/security.md. */
#define SIM_EXEMPTIONS(X)                                                                          \
    X(SIM_EXEMPT_DAMAGED, "damaged datagrams")                                                     \
    X(SIM_EXEMPT_OTHER_SESSION, "datagrams of another session")                                    \
    X(SIM_EXEMPT_FORGED_ID, "forged ids of careless clients")                                      \
    X(SIM_EXEMPT_RANDOM_LIAR, "random messages of liars")
typedef enum sim_exemption {
#define SIM_EXEMPTION(id, name) id,
    SIM_EXEMPTIONS(SIM_EXEMPTION)
#undef SIM_EXEMPTION
        SIM_EXEMPTION_COUNT
} sim_exemption;

typedef struct sim_outcome {
    bool failed;
    const char
            *invariant; /* name of the broken invariant; a constant, so that runs can be compared */
    char     detail[400];
    sb_time  failed_at;
    sb_time  simulated_us;
    uint64_t datagrams, bytes;            /* sent by all parties */
    uint64_t reliable, unreliable;        /* messages delivered */
    uint64_t sessions;                    /* sessions that a client started */
    uint64_t exempt[SIM_EXEMPTION_COUNT]; /* of these: exempt from checks of content, by cause */
    uint64_t resent;                      /* retransmitted reliable messages and fragments */
    uint64_t rebound;                     /* clients that the host followed to another port */
    uint64_t ended[SB_LEFT_REASON_COUNT]; /* by reason, according to the clients */
    uint64_t host_ended[SB_LEFT_REASON_COUNT];
    uint64_t vanished;
    uint64_t forged[SIM_FORGERY_COUNT];  /* datagrams of the attacker, by kind ... */
    uint64_t reached[SIM_FORGERY_COUNT]; /* ... and those that reached an endpoint */
    uint64_t injected[SIM_DELIVERIES];   /* forged messages that an endpoint delivered */
    /* Clients that believed a forged refusal or farewell in a true silence: by losses; because
     * their path was cut. */
    uint64_t misled, misled_cut_off;
    uint64_t unheard;  /* clients whose seats gave way since all their answers were lost */
    uint64_t taken_in; /* clients that are not cautious and took a forged id or refusal */
    uint64_t seats;    /* joins that the attacker forged as a whole */
    uint64_t lies[SIM_LIE_COUNT]; /* datagrams of clients that lie, by kind */
    uint64_t late;     /* messages that came after later ones: a forged one had used their number */
    uint64_t lost;     /* messages that an Ack took from their sender too early, and are missing */
    uint64_t attacked; /* 1: the plan has the attacker */
} sim_outcome;

void sim_world_run(const sim_plan *plan, sim_trace *trace, sim_outcome *outcome);

#endif
