/* src/admin/votes.c -- calling, casting and counting votes.
 *
 * For:      votes.h. In this order: rows, calling, casting, the result, texts.
 */
#include "admin/votes.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/assert.h"

/* ---- rows ---- */

void sb_votes_set_rows(sb_votes *v, const sb_vote_row *rows, size_t count)
{
    SB_ASSERT(count <= SB_VOTE_ROWS_MAX);
    *v = (sb_votes){ .rows = rows, .row_count = count };
}

int sb_votes_find_row(const sb_votes *v, const char *name)
{
    for (size_t i = 0; i < v->row_count; i++)
        if (strcasecmp(v->rows[i].name, name) == 0) return (int)i;
    return -1;
}

/* ---- calling ---- */

static sb_vote_fault cooling(sb_vote_fault fault, sb_time left, uint32_t *wait_s)
{
    if (wait_s) *wait_s = (uint32_t)((left + SB_SECOND - 1) / SB_SECOND);
    return fault;
}

static sb_vote_caller *find_caller(sb_votes *v, uint32_t address)
{
    for (size_t i = 0; i < SB_VOTE_CALLERS_MAX; i++)
        if (v->callers[i].address == address) return &v->callers[i];
    return NULL;
}

sb_vote_fault sb_votes_call(sb_votes *v, size_t row, uint8_t caller, uint32_t caller_address,
                            uint8_t target, const char *argument, sb_time now, uint32_t *wait_s)
{
    SB_ASSERT(row < v->row_count);
    const sb_vote_caller *known = caller_address ? find_caller(v, caller_address) : NULL;
    if (v->open) return SB_VOTE_IS_OPEN;
    if (target != 0 && target == caller) return SB_VOTE_AGAINST_SELF;
    if (now < v->row_until[row]) return cooling(SB_VOTE_ROW_COOLS, v->row_until[row] - now, wait_s);
    if (known && now < known->until)
        return cooling(SB_VOTE_CALLER_COOLS, known->until - now, wait_s);
    memset(v->cast, 0, sizeof v->cast);
    v->yes = v->no = 0;
    v->open = true;
    v->row = row;
    v->caller_address = caller_address;
    v->target = target;
    v->ends_at = now + v->rows[row].seconds * SB_SECOND;
    snprintf(v->argument, sizeof v->argument, "%s", argument);
    (void)sb_votes_cast(v, caller, true);
    return SB_VOTE_FINE;
}

/* ---- casting ---- */

static void count(sb_votes *v, uint8_t vote, int change)
{
    unsigned *counter = vote == 2 ? &v->yes : &v->no;
    if (vote != 0) *counter = (unsigned)((int)*counter + change);
}

static void put(sb_votes *v, uint8_t peer_id, uint8_t vote)
{
    count(v, v->cast[peer_id], -1);
    v->cast[peer_id] = vote;
    count(v, vote, 1);
}

sb_vote_fault sb_votes_cast(sb_votes *v, uint8_t peer_id, bool yes)
{
    uint8_t vote = yes ? 2 : 1;
    if (!v->open || peer_id >= SB_VOTE_PEERS_MAX) return SB_VOTE_NOT_OPEN;
    if (v->cast[peer_id] == vote) return SB_VOTE_CAST_ALREADY;
    put(v, peer_id, vote);
    return SB_VOTE_FINE;
}

/* ---- the result ---- */

/* Free places have the earliest time. */
static sb_vote_caller *find_oldest_caller(sb_votes *v)
{
    sb_vote_caller *oldest = &v->callers[0];
    for (size_t i = 1; i < SB_VOTE_CALLERS_MAX; i++)
        if (v->callers[i].until < oldest->until) oldest = &v->callers[i];
    return oldest;
}

/* The caller with the earliest cooldown gives its place to a new one. */
static void cool_down(sb_votes *v, sb_time now)
{
    const sb_vote_row *row = &v->rows[v->row];
    sb_vote_caller    *place = v->caller_address ? find_caller(v, v->caller_address) : NULL;
    v->row_until[v->row] = now + row->cooldown * SB_SECOND;
    if (v->caller_address == 0) return;
    if (!place) place = find_oldest_caller(v);
    *place = (sb_vote_caller){ v->caller_address, now + (sb_time)2 * row->cooldown * SB_SECOND };
}

unsigned sb_votes_needed(const sb_vote_row *row, unsigned people)
{
    unsigned needed = (row->quorum * people + 99) / 100;
    return needed < 1 ? 1 : needed;
}

static bool is_majority(const sb_vote_row *row, unsigned yes, unsigned no)
{
    return yes > 0 && yes * 100 >= row->majority * (yes + no);
}

static bool passes(const sb_vote_row *row, unsigned people, unsigned yes, unsigned no)
{
    return yes + no >= sb_votes_needed(row, people) && is_majority(row, yes, no);
}

sb_vote_state sb_votes_advance(sb_votes *v, unsigned people, sb_time now)
{
    if (!v->open) return SB_VOTE_NONE;
    const sb_vote_row *row = &v->rows[v->row];
    unsigned           voted = v->yes + v->no, left = people > voted ? people - voted : 0;
    bool               over = now >= v->ends_at;
    /* All others say no: it passes all the same. All others say yes: it fails all the same. */
    bool certain = passes(row, people, v->yes, v->no) && passes(row, people, v->yes, v->no + left);
    bool hopeless = !passes(row, people, v->yes + left, v->no);
    if (!over && !certain && !hopeless) return SB_VOTE_OPEN;
    v->open = false;
    if (passes(row, people, v->yes, v->no)) return SB_VOTE_PASSED;
    cool_down(v, now);
    return SB_VOTE_FAILED;
}

bool sb_votes_leave(sb_votes *v, uint8_t peer_id, sb_time now)
{
    if (!v->open || peer_id >= SB_VOTE_PEERS_MAX) return false;
    put(v, peer_id, 0);
    if (v->target == 0 || v->target != peer_id) return false;
    v->open = false;
    cool_down(v, now);
    return true;
}

sb_time sb_votes_deadline(const sb_votes *v)
{
    return v->open ? v->ends_at : SB_TIME_NEVER;
}

/* ---- texts ---- */

/* The configuration's text: sb_vote_row_fault allows one %s at most. */
static void fill(const char *form, const char *argument, char *out, size_t capacity)
{
    const char *percent = strchr(form, '%');
    if (!percent) snprintf(out, capacity, "%s", form);
    else snprintf(out, capacity, "%.*s%s%s", (int)(percent - form), form, argument, percent + 2);
}

void sb_votes_question(const sb_votes *v, char out[SB_VOTE_TEXT_MAX])
{
    char argument[52]; /* names are short; a longer text is cut */
    snprintf(argument, sizeof argument, "%.51s", v->argument);
    fill(v->rows[v->row].text, argument, out, SB_VOTE_TEXT_MAX);
}

void sb_vote_row_command(const sb_vote_row *row, const char *argument,
                         char out[SB_VOTE_COMMAND_MAX])
{
    fill(row->command, argument, out, SB_VOTE_COMMAND_MAX);
}

void sb_votes_command(const sb_votes *v, char out[SB_VOTE_COMMAND_MAX])
{
    char id[8];
    snprintf(id, sizeof id, "#%u", v->target);
    sb_vote_row_command(&v->rows[v->row], v->target ? id : v->argument, out);
}
