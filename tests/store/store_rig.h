/* tests/store/store_rig.h -- folders, entries and questions for the tests of the store. */
#ifndef STORE_RIG_H
#define STORE_RIG_H

#include "store/store.h"

/* A path in a new folder of /tmp, which is removed at the end of the program. */
const char *rig_path(const char *name);

/* Entries with plausible values. `uid` names the match. */
sb_store_entry rig_match(const char *uid, const char *state, int64_t revision, int64_t now_ms);
sb_store_entry rig_player(const char *uid, int64_t player, const char *name, int64_t kills,
                          int64_t revision);
sb_store_entry rig_kill(const char *uid, int64_t number);
sb_store_entry rig_audit(const char *who, const char *command);
sb_store_ban   rig_ban(const char *range);

/* Every field filled to its limit; texts consist of `fill`. */
sb_store_entry rig_full_entry(sb_store_entry_type type, char fill);

/* Opens with the path and defaults; fails the test if that is impossible. */
sb_store *rig_open(const char *path);

/* The first column of the first row, read through a connection of its own. */
int64_t     rig_number(const char *path, const char *sql);
const char *rig_text(const char *path, const char *sql); /* valid until the next call */
/* Runs SQL with a writable connection; fails the test on an error. */
void rig_run(const char *path, const char *sql);

/* As fork, for a child that ends with this process at the latest. */
int rig_fork(void);

/* Waits until the state of the store is `state` and nothing is queued or spooled (`drained`), for
 * at most a minute. */
bool rig_wait_state(sb_store *store, sb_store_state state, bool drained);
/* Waits until the number is as expected. */
bool rig_wait_number(const char *path, const char *sql, int64_t expected);

#endif
