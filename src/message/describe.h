/* src/message/describe.h -- macros for the descriptions of game messages.
 *
 * For:      the files of this folder. Each description is in the file of its spec chapter:
 *           state_update.c (03), join.c (06), objects.c (07), events.c (08), scripts.c (09).
 */
#ifndef SB_MESSAGE_DESCRIBE_H
#define SB_MESSAGE_DESCRIBE_H

#include <starbase/message.h>

#include "message/names.h"
#include "wire/walk.h"

/* Units of values, for sb_field.unit. */
#define SB_GAME_UNITS "game units"
#define SB_GAME_RADII "radii of the object"

static inline const sb_message_context *sb_context_of(const sb_walk *w)
{
    return w->context;
}

/* Enclose a group or a list. The fast walks skip them at compile time. */
#define SB_ENTER_GROUP(field_)                                                                     \
    do {                                                                                           \
        if (how == SB_SLOW) sb_walk_enter_group(w, field_);                                        \
    } while (0)
#define SB_ENTER_LIST(field_, count_, max_count_)                                                  \
    do {                                                                                           \
        if (how == SB_SLOW) sb_walk_enter_list(w, field_, count_, max_count_);                     \
    } while (0)
#define SB_LEAVE(field_)                                                                           \
    do {                                                                                           \
        if (how == SB_SLOW) sb_walk_leave(w, field_);                                              \
    } while (0)

#define SB_NOTE(name_, text_)                                                                      \
    do {                                                                                           \
        static const sb_field note_ = { SB_FIELD_NAME(name_), .kind = SB_KIND_NOTE };              \
        if (how == SB_SLOW) sb_walk_show_note(w, &note_, text_);                                   \
    } while (0)

/* The name of the number before it: JSON has no other place for the name. Text views omit it, since
 * they print the name beside the number. */
#define SB_NAME_NOTE(name_, text_)                                                                 \
    do {                                                                                           \
        static const sb_field note_ = { SB_FIELD_NAME(name_), .kind = SB_KIND_NOTE,                \
                                        .implied = true };                                         \
        if (how == SB_SLOW) sb_walk_show_note(w, &note_, text_);                                   \
    } while (0)

/* No byte may follow: for the few messages whose exact length the game checks (spec 02 §9). */
#define SB_EXACT()                                                                                 \
    do {                                                                                           \
        w->exact = true;                                                                           \
        if (how == SB_READ && w->r.left > 0) sb_reader_fail(&w->r, SB_TRAILING);                   \
        if (how == SB_SLOW && !sb_walk_builds(w) && w->r.left > 0) sb_walk_refuse_rest(w);         \
    } while (0)

/* Sets m->member_ to whether the optional tail is present. */
#define SB_CHOICE(member_, ...)                                                                    \
    do {                                                                                           \
        static const sb_field choice_ = { SB_FIELD_NAME(#member_), .kind = SB_KIND_BIT,            \
                                          __VA_ARGS__ };                                           \
        if (how == SB_READ) m->member_ = w->r.left > 0;                                            \
        if (how == SB_SLOW) sb_walk_choice(w, &choice_, &m->member_);                              \
    } while (0)

/* True if a message is being built and its source lacks (or has) the field `name_`. */
#define SB_SOURCE_LACKS(kind_, name_)                                                              \
    (how == SB_SLOW && sb_walk_builds(w) &&                                                        \
     !w->source->has(w->source->self, &(const sb_field){ .name = name_, .kind = kind_ }))
#define SB_SOURCE_HAS(kind_, name_)                                                                \
    (how == SB_SLOW && sb_walk_builds(w) &&                                                        \
     w->source->has(w->source->self, &(const sb_field){ .name = name_, .kind = kind_ }))

/* Keeps the bytes after the last field, and the group bytes if the sender did not group its
 * booleans as spec 02 §4.2 says. */
static SB_ALWAYS_INLINE void sb_keep_leftovers(const sb_reader *r, sb_message *out)
{
    out->trailing = (sb_span){ r->next, r->left };
    out->group_count = 0;
    if (SB_UNLIKELY(!sb_reader_groups_are_canonical(r))) out->group_count = r->group_count;
}

/* Finds the field that made a fast decoder refuse `payload`: the fast decoders track neither names
 * nor positions, so this function of message.c walks the description once more, field by field.
 * Returns the reason of this walk, which differs from the decoder's if it finds an earlier fault.
 */
SB_COLD sb_result sb_explain_refusal(sb_span payload, const sb_message_context *context,
                                     sb_refusal *refusal);

static SB_ALWAYS_INLINE void sb_start_writing(sb_writer *w, const sb_message *m, uint8_t *out,
                                              size_t capacity)
{
    sb_writer_init(w, out, capacity);
    if (SB_UNLIKELY(m->group_count > 0)) {
        w->plan = m->groups;
        w->plan_count = m->group_count;
    }
    sb_writer_write_u8(w, m->opcode);
}

/* Starts the description of a game message and defines its decoder, encoder and slow walk. The
 * decoder and the encoder have a reader or writer of their own, which the compiler keeps in
 * registers. */
#define SB_DESCRIBE_MESSAGE(name, type)                                                            \
    static SB_ALWAYS_INLINE void name##_fields(sb_walk *w, const sb_how how, type *m);             \
    sb_result sb_decode_##name(sb_span payload, const sb_message_context *context,                 \
                               sb_message *out, sb_refusal *refusal)                               \
    {                                                                                              \
        sb_walk w;                                                                                 \
        sb_reader_init(&w.r, payload, out->groups);                                                \
        sb_reader_skip(&w.r, 1);                                                                   \
        w.context = context;                                                                       \
        name##_fields(&w, SB_READ, (type *)(void *)&out->as);                                      \
        if (SB_UNLIKELY(w.r.status != SB_OK))                                                      \
            return sb_explain_refusal(payload, context, refusal);                                  \
        sb_keep_leftovers(&w.r, out);                                                              \
        return SB_OK;                                                                              \
    }                                                                                              \
    sb_result sb_encode_##name(const sb_message *message, const sb_message_context *context,       \
                               uint8_t *out, size_t capacity, size_t *size)                        \
    {                                                                                              \
        sb_walk w;                                                                                 \
        w.context = context;                                                                       \
        w.exact = false;                                                                           \
        sb_start_writing(&w.w, message, out, capacity);                                            \
        name##_fields(&w, SB_WRITE, (type *)(uintptr_t)&message->as); /* is not changed */         \
        if (w.exact && message->trailing.size > 0) sb_writer_fail(&w.w, SB_BAD_VALUE);             \
        sb_writer_write_bytes(&w.w, message->trailing.data, message->trailing.size);               \
        *size = sb_writer_at(&w.w);                                                                \
        return w.w.status;                                                                         \
    }                                                                                              \
    void sb_walk_##name(sb_walk *w, void *m)                                                       \
    {                                                                                              \
        name##_fields(w, SB_SLOW, m);                                                              \
    }                                                                                              \
    static SB_ALWAYS_INLINE void name##_fields(sb_walk *w, const sb_how how, type *m)

/* Declares the codecs of every description in the opcode table, and of mod messages, which have no
 * row. Opcodes that share a description declare it repeatedly, which C allows. */
#define SB_DECLARE_CODECS(name)                                                                    \
    sb_result sb_decode_##name(sb_span payload, const sb_message_context *context,                 \
                               sb_message *out, sb_refusal *refusal);                              \
    sb_result sb_encode_##name(const sb_message *message, const sb_message_context *context,       \
                               uint8_t *out, size_t capacity, size_t *size);                       \
    void      sb_walk_##name(sb_walk *w, void *m);
#define SB_DECLARE_ROW(code, id, name, published, description, ...) SB_DECLARE_CODECS(description)
SB_MESSAGE_TABLE(SB_DECLARE_ROW)
SB_DECLARE_CODECS(mod_message)
#undef SB_DECLARE_ROW

#endif
