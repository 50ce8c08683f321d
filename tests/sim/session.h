/* tests/sim/session.h -- plays a match over a simulated network and records one of its clients.
 *
 * For:      the test of jumps. Uses only functions that the library had before the simulation was
 *           rewritten too, so that record_main.c can record a match of an old host.
 */
#ifndef TESTS_SIM_SESSION_H
#define TESTS_SIM_SESSION_H

#include <starbase/server.h>

#include "tests/sim/recording.h"

typedef enum session_weapon {
    SESSION_BEAMS,
    SESSION_TORPEDOES,
    SESSION_BOLTS,
} session_weapon;

/* Two ships at rest, as the running game was measured: the attacker is dead ahead of the target and
 * looks at it. A third ship watches from the side. */
typedef struct session_duel {
    const char *name;
    uint8_t     attacker, target; /* species */
    uint8_t     weapon;           /* session_weapon */
    float       range;
    double      seconds; /* of firing */
} session_duel;

enum { SESSION_ATTACKER, SESSION_TARGET, SESSION_WATCHER };

typedef struct session_config {
    uint64_t            seed;
    sb_time             delay_us; /* of every player's link, one way */
    uint32_t            loss;     /* of every player's link, per million */
    double              seconds;
    unsigned            watched;               /* number of the player who is recorded */
    const session_duel *duel;                  /* NULL: eight bots with different ships */
    void (*configure)(sb_server_config *host); /* changes the host's rules; may be NULL */
} session_config;

enum { SESSION_DUELS = 4 };
extern const session_duel session_duels[SESSION_DUELS];

void session_play(const session_config *config, recording *out);

/* ---- the sessions of docs/evidence/jumps.md ---- */

typedef enum session_kind {
    SESSION_BATTLES,        /* three battles of 200 s; the recorded ship is another one in each */
    SESSION_MEASURED_DUELS, /* all duels, recorded at the attacker, the target and the watcher */
    SESSION_KINDS
} session_kind;

typedef struct session_link {
    unsigned delay_ms, loss_percent;
} session_link;

enum { SESSION_LINKS = 6 };
extern const session_link session_links[SESSION_LINKS];

/* Session `n` of a kind over a link; false: there are not that many. */
bool session_of_table(session_kind kind, unsigned link, unsigned n, session_config *out);
/* The name of its recording: "DIR/battle-20ms-0loss-1.rec". */
void session_path(const char *dir, session_kind kind, unsigned link, unsigned n, char *out,
                  size_t capacity);

#endif
