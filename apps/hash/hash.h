/* apps/hash/hash.h -- the settings, steps and output of `starbase hash`.
 *
 * For:      the files of this folder: hash.c parses the command line, steps.c stores the steps of a
 *           ship, print.c prints them, check.c compares with the hashes in a capture.
 */
#ifndef SB_APPS_HASH_H
#define SB_APPS_HASH_H

#include "common/ship_list.h"

#include <starbase/integrity.h>

enum { HASH_SETTINGS_MAX = 64, HASH_PATH_BYTES = 96 };

typedef struct hash_setting {
    const char *name; /* up to the '=' */
    size_t      name_size;
    const char *value;
    bool        used;
} hash_setting;

/* A step of the calculation. */
typedef struct hash_row {
    sb_integrity_step step;
    bool              counts; /* the step changes the hash, given the other inputs */
} hash_row;

typedef struct hash_job {
    hash_setting settings[HASH_SETTINGS_MAX];
    size_t       setting_count;
    bool         json, verbose, explain;
    long         expected; /* the 16 bits of --expect; -1: not given */
    const char  *capture;  /* file of --check, or NULL */
    uint16_t     port;     /* of the server in it; 0: any */
    bool         matched;
    char         complaint[256]; /* about a bad setting; "": none */
    hash_row    *rows;           /* steps of the current ship */
    size_t       row_count, row_capacity;
} hash_job;

/* ---- steps.c ---- */

typedef char hash_path[HASH_PATH_BYTES];

/* Writes the name of an input inside its part or child: "types[0].script", "position[1]". */
void hash_write_property(const sb_integrity_input *input, char *path);
/* Writes the whole name: "torpedoes.types[0].script". */
void hash_write_path(const sb_integrity_input *input, char *path);
/* True for an input that the data do not have, or have as an estimate. */
bool hash_is_unknown(const sb_integrity_input *input);

/* Computes the hash of a ship with the settings, and stores its steps. */
uint32_t hash_compute(hash_job *j, const sb_ship_class *ship);
/* The step is an unknown input. A text is one input, although each of its characters is a step. */
bool hash_is_unknown_input(const hash_row *row);
/* The step at `at` is the first one of its input; `counting`: of those that change the hash. */
bool hash_is_first(const hash_job *j, size_t at, bool counting);
/* Number of unknown inputs; `counting`: of those that change the hash. */
size_t hash_count_unknown(const hash_job *j, bool counting);

/* ---- --set, in hash.c ---- */

/* Replaces an input by the last setting that names it; `context` is the job. */
void hash_amend(void *context, sb_integrity_input *input);

/* ---- print.c ---- */

void hash_print_text(const hash_job *j, const sb_ship_class *ship, uint32_t hash);
void hash_print_json(const hash_job *j, const sb_ship_class *ship, uint32_t hash);
/* Prints a JSON string. */
void hash_print_json_text(const char *text);

/* ---- check.c ---- */

/* Compares the hashes that clients send in the capture with those of the ships. `all`: also lists
 * hashes of classes that are not among the ships. Returns an exit status. */
int hash_check_capture(hash_job *j, const sb_usage *usage, const sb_ship_list *ships, bool all);

#endif
