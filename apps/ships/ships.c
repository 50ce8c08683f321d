/* apps/ships/ships.c -- `starbase ships`: the figures of ship classes, and what they rest on.
 *
 * For:      players and modders who look up a ship, and people who know a figure that is still an
 *           estimate.
 * Tests:    tests/apps/ships_test.py
 */
#include "base/suggestion.h"
#include "common/commands.h"
#include "common/options.h"
#include "common/ship_list.h"
#include "ships/import.h"
#include "ships/print.h"

#include <string.h>

enum { KEY_EVIDENCE = 256, KEY_JSON, KEY_DATA };

static const sb_option options[] = {
    { KEY_EVIDENCE, "evidence", NULL,
      "print where the figures come from: without SHIP, how many of each\n"
      "class come from which source; with SHIP, also every figure that is\n"
      "an estimate or unknown" },
    { KEY_JSON, "json", NULL, "print one object per ship; with --evidence also its figures" },
    { KEY_DATA, "data", "DIR", "use the ships in DIR/ships, as `starbase serve --data DIR` does" },
    { 0, NULL, NULL, NULL },
};

static const char *const parts[] = { "import", NULL };

static const sb_usage usage = {
    .command = "ships",
    .synopsis =
        "[options] [SHIP... | FILE.lua... | all]\n       starbase ships import [options] FILE.py",
    .about =
        "Lists the ship classes, or prints the named ones in full: parts in the order of their\n"
        "lists with condition, position and radius, weapons, ammunition, and the source of each\n"
        "figure. SHIP is a key, a name or a species; FILE.lua is a ship as in data/ships\n"
        "(data/README.md). The sources: engine (measured on the running game), hardpoint (read in\n"
        "its scripts), documented, trace (seen on the wire), rule (computed from known figures),\n"
        "catalogue (a list that a stock server printed), inherited, estimate (ours), unknown.",
    .options = options,
    .parts = parts,
    .footer = "Examples:\n"
              "  starbase ships\n"
              "  starbase ships galaxy\n"
              "  starbase ships --evidence\n"
              "  starbase ships keldon --evidence\n"
              "  starbase ships --data mymod all --json\n"
              "  starbase ships import --help    brings a ship of a mod\n",
};

typedef struct job {
    bool        evidence, json;
    const char *directory; /* NULL: the stock ships */
} job;

static void print_ships(const job *j, const sb_ship_list *list, bool in_full)
{
    if (!j->json && !in_full) sb_ships_print_headings(j->evidence);
    for (size_t i = 0; i < list->count; i++) {
        const sb_ship_class *ship = list->ships[i];
        if (!j->json && in_full && i > 0) printf("\n");
        if (j->json) sb_ships_print_json(ship, j->evidence);
        else if (!in_full) sb_ships_print_line(ship, j->evidence);
        else if (j->evidence) sb_ships_print_evidence(ship);
        else sb_ships_print_class(ship);
    }
}

static int run(const job *j, int count, char **operands)
{
    sb_ship_list list;
    int          status = SB_EXIT_FINE;
    sb_ship_list_init(&list);
    if (j->directory) status = sb_ship_list_use_directory(&list, &usage, j->directory);
    if (status == SB_EXIT_FINE) status = sb_ship_list_add(&list, &usage, count, operands);
    if (status == SB_EXIT_FINE) print_ships(j, &list, count > 0);
    sb_ship_list_free(&list);
    return status;
}

/* `ships imprt lancer.py`: the second word is a script, so the first is no ship. */
static bool is_misspelt_import(int count, char **operands)
{
    static const char *const import[] = { "import" };
    const char              *ending = count == 2 ? strrchr(operands[1], '.') : NULL;
    return ending && strcmp(ending, ".py") == 0 && sb_suggestion_find(operands[0], import, 1);
}

int sb_run_ships(int argc, char **argv)
{
    job        j = { 0 };
    sb_options o;
    if (argc > 1 && strcmp(argv[1], "import") == 0) return sb_ships_import(argc - 1, argv + 1);
    sb_options_init(&o, &usage, argc, argv);
    for (int key; (key = sb_options_next(&o)) != SB_OPTIONS_END;) {
        if (key == SB_OPTIONS_BAD) return SB_EXIT_USAGE;
        if (key == SB_OPTIONS_DONE) return SB_EXIT_FINE;
        if (key == KEY_EVIDENCE) j.evidence = true;
        else if (key == KEY_JSON) j.json = true;
        else if (key == KEY_DATA) j.directory = o.argument;
    }
    if (is_misspelt_import(argc - o.operand, argv + o.operand))
        return sb_usage_error(&usage, "unknown ship `%s`; did you mean `starbase ships import`?",
                              argv[o.operand]);
    return run(&j, argc - o.operand, argv + o.operand);
}
