/* src/message/scripts.c -- script messages: opcodes from 0x2B up.
 *
 * For:      chat, mission, scores, teams, end of the match; mod messages as opaque bytes.
 * Spec:     09.
 * Tests:    tests/message/message_test.c, vector_test.c, table_test.c
 */
#include "message/definition.h"
#include "message/describe.h"

/* Spec 09 §4. */
SB_DESCRIBE_MESSAGE(chat, sb_chat)
{
    SB_I32(sender);
    SB_TEXT16(text);
}

/* Spec 09 §5. */
SB_DESCRIBE_MESSAGE(mission_init, sb_mission_init)
{
    SB_U8(player_limit);
    SB_U8(system, .names = sb_system_names);
    if (SB_SOURCE_LACKS(SB_KIND_U8, "time_limit") && SB_SOURCE_HAS(SB_KIND_I32, "end_time"))
        m->time_limit = 0;
    SB_U8(time_limit, .unit = "min");
    if (how == SB_READ) m->end_time = 0;
    if (m->time_limit != 0xFF) SB_I32(end_time, .when = "time_limit is not 0xFF", .unit = "s");
    SB_U8(frag_limit);
}

static SB_ALWAYS_INLINE void score_entry(sb_walk *w, const sb_how how, sb_score_entry *m)
{
    SB_I32(player);
    SB_I32(score);
}

static SB_ALWAYS_INLINE void score_list(sb_walk *w, const sb_how how, sb_score_change *m)
{
    static const sb_field f_entries = {
        .name = "entries", .kind = SB_KIND_LIST, .when = "@missing_ids is 0", .count = "k"
    };
    static const sb_field f_entry = { SB_FIELD_NAME("entry"), .kind = SB_KIND_GROUP };
    static const sb_field f_count = {
        .name = "k", .kind = SB_KIND_U8, .derived = true, .when = "@missing_ids is 0"
    };
    size_t count = m->entry_count;
    sb_walk_count(w, how, &f_count, &f_entries, &count, SB_SCORES_MAX);
    for (size_t i = 0; i < count && sb_walk_status(w, how) == SB_OK; i++) {
        SB_ENTER_GROUP(&f_entry);
        score_entry(w, how, &m->entries[i]);
        SB_LEAVE(&f_entry);
    }
    SB_LEAVE(&f_entries);
    if (how == SB_READ) m->entry_count = (uint8_t)count;
}

/* A stock host announces entries whose ids it does not write: four bytes less for each (spec 09
 * §6). `size`: the bytes behind the count. */
static SB_ALWAYS_INLINE bool lacks_ids(size_t announced, size_t size)
{
    return size % 4 == 0 && size >= 4 * announced && size < 8 * announced;
}

/* Entries without some of their ids. */
static SB_ALWAYS_INLINE void number_list(sb_walk *w, const sb_how how, sb_score_change *m)
{
    static const sb_field f_announced = { SB_FIELD_NAME("k"), .kind = SB_KIND_U8,
                                          .when = "@missing_ids is not 0" };
    static const sb_field f_numbers = {
        .name = "numbers", .kind = SB_KIND_LIST, .when = "@missing_ids is not 0", .count = "@rest"
    };
    static const sb_field f_number = { SB_FIELD_NAME("number"), .kind = SB_KIND_I32 };
    sb_walk_u8(w, how, &f_announced, &m->announced);
    if (how != SB_SLOW) {
        sb_walk_bytes(w, how, &f_numbers, &m->numbers);
        return;
    }
    size_t count = sb_walk_builds(w) ? 0 : w->r.left / 4;
    sb_walk_enter_list(w, &f_numbers, &count, (size_t)2 * SB_SCORES_MAX);
    if (!lacks_ids(m->announced, 4 * count)) sb_walk_fail(w, how, SB_BAD_VALUE);
    for (size_t i = 0; i < count && sb_walk_status(w, how) == SB_OK; i++) {
        int32_t number = 0;
        sb_walk_i32(w, how, &f_number, &number);
    }
    sb_walk_leave(w, &f_numbers);
}

static SB_ALWAYS_INLINE bool has_numbers(const sb_walk *w, const sb_how how,
                                         const sb_score_change *m)
{
    if (how == SB_WRITE) return m->numbers.size > 0;
    if (how == SB_SLOW && sb_walk_builds(w)) return SB_SOURCE_HAS(SB_KIND_LIST, "numbers");
    return w->r.left > 0 && lacks_ids(w->r.next[0], w->r.left - 1);
}

static SB_ALWAYS_INLINE void walk_entries(sb_walk *w, const sb_how how, sb_score_change *m)
{
    if (how == SB_READ) {
        m->entry_count = m->announced = 0;
        m->numbers = (sb_span){ NULL, 0 };
    }
    if (!has_numbers(w, how, m)) {
        score_list(w, how, m);
        return;
    }
    if (how == SB_WRITE && (m->entry_count > 0 || !lacks_ids(m->announced, m->numbers.size)))
        sb_walk_fail(w, how, SB_BAD_VALUE);
    number_list(w, how, m);
}

/* Spec 09 §6: the numbers are new totals, not differences. */
SB_DESCRIBE_MESSAGE(score_change, sb_score_change)
{
    SB_I32(killer);
    if (how == SB_READ) m->kills = m->score = 0;
    if (m->killer != 0) {
        SB_I32(kills, .when = "killer is not 0");
        SB_I32(score, .when = "killer is not 0");
    }
    SB_I32(victim);
    SB_I32(deaths);
    walk_entries(w, how, m);
    SB_EXACT();
}

/* Spec 09 §7. */
SB_DESCRIBE_MESSAGE(score, sb_score)
{
    SB_I32(player);
    SB_I32(kills);
    SB_I32(deaths);
    SB_I32(score);
}

SB_DESCRIBE_MESSAGE(score_init, sb_score)
{
    score_fields(w, how, m);
    SB_U8(team);
}

SB_DESCRIBE_MESSAGE(team_score, sb_team_score)
{
    SB_U8(team);
    SB_I32(kills);
    SB_I32(score);
}

SB_DESCRIBE_MESSAGE(team, sb_team)
{
    SB_I32(player);
    SB_U8(team);
}

/* Spec 09 §8. */
SB_DESCRIBE_MESSAGE(end_game, sb_end_game)
{
    SB_I32(reason, .names = sb_end_reason_names);
}

/* Spec 09 §9.1: the content is neither parsed nor changed; tools also get the texts in it. */
SB_DESCRIBE_MESSAGE(mod_message, sb_mod_message)
{
    SB_BYTES(content);
    if (how == SB_SLOW && sb_walk_status(w, how) == SB_OK) sb_show_text_runs(w, m->content);
}
