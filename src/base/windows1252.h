/* src/base/windows1252.h -- the game's 8-bit texts as Unicode, both ways.
 *
 * For:      JSON in and out. The mapping is the one of the WHATWG encoding standard: every byte has
 *           a code point (the five unassigned ones keep their number), so no text is lost.
 * Never:    used on the wire: messages carry the bytes.
 */
#ifndef SB_BASE_WINDOWS1252_H
#define SB_BASE_WINDOWS1252_H

#include <stdbool.h>
#include <stdint.h>

uint32_t sb_windows1252_code_point(uint8_t byte);

/* False: no byte stands for this code point. */
bool sb_windows1252_byte(uint32_t code_point, uint8_t *byte);

#endif
