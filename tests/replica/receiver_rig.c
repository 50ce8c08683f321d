/* tests/replica/receiver_rig.c -- see receiver_rig.h. */
#include "receiver_rig.h"

#include "base/bytes.h"

#include <math.h>

void check_near(float a, float b, float margin)
{
    if (!(fabsf(a - b) <= margin)) FAIL("%.9g is not near %.9g", (double)a, (double)b);
}

/* ---- bytes ---- */

void append_hex(update_bytes *w, const char *hex)
{
    w->size += test_hex(hex, w->bytes + w->size, sizeof w->bytes - w->size);
}

void append_f32(update_bytes *w, float f)
{
    CHECK(w->size + 4 <= sizeof w->bytes);
    sb_store_u32(w->bytes + w->size, sb_float_bits(f));
    w->size += 4;
}

update_bytes start_update(float game_time, uint8_t flags)
{
    update_bytes w = { .size = 0 };
    append_hex(&w, "1C FF FF FF 3F");
    append_f32(&w, game_time);
    w.bytes[w.size++] = flags;
    return w;
}

void append_position(update_bytes *w, float x, float y, float z)
{
    append_f32(w, x);
    append_f32(w, y);
    append_f32(w, z);
    append_hex(w, "20");
}

/* ---- receivers ---- */

observer other_client(uint8_t species)
{
    observer o;
    observer_open(&o, species, SB_RECEIVE_OTHER);
    return o;
}

observer host_receiver(uint8_t species)
{
    observer o;
    observer_open(&o, species, SB_RECEIVE_FROM_OWNER);
    return o;
}

sb_result hear_update(observer *o, const update_bytes *w)
{
    return observer_hear(o, w->bytes, w->size);
}

sb_result hear_full_update(observer *o, float game_time, float x, float y, float z)
{
    update_bytes w =
        start_update(game_time, SB_STATE_POS | SB_STATE_FWD | SB_STATE_UP | SB_STATE_SPEED);
    append_position(&w, x, y, z);
    append_hex(&w, "7F 00 00  00 00 7F  1B 47");
    return hear_update(o, &w);
}

void check_refused(observer *o, const update_bytes *w, sb_result expected)
{
    sb_ship  before = o->ship;
    uint32_t applied = observer_count(o, SB_RECEIVED_APPLIED);
    CHECK_EQ(hear_update(o, w), expected);
    rig_check_same(&o->ship, &before);
    CHECK_EQ(observer_count(o, SB_RECEIVED_APPLIED), applied);
}
