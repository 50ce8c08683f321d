/* src/transport/inbox_candidates.c -- messages that anybody could have sent, until an Ack shows
 * whose they are.
 *
 * For:      link_trust.c, for peers that send no marks beside their messages. Only the peer hears our
 *           Acks, so the copies of its own message end after one, and those of a forger go on.
 * Never:    lets an Ack take a message from the peer: all that come under a number are kept before
 *           the number is acknowledged.
 * Tests:    tests/transport/inbox_candidates_test.c, separate_acks_test.c
 * Spec:     01 §10.8 rule 8.
 */
#include "transport/inbox_internal.h"

enum {
    CELLS_MAX = 64, /* of 96 that a host guarantees for early messages */
    UNSURE_MAX = SB_CANDIDATES / 2,
    COPIES_NEEDED = 3,
    FAILURES_MAX = 2, /* Acks can be lost */
};

static const sb_time silence = 2 * SB_SECOND; /* simple programs repeat each second */
/* A message may be kept later than the next one, since the first copy of a conflict can be dropped.
 */
static const sb_time order_slack = 3 * SB_SECOND / 2;
static const sb_time patience = 8 * SB_SECOND; /* the longest timeout of a sender has 5 s */
/* The network may lose three copies that its sender repeats (1, 3 and 6 s); nothing waits for
 * longer than 10 s. */
static const sb_time unsure_silence = 8 * SB_SECOND;
static const sb_time repeated_by = 4 * SB_SECOND;  /* after 1 and 3 s */
static const sb_time unsure_time = 12 * SB_SECOND; /* numbers are given up after 10 s */

static bool is_free(const sb_candidate *c)
{
    return c->entry == SB_NO_CELL;
}

static bool has_number(const sb_inbox *in, const sb_candidate *c, const sb_transport_message *m)
{
    const sb_entry *e = sb_inbox_entry(in, c->entry);
    return e->type == m->type && e->seq == m->seq;
}

static bool is_same(const sb_inbox *in, const sb_candidate *c, const sb_transport_message *m)
{
    return has_number(in, c, m) && sb_inbox_has_payload(in, c->entry, m);
}

/* The place of the message; SB_CANDIDATES: it is not kept. */
static size_t find_index(const sb_inbox *in, const sb_transport_message *m)
{
    for (size_t i = 0; in->candidate_count > 0 && i < SB_CANDIDATES; i++)
        if (!is_free(&in->candidates[i]) && is_same(in, &in->candidates[i], m)) return i;
    return SB_CANDIDATES;
}

static sb_candidate *find(sb_inbox *in, const sb_transport_message *m)
{
    size_t i = find_index(in, m);
    return i < SB_CANDIDATES ? &in->candidates[i] : NULL;
}

bool sb_inbox_is_kept(const sb_inbox *in, const sb_transport_message *m)
{
    return find_index(in, m) < SB_CANDIDATES;
}

static void release(sb_inbox *in, sb_candidate *c)
{
    in->candidate_count--;
    if (c->is_unsure) in->unsure_count--;
    uint32_t cells = sb_cells_needed(sb_inbox_entry(in, c->entry)->size);
    in->candidate_cells = (uint16_t)(in->candidate_cells - cells);
    sb_cells_release(in->cells, &in->account, c->entry);
    c->entry = SB_NO_CELL;
}

/* Has its sender given up before it was acknowledged? The peer would not. */
static bool is_stale(const sb_candidate *c, sb_time now)
{
    if (c->is_unsure) return now - c->first_at > unsure_time;
    return !c->is_acked && now - c->last_at > patience;
}

static sb_candidate *find_place(sb_inbox *in, sb_time now)
{
    sb_candidate *found = NULL;
    for (size_t i = 0; i < SB_CANDIDATES; i++) {
        sb_candidate *c = &in->candidates[i];
        if (!is_free(c) && is_stale(c, now)) release(in, c);
        if (is_free(c)) found = c;
    }
    return found;
}

/* Makes room for a message that came again; returns the free place. */
static sb_candidate *release_unsure(sb_inbox *in)
{
    sb_candidate *c = in->candidates;
    while (is_free(c) || !c->is_unsure) c++;
    release(in, c);
    return c;
}

bool sb_inbox_keep(sb_inbox *in, sb_time now, const sb_transport_message *m, bool crossed)
{
    uint32_t      cells = sb_cells_needed(m->payload.size);
    sb_candidate *c = find_place(in, now);
    while (in->unsure_count > 0 && (!c || in->candidate_cells + cells > CELLS_MAX))
        c = release_unsure(in);
    if (!c || in->candidate_cells + cells > CELLS_MAX) return false;
    uint32_t entry = sb_cells_allocate(in->cells, &in->account, m->payload);
    if (entry == SB_NO_CELL) return false;
    sb_entry *e = sb_inbox_entry(in, entry);
    e->type = m->type;
    e->seq = m->seq;
    in->candidate_count++;
    in->candidate_cells = (uint16_t)(in->candidate_cells + cells);
    *c = (sb_candidate){ .entry = entry,
                         .copies = 1,
                         .is_acked = crossed,
                         .is_crossed = crossed,
                         .acked_at = now,
                         .first_at = now,
                         .last_at = now,
                         .interval = SB_SECOND };
    return true;
}

void sb_inbox_keep_unsure(sb_inbox *in, sb_time now, const sb_transport_message *m)
{
    bool full = in->unsure_count >= UNSURE_MAX || in->candidate_count == SB_CANDIDATES ||
                in->candidate_cells + sb_cells_needed(m->payload.size) > CELLS_MAX;
    if (full || sb_inbox_is_kept(in, m) || !sb_inbox_keep(in, now, m, true)) return;
    find(in, m)->is_unsure = true;
    in->unsure_count++;
}

/* Unsure messages are counted from their arrival on. One that came 8 s before an earlier message of
 * the peer is forged: its sender would have repeated the earlier one by then. Others may be sent
 * for the first time now. */
void sb_inbox_doubt_later(sb_inbox *in, sb_time now, const sb_transport_message *m)
{
    for (size_t i = 0; i < SB_CANDIDATES; i++) {
        sb_candidate *c = &in->candidates[i];
        if (is_free(c) || !c->is_unsure) continue;
        const sb_entry *e = sb_inbox_entry(in, c->entry);
        if (e->type != m->type || (int16_t)(uint16_t)(e->seq - m->seq) <= 0) continue;
        sb_time acked_at = now + repeated_by - unsure_silence;
        if (now - c->first_at >= unsure_silence) release(in, c);
        else if (c->acked_at < acked_at) c->acked_at = acked_at;
    }
}

/* The number is acknowledged: whoever sends one of its candidates hears it, or does not. */
static void note_ack(sb_inbox *in, sb_time now, const sb_transport_message *m)
{
    for (size_t i = 0; i < SB_CANDIDATES; i++) {
        sb_candidate *c = &in->candidates[i];
        if (is_free(c) || c->is_acked || !has_number(in, c, m)) continue;
        c->is_acked = true;
        c->acked_at = now;
    }
}

/* A copy came, too late to have crossed the Ack of its number, if there was one. True: the Acks
 * were in vain, so the message is forged. After an Ack that left before the message came for the
 * first time, the copy is no such sign: the peer may have sent the message after it had heard the
 * Ack. */
static bool note_copy_after_ack(sb_candidate *c)
{
    bool in_vain = c->is_acked && !c->is_crossed;
    c->is_acked = c->is_crossed = false;
    if (!in_vain) return false;
    c->counts = false;
    c->copies = 1;
    return ++c->failures >= FAILURES_MAX;
}

sb_challenge sb_inbox_challenge(sb_inbox *in, sb_time now, const sb_transport_message *m,
                                bool may_ack, sb_time grace)
{
    sb_candidate *c = find(in, m);
    if (!c) return SB_CHALLENGE_WAITS;
    c->interval = now - c->last_at;
    c->last_at = now;
    if (c->is_unsure) c->is_acked = false; /* its sender has not heard an Ack */
    if (c->is_unsure) in->unsure_count--;
    c->is_unsure = false;
    if (c->copies < UINT8_MAX) c->copies++;
    if (c->is_acked && now - c->acked_at <= grace) return SB_CHALLENGE_WAITS;
    if (note_copy_after_ack(c)) {
        release(in, c);
        return SB_CHALLENGE_FAILED;
    }
    if (!may_ack) {
        c->counts |= c->copies >= COPIES_NEEDED;
        return SB_CHALLENGE_WAITS;
    }
    note_ack(in, now, m);
    return SB_CHALLENGE_ACK;
}

void sb_inbox_discount(sb_inbox *in, const sb_transport_message *m)
{
    sb_candidate *c = find(in, m);
    if (c) c->counts = false;
}

bool sb_inbox_has_crossed(const sb_inbox *in, sb_time now, const sb_transport_message *m,
                          sb_time grace)
{
    for (size_t i = 0; in->candidate_count > 0 && i < SB_CANDIDATES; i++) {
        const sb_candidate *c = &in->candidates[i];
        if (is_free(c) || c->is_unsure || !c->is_acked || now - c->acked_at > grace) continue;
        if (has_number(in, c, m)) return true;
    }
    return false;
}

void sb_inbox_drop_candidate(sb_inbox *in, const sb_transport_message *m)
{
    sb_candidate *c = find(in, m);
    if (c) release(in, c);
}

void sb_inbox_clear_candidates(sb_inbox *in)
{
    for (size_t i = 0; i < SB_CANDIDATES; i++)
        if (!is_free(&in->candidates[i])) release(in, &in->candidates[i]);
}

static bool has_ended(const sb_candidate *c, sb_time now)
{
    return c->is_acked && now - c->acked_at >= (c->is_unsure ? unsure_silence : silence);
}

/* Is it the peer's, as far as we can tell? */
static bool may_count(const sb_candidate *c, sb_time now)
{
    return c->counts || has_ended(c, now);
}

/* Is its number the next one, or used up? Of two whole messages with one number, neither must
 * replace the other: the one in the window is delivered first. One that is unsure must be missing:
 * the peer has sent later messages, and does not repeat it. */
static bool is_due(const sb_inbox *in, const sb_candidate *c)
{
    const sb_entry      *e = sb_inbox_entry(in, c->entry);
    sb_transport_message m = { .type = e->type, .seq = e->seq };
    const sb_in_channel *channel = sb_inbox_channel(in, &m);
    uint32_t             slot = *sb_inbox_slot(channel, channel->expected);
    int                  ahead = sb_inbox_ahead(in, &m);
    if (c->is_unsure) return ahead == 0 && slot == SB_NO_CELL && sb_inbox_has_waiting(in, channel);
    if (ahead != 0) return ahead < 0;
    return slot == SB_NO_CELL || sb_inbox_entry(in, slot)->is_assembly;
}

/* Does `a` come before `b` if both are the peer's? */
static bool is_before(const sb_inbox *in, const sb_candidate *a, const sb_candidate *b)
{
    const sb_entry *x = sb_inbox_entry(in, a->entry), *y = sb_inbox_entry(in, b->entry);
    if ((x->type == SB_TRANSPORT_DATA) != (y->type == SB_TRANSPORT_DATA)) return false;
    return (int16_t)(uint16_t)(x->seq - y->seq) < 0;
}

/* Is it still coming, as far as its copies tell? Senders repeat a message more and more slowly. */
static bool is_coming(const sb_candidate *c, sb_time now)
{
    return now - c->last_at <= 2 * c->interval + SB_SECOND / 2;
}

/* Must the candidate wait for an earlier message that came before it? One whose copies went on
 * after an Ack is hardly the peer's. */
static bool has_to_wait(const sb_inbox *in, sb_time now, const sb_candidate *c)
{
    for (size_t i = 0; i < SB_CANDIDATES; i++) {
        const sb_candidate *other = &in->candidates[i];
        if (is_free(other) || other->is_unsure) continue;
        if (other->failures > 0 || has_ended(other, now)) continue;
        if (!other->is_acked && !is_coming(other, now)) continue;
        if (other->first_at <= c->first_at + order_slack && is_before(in, other, c)) return true;
    }
    return false;
}

bool sb_inbox_has_other(const sb_inbox *in, const sb_transport_message *m)
{
    for (size_t i = 0; in->candidate_count > 0 && i < SB_CANDIDATES; i++) {
        const sb_candidate *c = &in->candidates[i];
        if (is_free(c) || c->is_unsure) continue;
        if (has_number(in, c, m) && !is_same(in, c, m)) return true;
    }
    return false;
}

bool sb_inbox_is_repeated(const sb_inbox *in, sb_time now, const sb_transport_message *m)
{
    size_t              i = find_index(in, m);
    const sb_candidate *c = i < SB_CANDIDATES ? &in->candidates[i] : NULL;
    return c && c->counts && !c->is_acked && !has_to_wait(in, now, c);
}

static void read_message(const sb_inbox *in, const sb_candidate *c, sb_transport_message *out,
                         uint8_t *buffer)
{
    const sb_entry *e = sb_inbox_entry(in, c->entry);
    sb_cells_copy(in->cells, c->entry, buffer);
    *out = (sb_transport_message){
        .type = e->type, .reliable = true, .seq = e->seq, .payload = { buffer, e->size }
    };
}

/* Is it the peer's, as far as we can tell, and is it its turn? */
static bool is_ready(const sb_inbox *in, sb_time now, const sb_candidate *c)
{
    return !is_free(c) && may_count(c, now) && is_due(in, c) && !has_to_wait(in, now, c);
}

sb_candidate_end sb_inbox_next_candidate(sb_inbox *in, sb_time now, bool has_numbers,
                                         sb_transport_message *out, uint8_t *buffer)
{
    sb_candidate *next = NULL;
    for (size_t i = 0; in->candidate_count > 0 && i < SB_CANDIDATES; i++) {
        sb_candidate *c = &in->candidates[i];
        if (!is_free(c) && c->is_unsure && is_stale(c, now)) release(in, c);
        if (!is_ready(in, now, c)) continue;
        if (!next || is_before(in, c, next) ||
            (!is_before(in, next, c) && c->first_at < next->first_at))
            next = c;
    }
    if (!next) return SB_CANDIDATE_NONE;
    bool repeated = !has_ended(next, now);
    read_message(in, next, out, buffer);
    if (repeated && !has_numbers && sb_inbox_ahead(in, out) == 0) return SB_CANDIDATE_NONE;
    release(in, next);
    return repeated ? SB_CANDIDATE_REPEATED : SB_CANDIDATE_ENDED;
}
