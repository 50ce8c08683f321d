/* apps/hash/print.c -- prints hashes and their steps, for people and as JSON.
 *
 * Tests:    tests/apps/hash_test.py
 */
#include "hash/hash.h"

#include <starbase/hash.h>

#include <math.h>
#include <stdio.h>

enum { COUNTING_SHOWN = 40 };

/* ---- for people ---- */

static void write_value(const hash_row *r, char *value, size_t capacity)
{
    if (r->step.input.kind == SB_INTEGRITY_TEXT && !r->step.folded)
        snprintf(value, capacity, "\"%s\"", r->step.input.text);
    else snprintf(value, capacity, "%.9g", (double)r->step.value);
}

static void print_step(const hash_row *r)
{
    hash_path path;
    char      value[160];
    hash_write_path(&r->step.input, path);
    write_value(r, value, sizeof value);
    printf("%*s%-*s %-14s %-9s ", 2 * r->step.depth, "", 40 - 2 * r->step.depth, path, value,
           sb_integrity_origin_name(r->step.input.origin));
    if (!r->step.folded) printf("-\n");
    else printf("%08X %08X %s\n", r->step.contribution, r->step.after, r->counts ? "counts" : "-");
}

static void print_steps(const hash_job *j, const sb_ship_class *ship)
{
    printf("%s\n%-40s %-14s %-9s %-8s %s\n", ship->name, "input", "value", "origin", "adds",
           "accumulator");
    for (size_t i = 0; i < j->row_count; i++) print_step(&j->rows[i]);
    printf("\n");
}

/* ---- --explain ---- */

/* A fold in full: number, accumulator before and after, and the integer that was added. */
static void explain_step(const hash_row *r, size_t number)
{
    hash_path path;
    char      value[160];
    hash_write_path(&r->step.input, path);
    write_value(r, value, sizeof value);
    printf("%5zu %*s%-*s %-14s %-9s ", number, 2 * r->step.depth, "", 40 - 2 * r->step.depth, path,
           value, sb_integrity_origin_name(r->step.input.origin));
    if (!r->step.folded) printf("not folded itself\n");
    else
        printf("%08X ^ %08X, rotated: %08X%s\n", r->step.before, r->step.contribution,
               r->step.after, r->counts ? "  counts" : "");
}

static void print_status(const sb_ship_class *ship, uint16_t wire)
{
    if (ship->captured_hash == 0)
        printf("prediction, unconfirmed: no capture has an update of this class\n");
    else if (ship->captured_hash == wire) printf("confirmed by a capture\n");
    else
        printf("prediction, unconfirmed: a captured update of this class has 0x%04X\n",
               (unsigned)ship->captured_hash);
}

static void explain(const hash_job *j, const sb_ship_class *ship, uint32_t hash)
{
    printf(
        "%s\n"
        "Each step folds a value into an accumulator that starts at 0: it converts the value to\n"
        "an integer, combines it by XOR, and rotates by one bit (spec 04 §3). Indented steps\n"
        "belong to a nested accumulator; the next step with less indentation folds its bits,\n"
        "read as a float (§5). `counts` marks steps that change the hash.\n\n"
        "%5s %-40s %-14s %-9s %s\n",
        ship->name, "step", "input", "value", "origin", "accumulator ^ integer");
    for (size_t i = 0; i < j->row_count; i++) explain_step(&j->rows[i], i + 1);
    printf("\nwire value: %04X ^ %04X = %04X (spec 04 §6); ", hash >> 16, hash & 0xFFFF,
           sb_integrity_wire(hash));
    print_status(ship, sb_integrity_wire(hash));
}

/* ---- the summary ---- */

static void print_inputs_that_count(const hash_job *j)
{
    hash_path path;
    size_t    shown = 0, all = hash_count_unknown(j, true);
    if (all > 0) printf("  unknown inputs that change the hash:\n");
    for (size_t i = 0; i < j->row_count && shown < COUNTING_SHOWN; i++) {
        const hash_row *r = &j->rows[i];
        if (!r->counts || !hash_is_unknown_input(r) || !hash_is_first(j, i, true)) continue;
        hash_write_path(&r->step.input, path);
        printf("    %s = %.9g, %s\n", path, (double)r->step.value,
               sb_integrity_origin_name(r->step.input.origin));
        shown++;
    }
    if (all > shown) printf("    and %zu more\n", all - shown);
}

/* The hash is linear in the contribution of each step. So for every input of the ship's own
 * accumulator there is one 16-bit number that gives the expected hash, if all other inputs keep
 * their values. */
static uint16_t number_needed(const hash_job *j, size_t at, uint16_t missing)
{
    unsigned rotations = 0;
    for (size_t i = at; i < j->row_count; i++)
        rotations += j->rows[i].step.depth == 0 && j->rows[i].step.folded;
    rotations %= 16;
    uint16_t rotated =
        (uint16_t)((unsigned)missing >> rotations | (unsigned)missing << (16 - rotations));
    uint32_t now = j->rows[at].step.contribution;
    return (uint16_t)(rotated ^ now ^ now >> 16);
}

static void print_needed(const hash_job *j, uint16_t wire)
{
    hash_path path;
    for (size_t i = 0; i < j->row_count; i++) {
        const hash_row *r = &j->rows[i];
        if (r->step.depth > 0 || !hash_is_unknown_input(r)) continue;
        hash_write_path(&r->step.input, path);
        printf("  would match with %s = %u\n", path,
               number_needed(j, i, (uint16_t)(wire ^ (uint16_t)j->expected)));
    }
}

void hash_print_text(const hash_job *j, const sb_ship_class *ship, uint32_t hash)
{
    uint16_t wire = sb_integrity_wire(hash);
    if (j->explain) explain(j, ship, hash);
    else if (j->verbose) print_steps(j, ship);
    printf("%-14s hash 0x%08X  wire 0x%04X  unknown inputs: %zu, changing the hash: %zu\n",
           ship->key, hash, wire, hash_count_unknown(j, false), hash_count_unknown(j, true));
    if (j->expected < 0) return;
    printf("  expected 0x%04lX: %s\n", (unsigned long)j->expected,
           wire == j->expected ? "match" : "no match");
    print_inputs_that_count(j);
    if (wire != j->expected) print_needed(j, wire);
}

/* ---- JSON ---- */

void hash_print_json_text(const char *text)
{
    putchar('"');
    for (const unsigned char *c = (const unsigned char *)text; *c; c++)
        if (*c == '"' || *c == '\\' || *c < 0x20 || *c > 0x7E) printf("\\u%04x", *c);
        else putchar(*c);
    putchar('"');
}

static void print_json_step(const hash_row *r, size_t number)
{
    hash_path path;
    hash_write_path(&r->step.input, path);
    printf("{\"step\":%zu,\"input\":\"%s\",\"origin\":\"%s\",\"depth\":%u", number, path,
           sb_integrity_origin_name(r->step.input.origin), r->step.depth);
    if (r->step.input.kind == SB_INTEGRITY_TEXT && !r->step.folded) {
        printf(",\"text\":");
        hash_print_json_text(r->step.input.text);
    }
    if (isfinite(r->step.value)) printf(",\"value\":%.9g", (double)r->step.value);
    else printf(",\"value\":null"); /* an accumulator can be any float */
    if (r->step.folded)
        printf(",\"before\":%u,\"adds\":%u,\"accumulator\":%u,\"counts\":%s", r->step.before,
               r->step.contribution, r->step.after, r->counts ? "true" : "false");
    printf("}");
}

static void print_json_status(const sb_ship_class *ship, uint16_t wire)
{
    if (ship->captured_hash) printf(",\"captured\":%d", ship->captured_hash);
    else printf(",\"captured\":null");
    printf(",\"confirmed\":%s", ship->captured_hash == wire ? "true" : "false");
}

void hash_print_json(const hash_job *j, const sb_ship_class *ship, uint32_t hash)
{
    uint16_t wire = sb_integrity_wire(hash);
    printf("{\"ship\":");
    hash_print_json_text(ship->key);
    printf(",\"species\":%u,\"hash\":%u,\"wire\":%u,\"unknown\":%zu,\"counting\":%zu",
           ship->species, hash, wire, hash_count_unknown(j, false), hash_count_unknown(j, true));
    if (j->expected >= 0)
        printf(",\"expected\":%ld,\"match\":%s", j->expected,
               wire == j->expected ? "true" : "false");
    bool steps = j->verbose || j->explain;
    print_json_status(ship, wire);
    if (steps) printf(",\"steps\":[");
    for (size_t i = 0; steps && i < j->row_count; i++) {
        if (i) putchar(',');
        print_json_step(&j->rows[i], i + 1);
    }
    printf(steps ? "]}\n" : "}\n");
}
