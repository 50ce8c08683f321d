/* tests/inspect/lru_test.c -- the LRU map finds keys, and evicts the least recently used one. */
#include "inspect/lru.h"

#include "base/random.h"
#include "test.h"

#include <stdlib.h>

static sb_lru_key key_of(uint64_t number)
{
    return (sb_lru_key){ number, ~number };
}

static uint32_t add(sb_lru *lru, uint64_t number, bool *evicted)
{
    uint32_t at = sb_lru_add(lru, key_of(number), evicted);
    sb_lru_check(lru);
    return at;
}

TEST(an_lru_map_keeps_the_index_of_a_key)
{
    void  *memory = malloc(sb_lru_bytes(3));
    bool   evicted;
    sb_lru lru;
    sb_lru_init(&lru, memory, 3);
    CHECK_EQ(sb_lru_find(&lru, key_of(1)), SB_LRU_NONE);
    uint32_t first = add(&lru, 1, &evicted), second = add(&lru, 2, &evicted);
    CHECK(first != second);
    CHECK_EQ(sb_lru_find(&lru, key_of(1)), first);
    sb_lru_remove(&lru, first);
    sb_lru_check(&lru);
    CHECK_EQ(sb_lru_find(&lru, key_of(1)), SB_LRU_NONE);
    CHECK_EQ(sb_lru_find(&lru, key_of(2)), second);
    free(memory);
}

TEST(a_full_lru_map_evicts_the_least_recently_used_key)
{
    void    *memory = malloc(sb_lru_bytes(2));
    bool     evicted;
    sb_lru   lru;
    uint32_t at[3];
    sb_lru_init(&lru, memory, 2);
    at[0] = add(&lru, 0, &evicted);
    at[1] = add(&lru, 1, &evicted);
    CHECK(!evicted);
    CHECK_EQ(sb_lru_find(&lru, key_of(0)), at[0]); /* now 1 is the oldest */
    at[2] = add(&lru, 2, &evicted);
    CHECK(evicted);
    CHECK_EQ(at[2], at[1]);
    CHECK_EQ(sb_lru_find(&lru, key_of(1)), SB_LRU_NONE);
    CHECK_EQ(sb_lru_find(&lru, key_of(0)), at[0]);
    free(memory);
}

/* Compares the map with a list of the last use of each key. */
TEST(an_lru_map_agrees_with_a_slow_model)
{
    enum { KEYS = 40, CAPACITY = 16 };
    void     *memory = malloc(sb_lru_bytes(CAPACITY));
    unsigned  last_use[KEYS] = { 0 }; /* 0: not in the map */
    size_t    count = 0;
    sb_lru    lru;
    sb_random r;
    sb_random_init(&r, 12);
    sb_lru_init(&lru, memory, CAPACITY);
    for (unsigned step = 1; step <= 5000; step++) {
        uint32_t key = sb_random_below(&r, KEYS), at = sb_lru_find(&lru, key_of(key));
        CHECK_EQ(at != SB_LRU_NONE, last_use[key] != 0);
        if (at != SB_LRU_NONE && sb_random_below(&r, 4) == 0) {
            sb_lru_remove(&lru, at);
            last_use[key] = 0;
            count--;
        } else {
            bool   evicted = false;
            size_t oldest = KEYS;
            for (size_t i = 0; i < KEYS; i++)
                if (last_use[i] && (oldest == KEYS || last_use[i] < last_use[oldest])) oldest = i;
            if (at == SB_LRU_NONE) (void)sb_lru_add(&lru, key_of(key), &evicted);
            CHECK_EQ(evicted, at == SB_LRU_NONE && count == CAPACITY);
            if (evicted) last_use[oldest] = 0;
            if (at == SB_LRU_NONE && !evicted) count++;
            last_use[key] = step;
        }
        sb_lru_check(&lru);
    }
    free(memory);
}
