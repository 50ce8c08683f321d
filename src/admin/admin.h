/* src/admin/admin.h -- runs command lines: words, arguments by their kinds, roles, effects.
 *
 * For:      the doors of `starbase serve`, and code that runs commands by itself (votes, rotation).
 * May use:  run/ for snapshots and commands of rooms; config/ for keys and their suggestions.
 * Never:    opens a door: who may use it is decided before (apps/serve).
 * Tests:    tests/admin/command_test.c, fuzz/admin_fuzz.c
 */
#ifndef SB_ADMIN_ADMIN_H
#define SB_ADMIN_ADMIN_H

#include "admin/effects.h"
#include "admin/roles.h"

enum { SB_MUTES_MAX = 64 };

/* A mute with a time holds for the address, so that joining anew does not end it. */
typedef struct sb_mute {
    uint32_t address;
    sb_time  until; /* 0: free */
} sb_mute;

typedef struct sb_admin {
    sb_effects effects;
    sb_mute    mutes[SB_MUTES_MAX];
    sb_roles   roles;
    bool       listed[SB_ROLES];                    /* the role's commands come from a key */
    bool       allowed[SB_ROLES][SB_COMMAND_COUNT]; /* ... and are these */
} sb_admin;

void sb_admin_init(sb_admin *admin, const sb_effects *effects);
/* Sets the commands of a role, in addition to those of lesser roles; count 0: as the table says.
 * False: *wrong is a word that is no command, or not one for players. */
bool sb_admin_allow(sb_admin *admin, sb_role role, const char *const *names, size_t count,
                    const char **wrong);
bool sb_admin_may(const sb_admin *admin, const sb_actor *actor, sb_command_id command);
/* True if this server can run the command. */
bool sb_admin_has(const sb_admin *admin, sb_command_id command);

/* Until when players of this address are muted; 0: they are not. */
sb_time sb_admin_muted_until(const sb_admin *admin, uint32_t address, sb_time now);

/* Runs one line ("2 kick Kirk 10m ramming") and answers; false: the line was empty. */
bool sb_admin_run(sb_admin *admin, const sb_actor *actor, const char *line, sb_time now,
                  sb_reply *reply);
/* Checks command and arguments of a line without running it. False: reply->summary says what is
 * wrong. */
bool sb_admin_check(sb_admin *admin, const sb_actor *actor, const char *line,
                    const sb_command_check *check, sb_reply *reply);

#endif
