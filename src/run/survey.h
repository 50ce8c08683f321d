/* src/run/survey.h -- queries the status of servers, by address or on the whole LAN. Spec 05 §3,
 * §4.
 *
 * For:      `starbase query`; `starbase swarm`, which waits for its server to be ready.
 * May use:  one socket.
 * Never:    accepts an answer from an address that was not queried, except in a LAN sweep.
 */
#ifndef SB_RUN_SURVEY_H
#define SB_RUN_SURVEY_H

#include <starbase/discovery.h>

#include "platform/udp.h"

enum {
    SB_SURVEY_MAX = 4096,       /* servers of one survey: all rooms of a process */
    SB_SURVEY_RETRY_US = 500000 /* time without an answer after which a query is repeated */
};

typedef struct sb_survey_entry {
    sb_endpoint address;
    size_t      same_as; /* first entry with this address: it is queried, others copy its answer */
    sb_time     sent_at; /* time of the last query */
    sb_time     ping_us; /* -1: no answer yet */
    sb_found    found;
} sb_survey_entry;

typedef struct sb_survey_config {
    const sb_endpoint *servers; /* borrowed during the call */
    size_t             count;
    bool               lan;
    /* With `lan`: the survey ends this long after the last answer or query. Else: its length. */
    sb_time timeout_us;
    /* Called at least every 100 ms; true ends the survey early. May be NULL. */
    bool (*stop)(void *context);
    void *stop_context;
} sb_survey_config;

typedef struct sb_survey {
    size_t          count;
    sb_survey_entry servers[SB_SURVEY_MAX]; /* in the given order; with `lan`, as they answered */
} sb_survey;

/* Runs a whole survey. SB_OS_ERROR: no socket, or nothing could be sent; `error` says why. SB_FULL:
 * more than SB_SURVEY_MAX servers were given. */
SB_MUST_USE sb_result sb_survey_run(sb_survey *survey, const sb_survey_config *config,
                                    char error[SB_UDP_ERROR_MAX]);
/* How many servers have answered completely. */
size_t sb_survey_answers(const sb_survey *survey);

#endif
