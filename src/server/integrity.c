/* src/server/integrity.c -- the integrity hashes in players' StateUpdates, and their consequences.
 *
 * For:      relay.c, after each StateUpdate that was applied. The receiver counts the hashes and
 *           the updates in a row that have the same one; here the room decides.
 * Never:    acts on updates alone: a stranger can forge them.
 * Spec:     04 §1; docs/decisions/integrity-hash.md.
 * Tests:    tests/server/integrity_test.c
 */
#include "server/server_internal.h"

#include <starbase/integrity.h>

enum {
    WRONG_UPDATES = 10,  /* in a row, with the same wrong hash, before the player is removed ... */
    WRONG_SECONDS = 5,   /* ... from the first to the last of them ... */
    CONFIRM_SECONDS = 2, /* ... and after a reliable message of the player */
    QUIET_SECONDS = 10,  /* between two reports of a changed hash of one player */
};

static sb_server_event event_about_hash(const sb_server *s, sb_server_event_type type,
                                        const sb_player *p, const sb_object *o, uint16_t expected)
{
    sb_server_event event = sb_server_event_about(s, type, p);
    event.object_id = o->object_id;
    event.value = o->receiver.hash;
    event.expected_hash = expected;
    event.text = sb_text_span(o->ship.model ? o->ship.model->name : "ship");
    return event;
}

/* A stock client never changes the hash during the life of a ship (spec 04 §7). */
static void report_change(sb_server *s, sb_player *p, const sb_object *o, uint16_t before)
{
    SB_COUNT(s->counters, SB_SERVER_COUNT_HASH_CHANGED);
    if (s->now < p->hash_quiet_until) {
        p->hash_changes_skipped++;
        return;
    }
    sb_server_event event = event_about_hash(s, SB_SERVER_HASH_CHANGED, p, o, before);
    event.skipped = p->hash_changes_skipped;
    sb_server_report(s, &event, p);
    p->hash_quiet_until = s->now + QUIET_SECONDS * SB_SECOND;
    p->hash_changes_skipped = 0;
}

/* Once per ship: until a capture confirms the class, the computed hash is only a prediction. */
static void report_difference(sb_server *s, sb_player *p, sb_object *o)
{
    if (o->hash_difference_told) return;
    o->hash_difference_told = true;
    SB_COUNT(s->counters, SB_SERVER_COUNT_HASH_DIFFERS);
    sb_server_event event = event_about_hash(s, SB_SERVER_HASH_DIFFERS, p, o, o->predicted_hash);
    event.other = o->hash_is_confirmed;
    sb_server_report(s, &event, p);
}

/* The owner's own updates would interrupt a run that a stranger forges, unless the owner's link has
 * stalled. A reliable message in the middle of the run proves that the link works. */
static void note_confirmation(const sb_player *p, sb_object *o)
{
    if (o->run_since != o->receiver.hash_since) {
        o->run_since = o->receiver.hash_since;
        o->run_confirmed_at = SB_TIME_NEVER;
    }
    if (o->run_confirmed_at == SB_TIME_NEVER && p->reliable_at > o->run_since)
        o->run_confirmed_at = p->reliable_at;
}

static bool is_long_enough(const sb_server *s, const sb_object *o)
{
    return o->receiver.hash_run >= WRONG_UPDATES &&
           s->now - o->receiver.hash_since >= WRONG_SECONDS * SB_SECOND &&
           o->run_confirmed_at != SB_TIME_NEVER &&
           s->now - o->run_confirmed_at >= CONFIRM_SECONDS * SB_SECOND;
}

/* Removes the player as the original host does, but only after a run of updates that no stranger
 * can forge. The owner of a wreck or of scenery may send no updates of it, so there a run proves
 * nothing. */
static void remove_after_run(sb_server *s, const sb_player *p, sb_object *o)
{
    static const char why[] = "the data of your ship differ from the server's (integrity hash)";
    if (s->config.integrity != SB_INTEGRITY_MODE_BOOT || o != p->ship || o->exploding) return;
    note_confirmation(p, o);
    if (!is_long_enough(s, o)) return;
    SB_COUNT(s->counters, SB_SERVER_COUNT_HASH_BOOTS);
    (void)sb_server_kick(s, s->now, p->peer_id, sb_text_span(why));
}

static void predict(sb_object *o)
{
    if (o->hash_is_predicted) return;
    sb_integrity_prediction prediction = sb_ship_predict_integrity(o->ship.model);
    o->hash_is_predicted = true;
    o->predicted_hash = prediction.wire;
    o->hash_is_confirmed = prediction.confirmed;
}

sb_hash_state sb_server_hash_state(const sb_object *o)
{
    return (sb_hash_state){ .seen = o->receiver.counters[SB_RECEIVED_HASH_SEEN],
                            .changes = o->receiver.counters[SB_RECEIVED_HASH_CHANGED],
                            .hash = o->receiver.hash };
}

void sb_server_judge_hash(sb_server *s, sb_player *p, sb_object *o, sb_hash_state before)
{
    sb_hash_state now = sb_server_hash_state(o);
    if (s->config.integrity == SB_INTEGRITY_MODE_OFF || now.seen == before.seen) return;
    if (now.changes != before.changes) report_change(s, p, o, before.hash);
    if (!o->ship.model) return; /* without data there is nothing to compare with */
    predict(o);
    if (now.hash == o->predicted_hash) return;
    report_difference(s, p, o);
    if (now.hash != o->ship.model->captured_hash) remove_after_run(s, p, o);
}
