/* apps/common/ship_list.h -- the ships that a command line names.
 *
 * For:      commands with ships as operands: a key, a name, a species, FILE.lua or `all`.
 */
#ifndef SB_APPS_COMMON_SHIP_LIST_H
#define SB_APPS_COMMON_SHIP_LIST_H

#include "common/options.h"

#include "load/data_file.h"

typedef struct sb_ship_list {
    const sb_ship_class **ships; /* from `set`, and from files in `data` */
    size_t                count;
    const sb_ship_set    *set;  /* the stock ships, or those of a data directory */
    sb_data               data; /* owns everything loaded */
} sb_ship_list;

/* Starts with the stock ships; sb_ship_list_free frees what later calls add. */
void sb_ship_list_init(sb_ship_list *list);
void sb_ship_list_free(sb_ship_list *list);
/* Replaces the stock ships by those of DIRECTORY/ships, as `starbase serve --data` does. Returns an
 * exit status; the reason is on stderr. */
int sb_ship_list_use_directory(sb_ship_list *list, const sb_usage *usage, const char *directory);
/* Adds what the operands name, in their order; without operands all ships. Returns an exit status;
 * the reason is on stderr, and so are the warnings of all files that were read. */
int sb_ship_list_add(sb_ship_list *list, const sb_usage *usage, int count, char **operands);

/* The key or name of the ship that a misspelt one meant; NULL: none is near. */
const char *sb_suggest_ship(const sb_ship_set *set, const char *text);

/* Prints the warnings of loaded files on stderr, such as constants that no longer exist. */
void sb_print_data_warnings(const sb_usage *usage, const sb_data *data);

#endif
