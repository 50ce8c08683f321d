/* starbase/field.h -- field-by-field access to messages through callbacks.
 *
 * For:      printers, JSON and filters, which pass a sink and get a callback per field; builders and
 *           random generators, which pass a source and are asked for each field.
 * Never:    needed to decode into a struct: starbase/message.h does that without callbacks.
 */
#ifndef STARBASE_FIELD_H
#define STARBASE_FIELD_H

#include <starbase/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The wire format of a field; it decides which members of sb_value hold the value. */
typedef enum sb_kind {
    SB_KIND_U8,       /* number */
    SB_KIND_I8,       /* number, sign-extended */
    SB_KIND_U16,      /* number */
    SB_KIND_U32,      /* number */
    SB_KIND_I32,      /* number */
    SB_KIND_ID,       /* number: an object id, shown in hex (spec 08 §2) */
    SB_KIND_FLAGS,    /* number: one byte; `names` names the bits */
    SB_KIND_BIT,      /* number 0 or 1, stored in a group byte (spec 02 §4) */
    SB_KIND_F32,      /* real[0]; finite */
    SB_KIND_VEC3,     /* real[0..2]; finite */
    SB_KIND_POSITION, /* as VEC3, each coordinate within +-1e7 (spec 12 #4) */
    SB_KIND_QUAT,     /* real[0..3] = w, x, y, z */
    SB_KIND_CF16,     /* number = code, real[0] = value (CompressedFloat16) */
    SB_KIND_CV3,      /* direction = code, real[0..2] = value (CompressedVector3) */
    SB_KIND_CV4,      /* direction, number = magnitude code, real[0..2] (CompressedVector4) */
    SB_KIND_CV4F,     /* direction, real[3] = magnitude, real[0..2] (CompressedVector4) */
    SB_KIND_CV4B,     /* direction, number = magnitude code, real[0..2] in units of the radius */
    SB_KIND_RATIO,    /* number = code, real[0] = code / 255 */
    SB_KIND_RATIOS,   /* bytes: codes, each / 255; the ship's list gives their number */
    SB_KIND_PERCENT,  /* number = code, real[0] = code / 100 */
    SB_KIND_LEVEL,    /* number = code, real[0] = code / 204 */
    SB_KIND_SWITCH,   /* number = signed code, real[0] = |code| / 100; > 0 means on */
    SB_KIND_TEXT8,    /* bytes, u8 length before them (lstr8) */
    SB_KIND_TEXT16,   /* bytes, u16 length before them (lstr16) */
    SB_KIND_TEXT32,   /* bytes, u32 length before them (lstr32: WriteCString of scripts, 0x1F
                         without its NUL) */
    SB_KIND_TEXT32Z,  /* bytes without the NUL behind them, which the u32 length counts (only 0x1F)
                       */
    SB_KIND_UTF16,    /* bytes: UTF-16LE including its terminator (only Name, Connect) */
    SB_KIND_ADDRESS,  /* number: IPv4, first octet in the high byte */
    SB_KIND_BYTES,    /* bytes to the end of the unit */
    SB_KIND_NOTE,     /* bytes: a text about other fields; not on the wire */
    SB_KIND_GROUP,    /* enter and leave enclose named fields */
    SB_KIND_LIST,     /* enter and leave enclose items */
    SB_KIND_COUNT
} sb_kind;

/* Initialises `name` and `name_size` of an sb_field with a string literal. */
#define SB_FIELD_NAME(literal) .name = (literal), .name_size = sizeof("" literal) - 1

typedef struct sb_field {
    const char *name;
    size_t      name_size; /* of `name` without its NUL; 0: not counted */
    const char *published; /* other name in the published descriptions, or NULL */
    sb_kind     kind;
    const sb_name *(*names)(void); /* names of its values (FLAGS: of its bits), or NULL */
    bool tentative;                /* the spec marks the meaning as inferred */
    bool derived;  /* follows from other fields (a count, a length): a source need not give it */
    bool fixed;    /* LIST: the message type sets the number of items; a source has all or none */
    bool implied;  /* the opcode or later fields imply it: one-line views omit it */
    bool is_class; /* a class id: tools name values that `names` lacks by sb_find_class_id */
    bool brief;    /* NOTE: one-line views show it, too */
    bool rare;     /* BIT: marks a rare form of the message; a sink gets it only if true */
    bool off_wire; /* BIT: has no bits on the wire, but is true if `when` holds */
    /* The following describe the field to readers; the codecs do not use them. */
    const char *when;  /* condition of its presence (src/message/when.h); NULL: always present */
    const char *count; /* LIST, RATIOS: number of items: the name of a field, a number, "@..." */
    const char *unit;  /* of the value; NULL: none */
    double      low, high; /* bounds of value, text size or list size; both 0: as the kind */
} sb_field;

/* The value of a field; sb_kind says which members are valid. Bytes are lent until the call
 * returns. */
typedef struct sb_value {
    uint32_t number; /* signed kinds: two's complement */
    int8_t   direction[3];
    float    real[4];
    sb_span  bytes;
} sb_value;

/* Receives the fields of one unit (a message or datagram) in wire order. `offset` and `size` locate
 * the field's bytes in the unit; booleans share a byte. Names of list items carry no meaning. */
typedef struct sb_sink {
    void *self;
    void (*value)(void *self, const sb_field *field, const sb_value *value, size_t offset,
                  size_t size);
    void (*enter)(void *self, const sb_field *field);
    void (*leave)(void *self, const sb_field *field);
} sb_sink;

typedef enum sb_answer {
    SB_ABSENT, /* the source has no value: the default stays */
    SB_GIVEN,
    SB_REFUSED, /* the source has an impossible value, and keeps the details itself */
} sb_answer;

/* Supplies the fields of one unit in wire order. */
typedef struct sb_source {
    void *self;
    /* True if the source has this field (or group, or list) at the current place. A source that
     * rejects unknown keys accepts the key of a field that was asked for. */
    bool (*has)(void *self, const sb_field *field);
    /* Fills the members that the kind uses and returns SB_GIVEN. Lossy kinds need their code;
     * real[] alone is not enough. `value` holds the default on entry. Bytes must stay valid until
     * the unit is built. `count`: number of codes of RATIOS, else 0. */
    sb_answer (*value)(void *self, const sb_field *field, sb_value *value, size_t count);
    /* Enters a group or a list. `*count`: in, the largest number of items; out, the number. */
    sb_answer (*enter)(void *self, const sb_field *field, size_t *count);
    void (*leave)(void *self, const sb_field *field);
} sb_source;

/* Where and why a unit was refused. `offset` counts from its first byte. */
typedef struct sb_refusal {
    sb_result   result;
    size_t      offset;
    const char *field; /* name of the refused field, or NULL */
} sb_refusal;

#ifdef __cplusplus
}
#endif
#endif
