/* src/base/time.h -- arithmetic on sb_time. */
#ifndef SB_BASE_TIME_H
#define SB_BASE_TIME_H

#include <starbase/base.h>

static inline sb_time sb_time_earlier(sb_time a, sb_time b)
{
    return a < b ? a : b;
}

#endif
