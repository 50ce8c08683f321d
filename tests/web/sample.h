/* tests/web/sample.h -- values with two rooms, a player, threads and masters, for tests of pages.
 */
#ifndef TESTS_WEB_SAMPLE_H
#define TESTS_WEB_SAMPLE_H

#include "web/pages.h"

/* Lent until the next call. */
sb_web_values *sample_values(void);
/* A page as a text; lent until the next call. */
const char *sample_metrics(const sb_web_values *values);
const char *sample_status(const sb_web_values *values);

#endif
