/* src/client/join.c -- the handshake from the first checksum request to the lobby, the end of a
 * match and its restart.
 *
 * For:      servers of any kind: messages may arrive in another order, requests may be repeated,
 *           and MissionInit may precede our NewPlayerInGame.
 * Never:    touches a file: the content of a FileTransfer is dropped (spec 06 §5.4).
 * Spec:     06 §4, §5, §10, 09 §8.
 * Tests:    tests/client/join_test.c, client_test.c
 */
#include "client/client_internal.h"

#include <starbase/manifest.h>
#include <starbase/message.h>

#include "base/text.h"
#include <string.h>

/* ---- checksum rounds ---- */

/* Finds the round by directory and filter, not by the number of the request (spec 06 §10). Returns
 * SB_CHECKSUM_ROUNDS if no round matches. */
static unsigned find_round(const sb_checksum_request *request)
{
    const sb_checksum_round *rounds = sb_checksum_rounds();
    unsigned                 i = 0;
    while (i < SB_CHECKSUM_ROUNDS && !(rounds[i].recursive == request->recursive &&
                                       sb_text_equals(request->directory, rounds[i].directory) &&
                                       sb_text_equals(request->filter, rounds[i].filter)))
        i++;
    return i;
}

static bool has_round(const sb_manifest *manifest, unsigned position)
{
    for (size_t i = 0; i < manifest->count; i++)
        if (manifest->files[i].position == position) return true;
    return false;
}

/* The first manifest with files for the round. If none has any: the first manifest, which answers
 * that there are none. */
static const sb_manifest *find_manifest(const sb_client *c, const sb_checksum_request *request)
{
    unsigned position = find_round(request);
    if (c->config.manifest_count == 0) return sb_vanilla_manifest();
    for (size_t i = 0; i < c->config.manifest_count; i++)
        if (has_round(c->config.manifests[i], position)) return c->config.manifests[i];
    return c->config.manifests[0];
}

/* Answers a repeated request again: the server may have reasons to repeat it (spec 06 §9). */
sb_result sb_client_handle_checksum_request(sb_client *c, const sb_message *m, sb_span bytes)
{
    const sb_checksum_request *request = &m->as.checksum_request;
    uint8_t                    answer[SB_CHECKSUM_RESPONSE_MAX];
    size_t                     size;
    (void)bytes;
    sb_result result =
        sb_manifest_answer(find_manifest(c, request), request, answer, sizeof answer, &size);
    if (result != SB_OK) return result;
    return sb_client_queue(c, SB_RELIABLE, (sb_span){ answer, size });
}

/* VersionMismatch, ChecksumFail: like the game's client, reports the file and leaves (06 §5.3). */
sb_result sb_client_handle_refused_files(sb_client *c, const sb_message *m, sb_span bytes)
{
    sb_client_event event = sb_client_new_event(c, SB_CLIENT_REFUSED_FILES);
    event.text = m->as.file_name.name;
    event.value = m->opcode;
    event.bytes = bytes;
    sb_client_report(c, &event);
    sb_client_start_leaving(c);
    return SB_OK;
}

/* FileTransfer is remote code execution by design, so the content is dropped. It is acknowledged
 * all the same, as a stock client does whatever its user decides: the host sends the next file, or
 * goes on with the join, only after the answer (spec 06 §5.4). */
sb_result sb_client_handle_file_transfer(sb_client *c, const sb_message *m, sb_span bytes)
{
    static const uint8_t answer[] = { SB_OP_FILE_TRANSFER_ACK };
    sb_client_event      event = sb_client_new_event(c, SB_CLIENT_FILE_OFFERED);
    event.text = m->as.file_transfer.name;
    event.bytes = bytes;
    sb_client_report(c, &event);
    return sb_client_queue(c, SB_RELIABLE, (sb_span){ answer, sizeof answer });
}

/* ---- settings, loading, mission ---- */

/* Enters the lobby if the join is complete. */
static void try_enter_lobby(sb_client *c)
{
    bool joining = c->phase == SB_CLIENT_CHECKING || c->phase == SB_CLIENT_LOADING;
    if (joining && c->has_settings && c->has_mission && c->ready_at == SB_TIME_NEVER)
        sb_client_set_phase(c, SB_CLIENT_LOBBY);
}

/* Starts the simulated loading time once both Settings and GameInit have come. */
static void try_start_loading(sb_client *c)
{
    if (!c->has_settings || !c->has_game_init || c->ready_at != SB_TIME_NEVER) return;
    c->ready_at = c->now + c->config.load_us;
    if (!c->has_mission) sb_client_set_phase(c, SB_CLIENT_LOADING);
    sb_client_advance_join(c);
}

void sb_client_advance_join(sb_client *c)
{
    static const uint8_t ready[] = { SB_OP_NEW_PLAYER_IN_GAME, 0x20 }; /* spec 06 §5.9 */
    if (c->now < c->ready_at) return;
    if (sb_client_queue(c, SB_RELIABLE, (sb_span){ ready, sizeof ready }) == SB_OK)
        c->ready_at = SB_TIME_NEVER;
    else c->ready_at = c->now + SB_SECOND / 10;
    try_enter_lobby(c);
}

static void store_settings(sb_client *c, const sb_settings *settings)
{
    c->settings = *settings;
    if (settings->map.size > 0) memcpy(c->map, settings->map.data, settings->map.size);
    c->settings.map.data = c->map;
    c->settings.correction = (sb_span){ NULL, 0 }; /* meaning unknown, and not copied */
    c->settings_at = c->now;
}

/* A second Settings starts a new game: object ids start over (spec 07 §1.1), so the own ship is
 * removed: its id could be allocated again. */
sb_result sb_client_handle_settings(sb_client *c, const sb_message *m, sb_span bytes)
{
    const sb_settings *settings = &m->as.settings;
    (void)bytes;
    if (settings->slot >= SB_SLOTS || settings->map.size > SB_CLIENT_MAP_MAX) return SB_BAD_VALUE;
    if (c->own_index >= 0) sb_client_remove_row(c, &c->rows[c->own_index]);
    if (c->has_settings) c->has_game_init = false;
    store_settings(c, settings);
    c->has_settings = true;
    c->next_id = sb_slot_first_id(settings->slot);
    try_start_loading(c);
    try_enter_lobby(c);
    return SB_OK;
}

/* Loading a mission removes the ships of the previous one. The server may send the second Settings
 * and its GameInit apart, and the caller may have spawned a ship in between. */
static void unload_mission(sb_client *c)
{
    c->has_mission = false;
    if (c->own_index >= 0) sb_client_remove_row(c, &c->rows[c->own_index]);
}

/* Only the first GameInit after a Settings counts. After a second Settings, it reloads the mission.
 */
sb_result sb_client_handle_game_init(sb_client *c, const sb_message *m, sb_span bytes)
{
    (void)m, (void)bytes;
    if (c->has_game_init) return SB_OK;
    c->has_game_init = true;
    if (sb_client_is_in_game(c)) unload_mission(c);
    try_start_loading(c);
    return SB_OK;
}

sb_result sb_client_handle_collision_setting(sb_client *c, const sb_message *m, sb_span bytes)
{
    (void)bytes;
    c->settings.collision_damage = m->as.collision_setting.collision_damage;
    return SB_OK;
}

sb_result sb_client_handle_mission(sb_client *c, const sb_message *m, sb_span bytes)
{
    (void)bytes;
    c->mission = m->as.mission_init;
    c->has_mission = true;
    try_enter_lobby(c);
    return SB_OK;
}

/* ---- end and restart ---- */

sb_result sb_client_handle_end_game(sb_client *c, const sb_message *m, sb_span bytes)
{
    sb_client_event event = sb_client_new_event(c, SB_CLIENT_GAME_OVER);
    event.value = m->as.end_game.reason;
    event.bytes = bytes;
    c->game_over = true;
    sb_client_remove_all_rows(c);
    sb_client_report(c, &event);
    return SB_OK;
}

sb_result sb_client_handle_restart(sb_client *c, const sb_message *m, sb_span bytes)
{
    sb_client_event event = sb_client_new_event(c, SB_CLIENT_RESTARTED);
    (void)m;
    event.bytes = bytes;
    c->game_over = false;
    sb_client_clear_scores(c);
    sb_client_remove_all_rows(c);
    sb_client_report(c, &event);
    return SB_OK;
}
