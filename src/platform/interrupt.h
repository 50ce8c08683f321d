/* src/platform/interrupt.h -- polling for SIGINT (Ctrl-C) and SIGTERM.
 *
 * For:      programs with one thread and one loop, which finish their line and report progress
 *           before they exit. The second signal of a kind ends the program at once.
 */
#ifndef SB_PLATFORM_INTERRUPT_H
#define SB_PLATFORM_INTERRUPT_H

/* From now on the first SIGINT and the first SIGTERM are only recorded; blocking reads return early
 * with EINTR. */
void sb_interrupt_catch(void);
/* SIGINT or SIGTERM, whichever came first; 0: none so far. */
int sb_interrupt_pending(void);
/* The exit status of an interrupted program: 130 for SIGINT, 0 for SIGTERM. */
int sb_interrupt_status(void);

#endif
