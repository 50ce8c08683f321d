/* tests/ship/facts.h -- one table of docs/facts at a time, row by row.
 *
 * For:      tests that compare data of the library with the tables of facts. Figures are compared
 *           as floats, bit for bit: an empty cell is NAN or absent, never 0.
 */
#ifndef SB_TEST_FACTS_H
#define SB_TEST_FACTS_H

#include <starbase/ship.h>

/* Reads docs/facts/`name`. Rows are numbered from 1, without the headings. */
void   facts_open(const char *name);
size_t facts_rows(void);

/* The cell below `heading`; a table without this heading fails the test. */
const char *facts_cell(size_t row, const char *heading);
bool        facts_is_empty(size_t row, const char *heading);
int         facts_number(size_t row, const char *heading);

/* The stock ship of the species in a cell; its entry, or one of its children (-1: the entry). */
const sb_ship_class      *facts_ship(size_t row, const char *heading);
const sb_subsystem_class *facts_entry(const sb_ship_class *ship, int top, int child);

/* Fail, with file and line of the table, if the cell says something else. */
void facts_check_number(size_t row, const char *heading, int actual);
void facts_check_text(size_t row, const char *heading, const char *actual);
void facts_check_figure(size_t row, const char *heading, float actual);
void facts_check_figure_or(size_t row, const char *heading, float actual, float absent);
void facts_check_axes(size_t row, const char *prefix, const float actual[3]);
void facts_check_source(size_t row, const char *heading, uint8_t actual);

#endif
