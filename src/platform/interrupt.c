/* src/platform/interrupt.c -- Ctrl-C and SIGTERM, asked for instead of suffered. */
#include "platform/interrupt.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t caught;

static void remember(int number)
{
    if (caught == 0) caught = number;
}

void sb_catch_interrupts(void)
{
    struct sigaction action = { .sa_handler = remember, .sa_flags = (int)SA_RESETHAND };
    sigemptyset(&action.sa_mask);
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
}

int sb_interrupted(void)
{
    return caught;
}

int sb_interrupted_status(void)
{
    return caught == SIGINT ? 128 + SIGINT : 0;
}
