/* tests/vector_cells.h -- the cells of one line of a vector table: reads them, compares with them.
 *
 * For:      tests/message/vector_table_test.c, which sets `table` and `line` before each check.
 * Never:    stops at a failure: complain() prints it and sets table_failed.
 */
#ifndef STARBASE_VECTOR_CELLS_H
#define STARBASE_VECTOR_CELLS_H

#include <starbase/compressed.h>

#include "vector_file.h"

extern const vector_file *table;
extern const vector_line *line;
extern bool               table_failed;

void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The value of a cell; a malformed cell is complained about. */
unsigned long number_in(size_t column);
unsigned long hex_number_in(size_t column);
float         real_in(size_t column);
bool          yes_in(size_t column);    /* "yes" or "no" */
sb_vec3       vector_in(size_t column); /* "x,y,z" */
/* Bytes in hex, "-" for none; a quoted text. Valid until the next call. */
sb_span bytes_in(size_t column);
sb_span text_in(size_t column);
/* The stock ship of the species in the cell; NULL: none. */
const sb_ship_class *ship_in(size_t column);

/* Complain if `actual` differs; `what` names the value. */
void check_number(const char *what, unsigned long actual, unsigned long expected);
void check_bytes(const char *what, const uint8_t *actual, size_t size, size_t column);
void check_text(const char *what, const char *actual, size_t column);
void check_vector(const char *what, sb_vec3 v, size_t column);

#endif
