/* apps/serve/bots.c -- the server's own players: key `bots`, and their number at runtime.
 *
 * For:      serve.c, reload.c, and the command `bots` of the operator. All on the main thread.
 * Tests:    tests/apps/house_bots_test.py
 */
#include "serve/serve.h"

#include "base/assert.h"

#include <stdlib.h>

_Static_assert((int)SB_BOT_NAME_UNITS == (int)SB_HOUSE_NAME_UNITS, "every configured name fits");
_Static_assert((int)SB_TEXTS_MAX <= (int)SB_HOUSE_NAMES_MAX, "every configured name has a place");

bool serve_open_house(serve *s)
{
    sb_house_place *places = calloc(s->room_count, sizeof *places);
    if (!places) return false;
    for (size_t i = 0; i < s->room_count; i++) {
        serve_room *r = &s->rooms[i];
        places[i] = (sb_house_place){ .room = &r->room,
                                      .loop = s->loops[r->loop],
                                      .index = r->index,
                                      .limit = r->config->server.max_players,
                                      .ships = r->ship_set };
    }
    s->house = sb_house_create(places, s->room_count);
    free(places);
    return s->house != NULL;
}

static void copy_settings(const sb_bots_config *bots, sb_house_settings *out)
{
    sb_house_defaults(out);
    out->fill = bots->fill;
    out->skill = bots->skill;
    out->always = !bots->with_players;
    out->name_count = (uint32_t)bots->names.count;
    for (size_t i = 0; i < bots->names.count; i++)
        snprintf(out->names[i], sizeof out->names[i], "%s", bots->names.items[i]);
}

bool serve_fill_room(serve *s, size_t room, uint32_t fill)
{
    sb_house_settings settings;
    SB_ASSERT(room < s->room_count);
    copy_settings(&s->rooms[room].config->bots, &settings);
    settings.fill = fill;
    if (sb_house_configure(s->house, room, &settings) == SB_OK) return true;
    sb_log_message(&s->log, SB_LOG_WARNING, "server", s->rooms[room].number,
                   "no bots: the system has no memory, file or thread left; run fewer rooms with "
                   "bots, or raise the limit of open files (ulimit -n)");
    return false;
}

void serve_fill_rooms(serve *s, const sb_process_config *before)
{
    for (size_t i = 0; i < s->room_count; i++) {
        const sb_bots_config *bots = &s->rooms[i].config->bots;
        if (before && sb_bots_are_equal(bots, &before->rooms[i].bots)) continue;
        (void)serve_fill_room(s, i, bots->fill);
    }
}

void serve_append_bots(serve *s, size_t room, sb_log_line *line)
{
    sb_house_view view;
    sb_house_view_room(s->house, room, &view);
    sb_log_value_number(line, "bots", view.present);
    sb_log_value_number(line, "bots_fill", view.fill);
    sb_log_value_number(line, "bots_dropped", (int64_t)view.dropped);
    if (view.fill == 0 && view.present == 0) return;
    sb_log_text(line, "%s%u bots", line->text_size > 0 ? "; " : "", view.present);
    if (view.fill > 0) sb_log_text(line, ", up to %u with people", view.fill);
    else sb_log_text(line, ", which leave");
    if (view.dropped)
        sb_log_text(line, ", %llu of their datagrams dropped", (unsigned long long)view.dropped);
}
