/* src/platform/resolver.h -- resolves host names on a thread of its own.
 *
 * For:      the masters of a server: a lookup may take seconds, or fail for hours.
 * May use:  one thread; getaddrinfo.
 * Never:    blocks its owner: stop returns at once, also during a lookup.
 */
#ifndef SB_PLATFORM_RESOLVER_H
#define SB_PLATFORM_RESOLVER_H

#include <starbase/base.h>

#include "platform/udp.h"

enum { SB_RESOLVER_NAMES = 64 };

/* Called on the resolver's thread. `error` NULL: `address` belongs to the name at `index`. Else the
 * lookup failed and will be repeated; `error` says why and is reported once per name. */
typedef void (*sb_resolver_fn)(void *context, size_t index, sb_endpoint address, const char *error);

typedef struct sb_resolver sb_resolver;

/* Starts to resolve the names ("host" or "host:port"; copied), at most SB_RESOLVER_NAMES. Failed
 * lookups are repeated every minute, all others every hour; an unchanged address is not reported
 * again (spec 05 §5). Given; NULL: no memory or no thread. */
sb_resolver *sb_resolver_start(const char *const *names, size_t count, uint16_t port,
                               sb_resolver_fn on_result, void *context);
/* After this call `on_result` is not called any more. */
void sb_resolver_stop(sb_resolver *resolver);

#endif
