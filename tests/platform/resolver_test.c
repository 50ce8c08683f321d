/* tests/platform/resolver_test.c -- names are resolved on a thread. */
#include "platform/resolver.h"

#include "test.h"

#include <stdatomic.h>
#include <unistd.h>

enum { LOOPBACK = 0x7F000001 };

typedef struct answers {
    atomic_int  found, failed;
    sb_endpoint address;
} answers;

static void store_answer(void *context, size_t index, sb_endpoint address, const char *error)
{
    answers *a = context;
    if (index == 0 && !error) a->address = address;
    atomic_fetch_add(error ? &a->failed : &a->found, 1);
}

TEST(names_are_found_in_the_background_and_missing_ones_told_once)
{
    static const char *const names[] = { "127.0.0.1", "bad name:" };
    answers                  a = { 0 };
    sb_resolver             *r = sb_resolver_start(names, 2, 27900, store_answer, &a);
    CHECK(r);
    for (int i = 0; i < 2000 && atomic_load(&a.found) + atomic_load(&a.failed) < 2; i++)
        usleep(1000);
    sb_resolver_stop(r);
    CHECK_EQ(atomic_load(&a.found), 1);
    CHECK_EQ(atomic_load(&a.failed), 1);
    CHECK_EQ(a.address.address, LOOPBACK);
    CHECK_EQ(a.address.port, 27900);
}
