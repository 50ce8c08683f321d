/* src/run/survey.h -- asks servers for their status: some by address, or all on the LAN.
 * Spec 05 §3, §4.
 *
 * For:      `starbase query`, and whoever waits for a server to be ready.
 * May use:  one socket.
 * Never:    believes an answer that nobody asked for: without a sweep only who was asked is heard.
 */
#ifndef SB_RUN_SURVEY_H
#define SB_RUN_SURVEY_H

#include <starbase/discovery.h>

#include "platform/udp.h"

enum {
    SB_SURVEY_MAX = 1024,       /* servers of one survey */
    SB_SURVEY_RETRY_US = 500000 /* a server that has not answered by then is asked again */
};

typedef struct sb_survey_entry {
    sb_endpoint address;
    size_t      same_as; /* the first entry with this address; it is asked, and all hear */
    sb_time     sent_at; /* last question */
    sb_time     ping_us; /* -1: has not answered */
    sb_found    found;
} sb_survey_entry;

typedef struct sb_survey_config {
    const sb_endpoint *servers; /* borrowed during the call */
    size_t             count;
    bool               lan;
    /* With `lan`: ends so long after the last answer or question. Else: waits at most so long. */
    sb_time timeout_us;
    /* Called now and then; true ends the survey early. May be NULL. */
    bool (*stop)(void *context);
    void *stop_context;
} sb_survey_config;

typedef struct sb_survey {
    size_t          count;
    sb_survey_entry servers[SB_SURVEY_MAX]; /* as given; those of the LAN as they answered */
} sb_survey;

/* Runs a whole survey. SB_OS_ERROR: no socket, or nothing could be sent; `error` says why. SB_FULL:
 * more than SB_SURVEY_MAX servers were given. */
SB_MUST_USE sb_result sb_survey_run(sb_survey *survey, const sb_survey_config *config,
                                    char error[SB_UDP_ERROR_MAX]);
/* How many have answered completely. */
size_t sb_survey_answers(const sb_survey *survey);

#endif
