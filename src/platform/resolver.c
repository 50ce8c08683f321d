/* src/platform/resolver.c -- a detached thread that calls getaddrinfo. The call cannot be
 * interrupted, so owner and thread count references: the last one to release frees the memory. */
#include "platform/resolver.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { NAME_BYTES = 262, RETRY_SECONDS = 60, REFRESH_SECONDS = 3600 };

struct sb_resolver {
    pthread_mutex_t lock; /* held while `on_result` runs, so that stop waits for it */
    pthread_cond_t  wake;
    bool            stopped;
    int             references;
    size_t          count;
    uint16_t        port;
    sb_resolver_fn  on_result;
    void           *context;
    sb_endpoint     known[SB_RESOLVER_NAMES]; /* port 0: not resolved yet */
    bool            resolved[SB_RESOLVER_NAMES], error_reported[SB_RESOLVER_NAMES];
    char            names[SB_RESOLVER_NAMES][NAME_BYTES];
};

/* Drops one reference and unlocks. The caller holds the lock. */
static void release(sb_resolver *r)
{
    bool last = --r->references == 0;
    pthread_mutex_unlock(&r->lock);
    if (!last) return;
    pthread_cond_destroy(&r->wake);
    pthread_mutex_destroy(&r->lock);
    free(r);
}

static void store_result(sb_resolver *r, size_t i, sb_endpoint address, const char *error)
{
    bool changed = address.address != r->known[i].address || address.port != r->known[i].port;
    if (error && !r->error_reported[i]) r->on_result(r->context, i, address, error);
    if (!error && changed) r->on_result(r->context, i, address, NULL);
    if (!error) r->known[i] = address;
    r->error_reported[i] = error;
    r->resolved[i] = !error;
}

/* Resolves the names that are not resolved yet in this round. True: all are now. The caller holds
 * the lock, which is released during each lookup. */
static bool resolve_all(sb_resolver *r)
{
    bool all = true;
    for (size_t i = 0; i < r->count && !r->stopped; i++) {
        if (r->resolved[i]) continue;
        char        error[SB_UDP_ERROR_MAX];
        sb_endpoint address = { 0, 0 };
        pthread_mutex_unlock(&r->lock);
        bool found = sb_udp_resolve_endpoint(r->names[i], r->port, &address, error);
        pthread_mutex_lock(&r->lock);
        if (!r->stopped) store_result(r, i, address, found ? NULL : error);
        all = all && found;
    }
    return all;
}

static void wait_seconds(sb_resolver *r, int seconds)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += seconds;
    if (!r->stopped) (void)pthread_cond_timedwait(&r->wake, &r->lock, &until);
}

static void *run(void *context)
{
    sb_resolver *r = context;
    pthread_mutex_lock(&r->lock);
    while (!r->stopped) {
        bool all = resolve_all(r);
        wait_seconds(r, all ? REFRESH_SECONDS : RETRY_SECONDS);
        if (all) memset(r->resolved, 0, sizeof r->resolved);
    }
    release(r);
    return NULL;
}

static bool start_thread(sb_resolver *r)
{
    pthread_t thread;
    sigset_t  all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool started = pthread_create(&thread, NULL, run, r) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (started) (void)pthread_detach(thread);
    return started;
}

sb_resolver *sb_resolver_start(const char *const *names, size_t count, uint16_t port,
                               sb_resolver_fn on_result, void *context)
{
    sb_resolver *r = calloc(1, sizeof *r);
    if (!r) return NULL;
    r->count = count < SB_RESOLVER_NAMES ? count : SB_RESOLVER_NAMES;
    r->port = port;
    r->on_result = on_result;
    r->context = context;
    r->references = 2;
    for (size_t i = 0; i < r->count; i++) {
        size_t size = strnlen(names[i], NAME_BYTES - 1);
        memcpy(r->names[i], names[i], size);
    }
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->wake, NULL);
    if (start_thread(r)) return r;
    r->references = 1;
    pthread_mutex_lock(&r->lock);
    release(r);
    return NULL;
}

void sb_resolver_stop(sb_resolver *r)
{
    pthread_mutex_lock(&r->lock);
    r->stopped = true;
    pthread_cond_signal(&r->wake);
    release(r);
}
