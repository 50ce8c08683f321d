/* fuzz/script_message.h -- well-formed messages whose fields a script chooses.
 *
 * For:      harnesses that want to reach what lies behind the decoder. A message is built from its
 *           description, so a new message is reached without further code, and a changed byte of
 *           the input changes one field.
 */
#ifndef SB_FUZZ_SCRIPT_MESSAGE_H
#define SB_FUZZ_SCRIPT_MESSAGE_H

#include "script.h"

#include <starbase/message.h>

/* What the fields of a message refer to. */
typedef struct script_scene {
    void *self;
    /* The object that a byte of the script stands for. */
    uint32_t (*object_of)(void *self, uint8_t which);
    const sb_ship_class *ship; /* of a StateUpdate; NULL: unknown */
    float                game_time;
} script_scene;

/* Builds a message: a byte chooses its type, the following bytes its fields. Returns its size; 0:
 * no message has these fields, or it is longer than `capacity`. */
size_t build_script_message(const script_scene *scene, script *s, uint8_t *out, size_t capacity);
/* Changes bytes of a message as the script says: up to three are replaced; it may be cut off.
 * Returns the new size, at least 1. */
size_t change_script_message(script *s, uint8_t *bytes, size_t size);

#endif
