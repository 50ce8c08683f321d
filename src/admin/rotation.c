/* src/admin/rotation.c -- which entry comes next, and the steps by which it comes.
 *
 * For:      rotation.h.
 */
#include "admin/rotation.h"

#include <stdio.h>

#include "base/assert.h"

static void copy(char out[SB_ROTATION_TEXT], const char *text)
{
    snprintf(out, SB_ROTATION_TEXT, "%s", text ? text : "");
}

/* Those of an entry; NULL: as configured. */
static void take_limits(sb_rotation *r, const sb_rotation_entry *entry)
{
    r->choice.time_limit = entry ? entry->time_limit : -1;
    r->choice.frag_limit = entry ? entry->frag_limit : -1;
}

static void take(sb_rotation *r, size_t position)
{
    const sb_rotation_entry *entry = &r->entries[position];
    r->position = position;
    r->has_choice = true;
    r->by_hand = false;
    copy(r->choice.system, entry->system);
    copy(r->choice.mission, entry->mission);
    take_limits(r, entry);
}

void sb_rotation_set_entries(sb_rotation *r, const sb_rotation_entry *entries, size_t count)
{
    size_t position = count == r->count ? r->position : 0;
    SB_ASSERT(count <= SB_ROTATION_MAX);
    r->entries = entries;
    r->count = count;
    if (r->by_hand) {
        r->position = position;
        take_limits(r, count > 0 ? &entries[position] : NULL);
    } else if (count > 0) take(r, position);
    else r->has_choice = false;
}

void sb_rotation_forget_choice(sb_rotation *r)
{
    r->by_hand = false;
}

const sb_rotation_entry *sb_rotation_peek(const sb_rotation *r)
{
    return r->count > 0 ? &r->entries[(r->position + 1) % r->count] : NULL;
}

bool sb_rotation_next(sb_rotation *r)
{
    if (r->count == 0) return false;
    take(r, (r->position + 1) % r->count);
    return true;
}

void sb_rotation_choose(sb_rotation *r, const char *system, const char *mission)
{
    if (!r->has_choice) r->choice = (sb_rotation_choice){ .time_limit = -1, .frag_limit = -1 };
    r->has_choice = r->by_hand = true;
    if (system && system[0]) copy(r->choice.system, system);
    if (mission && mission[0]) copy(r->choice.mission, mission);
}

/* ---- the steps ---- */

static sb_rotation_action warn(sb_rotation *r, sb_time now)
{
    r->step = SB_ROTATION_WARNED;
    r->at = now + SB_ROTATION_REJOIN_SECONDS * SB_SECOND;
    return SB_ROTATION_WARN;
}

/* Players who were warned already are told of the other choice, and leave at the same time. */
sb_rotation_action sb_rotation_begin(sb_rotation *r, sb_rotate how, bool empty, sb_time now)
{
    if (empty) {
        r->step = SB_ROTATION_IDLE;
        return SB_ROTATION_CONFIGURE;
    }
    if (r->step == SB_ROTATION_CLOSED) return SB_ROTATION_CONFIGURE;
    if (r->step == SB_ROTATION_WARNED) return SB_ROTATION_WARN;
    if (how == SB_ROTATE_RESEND) return SB_ROTATION_RESEND;
    if (how == SB_ROTATE_REJOIN) return warn(r, now);
    r->step = SB_ROTATION_WAITS;
    return SB_ROTATION_CONFIGURE;
}

/* An entry that already waits for an empty room comes before the one after it. */
sb_rotation_action sb_rotation_match_over(sb_rotation *r, sb_rotate how, sb_time now)
{
    if (r->step != SB_ROTATION_IDLE || r->count < 2) return SB_ROTATION_NOTHING;
    (void)sb_rotation_next(r);
    return sb_rotation_begin(r, how, false, now);
}

sb_rotation_action sb_rotation_advance(sb_rotation *r, sb_time now)
{
    bool removes = r->step == SB_ROTATION_WARNED || r->step == SB_ROTATION_CLOSED;
    if (!removes || now < r->at) return SB_ROTATION_NOTHING;
    r->step = SB_ROTATION_CLOSED;
    r->at = now + SB_SECOND;
    return SB_ROTATION_REMOVE;
}

void sb_rotation_emptied(sb_rotation *r)
{
    r->step = SB_ROTATION_IDLE;
}

void sb_rotation_clear(sb_rotation *r, sb_time now)
{
    if (r->step == SB_ROTATION_IDLE) return;
    r->step = SB_ROTATION_CLOSED;
    r->at = now;
}

sb_time sb_rotation_deadline(const sb_rotation *r)
{
    bool removes = r->step == SB_ROTATION_WARNED || r->step == SB_ROTATION_CLOSED;
    return removes ? r->at : SB_TIME_NEVER;
}

bool sb_rotation_is_closed(const sb_rotation *r)
{
    return r->step == SB_ROTATION_CLOSED;
}
