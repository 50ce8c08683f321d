/* src/message/describe.h -- what the descriptions of game messages share.
 *
 * For:      the files of this folder. Each description stands in the file of its spec chapter:
 *           state_update.c (03), join.c (06), objects.c (07), events.c (08), scripts.c (09).
 */
#ifndef SB_MESSAGE_DESCRIBE_H
#define SB_MESSAGE_DESCRIBE_H

#include <starbase/message.h>

#include "wire/walk.h"

static inline const sb_message_context *sb_context_of(const sb_walk *w)
{
    return w->context;
}

/* Brackets that appear only where somebody looks: in the fast walks they cost nothing. */
#define SB_BEGIN(field_, count_, most_)                                                            \
    do {                                                                                           \
        if (how == SB_SLOW) sb_walk_begin(w, field_, count_, most_);                               \
    } while (0)
#define SB_END(field_)                                                                             \
    do {                                                                                           \
        if (how == SB_SLOW) sb_walk_end(w, field_);                                                \
    } while (0)

#define SB_NOTE(name_, text_)                                                                      \
    do {                                                                                           \
        static const sb_field note_ = { .name = name_, .kind = SB_KIND_NOTE };                     \
        if (how == SB_SLOW) sb_walk_note(w, &note_, text_);                                        \
    } while (0)

/* Sets m->member_: is the optional tail there? */
#define SB_CHOICE(member_)                                                                         \
    do {                                                                                           \
        static const sb_field choice_ = { .name = #member_, .kind = SB_KIND_BIT };                 \
        if (how == SB_READ) m->member_ = sb_reader_left(&w->r) > 0;                                \
        if (how == SB_SLOW) sb_walk_choice(w, &choice_, &m->member_);                              \
    } while (0)

/* True while a message is built and the source has no value of its own for `name_`. */
#define SB_SOURCE_LACKS(kind_, name_)                                                              \
    (how == SB_SLOW && sb_walk_builds(w) &&                                                        \
     !w->source->has(w->source->self, &(const sb_field){ .name = name_, .kind = kind_ }))
#define SB_SOURCE_HAS(kind_, name_)                                                                \
    (how == SB_SLOW && sb_walk_builds(w) &&                                                        \
     w->source->has(w->source->self, &(const sb_field){ .name = name_, .kind = kind_ }))

/* The names of numbers, names.c. */
const sb_name *sb_event_class_names(void);
const sb_name *sb_event_code_names(void);
const sb_name *sb_state_flag_names(void);
const sb_name *sb_class_names(void);
const sb_name *sb_end_reason_names(void);
const sb_name *sb_phaser_level_names(void);
const sb_name *sb_tractor_mode_names(void);
const sb_name *sb_torpedo_flag_names(void);
const sb_name *sb_pulse_flag_names(void);

SB_DECLARE_DESCRIPTION(state_update)
SB_DECLARE_DESCRIPTION(settings)
SB_DECLARE_DESCRIPTION(empty)
SB_DECLARE_DESCRIPTION(object_create)
SB_DECLARE_DESCRIPTION(player_object_create)
SB_DECLARE_DESCRIPTION(event)
SB_DECLARE_DESCRIPTION(collision_effect)
SB_DECLARE_DESCRIPTION(object_ref)
SB_DECLARE_DESCRIPTION(collision_setting)
SB_DECLARE_DESCRIPTION(player_left)
SB_DECLARE_DESCRIPTION(torpedo_fire)
SB_DECLARE_DESCRIPTION(pulse_fire)
SB_DECLARE_DESCRIPTION(enter_set)
SB_DECLARE_DESCRIPTION(checksum_request)
SB_DECLARE_DESCRIPTION(checksum_response)
SB_DECLARE_DESCRIPTION(file_name)
SB_DECLARE_DESCRIPTION(file_transfer)
SB_DECLARE_DESCRIPTION(damage_volume)
SB_DECLARE_DESCRIPTION(new_player_in_game)
SB_DECLARE_DESCRIPTION(chat)
SB_DECLARE_DESCRIPTION(mission_init)
SB_DECLARE_DESCRIPTION(score_change)
SB_DECLARE_DESCRIPTION(score)
SB_DECLARE_DESCRIPTION(score_init)
SB_DECLARE_DESCRIPTION(end_game)
SB_DECLARE_DESCRIPTION(team_score)
SB_DECLARE_DESCRIPTION(team)
SB_DECLARE_DESCRIPTION(mod_message)

#endif
