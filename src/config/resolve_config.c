/* src/config/resolve_config.c -- finds or loads what the keys of a room name (mission, system,
 * ships, manifests, masters) and encodes its name and password as the wire has them.
 *
 * Tests:    tests/config/read_config_test.c
 */
#include "config/resolve_config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/assert.h"
#include "base/text.h"
#include "base/utf8.h"
#include "config/keys.h"
#include "load/data_file.h"
#include "load/manifest_file.h"
#include "load/masters_file.h"
#include "platform/clock.h"
#include "platform/file.h"
#include "platform/udp.h"

/* ---- errors ---- */

/* Writes the place of an error: "room 2: key". The room is left out if there is only one or if a
 * flag set the key in all rooms; the key is left out if the flag or variable is named after it. */
static void write_place(const sb_process_config *config, const sb_room_config *room,
                        const char *key, const char *set_by, char out[80])
{
    char number[24] = "";
    bool own = !set_by || strcmp(key, "port") == 0; /* ports count up from --port, room by room */
    bool named = set_by && strcmp(set_by, "--set") != 0;
    if (room && own && config->room_count > 1)
        snprintf(number, sizeof number, "room %zu", (size_t)(room - config->rooms) + 1);
    snprintf(out, 80, "%s%s%s", number, number[0] && !named ? ": " : "", named ? "" : key);
}

/* `room`: NULL for a key of the process. `key` may name a table. */
static sb_result refuse(sb_process_config *config, const sb_room_config *room, const char *key,
                        const char *reason)
{
    char          place[80];
    const sb_key *row = sb_config_find_key(key);
    SB_ASSERT(row || sb_config_find_table(key));
    const char *set_by = row ? config->set_by[row - sb_config_keys()] : NULL;
    const char *file = config->file ? config->file : "configuration";
    write_place(config, room, key, set_by, place);
    return sb_data_refuse(&config->data, set_by ? set_by : file, place, reason);
}

/* Inserts the key before the error of the file that the key names. Returns `result`. */
static sb_result add_key_to_error(sb_process_config *config, const sb_room_config *room,
                                  const char *key, sb_result result)
{
    char why[SB_DATA_ERROR_MAX];
    if (result == SB_OK) return SB_OK;
    memcpy(why, config->data.error, sizeof why);
    (void)!refuse(config, room, key, why);
    return result;
}

/* ---- data ---- */

static sb_result load_tables(sb_process_config *config, sb_data_tables *out)
{
    sb_result result = SB_OK;
    *out = (sb_data_tables){ 0 };
    if (config->data_dir[0]) result = sb_data_load_directory(&config->data, config->data_dir, out);
    if (!out->systems) out->systems = sb_stock_systems();
    return add_key_to_error(config, NULL, "data", result);
}

/* ---- texts ---- */

/* Writes UTF-16LE without terminator. False: the text is too long, or needs surrogate pairs, which
 * players of the game cannot type. */
static bool encode_password(const char *text, uint8_t *out, size_t units, sb_span *span)
{
    size_t count = 0;
    for (; *text; count++) {
        uint32_t code = sb_utf8_next(&text);
        if (count == units || code > 0xFFFF) return false;
        out[2 * count] = (uint8_t)code;
        out[2 * count + 1] = (uint8_t)(code >> 8);
    }
    *span = (sb_span){ out, 2 * count };
    return true;
}

/* ---- names and ports ---- */

static bool shares_name(const sb_process_config *config, const sb_room_config *room)
{
    for (size_t i = 0; i < config->room_count; i++)
        if (&config->rooms[i] != room && strcmp(config->rooms[i].name, room->name) == 0)
            return true;
    return false;
}

/* Size in UTF-8 of the first `characters` of a name; on the wire each character has one byte. */
static int utf8_bytes_of(const char *name, size_t characters)
{
    const char *at = name;
    for (; *at && characters > 0; characters--) (void)sb_utf8_next(&at);
    return (int)(at - name);
}

/* Adds a number to a shared name. The name is cut if need be, so that the number always fits. */
static void name_room(const sb_process_config *config, sb_room_config *room, size_t number)
{
    char suffix[24] = "";
    if (shares_name(config, room)) snprintf(suffix, sizeof suffix, " %zu", number);
    int size = utf8_bytes_of(room->name, SB_SERVER_NAME_MAX - strlen(suffix));
    snprintf(room->shown_name, sizeof room->shown_name, "%.*s%s", size, room->name, suffix);
    size_t name_bytes =
        sb_windows1252_from_utf8(room->shown_name, room->name_bytes, SB_SERVER_NAME_MAX);
    room->server.name = (sb_span){ room->name_bytes, name_bytes };
}

static void name_rooms(sb_process_config *config)
{
    for (size_t i = 0; i < config->room_count; i++)
        if (!config->rooms[i].name) config->rooms[i].name = config->common.name;
    for (size_t i = 0; i < config->room_count; i++) name_room(config, &config->rooms[i], i + 1);
}

/* A room without a port of its own gets the port after that of the room before it. If the common
 * port is 0, the system chooses a free port for each such room. */
static sb_result assign_ports(sb_process_config *config)
{
    uint32_t next = config->common.port;
    for (size_t i = 0; i < config->room_count; i++) {
        sb_room_config *room = &config->rooms[i];
        if (room->port == 0) room->port = next;
        if (room->port > 65535) return refuse(config, room, "port", "is above 65535");
        next = room->port == 0 ? 0 : room->port + 1;
        for (size_t k = 0; k < i && room->port != 0; k++)
            if (config->rooms[k].port == room->port)
                return refuse(config, room, "port", "is the port of another room, too");
    }
    return SB_OK;
}

/* ---- systems ---- */

const sb_system *sb_config_find_system(const sb_system_set *set, const char *text)
{
    char *end;
    long  number = strtol(text, &end, 10);
    bool  numeric = end != text && *end == '\0';
    if (numeric) return number > 0 && number < 256 ? sb_find_system(set, (uint8_t)number) : NULL;
    for (size_t i = 0; i < set->count; i++) {
        const sb_system *s = &set->systems[i];
        bool             label = s->label && strcasecmp(s->label, text) == 0;
        if (strcasecmp(s->name, text) == 0 || label) return s;
    }
    return NULL;
}

static sb_result resolve_system(sb_process_config *config, const sb_data_tables *data,
                                sb_room_config *room)
{
    char reason[200];
    room->place = sb_config_find_system(data->systems, room->system);
    if (!room->place) {
        size_t at =
            (size_t)snprintf(reason, sizeof reason, "there is no `%.40s`, only ", room->system);
        for (size_t i = 0; i < data->systems->count && at < sizeof reason; i++)
            at += (size_t)snprintf(reason + at, sizeof reason - at, "%s%s", i ? ", " : "",
                                   data->systems->systems[i].name);
        return refuse(config, room, "system", reason);
    }
    const char *name = room->place->start_set; /* status answers name the set (spec 05 §3.1) */
    room->server.system = room->place->index;
    room->server.system_name = (sb_span){ (const uint8_t *)name, strlen(name) };
    return SB_OK;
}

/* ---- rotation ---- */

bool sb_room_config_choose(const sb_room_config *room, const char *system, const char *mission,
                           int time_limit, int frag_limit, sb_server_config *out)
{
    const sb_system *place = room->place;
    const sb_mode   *mode = room->server.match.mode;
    if (system && system[0]) place = sb_config_find_system(room->server.systems, system);
    if (mission && mission[0]) mode = sb_find_mode(mission);
    if (!place || !mode) return false;
    out->match.mode = mode;
    out->system = place->index;
    out->system_name = (sb_span){ (const uint8_t *)place->start_set, strlen(place->start_set) };
    if (time_limit >= 0) out->match.time_limit_min = (uint32_t)time_limit;
    if (frag_limit >= 0) out->match.frag_limit = (uint32_t)frag_limit;
    return true;
}

/* An entry that lacks a field has the value of the room's key. The room starts with the first
 * entry. */
static sb_result fill_rotation(sb_process_config *config, sb_room_config *room)
{
    sb_match_config   *match = &room->server.match;
    size_t             count = room->rotation.count;
    sb_rotation_entry *own = count ? sb_data_allocate(&config->data, count * sizeof *own) : NULL;
    if (count == 0) return SB_OK;
    if (!own) return sb_data_refuse_os_error(&config->data, "rotation", "out of memory");
    for (size_t i = 0; i < count; i++) {
        own[i] = room->rotation.entries[i];
        if (!own[i].system) own[i].system = room->system;
        if (!own[i].mission) own[i].mission = room->mission;
        if (own[i].time_limit < 0) own[i].time_limit = (int)match->time_limit_min;
        if (own[i].frag_limit < 0) own[i].frag_limit = (int)match->frag_limit;
    }
    room->rotation.entries = own;
    room->system = own->system;
    room->mission = own->mission;
    match->time_limit_min = (uint32_t)own->time_limit;
    match->frag_limit = (uint32_t)own->frag_limit;
    return SB_OK;
}

/* Missions were checked when they were read; which systems there are is known only now. */
static sb_result check_rotation(sb_process_config *config, const sb_data_tables *data,
                                const sb_room_config *room)
{
    char reason[120];
    for (size_t i = 0; i < room->rotation.count; i++) {
        const char *system = room->rotation.entries[i].system;
        if (!system || sb_config_find_system(data->systems, system)) continue;
        snprintf(reason, sizeof reason, "there is no star system `%.40s` (entry %zu)", system,
                 i + 1);
        return refuse(config, room, "rotation", reason);
    }
    return SB_OK;
}

/* ---- manifests and masters ---- */

static const sb_manifest *find_loaded_manifest(const sb_process_config *config, const char *name)
{
    for (const sb_room_config *room = config->rooms; room < config->rooms + config->room_count;
         room++)
        for (size_t i = 0; i < room->manifests.count; i++)
            if (room->loaded[i] && strcmp(room->manifests.items[i], name) == 0)
                return room->loaded[i];
    return NULL;
}

static sb_result load_manifests(sb_process_config *config, sb_room_config *room)
{
    for (size_t i = 0; i < room->manifests.count; i++) {
        const char *name = room->manifests.items[i];
        room->loaded[i] = strcmp(name, "vanilla") == 0 ? sb_vanilla_manifest()
                                                       : find_loaded_manifest(config, name);
        if (room->loaded[i]) continue;
        sb_data_source source = { .name = name };
        sb_result      result = sb_data_load_manifest(&config->data, source, &room->loaded[i]);
        if (result != SB_OK) return add_key_to_error(config, room, "manifests", result);
    }
    room->server.manifests = room->manifests.count ? room->loaded : NULL;
    room->server.manifest_count = room->manifests.count;
    return SB_OK;
}

static bool shares_files(const sb_room_config *a, const sb_room_config *b)
{
    bool same =
        strcmp(a->send_files, b->send_files) == 0 && a->manifests.count == b->manifests.count;
    for (size_t i = 0; same && i < a->manifests.count; i++) same = a->loaded[i] == b->loaded[i];
    return same;
}

/* Each room gets its share of the rate: rooms know nothing of each other. */
static void set_file_rate(const sb_process_config *config, sb_room_config *room)
{
    uint32_t share = config->send_files_rate * 1024u / (uint32_t)config->room_count;
    room->server.file_bytes_per_s = share > 1024 ? share : 1024;
}

static sb_result load_folder(sb_process_config *config, sb_room_config *room)
{
    const sb_server_config *server = &room->server;
    sb_result result = sb_data_load_client_files(&config->data, room->send_files, server->manifests,
                                                 server->manifest_count, &room->files);
    config->file_bytes += room->files.bytes;
    if (result == SB_OK && config->file_bytes > SB_FILES_BYTES_MAX)
        result = sb_data_refuse(&config->data, room->send_files, "",
                                "the folders of all rooms together have more than 64 MiB");
    return result;
}

static sb_result load_client_files(sb_process_config *config, sb_room_config *room)
{
    sb_checksum_mode mode = room->server.checksums;
    set_file_rate(config, room);
    if (room->send_files[0] == '\0') return SB_OK;
    if (mode != SB_CHECKSUM_LOG && mode != SB_CHECKSUM_STRICT)
        return refuse(config, room, "send_files",
                      "needs checksums = \"log\" or \"strict\": otherwise the server does not know "
                      "which files differ");
    for (const sb_room_config *r = config->rooms; r < room && !room->files.count; r++)
        if (shares_files(r, room)) room->files = r->files;
    sb_result result = room->files.count ? SB_OK : load_folder(config, room);
    room->server.files = room->files.files;
    room->server.file_count = room->files.count;
    return add_key_to_error(config, room, "send_files", result);
}

/* Adds the lines of the masters file to the room's masters and clears the file's name, so that
 * --check-config prints each master once. */
static sb_result read_masters_file(sb_process_config *config, sb_room_config *room)
{
    const sb_key *key = sb_config_find_key("masters");
    sb_texts     *masters = &room->masters;
    if (room->masters_file[0] == '\0') return SB_OK;
    sb_master_list list = { masters->items, masters->count, SB_TEXTS_MAX };
    sb_result result = sb_data_load_masters(&config->data, room->masters_file, key->check, &list);
    masters->count = list.count;
    if (result == SB_OK) room->masters_file = "";
    return result;
}

static sb_result check_masters(sb_process_config *config, sb_room_config *room)
{
    sb_result result = read_masters_file(config, room);
    if (result != SB_OK) return add_key_to_error(config, room, "masters_file", result);
    if (room->masters.count > SB_MASTERS_MAX)
        return refuse(config, room, "masters", "must be at most 16");
    return SB_OK;
}

/* ---- learning ---- */

/* Refuses a path that cannot be written. Otherwise the error would appear only after a player has
 * answered all checksum rounds. */
static sb_result check_learn_path(sb_process_config *config, const sb_room_config *room)
{
    char        reason[SB_DATA_ERROR_MAX];
    bool        given = config->learn[0] != '\0';
    const char *path = given ? config->learn : SB_LEARNED_FILE;
    const char *why =
        room->server.checksums == SB_CHECKSUM_LEARN ? sb_file_replace_error(path) : NULL;
    if (!why) return SB_OK;
    snprintf(reason, sizeof reason, "%s%s: %s", given ? "" : "cannot write ", path, why);
    return refuse(config, given ? NULL : room, given ? "learn" : "checksums", reason);
}

/* ---- a room ---- */

static void set_lane_options(sb_room_config *room)
{
    if (room->stock_updates) sb_lane_options_stock(&room->server.lanes);
    if (room->stock_clock) room->server.lanes.on_arrival = false;
    room->server.lanes.layout_forced = room->shield_layout != SB_LAYOUT_BY_SHIP;
    room->server.lanes.layout =
        room->shield_layout == SB_LAYOUT_ALL_DOCUMENTED ? SB_SHIELD_DOCUMENTED : SB_SHIELD_STOCK;
}

/* mod_policy applies to types that the stock game does not use; an entry of `mods` to any type. */
static void set_mod_policies(sb_room_config *room)
{
    for (unsigned i = 0; i < 256; i++) {
        bool mod = sb_find_message_type((uint8_t)i)->relay == SB_RELAY_CONFIGURABLE;
        room->server.mod_policy[i] = room->mods[i] ? room->mods[i] : mod ? room->mod_policy : 0;
    }
}

static sb_result resolve_room(sb_process_config *config, const sb_data_tables *data,
                              sb_room_config *room)
{
    sb_server_config *server = &room->server;
    sb_result         result = fill_rotation(config, room);
    if (result != SB_OK) return result;
    server->seed = sb_clock_seed();
    server->match.mode = sb_find_mode(room->mission);
    server->ships = data->ships;
    server->systems = data->systems;
    server->combat.projectiles = data->projectiles;
    server->transport.local_address = config->bind_address.address;
    server->list_house = room->bots.count;
    if (config->learn[0]) server->checksums = SB_CHECKSUM_LEARN;
    set_lane_options(room);
    set_mod_policies(room);
    if (!encode_password(room->password, room->password_bytes, SB_PASSWORD_UNITS,
                         &server->password))
        return refuse(config, room, "password", "is too long or has characters above U+FFFF");
    result = resolve_system(config, data, room);
    if (result == SB_OK) result = check_rotation(config, data, room);
    if (result == SB_OK) result = load_manifests(config, room);
    if (result == SB_OK) result = load_client_files(config, room);
    if (result == SB_OK) result = check_masters(config, room);
    if (result == SB_OK) result = check_learn_path(config, room);
    if (result == SB_OK && sb_server_bytes(server) == 0)
        result =
            refuse(config, room, "max_players", "is not possible together with the other keys");
    return result;
}

sb_result sb_process_config_resolve(sb_process_config *config)
{
    sb_data_tables data;
    sb_result      result = load_tables(config, &data);
    (void)sb_parse_endpoint(config->bind, 0, &config->bind_address); /* check_bind accepted it */
    if (config->http[0]) (void)sb_config_parse_http(config->http, &config->http_address);
    if (result == SB_OK) result = assign_ports(config);
    if (result == SB_OK) name_rooms(config);
    for (size_t i = 0; result == SB_OK && i < config->room_count; i++)
        result = resolve_room(config, &data, &config->rooms[i]);
    return result;
}

/* A socket per room, an eventfd per room with bots, a few descriptors per loop, and some for files.
 */
size_t sb_process_config_descriptors(const sb_process_config *config)
{
    enum { OTHERS = 256 };
    size_t count = config->room_count + OTHERS;
    for (size_t i = 0; i < config->room_count; i++) count += config->rooms[i].bots.fill > 0;
    return count;
}
