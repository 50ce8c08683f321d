/* src/base/windows1252.h -- converts between Windows-1252 bytes and Unicode code points.
 *
 * For:      base/text.c, and the JSON of src/inspect. The mapping is that of the WHATWG encoding
 *           standard: the five unassigned bytes map to the code point of the same number, so every
 *           byte survives the round trip.
 * Never:    used by codecs: messages carry texts as Windows-1252 bytes.
 * Tests:    tests/base/text_test.c
 */
#ifndef SB_BASE_WINDOWS1252_H
#define SB_BASE_WINDOWS1252_H

#include <stdbool.h>
#include <stdint.h>

uint32_t sb_windows1252_code_point(uint8_t byte);

/* False: Windows-1252 lacks this code point; `*byte` is unchanged. */
bool sb_windows1252_byte(uint32_t code_point, uint8_t *byte);

#endif
