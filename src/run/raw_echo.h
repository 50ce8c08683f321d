/* src/run/raw_echo.h -- how long a datagram takes to a thread that does nothing but return it, and
 * back: the floor under every latency of a server on this machine.
 *
 * For:      benchmarks, which show what a server adds to that. A relayed message makes the same
 *           way: socket, another thread or program, socket; so whole round trips are compared.
 * May use:  one thread; sockets through udp.h, as servers and players do.
 */
#ifndef SB_RUN_RAW_ECHO_H
#define SB_RUN_RAW_ECHO_H

#include "run/latency.h"
#include "platform/udp.h"

typedef struct sb_raw_echo sb_raw_echo;

/* Given; NULL: `error` says why. */
sb_raw_echo *sb_raw_echo_start(char error[SB_UDP_ERROR_MAX]);
void         sb_raw_echo_stop(sb_raw_echo *echo); /* also NULL */
/* Where answers arrive: for poll and epoll. */
int sb_raw_echo_descriptor(const sb_raw_echo *echo);
/* Sends one datagram of the size of a chat line. */
void sb_raw_echo_send(sb_raw_echo *echo);
/* Takes the answers that are there and adds their round trips. */
void sb_raw_echo_receive(sb_raw_echo *echo, sb_latency *latency);

#endif
