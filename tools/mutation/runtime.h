/* tools/mutation/runtime.h -- included into every file of a mutated build: which mutant is active.
 *
 * For:      tools/mutants only. The product never sees this file.
 */
#ifndef STARBASE_MUTATION_RUNTIME_H
#define STARBASE_MUTATION_RUNTIME_H

extern int sb_mutant; /* number of the active mutant; 0: none; -1: record what is reached */

int sb_mutant_mark(int number); /* notes that `number` was reached; returns 0 */

#define SB_MUTANT(number)                                                                          \
    __builtin_expect(sb_mutant == (number) ||                                                      \
                         (__builtin_expect(sb_mutant < 0, 0) && sb_mutant_mark(number)),           \
                     0)

#endif
