/* src/config/read_settings.c -- reads environment and command line: one key after the other.
 *
 * For:      read_config.c.
 * May use:  keys.h for the meaning of a key.
 * Tests:    tests/config/read_config_test.c
 */
#include <string.h>

#include "config/bots_table.h"
#include "config/read_config_internal.h"

/* Flags and variables are named after their key; --set is not. */
static sb_result refuse_value(sb_process_config *config, const char *source, const sb_key *key,
                              const char *reason)
{
    bool named = strcmp(source, "--set") != 0;
    return sb_data_refuse(&config->data, source, named ? "" : key->name, reason);
}

/* Sets a key of the process, or a key of rooms in every room. */
static sb_result set_everywhere(sb_process_config *config, const char *source, const sb_key *key,
                                const char *text)
{
    char reason[SB_KEY_REASON];
    bool fine = sb_key_set_text(key, sb_key_record(config, &config->common, key), text,
                                &config->data, reason);
    if (!fine) return refuse_value(config, source, key, reason);
    for (size_t i = 0; key->of_room && i < config->room_count; i++)
        (void)sb_key_set_text(key, &config->rooms[i], text, &config->data, reason);
    config->set_by[key - sb_config_keys()] = source;
    return SB_OK;
}

/* A name or port for all rooms replaces those of single rooms; resolve_config.c then
 * numbers them. */
static void clear_own_values(sb_process_config *config, const sb_key *key)
{
    for (size_t i = 0; i < config->room_count; i++) {
        if (strcmp(key->name, "port") == 0) config->rooms[i].port = 0;
        if (strcmp(key->name, "name") == 0) config->rooms[i].name = NULL;
    }
}

static sb_result refuse_table(sb_process_config *config, const char *source,
                              const sb_table_key *table)
{
    char reason[160];
    bool named = strcmp(source, "--set") != 0;
    snprintf(reason, sizeof reason, "is a table: it can be set %s", table->where);
    return sb_data_refuse(&config->data, source, named ? "" : table->name, reason);
}

static sb_result refuse_key(sb_process_config *config, const char *source, const char *name)
{
    char                reason[160] = "unknown key";
    const char         *near = sb_config_suggest_key(name);
    const sb_table_key *table = sb_config_find_table(name);
    if (table) return refuse_table(config, source, table);
    if (near) snprintf(reason, sizeof reason, "unknown key; did you mean `%s`?", near);
    return sb_data_refuse(&config->data, source, name, reason);
}

/* bots=4 sets `fill` of the table in every room. */
static sb_result set_bots(sb_process_config *config, const char *source, const char *text)
{
    char reason[SB_KEY_REASON];
    bool named = strcmp(source, "--set") != 0;
    if (!sb_bots_set_fill(&config->common.bots, text, reason))
        return sb_data_refuse(&config->data, source, named ? "" : "bots", reason);
    for (size_t i = 0; i < config->room_count; i++)
        config->rooms[i].bots.fill = config->common.bots.fill;
    return SB_OK;
}

static sb_result refuse_constant(sb_process_config *config, const sb_setting *s, const char *name,
                                 bool known)
{
    char        reason[160];
    const char *near = known ? NULL : sb_config_suggest_constant(name);
    if (known)
        snprintf(reason, sizeof reason, "must be a number from 0 to %g, is %.60s",
                 SB_DATA_FIGURE_MAX, s->value);
    else
        snprintf(reason, sizeof reason, "there is no such constant of the simulation%s%s%s",
                 near ? "; did you mean `" : "", near ? near : "", near ? "`?" : "");
    return sb_data_refuse(&config->data, s->flag, s->key, reason);
}

static sb_result warn_removed_constant(sb_process_config *config, const sb_setting *s,
                                       const char *sentence)
{
    char reason[240];
    snprintf(reason, sizeof reason, "has no effect any more: %s", sentence);
    sb_data_warn(&config->data, s->flag, s->key, reason);
    return SB_OK;
}

/* Applies the same bounds as in the file. */
static sb_result set_constant(sb_process_config *config, const sb_setting *s, const char *name)
{
    double    number;
    bool      fits = sb_key_parse_number(s->value, &number) && number <= SB_DATA_FIGURE_MAX;
    float     value = fits ? (float)number : -1; /* sb_combat_constant_set refuses -1 */
    sb_result result = sb_combat_constant_set(&config->common.server.combat.constants, name, value);
    const char *removed = result == SB_NOT_ALLOWED ? sb_combat_constant_removed(name) : NULL;
    if (removed) return warn_removed_constant(config, s, removed);
    if (result != SB_OK) return refuse_constant(config, s, name, result == SB_BAD_VALUE);
    for (size_t i = 0; i < config->room_count; i++)
        (void)!sb_combat_constant_set(&config->rooms[i].server.combat.constants, name, value);
    return SB_OK;
}

sb_result sb_process_config_read_setting(sb_process_config *config, const sb_setting *s)
{
    const sb_key *key = sb_config_find_key(s->key);
    if (strncmp(s->key, "combat.", 7) == 0) return set_constant(config, s, s->key + 7);
    if (strcmp(s->key, "bots") == 0) return set_bots(config, s->flag, s->value);
    if (!key) return refuse_key(config, s->flag, s->key);
    sb_result result = set_everywhere(config, s->flag, key, s->value);
    clear_own_values(config, key);
    return result;
}

/* Splits STARBASE_MAX_PLAYERS=8 into max_players and 8. False: another program's variable. */
static bool split_variable(const char *text, char *name, size_t capacity, const char **value)
{
    static const char prefix[] = "STARBASE_";
    const char       *equals = strchr(text, '=');
    size_t            skip = sizeof prefix - 1;
    if (!equals || strncmp(text, prefix, skip) != 0) return false;
    size_t size = (size_t)(equals - text) - skip;
    if (size >= capacity) size = capacity - 1;
    for (size_t i = 0; i < size; i++) {
        char c = text[skip + i];
        name[i] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
    }
    name[size] = '\0';
    *value = equals + 1;
    return true;
}

/* STARBASE_CONFIG names the file; STARBASE_PORT_HINT is for scripts (apps/serve);
 * STARBASE_CONTROL_DIR is also read by `starbase ctl` (platform/control_path.h). */
static bool is_no_key(const char *name)
{
    static const char *const names[] = { "config", "port_hint", "control_dir" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0) return true;
    return false;
}

sb_result sb_process_config_read_environment(sb_process_config *config,
                                             const char *const *environment)
{
    char        name[48];
    const char *value;
    for (; environment && *environment; environment++) {
        if (!split_variable(*environment, name, sizeof name, &value)) continue;
        if (is_no_key(name)) continue;
        char *source = sb_data_allocate(&config->data, SB_KEY_VARIABLE);
        if (!source) return sb_data_refuse_os_error(&config->data, name, "out of memory");
        snprintf(source, SB_KEY_VARIABLE, "%.*s", (int)strcspn(*environment, "="), *environment);
        const sb_key *key = sb_config_find_key(name);
        if (!key && strcmp(name, "bots") != 0) return refuse_key(config, source, name);
        sb_result result =
            key ? set_everywhere(config, source, key, value) : set_bots(config, source, value);
        if (result != SB_OK) return result;
        if (key) clear_own_values(config, key);
    }
    return SB_OK;
}
