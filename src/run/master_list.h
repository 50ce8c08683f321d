/* src/run/master_list.h -- fetches the list of servers from a master, over TCP. Spec 05 §7.
 *
 * For:      `starbase query --master`.
 * May use:  one connection.
 * Never:    waits longer than the spec's limits: 5 s to connect, 15 s for each answer.
 */
#ifndef SB_RUN_MASTER_LIST_H
#define SB_RUN_MASTER_LIST_H

#include <starbase/discovery.h>

#include "platform/udp.h"

enum { SB_MASTER_LIST_PORT = 28900 };

/* Fills `list`. `stop` (may be NULL) is called at least every 100 ms; true ends the session.
 * SB_OS_ERROR: no connection; SB_BAD_VALUE: no list; `error` says why. */
SB_MUST_USE sb_result sb_master_list_fetch(sb_browse *list, sb_endpoint       master,
                                           bool (*stop)(void *context), void *context,
                                           char error[SB_UDP_ERROR_MAX]);

#endif
