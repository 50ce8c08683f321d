/* tests/sim/recording_test.c -- entries in memory and in files. */
#include "tests/sim/recording.h"

#include "test.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const uint8_t message[] = { 1, 2, 3, 4, 5 };

static void fill(recording *r)
{
    recording_add(r, 5, RECORDING_LINK, (sb_span){ message, 4 });
    recording_add(r, (sb_time)7 << 33, RECORDING_RECEIVED, (sb_span){ message, sizeof message });
    recording_add(r, (sb_time)8 << 33, RECORDING_SENT, (sb_span){ NULL, 0 });
}

static void check_filled(const recording *r)
{
    recording_entry e;
    size_t          at = 0;
    CHECK(recording_next(r, &at, &e));
    CHECK(e.at == 5 && e.kind == RECORDING_LINK);
    CHECK_BYTES(e.bytes.data, e.bytes.size, message, 4);
    CHECK(recording_next(r, &at, &e));
    CHECK(e.at == (sb_time)7 << 33 && e.kind == RECORDING_RECEIVED);
    CHECK_BYTES(e.bytes.data, e.bytes.size, message, sizeof message);
    CHECK(recording_next(r, &at, &e));
    CHECK(e.kind == RECORDING_SENT && e.bytes.size == 0);
    CHECK(!recording_next(r, &at, &e));
}

TEST(a_recording_gives_back_its_entries_in_order)
{
    recording r = { 0 };
    fill(&r);
    check_filled(&r);
    recording_clear(&r);
}

TEST(a_recording_survives_a_file)
{
    char      path[] = "/tmp/recording-XXXXXX";
    int       file = mkstemp(path);
    recording r = { 0 }, back;
    CHECK(file >= 0);
    close(file);
    fill(&r);
    CHECK(recording_write(&r, path));
    CHECK(recording_read(&back, path));
    check_filled(&back);
    recording_clear(&back);
    unlink(path);
    CHECK(!recording_read(&back, path));
    recording_clear(&r);
}

TEST(a_recorded_ship_comes_back_as_it_was)
{
    recording          r = { 0 };
    recording_entry    e;
    size_t             at = 0;
    recording_own_ship own, back;
    memset(&own, 0, sizeof own);
    memset(&back, 0, sizeof back);
    own.object_id = 0x3FFFFFFF;
    own.position[2] = -1.5f;
    own.speed = 6.3f;
    own.cloaked = own.on[15] = true;
    own.power_wanted[3] = 1.25f;
    recording_add_own(&r, 9, &own);
    CHECK(recording_next(&r, &at, &e));
    CHECK(recording_get_own(e.bytes, &back));
    CHECK_BYTES(&back, sizeof back, &own, sizeof own);
    CHECK(!recording_get_own((sb_span){ e.bytes.data, e.bytes.size - 1 }, &back));
    recording_clear(&r);
}

TEST(recorded_values_of_the_host_come_back_unrounded)
{
    recording       r = { 0 };
    recording_entry e;
    size_t          at = 0;
    recording_exact exact = { .object_id = 7, .entry_count = 2, .child_count = 3 }, back;
    exact.entries[1] = 254.999f;
    exact.children[2] = 0.001f;
    exact.facings[5] = 127.391f;
    recording_add_exact(&r, 9, &exact);
    CHECK(recording_next(&r, &at, &e));
    CHECK(recording_get_exact(e.bytes, &back));
    CHECK(back.object_id == 7 && back.entry_count == 2 && back.child_count == 3);
    CHECK(back.entries[1] == 254.999f && back.children[2] == 0.001f);
    CHECK(back.facings[5] == 127.391f);
    CHECK(!recording_get_exact((sb_span){ e.bytes.data, e.bytes.size - 1 }, &back));
    recording_clear(&r);
}
