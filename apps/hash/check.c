/* apps/hash/check.c -- compares computed hashes with those that clients send in a capture.
 *
 * For:      `starbase hash --check`: one captured update of a stock client confirms the data of its
 *           class, or shows that they or the order of the folds are wrong (spec 04 §9).
 * Tests:    tests/apps/hash_test.py
 */
#include "hash/hash.h"

#include "common/commands.h"
#include "inspect/dissector.h"
#include "load/capture_file.h"
#include "platform/interrupt.h"

#include <starbase/hash.h>
#include <starbase/message.h>

#include <stdio.h>
#include <stdlib.h>

enum { SEEN_MAX = 1024 }; /* ships and hashes in one capture; any more are only counted */

/* One hash of one ship. */
typedef struct seen {
    sb_endpoint          from;
    uint8_t              peer_id;
    uint32_t             object_id;
    const sb_ship_class *ship; /* NULL: its creation is not in the capture, or it has no data */
    uint16_t             hash;
    uint64_t             updates;
} seen;

typedef struct check {
    seen     all[SEEN_MAX];
    size_t   count;
    uint64_t updates, with_position, skipped; /* of clients; `skipped`: `all` was full */
} check;

static bool is_same(const seen *a, const sb_record *r, const sb_state_update *u)
{
    return a->from.address == r->source.address && a->from.port == r->source.port &&
           a->object_id == u->object_id && a->ship == r->context.ship && a->hash == u->hash;
}

static void add_hash(check *c, const sb_record *r, const sb_state_update *u)
{
    for (size_t i = 0; i < c->count; i++) {
        if (!is_same(&c->all[i], r, u)) continue;
        c->all[i].updates++;
        return;
    }
    if (c->count == SEEN_MAX) c->skipped++;
    else
        c->all[c->count++] =
            (seen){ r->source, r->peer_id, u->object_id, r->context.ship, u->hash, 1 };
}

/* Only clients send hashes (spec 04 §2). */
static void on_record(void *self, const sb_record *r)
{
    check *c = self;
    if (!r->message || r->message->opcode != SB_OP_STATE_UPDATE || r->from != SB_SIDE_CLIENT)
        return;
    const sb_state_update *u = &r->message->as.state_update;
    c->updates++;
    if (!(u->flags & SB_STATE_POS)) return;
    c->with_position++;
    if (u->has_hash) add_hash(c, r, u);
}

/* ---- reading ---- */

static void read_packets(sb_capture *capture, sb_dissector *dissector, check *c)
{
    const sb_record_sink sink = { c, on_record };
    sb_packet            packets[SB_CAPTURE_BATCH_MAX];
    size_t               count;
    while (!sb_interrupt_pending() &&
           (count = sb_capture_read_batch(capture, packets, SB_CAPTURE_BATCH_MAX)) > 0)
        sb_dissector_feed_batch(dissector, packets, count, &sink);
}

static int read_capture(const hash_job *j, const sb_usage *usage, check *c)
{
    char                 error[SB_CAPTURE_ERROR_MAX];
    sb_dissector_options options = { .port = j->port };
    sb_capture          *capture = sb_capture_open(j->capture, j->port, error);
    if (!capture) return sb_usage_error(usage, "%s: %s", j->capture, error);
    void *memory = malloc(sb_dissector_bytes(&options));
    if (!memory) abort();
    read_packets(capture, sb_dissector_init(memory, &options), c);
    if (sb_capture_error(capture))
        fprintf(stderr, "starbase hash: %s: %s; all packets before it were read\n", j->capture,
                sb_capture_error(capture));
    free(memory);
    sb_capture_close(capture);
    return SB_EXIT_FINE;
}

/* ---- comparing ---- */

/* The class among the ships of the command line; a file may replace the stock class. */
static const sb_ship_class *find_class(const sb_ship_list *list, const seen *s)
{
    for (size_t i = 0; s->ship && i < list->count; i++)
        if (list->ships[i]->species == s->ship->species) return list->ships[i];
    return NULL;
}

/* True if the same ship has another hash in the capture, which a stock client never shows. */
static bool has_changed(const check *c, const seen *s)
{
    for (size_t i = 0; i < c->count; i++)
        if (c->all[i].from.address == s->from.address && c->all[i].from.port == s->from.port &&
            c->all[i].object_id == s->object_id && c->all[i].ship == s->ship &&
            c->all[i].hash != s->hash)
            return true;
    return false;
}

static void print_line(const seen *s, const sb_ship_class *ship, uint16_t computed, bool changed)
{
    const char *key = ship ? ship->key : s->ship ? s->ship->key : "unknown class";
    printf("%-14s ship 0x%08X of player %u: hash 0x%04X in %llu updates, ", key, s->object_id,
           s->peer_id, s->hash, (unsigned long long)s->updates);
    if (!ship) printf("nothing to compare with");
    else if (computed == s->hash)
        printf("computed 0x%04X: match, the class is confirmed", computed);
    else
        printf("computed 0x%04X: no match; try `starbase hash %s --expect 0x%04X`", computed,
               ship->key, s->hash);
    printf("%s\n", changed ? "; the ship has several hashes, as a stock client never does" : "");
}

static void print_object(const seen *s, const sb_ship_class *ship, uint16_t computed, bool changed)
{
    const char *key = ship ? ship->key : s->ship ? s->ship->key : NULL;
    printf("{\"ship\":");
    if (key) hash_print_json_text(key);
    else printf("null");
    printf(",\"object_id\":%u,\"peer_id\":%u,\"hash\":%u,\"updates\":%llu", s->object_id,
           s->peer_id, s->hash, (unsigned long long)s->updates);
    if (ship)
        printf(",\"computed\":%u,\"match\":%s", computed, computed == s->hash ? "true" : "false");
    else printf(",\"computed\":null,\"match\":null");
    printf(",\"changed\":%s}\n", changed ? "true" : "false");
}

/* Prints a hash of the capture. Returns whether it was compared; `*matched` falls if it differs. */
static bool report(hash_job *j, const check *c, const seen *s, const sb_ship_class *ship,
                   bool *matched)
{
    uint16_t computed = ship ? sb_integrity_wire(hash_compute(j, ship)) : 0;
    bool     changed = has_changed(c, s);
    if (j->json) print_object(s, ship, computed, changed);
    else print_line(s, ship, computed, changed);
    if (ship && computed != s->hash) *matched = false;
    return ship;
}

static void explain_nothing(const hash_job *j, const check *c, bool all)
{
    fprintf(stderr, "starbase hash: %s: no hash %s; clients sent %llu StateUpdates, %llu of them ",
            j->capture, all ? "to compare" : "of these classes", (unsigned long long)c->updates,
            (unsigned long long)c->with_position);
    fprintf(stderr, "with an absolute position, which stock clients send with a hash%s\n",
            c->updates == 0 ? "; --port any reads traffic of all ports" : "");
}

int hash_check_capture(hash_job *j, const sb_usage *usage, const sb_ship_list *ships, bool all)
{
    check *c = calloc(1, sizeof *c);
    if (!c) abort();
    int      status = read_capture(j, usage, c);
    uint64_t compared = 0;
    bool     matched = true;
    for (size_t i = 0; status == SB_EXIT_FINE && i < c->count; i++) {
        const sb_ship_class *ship = find_class(ships, &c->all[i]);
        if (ship || all) compared += report(j, c, &c->all[i], ship, &matched);
    }
    if (c->skipped)
        fprintf(stderr, "starbase hash: %s: %llu updates with further hashes were not compared\n",
                j->capture, (unsigned long long)c->skipped);
    if (status == SB_EXIT_FINE && compared == 0) explain_nothing(j, c, all);
    if (status == SB_EXIT_FINE && (compared == 0 || !matched)) status = SB_EXIT_NEGATIVE;
    free(c);
    return status;
}
