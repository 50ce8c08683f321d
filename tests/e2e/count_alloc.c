/* tests/e2e/count_alloc.c -- a library to preload that counts calls of the allocator.
 *
 * For:      quiet_test.c, which runs `starbase serve` with it. Counts in memory shared with the
 *           test, so that nothing has to be asked of the program.
 */
#include "count_alloc.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* glibc's own names of the functions that this library replaces. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void  __libc_free(void *memory);

static count_alloc *_Atomic counter;

__attribute__((constructor)) static void open_counter(void)
{
    const char *path = getenv("COUNT_ALLOC");
    int         file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *memory = mmap(NULL, sizeof(count_alloc), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    (void)close(file);
    if (memory != MAP_FAILED) counter = memory;
}

static void copy_text(char *out, size_t capacity, const char *text)
{
    size_t size = strlen(text);
    if (size >= capacity) text += size - capacity + 1, size = capacity - 1; /* keep the end */
    memcpy(out, text, size);
    out[size] = '\0';
}

static void count(const char *what, size_t size, const void *caller)
{
    Dl_info      about = { 0 };
    count_alloc *c = counter;
    if (!c) return;
    c->total++;
    if (!c->armed) return;
    unsigned at = c->calls++;
    if (at >= COUNT_ALLOC_TOLD) return;
    copy_text(c->told[at].what, sizeof c->told[at].what, what);
    c->told[at].size = size;
    if (!dladdr(caller, &about)) return;
    copy_text(c->told[at].file, sizeof c->told[at].file, about.dli_fname);
    c->told[at].offset = (uint64_t)((const char *)caller - (const char *)about.dli_fbase);
}

#define EXPORT __attribute__((visibility("default")))
#define CALLER __builtin_return_address(0)

EXPORT void *malloc(size_t size)
{
    count("malloc", size, CALLER);
    return __libc_malloc(size);
}

EXPORT void *calloc(size_t number, size_t size)
{
    count("calloc", number * size, CALLER);
    return __libc_calloc(number, size);
}

EXPORT void *realloc(void *memory, size_t size)
{
    count("realloc", size, CALLER);
    return __libc_realloc(memory, size);
}

EXPORT void free(void *memory)
{
    if (memory) count("free", 0, CALLER);
    __libc_free(memory);
}

EXPORT void *memalign(size_t alignment, size_t size)
{
    count("memalign", size, CALLER);
    return __libc_memalign(alignment, size);
}

EXPORT void *aligned_alloc(size_t alignment, size_t size)
{
    count("aligned_alloc", size, CALLER);
    return __libc_memalign(alignment, size);
}

EXPORT int posix_memalign(void **memory, size_t alignment, size_t size)
{
    count("posix_memalign", size, CALLER);
    *memory = __libc_memalign(alignment, size);
    return *memory ? 0 : ENOMEM;
}
