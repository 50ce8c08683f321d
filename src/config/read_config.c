/* src/config/read_config.c -- the defaults of a configuration; its other sources in their order:
 * server.lua, environment, command line; then resolve_config.c completes it.
 *
 * For:      process_config.h.
 */
#include "config/process_config.h"

#include <string.h>

#include "config/bots_table.h"
#include "config/read_config_internal.h"
#include "config/resolve_config.h"
#include "platform/log.h"

static void set_defaults(sb_process_config *config)
{
    sb_room_config *room = &config->common;
    *config = (sb_process_config){ .bind = "0.0.0.0", .data_dir = "", .learn = "", .http = "" };
    config->instance = "server";
    config->slots_for = config->helper_commands = "";
    config->moderator_commands = config->admin_commands = "";
    config->log_level = SB_LOG_INFO;
    config->send_files_rate = 256;
    config->console = true;
    config->store = SB_STORE_PATH;
    config->keep_days = 90;
    sb_responder_defaults(&config->queries);
    sb_server_defaults(&room->server);
    room->name = "Starbase";
    room->mission = "ffa";
    room->system = "Multi1";
    room->password = room->masters_file = room->send_files = "";
    room->port = SB_LAN_FIRST_PORT;
    room->kick_us = 300 * SB_SECOND;
    room->votes = (sb_vote_rows){ sb_vote_default_rows, sb_vote_default_count };
    sb_bots_defaults(&room->bots);
}

/* systemd gives every unit a folder of its own (StateDirectory=): the store of an instance is
 * there, unless the configuration names another one. */
static void place_store(sb_process_config *config, const char *const *environment)
{
    static const char variable[] = "STATE_DIRECTORY=", file[] = "/starbase.db";
    enum { FOLDER_MAX = 200 };
    for (; environment && *environment; environment++) {
        if (strncmp(*environment, variable, sizeof variable - 1) != 0) continue;
        const char *folder = *environment + sizeof variable - 1;
        size_t      size = strcspn(folder, ":");
        char       *path = folder[0] == '/' && size < FOLDER_MAX
                               ? sb_data_allocate(&config->data, size + sizeof file)
                               : NULL;
        if (!path) return;
        snprintf(path, size + sizeof file, "%.*s%s", (int)size, folder, file);
        config->store = path;
    }
}

/* ---- rooms ---- */

/* Adds rooms with the common values until there are as many as `rooms` says. */
static sb_result add_common_rooms(sb_process_config *config)
{
    size_t wanted = config->wanted_rooms ? config->wanted_rooms : config->room_count;
    if (wanted == 0) wanted = 1;
    if (!config->rooms)
        config->rooms = sb_data_allocate(&config->data, wanted * sizeof *config->rooms);
    if (!config->rooms) return sb_data_refuse_os_error(&config->data, "rooms", "out of memory");
    for (; config->room_count < wanted; config->room_count++) {
        sb_room_config *room = &config->rooms[config->room_count];
        *room = config->common;
        room->port = 0;
        room->name = NULL;
    }
    config->room_count = wanted;
    return SB_OK;
}

sb_result sb_process_config_load(sb_process_config *out, const sb_config_sources *sources)
{
    set_defaults(out);
    place_store(out, sources->environment);
    sb_result result = sb_process_config_read_file(out, sources->file);
    if (result == SB_OK) result = sb_process_config_read_environment(out, sources->environment);
    for (size_t i = 0; result == SB_OK && i < sources->setting_count; i++)
        result = sb_process_config_read_setting(out, &sources->settings[i]);
    if (result == SB_OK) result = add_common_rooms(out);
    if (result == SB_OK) result = sb_process_config_resolve(out);
    return result;
}

void sb_process_config_free(sb_process_config *config)
{
    sb_data_free(&config->data);
}
