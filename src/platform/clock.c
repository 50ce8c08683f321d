/* src/platform/clock.c -- the clocks of Linux. */
#include "platform/clock.h"

#include <stdio.h>
#include <sys/random.h>
#include <time.h>

static int64_t read_clock_us(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

sb_time sb_clock_now(void)
{
    return read_clock_us(CLOCK_MONOTONIC);
}

void sb_clock_sleep_until(sb_time until)
{
    struct timespec at = { (time_t)(until / SB_SECOND), (long)(until % SB_SECOND) * 1000 };
    (void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
}

int64_t sb_clock_wall_us(void)
{
    return read_clock_us(CLOCK_REALTIME);
}

/* Splits a day, counted from 1970, into year, month and day. Does not use gmtime, which reads the
 * time zone first, takes a lock and may allocate. Years start in March here, so that a leap day is
 * the last day of its year. */
static void split_day(int64_t day, int *year, int *month, int *month_day)
{
    enum { DAYS_OF_400_YEARS = 146097, DAYS_TO_1970 = 719468 };
    int64_t since = day + DAYS_TO_1970, era = since / DAYS_OF_400_YEARS;
    int     in_era = (int)(since - era * DAYS_OF_400_YEARS);
    int     era_year = (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
    int     in_year = in_era - (365 * era_year + era_year / 4 - era_year / 100);
    int     from_march = (5 * in_year + 2) / 153;
    *month_day = in_year - (153 * from_march + 2) / 5 + 1;
    *month = from_march < 10 ? from_march + 3 : from_march - 9;
    *year = (int)(era * 400) + era_year + (*month <= 2);
}

void sb_clock_text(int64_t wall_us, char out[SB_CLOCK_TEXT])
{
    enum { MS_PER_DAY = 86400000 };
    int64_t ms = wall_us < 0 ? 0 : wall_us / 1000;
    int     year, month, day, in_day = (int)(ms % MS_PER_DAY);
    split_day(ms / MS_PER_DAY, &year, &month, &day);
    if (year > 9999) year = 9999;
    char text[80];
    snprintf(text, sizeof text, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", year, month, day,
             in_day / 3600000, in_day / 60000 % 60, in_day / 1000 % 60, in_day % 1000);
    snprintf(out, SB_CLOCK_TEXT, "%.24s", text);
}

uint64_t sb_clock_seed(void)
{
    uint64_t seed = 0;
    if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) == (ssize_t)sizeof seed) return seed;
    return (uint64_t)read_clock_us(CLOCK_MONOTONIC) * 0x9E3779B97F4A7C15u ^
           (uint64_t)read_clock_us(CLOCK_REALTIME);
}
