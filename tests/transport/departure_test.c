/* tests/transport/departure_test.c -- how long a message that ends a session waits, and for what.
 *
 * For:      src/transport/departure.c. host_depart_test.c and client_departure_test.c have its use.
 * Spec:     01 §8.4.
 */
#include "rig.h"
#include "transport/departure.h"

static const sb_datagram noop = { .message_count = 1, .kinds = SB_HAS_NOOP };

/* Starts a departure at `now` and returns the silence that it takes. */
static sb_time silence_of(sb_departure *d, sb_time now)
{
    CHECK(!sb_departure_is_open(d) || d->doubtful);
    sb_departure_start(d, now);
    CHECK(sb_departure_is_open(d));
    return sb_departure_ends_at(d, now) - now;
}

/* Departures that a sign of life refutes after two seconds each; returns the time of the last. */
static sb_time refute(sb_departure *d, unsigned times, sb_time start)
{
    for (unsigned i = 0; i < times; i++, start += 3 * SB_SECOND) {
        sb_departure_start(d, start);
        CHECK(sb_departure_note(d, start + 2 * SB_SECOND, &noop));
        CHECK_EQ(sb_departure_ends_at(d, start + 2 * SB_SECOND), SB_TIME_NEVER);
    }
    return start - SB_SECOND;
}

static sb_departure open_departure(void)
{
    sb_departure d;
    sb_departure_init(&d, RIG_START);
    CHECK(!sb_departure_is_open(&d));
    CHECK_EQ(sb_departure_ends_at(&d, RIG_START), SB_TIME_NEVER);
    return d;
}

TEST(an_end_is_busy_for_less_than_a_second_after_its_last_update)
{
    static const struct {
        sb_time after, silence;
    } cases[] = { { 0, SB_SECOND }, { SB_SECOND - 1, SB_SECOND }, { SB_SECOND, 6 * SB_SECOND } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sb_departure d = open_departure();
        sb_departure_note_busy(&d, RIG_START);
        CHECK_EQ(silence_of(&d, RIG_START + cases[i].after), cases[i].silence);
    }
    sb_departure d = open_departure(); /* it was never busy */
    CHECK_EQ(silence_of(&d, RIG_START), 6 * SB_SECOND);
}

TEST(a_repeat_does_not_move_the_end_of_the_wait)
{
    sb_departure d = open_departure();
    sb_departure_start_after(&d, RIG_START, 3 * SB_SECOND);
    sb_departure_start_after(&d, RIG_START + SB_SECOND, 3 * SB_SECOND);
    sb_departure_start(&d, RIG_START + 2 * SB_SECOND);
    CHECK_EQ(sb_departure_ends_at(&d, RIG_START), RIG_START + 3 * SB_SECOND);
}

TEST(a_departure_is_prolonged_to_16_seconds)
{
    sb_departure d = open_departure();
    sb_departure_prolong(&d); /* nothing waits */
    CHECK(!sb_departure_is_open(&d));
    sb_departure_start(&d, RIG_START);
    for (int i = 0; i < 2; i++) {
        sb_departure_prolong(&d);
        CHECK_EQ(sb_departure_ends_at(&d, RIG_START), RIG_START + 16 * SB_SECOND);
    }
    d = open_departure();
    sb_departure_start_after(&d, RIG_START, 20 * SB_SECOND);
    sb_departure_prolong(&d); /* it lasts longer already */
    CHECK_EQ(sb_departure_ends_at(&d, RIG_START), RIG_START + 20 * SB_SECOND);
}

TEST(acks_and_farewells_are_no_signs_of_life)
{
    static const struct {
        uint8_t count, kinds;
        bool    alive;
    } cases[] = {
        { 0, 0, true },
        { 1, SB_HAS_DATA, true },
        { 1, SB_HAS_NOOP, true },
        { 1, SB_HAS_CONTROL, true },
        { 2, SB_HAS_ACK | SB_HAS_DATA, true },
        { 1, SB_HAS_ACK, false },
        { 1, 0, false }, /* an Ack of the low channel */
        { 1, SB_HAS_FAREWELL, false },
        { 2, SB_HAS_FAREWELL | SB_HAS_DATA, false },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sb_departure d = open_departure();
        sb_datagram  datagram = { .message_count = cases[i].count, .kinds = cases[i].kinds };
        CHECK(!sb_departure_note(&d, RIG_START, &datagram)); /* nothing waits yet */
        sb_departure_start(&d, RIG_START);
        CHECK_EQ(sb_departure_note(&d, RIG_START + SB_SECOND, &datagram), cases[i].alive);
        CHECK_EQ(sb_departure_is_open(&d), !cases[i].alive);
    }
}

TEST(a_sign_of_life_within_half_a_second_leaves_a_doubt)
{
    for (int late = 0; late < 2; late++) {
        sb_departure d = open_departure();
        sb_time      sign = RIG_START + 500 * RIG_MILLISECOND - 1 + late;
        sb_departure_start(&d, RIG_START);
        CHECK(sb_departure_note(&d, sign, &noop));
        CHECK_EQ(sb_departure_is_open(&d), !late);
        CHECK_EQ(sb_departure_ends_at(&d, sign), late ? SB_TIME_NEVER : sign + 12 * SB_SECOND);
    }
}

TEST(a_later_sign_of_life_ends_the_doubt)
{
    sb_departure d = open_departure();
    sb_departure_start(&d, RIG_START);
    CHECK(sb_departure_note(&d, RIG_START + 1, &noop));
    CHECK(!sb_departure_note(&d, RIG_START + 500 * RIG_MILLISECOND - 1, &noop));
    CHECK(sb_departure_is_open(&d)); /* this one may have been overtaken too */
    CHECK(!sb_departure_note(&d, RIG_START + 500 * RIG_MILLISECOND, &noop));
    CHECK(!sb_departure_is_open(&d));
}

TEST(after_three_refuted_departures_only_long_silence_counts)
{
    static const struct {
        unsigned refuted;
        bool     busy;
        sb_time  silence;
    } cases[] = {
        { 2, false, 6 * SB_SECOND },  { 2, true, SB_SECOND },     { 3, false, 16 * SB_SECOND },
        { 3, true, 6 * SB_SECOND },   { 4, true, 6 * SB_SECOND }, { 255, true, 6 * SB_SECOND },
        { 256, true, 6 * SB_SECOND }, /* the count does not wrap */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sb_departure d = open_departure();
        sb_time      now = refute(&d, cases[i].refuted, RIG_START);
        if (cases[i].busy) sb_departure_note_busy(&d, now);
        CHECK_EQ(silence_of(&d, now), cases[i].silence);
    }
}

TEST(who_is_attacked_leaves_no_doubt)
{
    sb_departure d = open_departure();
    sb_time      now = refute(&d, 2, RIG_START);
    sb_departure_start(&d, now);
    CHECK(sb_departure_note(&d, now + 1, &noop)); /* the third one, after a microsecond */
    CHECK(!sb_departure_is_open(&d));
}

TEST(an_attack_is_forgotten_after_a_minute)
{
    for (int late = 0; late < 2; late++) {
        sb_departure d = open_departure();
        sb_time      now = refute(&d, 3, RIG_START) + 60 * SB_SECOND - 1 + late;
        CHECK_EQ(silence_of(&d, now), late ? 6 * SB_SECOND : 16 * SB_SECOND);
    }
    for (int late = 0; late < 2; late++) { /* and then it counts from one */
        sb_departure d = open_departure();
        sb_time      now = refute(&d, 2, RIG_START);
        now = refute(&d, 1, now + 58 * SB_SECOND - 1 + late);
        CHECK_EQ(silence_of(&d, now), late ? 6 * SB_SECOND : 16 * SB_SECOND);
    }
}
