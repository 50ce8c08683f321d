/* src/transport/counters.c -- names and texts of counters and leave reasons. */
#include <starbase/transport.h>

#include "base/counters.h"

static const sb_counter_text counters[] = { SB_TRANSPORT_COUNTERS(SB_COUNTER_ROW) };

const char *sb_transport_counter_name(sb_transport_counter counter)
{
    return counter < SB_TRANSPORT_COUNTER_COUNT ? counters[counter].name : "unknown";
}

const char *sb_transport_counter_text(sb_transport_counter counter)
{
    return counter < SB_TRANSPORT_COUNTER_COUNT ? counters[counter].text : "unknown counter";
}

const char *sb_leave_reason_text(sb_leave_reason reason)
{
    static const char *const texts[SB_LEFT_REASON_COUNT] = {
        [SB_LEFT_QUIT] = "quit",
        [SB_LEFT_TIMED_OUT] = "timed out",
        [SB_LEFT_BOOTED] = "booted",
        [SB_LEFT_STALLED] = "did not acknowledge",
        [SB_LEFT_RESTARTED] = "started again",
        [SB_LEFT_GAVE_WAY] = "did not answer and gave way to a newcomer",
        [SB_LEFT_HOST_CLOSED] = "host closed",
        [SB_LEFT_NO_ANSWER] = "no answer",
        [SB_LEFT_MADE_ROOM] = "made room for a newcomer",
    };
    return reason < SB_LEFT_REASON_COUNT ? texts[reason] : "unknown reason";
}
