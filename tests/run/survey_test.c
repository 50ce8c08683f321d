/* tests/run/survey_test.c -- queries, accepted answers, retries, and the end of a survey. */
#include "run/survey.h"

#include "platform/clock.h"
#include "run/lan_sweep.h"
#include "test.h"

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

enum { LOOPBACK = 0x7F000001 };

/* ---- a server that answers as it is told ---- */

typedef struct mock {
    sb_udp      udp;
    const char *answers[4]; /* sent in answer to each query that is not ignored */
    unsigned    deaf_for;   /* queries it ignores */
    bool        liar;       /* answers from another port */
    atomic_bool stop;
    atomic_uint questions;
    pthread_t   thread;
} mock;

static void answer(mock *m, sb_udp *from_port, sb_udp_batch *batch, sb_endpoint to)
{
    for (int i = 0; i < 4 && m->answers[i]; i++) {
        size_t size = strlen(m->answers[i]);
        memcpy(sb_udp_next_buffer(from_port, batch), m->answers[i], size);
        sb_udp_send(from_port, batch, to, size);
    }
    sb_udp_flush(from_port, batch);
}

static void *serve(void *context)
{
    mock          *m = context;
    char           error[SB_UDP_ERROR_MAX];
    sb_udp         other;
    sb_udp_options options = { .local = { LOOPBACK, 0 } };
    sb_udp_batch  *batch = sb_udp_batch_create();
    if (sb_udp_open(&other, &options, error) != SB_OK) return NULL;
    while (!atomic_load(&m->stop)) {
        struct pollfd wait = { m->udp.descriptor, POLLIN, 0 };
        sb_endpoint   from;
        (void)poll(&wait, 1, 10);
        size_t count = sb_udp_receive(&m->udp, batch, SB_UDP_BATCH);
        for (size_t i = 0; i < count; i++) {
            sb_span question = sb_udp_received(batch, i, &from);
            if (question.size != 8 || memcmp(question.data, "\\status\\", 8) != 0) continue;
            if (atomic_fetch_add(&m->questions, 1) < m->deaf_for) continue;
            answer(m, m->liar ? &other : &m->udp, batch, from);
        }
    }
    sb_udp_batch_destroy(batch);
    sb_udp_close(&other);
    return NULL;
}

static void start(mock *m)
{
    char           error[SB_UDP_ERROR_MAX];
    sb_udp_options options = { .local = { LOOPBACK, 0 } };
    if (sb_udp_open(&m->udp, &options, error) != SB_OK) FAIL("%s", error);
    CHECK_EQ(pthread_create(&m->thread, NULL, serve, m), 0);
}

static void stop(mock *m)
{
    atomic_store(&m->stop, true);
    pthread_join(m->thread, NULL);
    sb_udp_close(&m->udp);
}

static sb_survey survey; /* 4 MiB */

static void ask(const sb_endpoint *servers, size_t count, sb_time timeout)
{
    char             error[SB_UDP_ERROR_MAX];
    sb_survey_config config = { .servers = servers, .count = count, .timeout_us = timeout };
    if (sb_survey_run(&survey, &config, error) != SB_OK) FAIL("%s", error);
    CHECK_EQ(survey.count, count);
}

static const char whole[] = "\\hostname\\Here\\final\\\\queryid\\1.1";

TEST(a_survey_ends_as_soon_as_all_have_answered)
{
    mock m = { .answers = { whole } };
    start(&m);
    sb_time begin = sb_clock_now();
    ask(&m.udp.local, 1, 60 * SB_SECOND);
    CHECK(sb_clock_now() - begin < 30 * SB_SECOND);
    stop(&m);
    sb_span name;
    CHECK_EQ(sb_survey_answers(&survey), 1);
    CHECK(sb_found_value(&survey.servers[0].found, "hostname", &name));
    CHECK_BYTES(name.data, name.size, "Here", 4);
    CHECK(survey.servers[0].ping_us >= 0);
}

TEST(an_answer_in_packets_is_put_together_whatever_their_order)
{
    mock m = { .answers = { "\\player_0\\B\\final\\\\queryid\\3.2",
                            "\\hostname\\A\\queryid\\3.1" } };
    start(&m);
    ask(&m.udp.local, 1, 60 * SB_SECOND);
    stop(&m);
    sb_span key, value;
    CHECK_EQ(sb_survey_answers(&survey), 1);
    CHECK(sb_found_pair(&survey.servers[0].found, 0, &key, &value));
    CHECK_BYTES(key.data, key.size, "hostname", 8);
    CHECK(sb_found_pair(&survey.servers[0].found, 1, &key, &value));
    CHECK_BYTES(key.data, key.size, "player_0", 8);
}

TEST(a_question_that_got_lost_is_asked_again)
{
    mock m = { .answers = { whole }, .deaf_for = 1 };
    start(&m);
    ask(&m.udp.local, 1, 60 * SB_SECOND);
    stop(&m);
    CHECK_EQ(sb_survey_answers(&survey), 1);
    CHECK(atomic_load(&m.questions) >= 2);
}

TEST(who_does_not_answer_has_no_answer_and_no_ping)
{
    mock m = { .answers = { whole } }, mute = { .deaf_for = 1000 };
    start(&m);
    start(&mute);
    sb_endpoint both[] = { mute.udp.local, m.udp.local };
    ask(both, 2, SB_SECOND / 5);
    stop(&m);
    stop(&mute);
    CHECK_EQ(sb_survey_answers(&survey), 1);
    CHECK(!survey.servers[0].found.complete);
    CHECK_EQ(survey.servers[0].ping_us, -1);
    CHECK(survey.servers[1].found.complete);
}

TEST(a_server_that_is_named_twice_answers_in_both_rows)
{
    mock m = { .answers = { "\\player_0\\B\\final\\\\queryid\\3.2",
                            "\\hostname\\A\\queryid\\3.1" } },
         other = { .answers = { whole } };
    start(&m);
    start(&other);
    sb_endpoint rows[] = { m.udp.local, other.udp.local, m.udp.local, m.udp.local };
    sb_time     begin = sb_clock_now();
    ask(rows, 4, 60 * SB_SECOND);
    CHECK(sb_clock_now() - begin < 30 * SB_SECOND); /* as soon as all rows have it */
    stop(&m);
    stop(&other);
    CHECK_EQ(sb_survey_answers(&survey), 4);
    CHECK_EQ(atomic_load(&m.questions), 1);
    for (size_t i = 0; i < 4; i++) {
        sb_span name;
        CHECK_EQ(survey.servers[i].address.port, rows[i].port);
        CHECK(sb_found_value(&survey.servers[i].found, "hostname", &name));
        CHECK_BYTES(name.data, name.size, i == 1 ? "Here" : "A", i == 1 ? 4 : 1);
        CHECK(survey.servers[i].ping_us >= 0);
    }
}

TEST(an_answer_of_somebody_who_was_not_asked_is_not_heard)
{
    mock m = { .answers = { whole }, .liar = true };
    start(&m);
    ask(&m.udp.local, 1, SB_SECOND / 5);
    stop(&m);
    CHECK(atomic_load(&m.questions) > 0);
    CHECK_EQ(sb_survey_answers(&survey), 0);
}

static bool at_once(void *context)
{
    ++*(int *)context;
    return true;
}

TEST(the_caller_can_end_a_survey)
{
    char             error[SB_UDP_ERROR_MAX];
    int              calls = 0;
    mock             mute = { .deaf_for = 1000 };
    sb_survey_config config = { .servers = &mute.udp.local, .count = 1, .stop = at_once };
    start(&mute);
    config.timeout_us = 60 * SB_SECOND;
    config.stop_context = &calls;
    CHECK_EQ(sb_survey_run(&survey, &config, error), SB_OK);
    CHECK_EQ(calls, 1);
    stop(&mute);
}

/* ---- the sweep (spec 05 §4) ---- */

TEST(the_sweep_asks_each_port_of_each_network_once)
{
    sb_lan_sweep   sweep;
    sb_endpoint    to;
    static uint8_t asked[SB_LAN_NETWORKS_MAX][SB_LAN_PORTS];
    size_t         count = 0;
    memset(asked, 0, sizeof asked);
    sb_lan_sweep_init(&sweep);
    CHECK(sweep.network_count >= 2);
    CHECK_EQ(sweep.networks[0], 0xFFFFFFFF);
    for (; sb_lan_sweep_next(&sweep, &to); count++) {
        size_t network = 0;
        while (network < sweep.network_count && sweep.networks[network] != to.address) network++;
        CHECK(network < sweep.network_count);
        CHECK(to.port >= 22101 && to.port <= 22201);
        CHECK_EQ(asked[network][to.port - 22101]++, 0);
    }
    CHECK_EQ(count, 101 * sweep.network_count);
    CHECK(!sb_lan_sweep_next(&sweep, &to));
}
