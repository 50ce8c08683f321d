/* apps/serve/integrity.c -- log lines about the integrity hashes of players' ships.
 *
 * For:      events.c and status.c. docs/hosting.md explains the lines.
 * Spec:     04 §1.
 * Tests:    tests/apps/serve_integrity_test.py
 */
#include "serve/serve.h"

static void append_hashes(sb_log_line *line, const sb_server_event *e, const char *expected)
{
    sb_log_value_text(line, "ship", e->text);
    sb_log_value_number(line, "object", e->object_id);
    sb_log_value_number(line, "hash", e->value);
    sb_log_value_number(line, expected, e->expected_hash);
}

void serve_log_hash_changed(serve_room *r, const sb_server_event *e)
{
    sb_log_line line;
    if (!serve_start_line(r, &line, e, SB_LOG_WARNING, "cheat")) return;
    sb_log_text(&line, ": the integrity hash of the ");
    sb_log_span(&line, e->text);
    sb_log_text(&line, " changed from 0x%04X to 0x%04X; the hash of a stock ship never changes",
                e->expected_hash, (unsigned)e->value);
    if (e->skipped) sb_log_text(&line, " (%u more changes since the last line)", e->skipped);
    append_hashes(&line, e, "hash_before");
    sb_log_value_number(&line, "skipped", e->skipped);
    sb_log_end(&line);
}

/* No operator needs to act on a prediction, so it is no warning. */
void serve_log_hash_differs(serve_room *r, const sb_server_event *e)
{
    sb_log_line line;
    bool        confirmed = e->other;
    if (!serve_start_line(r, &line, e, confirmed ? SB_LOG_WARNING : SB_LOG_INFO, "cheat")) return;
    sb_log_text(&line, ": the integrity hash of the ");
    sb_log_span(&line, e->text);
    sb_log_text(&line, " is 0x%04X, computed 0x%04X (%s)", (unsigned)e->value, e->expected_hash,
                confirmed ? "confirmed by a capture" : "prediction, unconfirmed");
    append_hashes(&line, e, "computed");
    sb_log_value_word(&line, "status", confirmed ? "confirmed" : "prediction, unconfirmed");
    sb_log_end(&line);
}

void serve_log_hash_counts(serve *s, unsigned room)
{
    static const sb_server_counter shown[] = { SB_SERVER_COUNT_HASH_CHANGED,
                                               SB_SERVER_COUNT_HASH_DIFFERS,
                                               SB_SERVER_COUNT_HASH_BOOTS };
    const uint64_t                *counts = s->snapshot->counters;
    sb_log_line                    line;
    if (counts[shown[0]] + counts[shown[1]] + counts[shown[2]] == 0) return;
    sb_log_start_answer(&line, s->answers, "status", room);
    sb_log_text(&line, "integrity hashes:");
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        const char *name = sb_server_counter_name(shown[i]);
        sb_log_text(&line, "%s %llu %s", i ? "," : "", (unsigned long long)counts[shown[i]], name);
        sb_log_value_number(&line, name, (int64_t)counts[shown[i]]);
    }
    sb_log_end(&line);
}
