/* apps/hash/steps.c -- the steps of a ship's integrity hash, and the names of its inputs.
 *
 * Tests:    tests/apps/hash_test.py
 */
#include "hash/hash.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- names of inputs ---- */

static void add_index(char *path, int16_t index)
{
    size_t at = strlen(path);
    if (index >= 0) snprintf(path + at, HASH_PATH_BYTES - at, "[%d]", index);
}

void hash_write_property(const sb_integrity_input *input, char *path)
{
    snprintf(path, HASH_PATH_BYTES, "%s", input->type >= 0 ? "types" : "");
    add_index(path, input->type);
    size_t at = strlen(path);
    snprintf(path + at, HASH_PATH_BYTES - at, "%s%s", at ? "." : "", input->property);
    add_index(path, input->index);
}

void hash_write_path(const sb_integrity_input *input, char *path)
{
    hash_path property = "";
    hash_write_property(input, property);
    snprintf(path, HASH_PATH_BYTES, "%s", sb_integrity_part_name(input->part));
    add_index(path, input->child);
    size_t at = strlen(path);
    snprintf(path + at, HASH_PATH_BYTES - at, ".%s", property);
}

bool hash_is_unknown(const sb_integrity_input *input)
{
    return input->origin == SB_INTEGRITY_ASSUMED || input->origin == SB_INTEGRITY_ESTIMATED;
}

/* ---- the steps of one ship ---- */

static void store_step(void *context, const sb_integrity_step *step)
{
    hash_job *j = context;
    if (j->row_count == j->row_capacity) {
        j->row_capacity = j->row_capacity ? 2 * j->row_capacity : 1024;
        j->rows = realloc(j->rows, j->row_capacity * sizeof *j->rows);
        if (!j->rows) abort();
    }
    /* Inputs of a nested accumulator count only if that accumulator adds something itself. */
    bool lost = step->input.origin == SB_INTEGRITY_NESTED && step->contribution == 0;
    for (size_t i = j->row_count; lost && i-- > 0 && j->rows[i].step.depth > step->depth;)
        j->rows[i].counts = false;
    j->rows[j->row_count++] = (hash_row){ *step, !lost };
}

uint32_t hash_compute(hash_job *j, const sb_ship_class *ship)
{
    sb_integrity_assumptions assumptions = { j, hash_amend };
    sb_integrity_sink        sink = { j, store_step };
    j->row_count = 0;
    return sb_ship_integrity(ship, &assumptions, &sink);
}

bool hash_is_unknown_input(const hash_row *r)
{
    bool character = r->step.input.kind == SB_INTEGRITY_TEXT && r->step.folded;
    return hash_is_unknown(&r->step.input) && !character;
}

static bool same_input(const sb_integrity_input *a, const sb_integrity_input *b)
{
    return a->part == b->part && a->child == b->child && a->type == b->type &&
           a->index == b->index && strcmp(a->property, b->property) == 0;
}

/* A weapon's properties are hashed twice, with its system and on its own, but are one input. */
bool hash_is_first(const hash_job *j, size_t at, bool counting)
{
    for (size_t i = 0; i < at; i++)
        if (same_input(&j->rows[i].step.input, &j->rows[at].step.input) &&
            (j->rows[i].counts || !counting))
            return false;
    return true;
}

size_t hash_count_unknown(const hash_job *j, bool counting)
{
    size_t count = 0;
    for (size_t i = 0; i < j->row_count; i++)
        if (hash_is_unknown_input(&j->rows[i]) && (j->rows[i].counts || !counting))
            count += hash_is_first(j, i, counting);
    return count;
}
