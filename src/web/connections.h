/* src/web/connections.h -- which connections of the HTTP server give way when there are too many.
 *
 * For:      http.c. Slow connections must not keep others out: when the limit of an address or of all
 *           is reached, the oldest connection whose request is not complete gives way. A request
 *           that is sent at once is complete before that.
 * Never:    calls the system: connections are keys of the caller.
 * Tests:    tests/web/connections_test.c
 */
#ifndef SB_WEB_CONNECTIONS_H
#define SB_WEB_CONNECTIONS_H

#include <starbase/base.h>

enum {
    SB_WEB_CONNECTIONS_MAX = 64,
    SB_WEB_CONNECTIONS_PER_ADDRESS = 16,
};
#define SB_WEB_CONNECTION_US (10 * SB_SECOND) /* the longest life of a connection */

typedef struct sb_web_connection {
    void    *key; /* of the caller; never NULL */
    uint32_t address;
    sb_time  opened_at;
    bool     has_asked; /* its request is complete */
} sb_web_connection;

/* Starts as zeros. In order of opening. */
typedef struct sb_web_connections {
    sb_web_connection entries[SB_WEB_CONNECTIONS_MAX];
    size_t            count;
} sb_web_connections;

typedef enum sb_web_admission {
    SB_WEB_ADMIT,    /* there is a place */
    SB_WEB_DISPLACE, /* there is one when the caller has closed and removed *victim */
    SB_WEB_REFUSE,   /* all others have asked and wait for their answers */
} sb_web_admission;

sb_web_admission sb_web_connections_admit(const sb_web_connections *connections, uint32_t address,
                                          void **victim);
/* After SB_WEB_ADMIT, or after the victim was removed. */
void sb_web_connections_add(sb_web_connections *connections, void *key, uint32_t address,
                            sb_time now);
/* True: the connection was there and had not asked. No effect for an unknown key. */
bool sb_web_connections_remove(sb_web_connections *connections, const void *key);
void sb_web_connections_set_asked(sb_web_connections *connections, const void *key);
/* A connection that is too old; NULL: there is none. */
void *sb_web_connections_expired(const sb_web_connections *connections, sb_time now);

#endif
