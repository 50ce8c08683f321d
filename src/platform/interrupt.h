/* src/platform/interrupt.h -- Ctrl-C and SIGTERM, asked for instead of suffered.
 *
 * For:      programs with a loop that can stop in good order: they finish a line and say how far
 *           they came. The second signal of a kind ends the program at once.
 */
#ifndef SB_PLATFORM_INTERRUPT_H
#define SB_PLATFORM_INTERRUPT_H

/* From now on the first SIGINT and the first SIGTERM are only remembered; reads that wait return
 * early with EINTR. */
void sb_catch_interrupts(void);
/* SIGINT or SIGTERM, whichever came first; 0: none so far. */
int sb_interrupted(void);
/* How a program that was interrupted should end: 130 for SIGINT, 0 for SIGTERM. */
int sb_interrupted_status(void);

#endif
