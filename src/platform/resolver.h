/* src/platform/resolver.h -- names to addresses beside whatever else goes on.
 *
 * For:      masters of a server: their names may take long, or be unknown until tomorrow.
 * May use:  one thread, names through getaddrinfo.
 * Never:    holds up its owner: stop returns at once, also while a name is being asked for.
 */
#ifndef SB_PLATFORM_RESOLVER_H
#define SB_PLATFORM_RESOLVER_H

#include <starbase/base.h>

#include "platform/udp.h"

enum { SB_RESOLVER_NAMES = 64 };

/* Called on the resolver's thread. `error` NULL: `address` is that of the name at `index`; else it
 * was not found, will be asked for again, and `error` says why (told once per name). */
typedef void (*sb_resolver_fn)(void *context, size_t index, sb_endpoint address, const char *error);

typedef struct sb_resolver sb_resolver;

/* Starts to ask for the names ("host" or "host:port"; copied), at most SB_RESOLVER_NAMES. All are
 * asked for again every hour, those not found every minute; what has not changed is not told again
 * (spec 05 §5). Given; NULL: no memory or no thread. */
sb_resolver *sb_resolver_start(const char *const *names, size_t count, uint16_t port,
                               sb_resolver_fn on_result, void *context);
/* After this `on_result` is not called any more. */
void sb_resolver_stop(sb_resolver *resolver);

#endif
