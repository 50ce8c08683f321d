/* apps/common/ship_list.c -- finds ships by key, name or species, or loads them from files.
 *
 * For:      ship_list.h.
 * Tests:    tests/apps/hash_test.py, tests/apps/ships_test.py, tests/apps/lab_test.py
 */
#include "common/ship_list.h"

#include "common/commands.h"

#include "base/suggestion.h"

#include <stdlib.h>
#include <string.h>

void sb_ship_list_init(sb_ship_list *list)
{
    *list = (sb_ship_list){ .set = sb_stock_ships() };
}

void sb_ship_list_free(sb_ship_list *list)
{
    free(list->ships);
    sb_data_free(&list->data);
}

static int report_refused(const sb_ship_list *list, const sb_usage *usage)
{
    fprintf(stderr, "starbase %s: %s\n", usage->command, list->data.error);
    return SB_EXIT_USAGE;
}

int sb_ship_list_use_directory(sb_ship_list *list, const sb_usage *usage, const char *directory)
{
    sb_data_tables tables;
    if (sb_data_load_directory(&list->data, directory, &tables) != SB_OK)
        return report_refused(list, usage);
    if (!tables.ships) return sb_usage_error(usage, "--data: %s has no folder `ships`", directory);
    list->set = tables.ships;
    return SB_EXIT_FINE;
}

static const sb_ship_class *find_ship(const sb_ship_set *set, const char *text)
{
    char         *end;
    unsigned long species = strtoul(text, &end, 0);
    if (*text != '\0' && *end == '\0')
        return species < 256 ? sb_find_ship(set, (uint8_t)species) : NULL;
    return sb_find_ship_by_name(set, text);
}

const char *sb_suggest_ship(const sb_ship_set *set, const char *text)
{
    sb_suggestion found = sb_suggestion_start(text);
    for (size_t i = 0; i < set->count; i++) {
        sb_suggestion_try(&found, set->ships[i].key);
        sb_suggestion_try(&found, set->ships[i].name);
    }
    return found.best;
}

static int refuse_ship(const sb_usage *usage, const sb_ship_set *set, const char *text)
{
    const char *near = sb_suggest_ship(set, text);
    return sb_usage_error(usage, "unknown ship `%s`; %s%s%s`starbase ships` lists the ships", text,
                          near ? "did you mean `" : "", near ? near : "", near ? "`? " : "");
}

static bool is_file(const char *text)
{
    size_t size = strlen(text);
    return size > 4 && strcmp(text + size - 4, ".lua") == 0;
}

static int add_ship(sb_ship_list *list, const sb_usage *usage, const char *text)
{
    const sb_ship_class *ship = NULL;
    if (strcmp(text, "all") == 0) {
        for (size_t i = 0; i < list->set->count; i++)
            list->ships[list->count++] = &list->set->ships[i];
        return SB_EXIT_FINE;
    }
    if (is_file(text)) {
        sb_data_source source = { .name = text };
        if (sb_data_load_ship(&list->data, source, list->set, &ship) != SB_OK)
            return report_refused(list, usage);
    } else ship = find_ship(list->set, text);
    if (!ship) return refuse_ship(usage, list->set, text);
    list->ships[list->count++] = ship;
    return SB_EXIT_FINE;
}

void sb_print_data_warnings(const sb_usage *usage, const sb_data *data)
{
    for (const sb_data_warning *w = data->warnings; w; w = w->next)
        fprintf(stderr, "starbase %s: warning: %s\n", usage->command, w->text);
}

int sb_ship_list_add(sb_ship_list *list, const sb_usage *usage, int count, char **operands)
{
    static char all[] = "all";
    char       *everything[] = { all };
    if (count == 0) {
        count = 1;
        operands = everything;
    }
    list->ships = calloc((size_t)count * list->set->count, sizeof *list->ships);
    if (!list->ships) abort();
    for (int i = 0; i < count; i++) {
        int status = add_ship(list, usage, operands[i]);
        if (status != SB_EXIT_FINE) return status;
    }
    sb_print_data_warnings(usage, &list->data);
    return SB_EXIT_FINE;
}
