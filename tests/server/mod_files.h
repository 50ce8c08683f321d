/* tests/server/mod_files.h -- a mod with four files, and clients that have some of them.
 *
 * For:      the tests of src/server/files.c.
 */
#ifndef TESTS_SERVER_MOD_FILES_H
#define TESTS_SERVER_MOD_FILES_H

#include "rig.h"

enum { MOD_FILES = 4, MOD_BIG = 60000 }; /* files A to D; the size of C */

extern const char *const mod_paths[MOD_FILES];

typedef struct mod {
    sb_manifest_file   entries[MOD_FILES];
    sb_manifest        manifest;
    const sb_manifest *list[1];
    sb_client_file     files[MOD_FILES];
    uint8_t            messages[MOD_FILES][MOD_BIG + 100];
    sb_server_config   config;
} mod;

/* Of the last component of a path. */
uint32_t mod_hash_of(const char *path);
/* `mark` decides the contents. Lent until four more calls. */
mod *make_mod(uint8_t mark);
/* A client that has those of the mod's files whose letters are in `has`; the content of those in
 * `changed` is another. Lent until the next call. */
const sb_manifest *client_files(const mod *m, const char *has, const char *changed);
void  answer_rounds(room *r, seat *s, const mod *m, const char *has, const char *changed);
seat *connect_with(room *r, const mod *m, const char *name, const char *has, const char *changed);
/* Waits for the next file; fails the test unless it is file `i` of the mod, byte for byte. */
void expect_file(room *r, seat *s, const mod *m, unsigned i);
void acknowledge_file(room *r, seat *s);
void expect_bundle(room *r, seat *s);
void leave_room(room *r, seat *s);
/* The same player from another port. */
seat    *reconnect(room *r, const seat *before, const char *name);
unsigned count_events_of(const room *r, sb_server_event_type type);

#endif
