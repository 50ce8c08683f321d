/* src/transport/link_trust.c -- what a session believes of messages that anybody could have sent.
 *
 * For:      link.c. Finds signs of the peer and of forgers in datagrams, and decides which reliable
 *           messages count.
 * Never:    ends a session: evidence of forgeries only makes the session ask for proof.
 * Tests:    tests/transport/marks_test.c, guard_test.c, client_confirm_test.c
 * Spec:     01 §10.8; docs/decisions/forged-datagrams.md.
 */
#include "transport/link_trust.h"

#include "base/time.h"

bool sb_link_is_farewell(const sb_link *link, const sb_transport_message *m)
{
    bool   boot = m->type == SB_TRANSPORT_BOOT, disconnect = m->type == SB_TRANSPORT_DISCONNECT;
    size_t at = boot ? 1 : 0;
    if (disconnect && link->keeps_disconnect_number) return true;
    if (link->farewell_id == 0 || !(boot || disconnect) || m->payload.size <= at) return false;
    uint8_t id = m->payload.data[at];
    return id == link->farewell_id || id == SB_PEER_NONE || (disconnect && id == SB_PEER_HOST);
}

/* Acks that are waiting may be of forgeries: an Ack under the number of a message on its way would
 * keep the peer from repeating it. */
static void raise_marks(sb_link *link, sb_time now)
{
    if (!sb_marks_is_on(&link->marks, now)) sb_acks_cancel(&link->acks);
    sb_marks_raise(&link->marks, now);
}

void sb_link_request_proof(sb_link *link, sb_time now)
{
    sb_marks_request(&link->marks, now);
}

void sb_link_notice_forger(sb_link *link, sb_time now)
{
    raise_marks(link, now);
}

/* Two different messages have the same number: one of them is forged. */
static void notice_conflict(sb_link *link, sb_time now, const sb_transport_message *m)
{
    /* A message that is stored can be replaced; one that was delivered must come again in order. */
    if (m->type == SB_TRANSPORT_DATA && sb_inbox_ahead(&link->inbox, m) < 0)
        sb_marks_dispute(&link->marks, now, sb_inbox_batch(&link->inbox, m));
    sb_guard_suspect(&link->guard, now);
    sb_link_notice_forger(link, now);
    SB_COUNT(link->counters->values, SB_TRANSPORT_COUNT_CONFLICT);
}

/* A later Name of a peer than its first one, or another one with the same number. Anybody who sees
 * the list of players can write it, and the numbers of control messages are small. */
static bool is_rename(const sb_link *link, const sb_transport_message *m)
{
    if (m->type != SB_TRANSPORT_NAME || !link->keeps_disconnect_number) return false;
    return m->seq > 1 || sb_inbox_conflicts(&link->inbox, m);
}

/* Is the number one that the peer cannot use now? A message without payload may be a mark of the
 * other end. */
static bool is_far(const sb_transport_message *m, int ahead)
{
    if (ahead >= 0) return ahead > SB_GUARD_AHEAD_MAX;
    return ahead < -SB_GUARD_AHEAD_MAX && !sb_guard_is_question(m) && m->payload.size > 0;
}

/* Was the message admitted as its third copy? */
static bool is_by_copies(const sb_link *link, sb_time now, int ahead, sb_admission admission)
{
    return admission == SB_LATE || (ahead >= 0 && sb_guard_is_attacked(&link->guard, now));
}

/* Decides by the evidence of forgeries. If something else is stored under the number of the
 * message, one of the two is forged: the message waits until the number is used up. A whole message
 * that was repeated replaces fragments that block the channel. */
static sb_admission admit(sb_link *link, sb_time now, const sb_transport_message *m)
{
    int     ahead = sb_inbox_ahead(&link->inbox, m);
    bool    rival = sb_inbox_has_rival(&link->inbox, m);
    sb_time before = link->guard.attacked_until;
    if (rival) sb_guard_suspect(&link->guard, now);
    if (rival && m->fragment) SB_COUNT(link->counters->values, SB_TRANSPORT_COUNT_BAD_FRAGMENT);
    if (is_far(m, ahead)) raise_marks(link, now);
    if (is_rename(link, m) && sb_marks_is_on(&link->marks, now)) return SB_WAITS;
    bool         stolen = ahead < 0 && sb_inbox_lacks(&link->inbox, m);
    sb_admission admission = sb_guard_admit(&link->guard, now, m, ahead, stolen);
    if (link->guard.attacked_until != before) raise_marks(link, now);
    if (is_by_copies(link, now, ahead, admission) && sb_marks_are_unanswered(&link->marks, now))
        return SB_WAITS;
    if (!rival || admission != SB_ADMITTED) return admission;
    if (ahead > 0 || m->fragment) return SB_WAITS;
    sb_inbox_discard(&link->inbox, m);
    return SB_ADMITTED;
}

/* The peer's own message shows that another one has taken its number. */
static void take_back(sb_link *link, sb_time now, const sb_transport_message *m)
{
    sb_guard_suspect(&link->guard, now);
    raise_marks(link, now);
    SB_COUNT(link->counters->values, SB_TRANSPORT_COUNT_CONFLICT);
    sb_inbox_take_back(&link->inbox, now, m);
}

/* Expects the number of a message again that is behind all records. The network can hold a datagram
 * back while hundreds of numbers pass, but a message that its sender misses comes again: its third
 * copy decides. False: this is not the third. */
static bool find_again(sb_link *link, sb_time now, const sb_transport_message *m)
{
    bool behind = sb_inbox_ahead(&link->inbox, m) < 0;
    if (behind && !sb_guard_take_copy(&link->guard, now, m)) return false;
    sb_inbox_find_again(&link->inbox, now, m);
    return true;
}

bool sb_link_take_proven(sb_link *link, sb_time now, const sb_transport_message *m)
{
    bool data = m->type == SB_TRANSPORT_DATA;
    bool known = sb_inbox_record(&link->inbox, m) >> 16 == m->seq;
    link->marks.messages_at = now;
    if (data && !known && sb_marks_disputes(&link->marks, now)) {
        SB_COUNT(link->counters->values, SB_TRANSPORT_COUNT_UNMARKED);
        return false;
    }
    if (data && known) sb_marks_settle(&link->marks, sb_inbox_batch(&link->inbox, m));
    if (sb_inbox_is_lost(&link->inbox, m)) {
        if (!find_again(link, now, m)) return false;
    } else if (sb_inbox_conflicts(&link->inbox, m)) take_back(link, now, m);
    else if (known && sb_inbox_shows(&link->inbox, m)) sb_inbox_confirm(&link->inbox, m);
    if (sb_inbox_has_rival(&link->inbox, m)) sb_inbox_discard(&link->inbox, m);
    return true;
}

/* Is the message behind all records? Late copies are not: either this message is forged, or those
 * that used up the numbers in between. Still older ones get the Ack that stock sends. */
static bool is_too_old(const sb_link *link, const sb_transport_message *m)
{
    int ahead = sb_inbox_ahead(&link->inbox, m);
    return ahead < 0 && ahead >= -SB_GUARD_AHEAD_MAX && sb_inbox_is_lost(&link->inbox, m) &&
           !sb_guard_is_question(m);
}

bool sb_link_take_unproven(sb_link *link, sb_time now, const sb_transport_message *m, bool *late)
{
    if (link->waits_for_id) return true; /* there is no session yet that somebody could forge */
    if (sb_inbox_conflicts(&link->inbox, m)) notice_conflict(link, now, m);
    if (is_too_old(link, m)) {
        sb_link_notice_forger(link, now);
        SB_COUNT(link->counters->values, SB_TRANSPORT_COUNT_UNCONFIRMED);
        return false;
    }
    sb_admission admission = admit(link, now, m);
    *late = admission == SB_LATE && !m->fragment; /* a fragment alone is no message */
    if (admission == SB_LATE) sb_inbox_settle(&link->inbox, m);
    if (admission == SB_WAITS) {
        SB_COUNT(link->counters->values, SB_TRANSPORT_COUNT_UNCONFIRMED);
        sb_marks_ask(&link->marks, now);
    }
    return admission == SB_ADMITTED;
}

/* Is the message of a kind that only the peer itself can bring? */
static bool needs_proof(const sb_link *link, const sb_transport_message *m)
{
    return link->cautious && (m->type != SB_TRANSPORT_DATA || m->fragment);
}

bool sb_link_confirm(sb_link *link, sb_time now, const sb_transport_message *m)
{
    if (!needs_proof(link, m)) return true;
    if (sb_inbox_ahead(&link->inbox, m) < 0 && !sb_inbox_conflicts(&link->inbox, m)) return true;
    sb_link_request_proof(link, now);
    return false;
}

static void note_conflict(const sb_transport_message *m, sb_signs *signs)
{
    if (signs->conflict) return;
    signs->conflict = true;
    signs->conflict_type = m->type;
    signs->conflict_seq = m->seq;
}

static void note_message(const sb_link *link, const sb_transport_message *m, sb_signs *signs,
                         sb_marks_found *marks)
{
    if (m->reliable && !sb_link_is_farewell(link, m) && sb_inbox_conflicts(&link->inbox, m))
        note_conflict(m, signs);
    if (m->type != SB_TRANSPORT_ACK) return;
    sb_marks_find(&link->marks, m, marks);
    if (sb_outbox_is_ahead(&link->outbox, m->seq, m->ack_flags)) signs->ack_ahead = true;
}

static bool has_expected_ack(const sb_link *link, const sb_datagram *datagram)
{
    sb_transport_message m;
    for (size_t at = 0; sb_datagram_next(datagram, &at, &m);)
        if (m.type == SB_TRANSPORT_ACK && sb_outbox_expects(&link->outbox, &m)) return true;
    return false;
}

static sb_result refuse_forged(sb_link *link, sb_time now, const sb_signs *signs)
{
    sb_transport_message rival = { .type = signs->conflict_type, .seq = signs->conflict_seq };
    if (signs->conflict) notice_conflict(link, now, &rival);
    else sb_link_notice_forger(link, now);
    if (!signs->conflict) SB_COUNT(link->counters->values, SB_TRANSPORT_COUNT_FORGED_ACKS);
    return SB_NOT_ALLOWED;
}

sb_result sb_link_judge_signs(sb_link *link, sb_time now, const sb_datagram *datagram,
                              const sb_signs *signs)
{
    if (link->waits_for_id || sb_link_is_marked(link, now, signs)) return SB_OK;
    /* During an attack each message is confirmed or not: the true one may conflict, too. */
    bool attacked = sb_guard_is_attacked(&link->guard, now);
    bool conflict = signs->conflict && !attacked;
    if (signs->conflict && attacked) { /* the attack goes on */
        sb_guard_suspect(&link->guard, now);
        sb_link_notice_forger(link, now);
    }
    bool forged = conflict || (signs->ack_ahead && has_expected_ack(link, datagram));
    return forged ? refuse_forged(link, now, signs) : SB_OK;
}

void sb_link_collect_signs(const sb_link *link, const sb_datagram *datagram, sb_signs *signs)
{
    sb_transport_message m;
    sb_marks_found       marks = { { 0 } };
    for (size_t at = 0; sb_datagram_next(datagram, &at, &m);) note_message(link, &m, signs, &marks);
    signs->marked = sb_marks_are_found(&link->marks, &marks);
    signs->mark_acks = sb_marks_count_found(&link->marks, &marks);
}
