/* src/store/store_internal.h -- the parts of an open store.
 *
 * For:      store.c (posting, bans, state), writer.c and reader.c (the two threads).
 */
#ifndef SB_STORE_STORE_INTERNAL_H
#define SB_STORE_STORE_INTERNAL_H

#include <pthread.h>

#include "store/database.h"
#include "store/spool.h"
#include "store/store.h"

enum {
    STORE_PATH_MAX = 256,
    STORE_QUEUE_BYTES = 4 << 20, /* and for each room, in addition ... */
    STORE_ROOM_BYTES = 4 << 10,
    STORE_RESULT_BYTES = 16 << 10, /* ... only for a match and the rows of its 32 players */
    STORE_SPOOL_BYTES = 256 << 20,
    STORE_BUSY_MS = 250,        /* a lock of another program is waited for */
    STORE_START_BUSY_MS = 2000, /* the same at the start */
    STORE_RETRY_MS = 1000,      /* after a failure */
    STORE_CHORE_MS = 10000,     /* between two notes that matches still run */
    STORE_ERASE_MS = 86400000,  /* between two erasures of addresses */
    STORE_BAN_WAIT_MS = 2000,
    STORE_CLOSE_WAIT_MS = 5000,
    STORE_ANSWER_WAIT_MS = 10,
    STORE_QUESTIONS = 8,
    STORE_SESSION = 17,
};

/* ---- reader.c ---- */

typedef enum question_state { QUESTION_FREE, QUESTION_ASKED, QUESTION_ANSWERED } question_state;

typedef struct question {
    question_state  state;
    bool            has_answer, failed;
    char            name[96]; /* "": the top */
    int64_t         since_minute;
    int64_t         asked_ms, answered_ms;
    size_t          count;
    sb_store_totals answer[SB_STORE_TOP_MAX];
} question;

typedef struct reader {
    pthread_t       thread;
    bool            is_running, stop, has_ended;
    pthread_mutex_t lock;
    pthread_cond_t  asked, answered;
    question        questions[STORE_QUESTIONS];
    char            path[STORE_PATH_MAX];
} reader;

bool sb_reader_start(reader *r, const char *path);
/* False: the thread still waits for a disk; its memory must stay. */
bool sb_reader_stop(reader *r);

/* ---- writer.c ---- */

typedef struct ban_list {
    sb_store_ban *bans;
    size_t        count, capacity;
} ban_list;

struct sb_store {
    char     path[STORE_PATH_MAX];
    char     session[STORE_SESSION]; /* random: this run of the server */
    sb_log  *log;
    int64_t  keep_ms; /* of addresses; 0: for ever */
    reader   reader;
    ban_list loaded; /* at the start, for sb_store_bans_load */

    pthread_t       thread;
    pthread_mutex_t lock;
    pthread_cond_t  wake, settled;
    /* Protected by the lock: */
    bool            stop, give_up, has_ended;
    char           *queue; /* lines that the writer has not taken */
    size_t          queue_size, queue_shared, queue_capacity; /* shared: for entries of all types */
    uint64_t        queue_lines;
    uint64_t        posted;                       /* entries accepted so far */
    uint64_t        committed_upto, spooled_upto; /* of the posted ones */
    int64_t         last_ban, last_number;
    sb_store_status status;

    /* Used by the writer only (and by sb_store_open before the writer starts): */
    char       *batch; /* the lines that it has taken and not settled yet */
    size_t      batch_size;
    uint64_t    batch_lines, batch_upto;
    char       *chunk; /* of the spool */
    sb_spool    spool;
    sb_database database;
    bool        are_bans_complete; /* the database could be read at the start */
    bool        has_been_open, is_interrupt_done, is_known_to_work;
    bool        has_failed, is_failure_told, has_lost; /* lost: the spool has failed, too */
    uint64_t    spooled_since_failure;
    int64_t     retry_at, chore_at, erase_at; /* monotonic milliseconds */
};

/* Makes the database usable if it is not. False: it cannot be used now; the status says why. */
bool  sb_writer_open_database(sb_store *s, int busy_ms);
void *sb_writer_run(void *store);
/* Monotonic milliseconds. */
int64_t sb_writer_clock_ms(void);
int64_t sb_writer_wall_ms(void);

#endif
