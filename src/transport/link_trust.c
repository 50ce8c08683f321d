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

/* Numbers this far ahead wait, so that there are places for the next ones. */
enum { KEPT_AHEAD = 8 };

static void forget_copies(sb_link *link, sb_time now, const sb_transport_message *m)
{
    sb_inbox_drop_candidate(&link->inbox, m);
    sb_guard_note_delivered(&link->guard, now, m);
}

void sb_link_note_delivered(sb_link *link, sb_time now, const sb_transport_message *m)
{
    if (sb_guard_is_attacked(&link->guard, now)) forget_copies(link, now, m);
}

void sb_link_note_accepted(sb_link *link, sb_time now, const sb_transport_message *m)
{
    forget_copies(link, now, m);
    if (!sb_guard_is_attacked(&link->guard, now)) sb_guard_add_delivered(&link->guard, now, m);
}

/* A peer that answers marks, but in datagrams of their own, never proves a message. One that sends
 * them beside its messages does so with the next copy. A message that is only stored may still be
 * forged. */
bool sb_link_decide_second_ack(sb_link *link, sb_time now, const sb_transport_message *m)
{
    if (sb_guard_is_attacked(&link->guard, now)) return false;
    if (!link->marks.answered) return true;
    bool delivered = sb_inbox_ahead(&link->inbox, m) < 0;
    return delivered && !sb_marks_are_beside_messages(&link->marks, now) &&
           sb_guard_take_repeat(&link->guard, now, m);
}

/* Copies that come this soon after an Ack have crossed it. */
static sb_time grace_of(const sb_link *link)
{
    return link->outbox.round_trip.smoothed_us + SB_SECOND / 2;
}

/* New Data numbers that anybody could have used, of a host's peer: 384 at once and 64 a second,
 * which no game needs. A sweep through all numbers does, and must not run beyond the records. The
 * host asks for marks after 128; until they come, an honest sender has at most a window of 256 in
 * flight. */
static uint32_t number_burst(const sb_link *link)
{
    return link->inbox.bounds.numbers * 3 / 2;
}

enum { COST_ATTACKED = 12 }; /* of a number during an attack: a forger repeats a sweep at leisure */

static uint32_t cost_of_number(const sb_link *link, sb_time now)
{
    return sb_guard_is_attacked(&link->guard, now) ? COST_ATTACKED : 1;
}

static bool has_numbers_left(const sb_link *link, sb_time now)
{
    return sb_budget_has(&link->numbers, cost_of_number(link, now));
}

/* Has somebody used so many numbers that it may be a sweep? */
static bool is_swept(const sb_link *link)
{
    return !sb_budget_has(&link->numbers, number_burst(link) * 2 / 3);
}

/* Can the message be forged although it comes again and again? Not every one is acknowledged for
 * the sake of the proof: if it is forged, and the peer's own of that number is lost on its way, the
 * Ack would take it from the peer. */
static bool is_doubtful(const sb_link *link, sb_time now, const sb_transport_message *m)
{
    const sb_inbox *in = &link->inbox;
    return sb_inbox_ahead(in, m) < 0 || sb_inbox_has_rival(in, m) || sb_inbox_has_other(in, m) ||
           !has_numbers_left(link, now);
}

/* Acknowledges the number of a message that is kept and came again, if that takes no other one from
 * the peer: the copies of the peer's own end then. True: it counts at once. */
static bool challenge(sb_link *link, sb_time now, const sb_transport_message *m)
{
    sb_inbox *in = &link->inbox;
    bool      may_ack = sb_guard_is_alone(&link->guard, now, m) && is_doubtful(link, now, m);
    switch (sb_inbox_challenge(in, now, m, may_ack, grace_of(link))) {
    case SB_CHALLENGE_ACK: sb_link_acknowledge(link, now, m); return false;
    case SB_CHALLENGE_FAILED: sb_guard_note_forged(&link->guard, now, m); return false;
    case SB_CHALLENGE_WAITS: break;
    }
    if (sb_marks_are_unanswered(&link->marks, now)) sb_inbox_discount(in, m);
    return sb_inbox_is_repeated(in, now, m);
}

/* Keeps a message until it is known whose it is; false: others need the space more. */
static bool keep(sb_link *link, sb_time now, const sb_transport_message *m, bool crossed)
{
    sb_inbox *in = &link->inbox;
    bool      crowded = in->candidate_count - in->unsure_count >= SB_CANDIDATES / 2;
    if (sb_inbox_is_kept(in, m)) return true;
    if (crowded && sb_inbox_ahead(in, m) >= KEPT_AHEAD) return false;
    return sb_inbox_keep(in, now, m, crossed);
}

/* Until the attack was noticed, everything got its Ack. If it is so young that such an Ack is on
 * its way, the peer may take the Ack of a forgery for one of this message, and not repeat it. */
static bool crosses_early_ack(const sb_link *link, sb_time now, const sb_transport_message *m)
{
    sb_time flight = link->outbox.round_trip.smoothed_us + SB_SECOND / 10;
    bool    young = sb_marks_is_on(&link->marks, now) && now - link->marks.began_at <= flight;
    return young && m->type == SB_TRANSPORT_DATA && sb_inbox_lacks(&link->inbox, m);
}

static void keep_if_unsure(sb_link *link, sb_time now, const sb_transport_message *m)
{
    if (!m->fragment && crosses_early_ack(link, now, m)) sb_inbox_keep_unsure(&link->inbox, now, m);
}

void sb_link_keep_crossed(sb_link *link, sb_time now, const sb_transport_message *m)
{
    if (m->fragment) return;
    if (sb_inbox_has_crossed(&link->inbox, now, m, grace_of(link)))
        sb_guard_note_kept(&link->guard, now, m, keep(link, now, m, true));
    else keep_if_unsure(link, now, m);
}

/* Decides about a message that anybody could have sent by its copies. Fragments are not challenged:
 * simple programs take the Ack of a fragment for one of the whole message. */
static bool counts_by_copies(sb_link *link, sb_time now, const sb_transport_message *m)
{
    sb_inbox    *in = &link->inbox;
    sb_copy_kind kind = sb_guard_take_copy(&link->guard, now, m);
    if (kind == SB_COPY_LASTING) return sb_inbox_ahead(in, m) <= 0;
    if (kind == SB_COPY_FORGED) sb_inbox_drop_candidate(in, m);
    if (m->fragment) return kind == SB_COPY_THIRD;
    if (kind == SB_COPY_FIRST) sb_link_keep_crossed(link, now, m);
    if (kind != SB_COPY_SECOND && kind != SB_COPY_THIRD && kind != SB_COPY_KEPT) return false;
    bool kept = keep(link, now, m, false);
    sb_guard_note_kept(&link->guard, now, m, kept);
    return kept && challenge(link, now, m);
}

/* A peer that answers marks and has stopped to do so is not there: nothing counts by copies. */
static sb_admission contest(sb_link *link, sb_time now, const sb_transport_message *m, int ahead)
{
    if (!counts_by_copies(link, now, m) || sb_marks_are_unanswered(&link->marks, now))
        return SB_WAITS;
    return ahead < 0 ? SB_LATE : SB_ADMITTED;
}

/* Was another message delivered under the number, and this one not? The record of a number with two
 * messages has a few bits of each, too few to say that this is one of them: the guard knows those
 * that come again and again. */
static bool is_stolen(const sb_link *link, sb_time now, const sb_transport_message *m)
{
    const sb_inbox *in = &link->inbox;
    bool            known = sb_inbox_is_known(in, m);
    bool            settled = known && !m->fragment && sb_inbox_batch(in, m) == SB_BATCH_SETTLED;
    return sb_inbox_lacks(in, m) || (settled && sb_guard_is_attacked(&link->guard, now));
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
    bool         stolen = ahead < 0 && is_stolen(link, now, m);
    sb_admission admission = sb_guard_admit(&link->guard, now, m, ahead, stolen);
    if (link->guard.attacked_until != before) raise_marks(link, now);
    if (admission == SB_CONTESTED) admission = contest(link, now, m, ahead);
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
    if (behind && sb_guard_take_copy(&link->guard, now, m) != SB_COPY_THIRD) return false;
    sb_inbox_find_again(&link->inbox, now, m);
    return true;
}

/* Fragments after the first one do not show whether they are of the message that was delivered. If
 * it is in dispute, they wait for fragment 0: an Ack would take them from the peer. */
static bool is_blind(const sb_link *link, const sb_transport_message *m)
{
    return m->fragment && m->frag_index != 0 && sb_inbox_ahead(&link->inbox, m) < 0 &&
           sb_inbox_batch(&link->inbox, m) == link->marks.disputed;
}

/* Does Data of the peer have to wait until a dispute ends: because it is new, or its number would
 * be taken back before the one in dispute, or it may be of the message in dispute? */
static bool waits_for_dispute(const sb_link *link, sb_time now, const sb_transport_message *m)
{
    if (m->type != SB_TRANSPORT_DATA || !sb_marks_disputes(&link->marks, now)) return false;
    if (sb_inbox_record(&link->inbox, m) >> 16 != m->seq || is_blind(link, m)) return true;
    return sb_inbox_ahead(&link->inbox, m) < 0 && is_stolen(link, now, m) &&
           sb_inbox_follows(&link->inbox, m, link->marks.disputed);
}

bool sb_link_take_proven(sb_link *link, sb_time now, const sb_transport_message *m)
{
    bool data = m->type == SB_TRANSPORT_DATA;
    bool known = sb_inbox_record(&link->inbox, m) >> 16 == m->seq;
    link->marks.messages_at = now;
    sb_inbox_drop_candidate(&link->inbox, m);
    if (waits_for_dispute(link, now, m)) {
        SB_COUNT(link->counters->values, SB_TRANSPORT_COUNT_UNMARKED);
        return false;
    }
    if (data && known) sb_marks_settle(&link->marks, sb_inbox_batch(&link->inbox, m));
    if (sb_inbox_is_lost(&link->inbox, m)) {
        if (!find_again(link, now, m)) return false;
    } else if (is_stolen(link, now, m) && !sb_guard_refresh_delivered(&link->guard, now, m))
        take_back(link, now, m);
    else if (known && sb_inbox_shows(&link->inbox, m)) sb_inbox_confirm(&link->inbox, m);
    if (sb_inbox_has_rival(&link->inbox, m)) sb_inbox_discard(&link->inbox, m);
    return true;
}

/* Is the message behind all records? Late copies are not: either this message is forged, or those
 * that used up the numbers in between. Still older ones get the Ack that stock sends. */
static bool is_too_old(const sb_link *link, const sb_transport_message *m)
{
    int  ahead = sb_inbox_ahead(&link->inbox, m);
    bool near = ahead >= -SB_GUARD_AHEAD_MAX || is_swept(link);
    return ahead < 0 && near && sb_inbox_is_lost(&link->inbox, m) && !sb_guard_is_question(m);
}

/* A message behind all records. The network may bring one late; if it comes again, its sender
 * misses the Ack, since forgeries have used its number. */
static sb_admission admit_too_old(sb_link *link, sb_time now, const sb_transport_message *m)
{
    bool attacked = sb_guard_is_attacked(&link->guard, now);
    sb_link_notice_forger(link, now);
    if (m->fragment || (!attacked && sb_guard_take_copy(&link->guard, now, m) != SB_COPY_SECOND))
        return SB_WAITS;
    sb_guard_suspect(&link->guard, now);
    return attacked ? contest(link, now, m, -1) : SB_WAITS;
}

/* Charges the next Data number; false: so many have come that most of them must be forged. */
static bool use_number(sb_link *link, sb_time now, const sb_transport_message *m)
{
    bool first = !m->fragment || m->frag_index == 0;
    if (m->type != SB_TRANSPORT_DATA || sb_inbox_ahead(&link->inbox, m) != 0) return true;
    if (link->marks.seed == 0 || !first) return true;
    if (has_numbers_left(link, now)) {
        sb_budget_spend(&link->numbers, cost_of_number(link, now));
        if (is_swept(link)) sb_link_request_proof(link, now);
        return true;
    }
    sb_guard_suspect(&link->guard, now);
    raise_marks(link, now);
    return false;
}

bool sb_link_take_unproven(sb_link *link, sb_time now, const sb_transport_message *m, bool *late)
{
    if (link->waits_for_id) return true; /* there is no session yet that somebody could forge */
    if (sb_inbox_conflicts(&link->inbox, m)) notice_conflict(link, now, m);
    uint32_t burst = number_burst(link), seconds = sb_guard_is_attacked(&link->guard, now) ? 48 : 6;
    sb_budget_refill(&link->numbers, now, burst / seconds, burst);
    link->guard.next = link->inbox.channels[SB_CHANNEL_DATA].expected;
    bool         too_old = is_too_old(link, m);
    sb_admission admission = too_old ? admit_too_old(link, now, m) : admit(link, now, m);
    if (admission == SB_ADMITTED && !use_number(link, now, m)) admission = SB_WAITS;
    *late = admission == SB_LATE && !m->fragment; /* a fragment alone is no message */
    if (admission == SB_LATE) {
        if (!too_old) sb_inbox_settle(&link->inbox, m);
        forget_copies(link, now, m);
    }
    if (admission == SB_WAITS) {
        keep_if_unsure(link, now, m);
        SB_COUNT(link->counters->values, SB_TRANSPORT_COUNT_UNCONFIRMED);
        sb_marks_ask(&link->marks, now);
    }
    return admission == SB_ADMITTED;
}

/* The copies of the message have ended with an Ack: it is the peer's, or a forger has given up just
 * then. A number that is used up is not taken back: the peer will not repeat what came since. */
static bool take_ended(sb_link *link, sb_time now, const sb_transport_message *m)
{
    sb_inbox *in = &link->inbox;
    bool      known = sb_inbox_is_known(in, m);
    sb_guard_note_delivered(&link->guard, now, m);
    if (sb_inbox_ahead(in, m) < 0) {
        if (known && !is_stolen(link, now, m)) return false;
        if (known) sb_inbox_settle(in, m);
        return true;
    }
    if (sb_inbox_has_rival(in, m)) sb_inbox_discard(in, m); /* fragments */
    uint16_t batch = in->batch;
    sb_inbox_begin_batch(in, false);
    sb_verdict verdict = sb_inbox_accept(in, m);
    in->batch = batch;
    return verdict == SB_VERDICT_DELIVER;
}

bool sb_link_next_ended(sb_link *link, sb_time now, uint8_t *buffer, sb_transport_message *out)
{
    sb_inbox        *in = &link->inbox;
    sb_candidate_end end;
    if (sb_marks_are_unanswered(&link->marks, now)) return false;
    while ((end = sb_inbox_next_candidate(in, now, has_numbers_left(link, now), out, buffer))) {
        if (end == SB_CANDIDATE_REPEATED) (void)use_number(link, now, out);
        if (take_ended(link, now, out)) return true;
    }
    return false;
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

/* The datagram is dropped, but it may be the peer's: its messages have come once. Some may have
 * crossed Acks of the forgeries, and not come again. */
static void note_first_copies(sb_link *link, sb_time now, const sb_datagram *datagram)
{
    sb_transport_message m;
    for (size_t at = 0; sb_datagram_next(datagram, &at, &m);)
        if (m.reliable && !sb_link_is_farewell(link, &m)) {
            (void)sb_guard_take_copy(&link->guard, now, &m);
            sb_link_keep_crossed(link, now, &m);
        }
}

static sb_result refuse_forged(sb_link *link, sb_time now, const sb_datagram *datagram,
                               const sb_signs *signs)
{
    sb_transport_message rival = { .type = signs->conflict_type, .seq = signs->conflict_seq };
    if (signs->conflict) {
        notice_conflict(link, now, &rival);
        note_first_copies(link, now, datagram);
    } else sb_link_notice_forger(link, now);
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
    return forged ? refuse_forged(link, now, datagram, signs) : SB_OK;
}

void sb_link_collect_signs(const sb_link *link, const sb_datagram *datagram, sb_signs *signs)
{
    sb_transport_message m;
    sb_marks_found       marks = { { 0 } };
    for (size_t at = 0; sb_datagram_next(datagram, &at, &m);) note_message(link, &m, signs, &marks);
    signs->marked = sb_marks_are_found(&link->marks, &marks);
    signs->mark_acks = sb_marks_count_found(&link->marks, &marks);
}

/* Has the message come before: was it delivered or stored, or does it wait? */
static bool is_repeat(const sb_link *link, sb_time now, const sb_transport_message *m)
{
    bool known = sb_inbox_is_known(&link->inbox, m);
    return (known && !sb_inbox_conflicts(&link->inbox, m)) || sb_guard_knows(&link->guard, now, m);
}

bool sb_link_has_only_repeats(const sb_link *link, sb_time now, const sb_datagram *datagram)
{
    sb_transport_message m;
    for (size_t at = 0; sb_datagram_next(datagram, &at, &m);) {
        if (m.type == SB_TRANSPORT_ACK) continue;
        if (!m.reliable || !is_repeat(link, now, &m)) return false;
    }
    return datagram->message_count > 0;
}
