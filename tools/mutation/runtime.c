/* tools/mutation/runtime.c -- reads from the environment which mutant is active.
 *
 * SB_MUTANT=N activates mutant N. SB_MUTANT_RECORD=FILE activates none and writes the numbers of
 * all mutants that were reached to FILE, as 32-bit numbers, when the program ends.
 */
#include "runtime.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { NUMBERS = 1 << 20 };

int            sb_mutant;
static uint8_t reached[NUMBERS];

int sb_mutant_mark(int number)
{
    if (number > 0 && number < NUMBERS) reached[number] = 1;
    return 0;
}

static void write_reached(void)
{
    FILE *file = fopen(getenv("SB_MUTANT_RECORD"), "wb");
    if (!file) _exit(3);
    for (uint32_t i = 0; i < NUMBERS; i++)
        if (reached[i]) fwrite(&i, sizeof i, 1, file);
    fclose(file);
}

__attribute__((constructor)) static void choose_mutant(void)
{
    const char *number = getenv("SB_MUTANT");
    if (number) sb_mutant = atoi(number);
    if (!getenv("SB_MUTANT_RECORD")) return;
    sb_mutant = -1;
    atexit(write_reached);
}
