/* src/platform/resolver.c -- a detached thread with getaddrinfo, which cannot be interrupted:
 * whoever leaves last, owner or thread, frees what both use. */
#include "platform/resolver.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { NAME_BYTES = 262, RETRY_S = 60, ROUND_S = 3600 };

struct sb_resolver {
    pthread_mutex_t lock; /* held during `on_resolved`, so that stop waits for it */
    pthread_cond_t  wake;
    bool            stopped;
    int             users;
    size_t          count;
    uint16_t        port;
    sb_resolver_fn  on_resolved;
    void           *context;
    sb_endpoint     known[SB_RESOLVER_NAMES]; /* port 0: not found yet */
    bool            fresh[SB_RESOLVER_NAMES], complained[SB_RESOLVER_NAMES];
    char            names[SB_RESOLVER_NAMES][NAME_BYTES];
};

/* With the lock held; releases it. */
static void leave(sb_resolver *r)
{
    bool last = --r->users == 0;
    pthread_mutex_unlock(&r->lock);
    if (!last) return;
    pthread_cond_destroy(&r->wake);
    pthread_mutex_destroy(&r->lock);
    free(r);
}

static void on_resolved(sb_resolver *r, size_t i, sb_endpoint address, const char *error)
{
    bool changed = address.address != r->known[i].address || address.port != r->known[i].port;
    if (error && !r->complained[i]) r->on_resolved(r->context, i, address, error);
    if (!error && changed) r->on_resolved(r->context, i, address, NULL);
    if (!error) r->known[i] = address;
    r->complained[i] = error;
    r->fresh[i] = !error;
}

/* With the lock held, but not while asking. */
static bool ask_all(sb_resolver *r)
{
    bool all = true;
    for (size_t i = 0; i < r->count && !r->stopped; i++) {
        if (r->fresh[i]) continue;
        char        error[SB_UDP_ERROR_MAX];
        sb_endpoint address = { 0, 0 };
        pthread_mutex_unlock(&r->lock);
        bool found = sb_resolve_endpoint(r->names[i], r->port, &address, error);
        pthread_mutex_lock(&r->lock);
        if (!r->stopped) on_resolved(r, i, address, found ? NULL : error);
        all = all && found;
    }
    return all;
}

static void rest(sb_resolver *r, int seconds)
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
        bool all = ask_all(r);
        rest(r, all ? ROUND_S : RETRY_S);
        if (all) memset(r->fresh, 0, sizeof r->fresh);
    }
    leave(r);
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
                               sb_resolver_fn tell_function, void *context)
{
    sb_resolver *r = calloc(1, sizeof *r);
    if (!r) return NULL;
    r->count = count < SB_RESOLVER_NAMES ? count : SB_RESOLVER_NAMES;
    r->port = port;
    r->on_resolved = tell_function;
    r->context = context;
    r->users = 2;
    for (size_t i = 0; i < r->count; i++) {
        size_t size = strnlen(names[i], NAME_BYTES - 1);
        memcpy(r->names[i], names[i], size);
    }
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->wake, NULL);
    if (start_thread(r)) return r;
    r->users = 1;
    pthread_mutex_lock(&r->lock);
    leave(r);
    return NULL;
}

void sb_resolver_stop(sb_resolver *r)
{
    pthread_mutex_lock(&r->lock);
    r->stopped = true;
    pthread_cond_signal(&r->wake);
    leave(r);
}
