/* apps/lab/lab.h -- the parts of `starbase lab`.
 *
 * lab.c       the command line
 * ships.c     finds ships by name, species or file
 * series.c    one experiment, printed as a table, CSV or JSON lines
 * duel.c      the time to kill, over bearings and ranges
 * contract.c  the measured assertions beside what the library does
 */
#ifndef SB_APPS_LAB_LAB_H
#define SB_APPS_LAB_LAB_H

#include "common/options.h"

#include "load/data_file.h"

#include <starbase/lab.h>

enum { LAB_LIST_MAX = 32 };

typedef enum lab_format { LAB_TABLE, LAB_CSV, LAB_JSON } lab_format;

typedef struct lab_job {
    sb_lab_scenario    scenario;
    const sb_ship_set *ships; /* stock, or those of --data */
    sb_data            data;  /* memory of loaded files */
    lab_format         format;
    double             every; /* seconds between two printed samples; negative: not given */
    bool               has_seconds;
    float              bearings[LAB_LIST_MAX], ranges[LAB_LIST_MAX]; /* of a duel */
    unsigned           bearing_count, range_count;
    void              *memory; /* sb_lab_bytes */
} lab_job;

extern const sb_usage lab_usage;

/* ---- ships.c ---- */
/* Replaces the stock ships and projectiles by those of a directory. Returns an exit status. */
int lab_load_directory(lab_job *job, const char *directory);
/* A ship by key, name, species or FILE.lua. Returns an exit status; an error is explained. */
int lab_find_ship(lab_job *job, const char *text, const sb_ship_class **out);

/* ---- the three commands; each returns an exit status ---- */
int lab_print_series(lab_job *job);
int lab_print_duel(lab_job *job, const sb_ship_class *first, const sb_ship_class *second);
int lab_print_contract(lab_job *job, const char *path);

/* Plays the job's scenario; an error is explained. */
int lab_play(lab_job *job, const sb_lab_observer *observer);

#endif
