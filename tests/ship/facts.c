/* tests/ship/facts.c -- reads a table of docs/facts and compares its cells. */
#include "facts.h"

#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = 2048, COLUMNS_MAX = 64, BYTES_MAX = 256 * 1024 };

static struct {
    const char *name;
    char        text[BYTES_MAX];
    char       *cells[ROWS_MAX][COLUMNS_MAX]; /* row 0: the headings */
    size_t      rows, columns;
} table;

size_t facts_rows(void)
{
    return table.rows - 1;
}

static void split_row(char *line, size_t row)
{
    table.columns = 0;
    for (char *cell = line; cell; table.columns++) {
        char *comma = strchr(cell, ',');
        CHECK(table.columns < COLUMNS_MAX);
        table.cells[row][table.columns] = cell;
        if (comma) *comma = '\0';
        cell = comma ? comma + 1 : NULL;
    }
}

/* The facts are plain, without quotes (spec 11 §1); some files end their lines in CR LF. */
void facts_open(const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/docs/facts/%s", SB_SOURCE_DIR, name);
    FILE *file = fopen(path, "rb");
    if (!file) FAIL("cannot open %s", path);
    size_t size = fread(table.text, 1, sizeof table.text - 1, file);
    fclose(file);
    CHECK(size < sizeof table.text - 1);
    table.text[size] = '\0';
    table.name = name;
    table.rows = 0;
    for (char *line = strtok(table.text, "\r\n"); line; line = strtok(NULL, "\r\n")) {
        CHECK(table.rows < ROWS_MAX);
        size_t columns = table.columns;
        split_row(line, table.rows++);
        CHECK(table.rows == 1 || table.columns == columns);
    }
    CHECK(table.rows > 1);
}

const char *facts_cell(size_t row, const char *heading)
{
    for (size_t i = 0; i < table.columns; i++)
        if (strcmp(table.cells[0][i], heading) == 0) return table.cells[row][i];
    FAIL("%s has no column %s", table.name, heading);
}

bool facts_is_empty(size_t row, const char *heading)
{
    return facts_cell(row, heading)[0] == '\0';
}

int facts_number(size_t row, const char *heading)
{
    char *end;
    long  value = strtol(facts_cell(row, heading), &end, 0);
    if (facts_is_empty(row, heading) || *end)
        FAIL("%s:%zu: %s is no number", table.name, row + 1, heading);
    return (int)value;
}

void facts_check_number(size_t row, const char *heading, int actual)
{
    if (facts_number(row, heading) != actual)
        FAIL("%s:%zu: %s is %s, the set has %d", table.name, row + 1, heading,
             facts_cell(row, heading), actual);
}

void facts_check_text(size_t row, const char *heading, const char *actual)
{
    if (strcmp(facts_cell(row, heading), actual) != 0)
        FAIL("%s:%zu: %s is %s, the set has %s", table.name, row + 1, heading,
             facts_cell(row, heading), actual);
}

/* An empty cell must be `absent` in the set. */
void facts_check_figure_or(size_t row, const char *heading, float actual, float absent)
{
    float expected = facts_is_empty(row, heading) ? absent : strtof(facts_cell(row, heading), NULL);
    if (expected == actual || (isnan(expected) && isnan(actual))) return;
    FAIL("%s:%zu: %s is \"%s\", the set has %.9g", table.name, row + 1, heading,
         facts_cell(row, heading), (double)actual);
}

void facts_check_figure(size_t row, const char *heading, float actual)
{
    facts_check_figure_or(row, heading, actual, NAN);
}

void facts_check_axes(size_t row, const char *prefix, const float actual[3])
{
    for (size_t i = 0; i < 3; i++) {
        char heading[16];
        snprintf(heading, sizeof heading, "%s_%c", prefix, "xyz"[i]);
        facts_check_figure(row, heading, actual[i]);
    }
}

void facts_check_source(size_t row, const char *heading, uint8_t actual)
{
    facts_check_text(row, heading, actual ? sb_figure_source_name(actual) : "");
}

const sb_ship_class *facts_ship(size_t row, const char *heading)
{
    const sb_ship_class *ship = sb_find_ship(sb_stock_ships(), (uint8_t)facts_number(row, heading));
    if (!ship) FAIL("%s:%zu: no such ship", table.name, row + 1);
    return ship;
}

/* child -1: the top-level entry itself. */
const sb_subsystem_class *facts_entry(const sb_ship_class *ship, int top, int child)
{
    CHECK(top >= 0 && top < ship->subsystem_count);
    const sb_subsystem_class *entry = &ship->subsystems[top];
    if (child < 0) return entry;
    CHECK(child < entry->child_count);
    CHECK(entry->first_child + child < ship->child_count);
    return &ship->children[entry->first_child + child];
}
