/* src/ship/ship.c -- finds a ship, a projectile or a system in a set.
 *
 * For:      starbase/ship.h: lookups by a number from the wire or by a name that a person typed.
 * Never:    holds data: tools/compile-data generates the stock sets from data/.
 */
#include <starbase/ship.h>

const sb_ship_class *sb_find_ship(const sb_ship_set *set, uint8_t species)
{
    return set->by_species[species];
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool same_name(const char *a, const char *b)
{
    while (*a && lower(*a) == lower(*b)) {
        a++;
        b++;
    }
    return *a == *b;
}

const sb_ship_class *sb_find_ship_by_name(const sb_ship_set *set, const char *name)
{
    for (size_t i = 0; i < set->count; i++)
        if (same_name(set->ships[i].key, name) || same_name(set->ships[i].name, name))
            return &set->ships[i];
    return NULL;
}

const sb_projectile_class *sb_find_projectile(const sb_projectile_set *set, uint8_t type)
{
    return set->by_type[type];
}

const sb_system *sb_find_system(const sb_system_set *set, uint8_t index)
{
    for (size_t i = 0; i < set->count; i++)
        if (set->systems[i].index == index) return &set->systems[i];
    return NULL;
}

const char *sb_figure_source_name(uint8_t source)
{
    static const char *const words[] = {
#define WORD(name, word) word,
        SB_FIGURE_SOURCES(WORD)
#undef WORD
    };
    return source < SB_SOURCE_COUNT ? words[source] : "unknown";
}
