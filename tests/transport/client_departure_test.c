/* tests/transport/client_departure_test.c -- Boots and Disconnects that a stranger could have
 * forged in the name of the host. Spec 01 §8.4.
 */
#include "test.h"
#include "transport/marks_rig.h"

static rig *joined_client(void)
{
    rig *r = rig_open_client(NULL);
    rig_join_client(r, 2);
    rig_forget(r);
    return r;
}

static void give_data(rig *r)
{
    GIVE(r, rig_server(), "01 01 32 05 00 AA BB");
    rig_forget(r);
}

TEST(a_boot_of_a_host_that_goes_on_is_forged)
{
    rig *r = joined_client();
    give_data(r);
    GIVE(r, rig_server(), "01 01 04 07 C0 01 00 04 02");
    rig_wait(r, SB_SECOND - 1000);
    give_data(r);
    rig_wait(r, 20 * SB_SECOND);
    EXPECT_NO_EVENT(r);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_FORGED_DISCONNECT), 1);
}

static void expect_boot_after(rig *r, sb_time silence)
{
    GIVE(r, rig_server(), "01 01 04 07 C0 01 00 04 02");
    rig_wait(r, silence - 1);
    EXPECT_NO_EVENT(r);
    rig_wait(r, 1);
    EXPECT_LEFT(r, 2, SB_LEFT_BOOTED);
}

/* Data of the last second, or beside the Boot, may be forged as well: it does not show that the
 * host sends all the time. */
TEST(a_boot_beside_data_waits_for_six_seconds)
{
    for (int beside = 0; beside < 2; beside++) {
        rig *r = joined_client();
        if (beside) GIVE(r, rig_server(), "01 02 32 05 00 AA BB 04 07 C0 01 00 04 02");
        else give_data(r);
        rig_forget(r);
        expect_boot_after(r, 6 * SB_SECOND);
    }
}

/* A host that goes on and has nothing to say sends a NoOp every 5 s. */
TEST(no_forged_farewell_beside_data_ends_a_session)
{
    rig *r = joined_client();
    for (int i = 0; i < 12; i++) {
        GIVE(r, rig_server(), "01 02 32 05 00 AA BB 05 0A C0 01 00 01 0A 0A 0A EF");
        rig_forget(r);
        rig_wait(r, 5 * SB_SECOND);
        GIVE(r, rig_server(), "01 01 02");
        EXPECT_NO_EVENT(r);
    }
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_FORGED_DISCONNECT), 12);
}

/* Acks, of which nobody knows whether they come from a host that goes on. */
TEST(acks_of_a_host_neither_refute_nor_prolong_its_boot)
{
    for (int acks = 1; acks <= 10; acks += 9) {
        rig *r = joined_client();
        give_data(r);
        GIVE(r, rig_server(), "01 01 04 07 C0 01 00 04 02");
        for (int i = 0; i < acks && i < 6; i++) {
            rig_wait(r, SB_SECOND - 1000);
            EXPECT_NO_EVENT(r);
            GIVE(r, rig_server(), "01 01 01 00 00 02");
        }
        rig_wait(r, acks == 1 ? 5 * SB_SECOND + 999 : 5999);
        EXPECT_NO_EVENT(r);
        rig_wait(r, 1);
        EXPECT_LEFT(r, 2, SB_LEFT_BOOTED);
    }
}

TEST(a_disconnect_of_an_idle_host_waits_for_its_next_noop)
{
    rig *r = joined_client();
    rig_wait(r, 4 * SB_SECOND);
    rig_forget(r);
    GIVE(r, rig_server(), "01 01 05 0A C0 01 00 01 0A 0A 0A EF");
    rig_wait(r, 5 * SB_SECOND);
    GIVE(r, rig_server(), "01 01 02");
    rig_wait(r, 30 * SB_SECOND);
    EXPECT_NO_EVENT(r);
}

/* The host of an attacked client may send nothing but Acks, and so no NoOps. */
static void give_answers(rig *r, const uint16_t *marks)
{
    rig_pack p;
    rig_pack_init_marked(&p, SB_PEER_HOST, marks);
    GIVE_PACK(r, rig_server(), &p);
}

/* A client that is not cautious, but can ask. */
static rig *seeded_client(void)
{
    sb_transport_client_config config;
    rig_client_config(&config);
    config.seed = 77;
    config.cautious = false;
    rig *r = rig_open_client(&config);
    rig_join_client(r, 2);
    rig_forget(r);
    return r;
}

TEST(a_host_that_says_goodbye_is_asked_after_4500_ms)
{
    uint16_t marks[SB_MARKS_COUNT];
    rig     *r = seeded_client();
    GIVE(r, rig_server(), "01 01 05 0A C0 01 00 01 0A 0A 0A EF");
    rig_wait(r, 9 * SB_SECOND / 2 - 1);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_MARKS), 0);
    GIVE(r, rig_server(), "01 01 05 0A C0 01 00 01 0A 0A 0A EF"); /* a repeat changes nothing */
    rig_wait(r, 1);
    rig_read_marks(r, rig_server(), marks);
    rig_wait(r, SB_SECOND / 2);
    give_answers(r, marks);
    rig_wait(r, 20 * SB_SECOND);
    EXPECT_NO_EVENT(r);
}

/* A client that asks its host for marks: a number came that the host cannot use. */
static rig *asking_client(uint16_t marks[SB_MARKS_COUNT])
{
    rig *r = seeded_client();
    GIVE(r, rig_server(), "01 01 32 06 80 00 10 AA");
    rig_read_marks(r, rig_server(), marks);
    rig_wait(r, 2 * SB_SECOND);
    rig_forget(r);
    return r;
}

TEST(a_host_that_answers_marks_later_has_not_left)
{
    uint16_t marks[SB_MARKS_COUNT];
    rig     *r = asking_client(marks);
    GIVE(r, rig_server(), "01 01 05 0A C0 01 00 01 0A 0A 0A EF");
    rig_wait(r, 5 * SB_SECOND);
    give_answers(r, marks);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_FORGED_DISCONNECT), 1);
    for (int i = 0; i < 30; i++) {
        rig_wait(r, SB_SECOND);
        give_answers(r, marks);
        EXPECT_NO_EVENT(r);
    }
}

TEST(a_host_that_stops_may_answer_marks_for_a_while)
{
    uint16_t marks[SB_MARKS_COUNT];
    rig     *r = asking_client(marks);
    GIVE(r, rig_server(), "01 01 05 0A C0 01 00 01 0A 0A 0A EF");
    rig_wait(r, 5 * SB_SECOND - 1000);
    give_answers(r, marks);
    rig_wait(r, SB_SECOND + 1000);
    EXPECT_LEFT(r, 2, SB_LEFT_HOST_CLOSED);
}

TEST(a_forged_boot_does_not_use_up_the_number_of_the_true_one)
{
    rig *r = joined_client();
    GIVE(r, rig_server(), "01 01 04 07 C0 01 00 05 02"); /* banned, says the forger */
    rig_wait(r, 2 * SB_SECOND);
    give_data(r);
    GIVE(r, rig_server(), "01 01 04 07 C0 01 00 04 02");
    rig_wait(r, 6 * SB_SECOND);
    const rig_event *e = rig_next_event(r);
    CHECK(e && e->event.type == SB_EVENT_LEFT);
    CHECK_EQ(e->event.boot_reason, SB_BOOT_KICKED);
}

/* Forged Names have used up more numbers than there are records. */
TEST(a_boot_counts_however_many_numbers_were_stolen)
{
    rig *r = joined_client();
    for (uint16_t seq = 1; seq <= 40; seq++) {
        rig_pack p;
        rig_pack_init(&p, SB_PEER_HOST);
        rig_pack_name(&p, seq, 3, rig_wide("Forged"));
        GIVE_PACK(r, rig_server(), &p);
        rig_forget(r);
    }
    rig_wait(r, SB_SECOND);
    rig_forget(r);
    expect_boot_after(r, 6 * SB_SECOND); /* number 1 */
}

TEST(an_early_boot_is_not_stored)
{
    rig *r = joined_client();
    GIVE(r, rig_server(), "01 01 04 07 C0 03 00 04 02");
    GIVE(r, rig_server(), "01 01 00 10 C0 01 00 03 0A 0A 0A EF 41 00 42 00 00 00");
    rig_forget(r);
    rig_wait(r, 20 * SB_SECOND);
    EXPECT_NO_EVENT(r);
    CHECK_EQ(rig_count(r, SB_TRANSPORT_COUNT_EARLY_DISCONNECT), 1);
}

TEST(a_client_that_was_refused_still_takes_the_answer)
{
    rig *r = rig_open_client(NULL);
    rig_step(r);
    GIVE(r, rig_server(), "01 02 01 00 00 02 04 07 C0 00 00 03 FF");
    rig_wait(r, SB_SECOND);
    GIVE(r, rig_server(), "01 02 01 00 00 02 03 06 C0 00 00 02");
    EXPECT_JOINED(r, 2);
    rig_wait(r, 10 * SB_SECOND);
    EXPECT_NO_EVENT(r);
}
