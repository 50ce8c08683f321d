/* src/message/names.h -- the names of the numbers in game messages, for printers and JSON.
 *
 * For:      the descriptions of this folder, and src/inspect. The tables are constant.
 * Spec:     03 §2, 07 §2, 08 §3, §4, §7.9, §14, 09 §8.
 */
#ifndef SB_MESSAGE_NAMES_H
#define SB_MESSAGE_NAMES_H

#include <starbase/base.h>

const sb_name *sb_event_class_names(void);
const sb_name *sb_event_code_names(void);
const sb_name *sb_state_flag_names(void);
const sb_name *sb_object_class_names(void);
/* The name of any class id; NULL: unknown. */
const char    *sb_class_name(uint32_t id);
const sb_name *sb_end_reason_names(void);
const sb_name *sb_phaser_level_names(void);
const sb_name *sb_tractor_mode_names(void);
const sb_name *sb_torpedo_flag_names(void);
const sb_name *sb_pulse_flag_names(void);

#endif
