/* apps/lab/ships.c -- finds ships by key, name, species or file. */
#include "lab.h"

#include "common/commands.h"

#include <stdlib.h>
#include <string.h>

int lab_load_directory(lab_job *job, const char *directory)
{
    sb_data_tables tables;
    if (sb_data_load_directory(&job->data, directory, &tables) != SB_OK) {
        fprintf(stderr, "starbase lab: %s\n", job->data.error);
        return SB_EXIT_USAGE;
    }
    if (tables.ships) job->ships = tables.ships;
    if (tables.projectiles) job->scenario.projectiles = tables.projectiles;
    return SB_EXIT_FINE;
}

static bool is_file(const char *text)
{
    size_t size = strlen(text);
    return size > 4 && strcmp(text + size - 4, ".lua") == 0;
}

static const sb_ship_class *find_by_name(const sb_ship_set *ships, const char *text)
{
    char         *end;
    unsigned long species = strtoul(text, &end, 0);
    if (*text != '\0' && *end == '\0')
        return species < 256 ? sb_find_ship(ships, (uint8_t)species) : NULL;
    return sb_find_ship_by_name(ships, text);
}

static void print_known_ships(const sb_ship_set *ships)
{
    fprintf(stderr, "Ships:");
    for (size_t i = 0; i < ships->count; i++) fprintf(stderr, " %s", ships->ships[i].key);
    fprintf(stderr, "\n");
}

int lab_find_ship(lab_job *job, const char *text, const sb_ship_class **out)
{
    if (is_file(text)) {
        sb_data_source source = { .name = text };
        if (sb_data_load_ship(&job->data, source, job->ships, out) == SB_OK) return SB_EXIT_FINE;
        fprintf(stderr, "starbase lab: %s\n", job->data.error);
        return SB_EXIT_USAGE;
    }
    *out = find_by_name(job->ships, text);
    if (*out) return SB_EXIT_FINE;
    fprintf(stderr,
            "starbase lab: unknown ship `%s`; name one of these, or a file NAME.lua as in "
            "data/ships\n",
            text);
    print_known_ships(job->ships);
    return SB_EXIT_USAGE;
}
