/* src/lab/contract.h -- rows of docs/facts/engine-contract.csv: a scenario and what it must show.
 *
 * For:      tests/lab/contract_test.c and `starbase lab contract`.
 * Never:    reads files: the caller passes one line at a time.
 *
 * The columns are described in docs/lab.md.
 */
#ifndef SB_LAB_CONTRACT_H
#define SB_LAB_CONTRACT_H

#include "lab/meter.h"

enum { SB_CONTRACT_TEXT = 256 };

typedef enum sb_contract_kind {
    SB_CONTRACT_ABSOLUTE, /* differs by at most the tolerance */
    SB_CONTRACT_RELATIVE, /* differs by at most this share of the expected value */
    SB_CONTRACT_EXACT,
    SB_CONTRACT_KINDS
} sb_contract_kind;

typedef struct sb_contract_row {
    char            id[48];
    sb_lab_scenario scenario;
    float           from, to; /* window of the meter */
    char            quantity[32];
    char            argument[48]; /* of the quantity: the name of a part, a number; "": none */
    char            expected[SB_CONTRACT_TEXT];
    double          expected_number; /* 0 if `expected` is a text */
    double          tolerance;
    uint8_t         kind; /* sb_contract_kind */
    char            source[SB_CONTRACT_TEXT];
    bool            cannot; /* status: the row does not hold, for the reason that it gives */
    char            reason[SB_CONTRACT_TEXT];
} sb_contract_row;

typedef struct sb_contract_result {
    bool   is_text;
    double number;
    char   text[SB_CONTRACT_TEXT];
    bool   holds; /* the measured value is within the tolerance */
} sb_contract_result;

/* Memory of one measurement. */
typedef struct sb_contract_bench {
    void    *memory; /* sb_lab_bytes */
    sb_meter meter;
} sb_contract_bench;

/* Reads one line of the file. SB_BAD_VALUE: `*why` says which cell is wrong, and `row` is
 * undefined. */
SB_MUST_USE sb_result sb_contract_read_row(const char *line, const sb_ship_set *ships,
                                           sb_contract_row *row, const char **why);
/* Plays the row's scenario and measures. SB_BAD_VALUE: there is no such quantity, or the ship has
 * no such part; otherwise results as sb_lab_run. */
SB_MUST_USE sb_result sb_contract_measure(sb_contract_bench *bench, const sb_contract_row *row,
                                          sb_contract_result *result);

/* ---- quantities.c ---- */
/* Reduces the finished run to the row's quantity; `holds` is not set. False: there is no such
 * quantity or part. */
bool sb_contract_reduce(const sb_meter *meter, const sb_contract_row *row,
                        sb_contract_result *result);

#endif
