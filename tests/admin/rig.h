/* tests/admin/rig.h -- a server for commands, without rooms and threads: players that a test names,
 * and a list of what commands did. */
#ifndef SB_TESTS_ADMIN_RIG_H
#define SB_TESTS_ADMIN_RIG_H

#include "admin/admin.h"

enum { RIG_ROOMS = 3, RIG_TEXT = 1 << 16 };

typedef struct rig {
    sb_admin         admin;
    sb_room_snapshot rooms[RIG_ROOMS];
    sb_log           log;
    sb_actor         actor;
    sb_reply         reply;
    sb_time          now;
    char             text[RIG_TEXT]; /* the lines of the last answer */
    size_t           size;
    sb_room_command  posted[16];
    size_t           posted_room[16], posted_count;
    char             record[512]; /* "who|command|summary" of the last record; "" none */
    sb_call          call;        /* of the last effect */
    char             values[SB_ARGUMENTS_MAX][128]; /* its texts */
    unsigned         effects;
    sb_time          kept_out;
    size_t           posted_before_kept; /* commands of rooms when keep_out was called */
} rig;

/* An operator at the console of a server with `rooms` rooms. Given; rig_close frees it. */
rig *rig_open(size_t rooms);
void rig_close(rig *r);
void rig_add_player(rig *r, size_t room, uint8_t peer_id, const char *name, uint32_t address);
/* Runs a line and returns the text of the answer. */
const char *rig_run(rig *r, const char *line);
/* Effects of commands that apps/serve would have: they store the call. */
void rig_has(rig *r, sb_command_id id);

#define CHECK_SAYS(r, line, part)                                                                  \
    do {                                                                                           \
        const char *said_ = rig_run(r, line);                                                      \
        if (!strstr(said_, part)) FAIL("`%s` says: %s", line, said_);                              \
    } while (0)

#endif
