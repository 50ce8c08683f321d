/* apps/lab/contract.c -- prints every row of a contract beside what the library does.
 *
 * Tests:    tests/apps/lab_test.py
 */
#include "lab.h"

#include "common/commands.h"

#include "lab/contract.h"
#include "platform/file.h"

#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES = 2048 };

typedef struct tally {
    unsigned rows, hold, cannot, wrong;
} tally;

static const char *verdict_of(const sb_contract_row *row, const sb_contract_result *result)
{
    if (row->cannot) return result->holds ? "HOLDS, but is said not to" : "cannot";
    return result->holds ? "holds" : "DIFFERS";
}

static void print_row(const sb_contract_row *row, const sb_contract_result *result)
{
    static const char *const kinds[SB_CONTRACT_KINDS] = { "abs", "rel", "exact" };
    char                     quantity[96];
    snprintf(quantity, sizeof quantity, "%s%s%s", row->quantity, row->argument[0] ? " " : "",
             row->argument);
    if (result->is_text) {
        printf("%-34s %-30s %s\n  expected %s\n  measured %s\n", row->id, quantity,
               verdict_of(row, result), row->expected, result->text);
        return;
    }
    printf("%-34s %-30s %10s %7g %-5s %11.4f  %s\n", row->id, quantity, row->expected,
           row->tolerance, kinds[row->kind], result->number, verdict_of(row, result));
}

static void count_row(tally *t, const sb_contract_row *row, const sb_contract_result *result)
{
    t->rows++;
    if (result->holds == row->cannot) t->wrong++;
    else if (row->cannot) t->cannot++;
    else t->hold++;
}

/* Reads, plays and prints one line. Returns an exit status. */
static int print_line(const lab_job *job, sb_contract_bench *bench, const char *line, tally *t)
{
    sb_contract_row    row;
    sb_contract_result result;
    const char        *why;
    if (sb_contract_read_row(line, job->ships, &row, &why) != SB_OK) {
        fprintf(stderr, "starbase lab: row %u: %s\n", t->rows + 1, why);
        return SB_EXIT_USAGE;
    }
    if (sb_contract_measure(bench, &row, &result) != SB_OK) {
        fprintf(stderr, "starbase lab: row %s cannot be played: unknown quantity or weapon\n",
                row.id);
        return SB_EXIT_USAGE;
    }
    print_row(&row, &result);
    count_row(t, &row, &result);
    return SB_EXIT_FINE;
}

static int print_rows(lab_job *job, sb_contract_bench *bench, FILE *file)
{
    char  line[LINE_BYTES];
    tally t = { 0 };
    int   status = SB_EXIT_FINE;
    printf("%-34s %-30s %10s %7s %-5s %11s\n", "row", "quantity", "expected", "+-", "", "measured");
    bool head = fgets(line, sizeof line, file) != NULL;
    while (head && status == SB_EXIT_FINE && fgets(line, sizeof line, file))
        status = print_line(job, bench, line, &t);
    if (status != SB_EXIT_FINE) return status;
    printf("%u rows: %u hold, %u cannot, %u are not as their status says\n", t.rows, t.hold,
           t.cannot, t.wrong);
    return t.wrong > 0 ? SB_EXIT_NEGATIVE : SB_EXIT_FINE;
}

int lab_print_contract(lab_job *job, const char *path)
{
    const char *why;
    FILE       *file = sb_file_open(path, &why);
    if (!file) {
        fprintf(stderr,
                "starbase lab: cannot read %s: %s; name the file: starbase lab contract FILE.csv\n",
                path, why);
        return SB_EXIT_NEGATIVE;
    }
    sb_contract_bench *bench = malloc(sizeof *bench);
    if (!bench) abort();
    bench->memory = job->memory;
    int status = print_rows(job, bench, file);
    free(bench);
    fclose(file);
    return status;
}
