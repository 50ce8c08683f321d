/* src/run/raw_echo.h -- measures the round trip of a datagram to a thread that only returns it: the
 * lower bound for the latency of any server on this machine.
 *
 * For:      measuring the loops of this folder (`starbase swarm`): the relay latency is compared
 *           with this bound. A relayed message takes the same path: socket, another thread or
 *           program, socket.
 * May use:  one thread; udp.h, as servers and players do.
 */
#ifndef SB_RUN_RAW_ECHO_H
#define SB_RUN_RAW_ECHO_H

#include "platform/udp.h"
#include "run/latency.h"

typedef struct sb_raw_echo sb_raw_echo;

/* Given; NULL: `error` says why. */
sb_raw_echo *sb_raw_echo_start(char error[SB_UDP_ERROR_MAX]);
void         sb_raw_echo_stop(sb_raw_echo *echo); /* also NULL */
/* The socket that receives the answers, for poll and epoll. */
int sb_raw_echo_descriptor(const sb_raw_echo *echo);
/* Sends one datagram of the size of a chat line. */
void sb_raw_echo_send(sb_raw_echo *echo);
/* Receives the answers that have arrived and adds their round trips. */
void sb_raw_echo_receive(sb_raw_echo *echo, sb_latency *latency);

#endif
