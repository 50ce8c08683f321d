/* tests/padding.h -- tells MemorySanitizer that the padding between fields may have any value.
 *
 * For:      tests that compare whole objects, or the memory that holds them, byte by byte.
 */
#ifndef SB_TESTS_PADDING_H
#define SB_TESTS_PADDING_H

#include <stddef.h>

#if defined(__has_feature)
#if __has_feature(memory_sanitizer)
#include <sanitizer/msan_interface.h>
#define SB_HAS_MEMORY_SANITIZER
#endif
#endif

static inline void accept_padding(const void *bytes, size_t size)
{
#ifdef SB_HAS_MEMORY_SANITIZER
    __msan_unpoison(bytes, size);
#endif
    (void)bytes, (void)size;
}

#endif
