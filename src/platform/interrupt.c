/* src/platform/interrupt.c -- signal handlers that record the first SIGINT or SIGTERM.
 *
 * Tests:    tests/apps/decode_test.py
 */
#include "platform/interrupt.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t caught;

static void record_first(int number)
{
    if (caught == 0) caught = number;
}

void sb_interrupt_catch(void)
{
    struct sigaction action = { .sa_handler = record_first, .sa_flags = (int)SA_RESETHAND };
    sigemptyset(&action.sa_mask);
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
}

int sb_interrupt_pending(void)
{
    return caught;
}

int sb_interrupt_status(void)
{
    return caught == SIGINT ? 128 + SIGINT : 0;
}
