/* tests/lab/contract_test.c -- plays every row of docs/facts/engine-contract.csv.
 *
 * A row that says `holds` must hold. A row that says `cannot` must differ, so that it is noticed
 * when it begins to hold, and docs/evidence/open-points.md must name it. The table of expected and
 * measured values is printed when a row fails; `starbase lab contract` prints it at any time.
 */
#include "test.h"

#include "lab/contract.h"

#include <stdalign.h>
#include <stdio.h>
#include <string.h>

enum { LINE_BYTES = 2048, LAB_BYTES = 1 << 19, PAGE_BYTES = 1 << 18, ROWS_MIN = 85 };

static alignas(16) unsigned char lab_memory[LAB_BYTES];
static sb_contract_bench bench = { .memory = lab_memory };
static char              page[PAGE_BYTES];

static FILE *open_contract(void)
{
    FILE *file = fopen(SB_SOURCE_DIR "/docs/facts/engine-contract.csv", "r");
    char  head[LINE_BYTES];
    CHECK(file);
    CHECK(fgets(head, sizeof head, file));
    CHECK(strncmp(head, "id,attacker,target,range,", 25) == 0);
    return file;
}

static bool next_row(FILE *file, sb_contract_row *row)
{
    char        line[LINE_BYTES];
    const char *why = "";
    if (!fgets(line, sizeof line, file)) return false;
    if (sb_contract_read_row(line, sb_stock_ships(), row, &why) != SB_OK)
        FAIL("%s\n    in: %s", why, line);
    return true;
}

static void print_row(const sb_contract_row *row, const sb_contract_result *result)
{
    if (result->is_text)
        printf("  %-32s %s\n%35sexpected %s\n%35smeasured %s\n", row->id, row->quantity, "",
               row->expected, "", result->text);
    else
        printf("  %-32s %-18s expected %10s +- %-6g %-5s measured %10.4f%s\n", row->id,
               row->quantity, row->expected, row->tolerance, row->kind ? "rel" : "abs",
               result->number, row->cannot ? "  (cannot)" : "");
}

static void measure(const sb_contract_row *row, sb_contract_result *result)
{
    CHECK(sb_lab_bytes() <= sizeof lab_memory);
    sb_result played = sb_contract_measure(&bench, row, result);
    if (played != SB_OK) FAIL("%s: cannot be played (%d)", row->id, (int)played);
}

TEST(every_row_of_the_contract_holds_or_says_why_not)
{
    FILE              *file = open_contract();
    sb_contract_row    row;
    sb_contract_result result;
    unsigned           rows = 0, wrong = 0;
    while (next_row(file, &row)) {
        measure(&row, &result);
        rows++;
        if (result.holds != row.cannot) continue;
        if (wrong++ == 0) printf("rows that are not as their status says:\n");
        print_row(&row, &result);
    }
    fclose(file);
    CHECK(rows >= ROWS_MIN);
    if (wrong > 0) FAIL("%u of %u rows", wrong, rows);
}

static void load_page(const char *path)
{
    FILE *file = fopen(path, "r");
    CHECK(file);
    size_t size = fread(page, 1, sizeof page - 1, file);
    fclose(file);
    CHECK(size < sizeof page - 1);
    page[size] = '\0';
}

TEST(open_points_name_every_row_that_cannot_hold)
{
    FILE           *file = open_contract();
    sb_contract_row row;
    load_page(SB_SOURCE_DIR "/docs/evidence/open-points.md");
    while (next_row(file, &row))
        if (row.cannot && !strstr(page, row.id)) FAIL("the page does not name %s", row.id);
    fclose(file);
}

TEST(ids_of_the_contract_are_unique)
{
    static char     ids[512][sizeof((sb_contract_row *)0)->id];
    FILE           *file = open_contract();
    sb_contract_row row;
    size_t          count = 0;
    while (next_row(file, &row)) {
        CHECK(count < sizeof ids / sizeof *ids);
        for (size_t i = 0; i < count; i++)
            if (strcmp(ids[i], row.id) == 0) FAIL("two rows are called %s", row.id);
        memcpy(ids[count++], row.id, sizeof row.id);
    }
    fclose(file);
}

/* The tolerances; a wider one needs its reason in the row. */
TEST(a_wide_tolerance_has_its_reason_in_the_row)
{
    FILE           *file = open_contract();
    sb_contract_row row;
    while (next_row(file, &row)) {
        bool wide = row.kind == SB_CONTRACT_RELATIVE ? row.tolerance > 0.05 : row.tolerance > 0.05;
        if (wide && row.reason[0] == '\0') FAIL("%s has no reason", row.id);
    }
    fclose(file);
}
