/* sim/world_questions.c -- questions of the host whether it is heard (spec 01 §5.4), and what
 * became of their answers.
 *
 * For:      the two ends, and departures.c: a seat may give way when no answer has reached the host.
 *
 * The protocol gives a peer two seconds. A client answers every question that reaches it, so on a
 * bad path the network has lost all questions or their answers. The world sees both.
 */
#include "sim/world_internal.h"

#include "transport/guard.h"

#include <string.h>

/* A client writes its answer in its next turn. */
static const sb_time answer_slack_us = 60000;
static const sb_time proof_us = 2 * SB_SECOND;

static bool read_question(const sb_datagram *datagram, sim_question *out)
{
    sb_transport_message m;
    unsigned             count = 0;
    if (datagram->message_count != SIM_QUESTION_NUMBERS) return false;
    for (size_t at = 0; sb_datagram_next(datagram, &at, &m);) {
        if (!m.reliable || !sb_guard_is_question(&m)) return false;
        out->numbers[count++] = m.seq;
    }
    return count == SIM_QUESTION_NUMBERS;
}

static bool answers(const sb_datagram *datagram, const sim_question *question)
{
    sb_transport_message m;
    unsigned             found = 0;
    for (size_t at = 0; sb_datagram_next(datagram, &at, &m);)
        for (unsigned i = 0; i < SIM_QUESTION_NUMBERS; i++)
            if (m.type == SB_TRANSPORT_ACK && m.ack_flags == 0 && m.seq == question->numbers[i])
                found |= 1u << i;
    return found == (1u << SIM_QUESTION_NUMBERS) - 1;
}

void sim_watch_question(const sim_world *world, sim_session *session, uint64_t seat,
                        sb_span datagram)
{
    enum { QUESTION_BYTES = 2 + 6 * SIM_QUESTION_NUMBERS };
    uint8_t      plain[SIM_DATAGRAM_MAX];
    sb_datagram  opened;
    sim_question question;
    if (datagram.size != QUESTION_BYTES || !sim_open_datagram(datagram, plain, &opened)) return;
    if (!read_question(&opened, &question)) return;
    if (session->asked_seat != seat) {
        session->asked_seat = seat;
        session->asked_at = sim_own_time(world, &world->host_party);
        session->asked_count = 0;
        session->has_shown = false;
    }
    session->questions_asked[session->asked_count++ % SIM_QUESTIONS_KEPT] = question;
}

void sim_hear_question(const sim_world *world, sim_session *session, const sb_datagram *datagram)
{
    sim_question question;
    bool         reads = session->joined || (session->cautious && session->answered > 0);
    if (!reads || !read_question(datagram, &question)) return;
    if (!session->owes_answer) session->owes_since = world->now;
    session->owes_answer = true;
    session->heard_question = question;
}

/* True: the client has not answered in its turn. */
static bool owes_for_long(const sim_world *world, const sim_session *session)
{
    return session->owes_answer &&
           world->now - session->owes_since > session->party.tick_us + answer_slack_us;
}

void sim_watch_answer(const sim_world *world, sim_session *session, sb_span datagram)
{
    uint8_t     plain[SIM_DATAGRAM_MAX];
    sb_datagram opened;
    if (!session->owes_answer || !sim_open_datagram(datagram, plain, &opened)) return;
    if (!answers(&opened, &session->heard_question)) return;
    if (owes_for_long(world, session)) session->answers_late = true;
    session->owes_answer = false;
}

void sim_hear_answer(sim_session *session, const sb_datagram *datagram)
{
    uint32_t kept = session->asked_count;
    if (kept > SIM_QUESTIONS_KEPT) kept = SIM_QUESTIONS_KEPT;
    for (uint32_t i = 0; i < kept && !session->has_shown; i++)
        session->has_shown = answers(datagram, &session->questions_asked[i]);
}

bool sim_lost_answers(const sim_world *world, const sim_session *session, uint64_t seat)
{
    sb_time asked = sim_own_time(world, &world->host_party) - session->asked_at;
    if (session->asked_seat != seat || session->has_shown || session->answers_late) return false;
    return asked + world->host_party.tick_us >= proof_us && !owes_for_long(world, session);
}
