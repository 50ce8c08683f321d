/* src/admin/find_player.c -- the player that a person means: by name, unique prefix, id or address.
 *
 * Tests:    tests/admin/find_player_test.c
 */
#include "admin/find_player.h"

#include <stdio.h>
#include <string.h>

#include "admin/words.h"
#include "platform/udp.h"

/* How the word is compared with a player. */
typedef enum how { BY_ID, BY_ADDRESS, BY_NAME, BY_PREFIX } how;

typedef struct search {
    how                by;
    const char        *word;
    uint32_t           id;
    sb_endpoint        address; /* port 0: any */
    size_t             found;
    sb_argument_value *out;
    char              *list; /* of those found, for the explanation */
    size_t             list_size;
    bool               with_rooms;
} search;

static bool fits(const search *s, const sb_player_view *p)
{
    switch (s->by) {
    case BY_ID: return p->peer_id == s->id;
    case BY_ADDRESS:
        return p->address.address == s->address.address &&
               (s->address.port == 0 || p->address.port == s->address.port);
    case BY_NAME: return sb_words_is_same(p->name, s->word);
    case BY_PREFIX: return p->name[0] && sb_words_starts_with(p->name, s->word);
    }
    return false;
}

/* Appends "#3 Kirk in room 2"; what does not fit is left out. */
static void list_player(search *s, size_t room, const sb_player_view *p)
{
    char   entry[160], where[32] = "";
    size_t space = SB_FIND_TEXT_MAX - 120;
    if (s->with_rooms) snprintf(where, sizeof where, " in room %zu", room + 1);
    int size = snprintf(entry, sizeof entry, "%s#%u %s%s", s->list_size ? ", " : "", p->peer_id,
                        p->name[0] ? p->name : "?", where);
    if (size < 0 || s->list_size + (size_t)size >= space) return;
    memcpy(s->list + s->list_size, entry, (size_t)size + 1);
    s->list_size += (size_t)size;
}

static void look(const sb_find_rooms *rooms, search *s)
{
    s->found = s->list_size = 0;
    for (size_t i = rooms->first; i < rooms->first + rooms->count; i++) {
        const sb_room_snapshot *seen = rooms->effects->snapshot(rooms->effects->context, i);
        for (uint32_t k = 0; k < seen->player_count; k++) {
            const sb_player_view *p = &seen->players[k].view;
            if (!fits(s, p)) continue;
            if (s->found++ == 0) {
                s->out->player = *p;
                s->out->player.ship = NULL; /* lent only until the next snapshot */
                s->out->room = i;
            }
            list_player(s, i, p);
        }
    }
}

/* The size of the longest player's name with which the text begins, as whole words; 0: none. */
static size_t longest_name(const sb_find_rooms *rooms, const char *text)
{
    size_t best = 0;
    for (size_t i = rooms->first; i < rooms->first + rooms->count; i++) {
        const sb_room_snapshot *seen = rooms->effects->snapshot(rooms->effects->context, i);
        for (uint32_t k = 0; k < seen->player_count; k++) {
            const char *name = seen->players[k].view.name;
            size_t      size = strlen(name);
            bool        whole = size > best && sb_words_starts_with(text, name) &&
                         (text[size] == ' ' || text[size] == '\t' || text[size] == '\0');
            if (whole) best = size;
        }
    }
    return best;
}

static char *cut(char **text, size_t size)
{
    char *word = *text;
    *text += size;
    if (**text) *(*text)++ = '\0';
    *text = sb_words_skip_blanks(*text);
    return word;
}

/* "#3", "3" or an address. False: a name. */
static bool parse_number(search *s)
{
    const char *digits = s->word + (s->word[0] == '#');
    if (sb_words_parse_number(digits, 1, 255, &s->id)) {
        s->by = BY_ID;
        return true;
    }
    if (digits[strspn(digits, "0123456789")] == '\0') {
        s->by = BY_ID;
        s->id = 0; /* nobody */
        return true;
    }
    if (strspn(s->word, "0123456789.:") != strlen(s->word) || !strchr(s->word, '.')) return false;
    s->by = BY_ADDRESS;
    return sb_parse_endpoint(s->word, 0, &s->address);
}

static sb_find explain(const search *s, const sb_find_rooms *rooms, char *explanation)
{
    char list[SB_FIND_TEXT_MAX];
    char help[40] = "";
    if (rooms->count == 1) snprintf(help, sizeof help, "; `%splayers` lists them", rooms->mark);
    if (s->found > 1) {
        snprintf(list, sizeof list, "%s", s->list);
        snprintf(explanation, SB_FIND_TEXT_MAX,
                 "%zu players fit `%.40s`: %.280s; write more of the name, or #ID", s->found,
                 s->word, list);
        return SB_FIND_SEVERAL;
    }
    if (s->by == BY_ID)
        snprintf(explanation, SB_FIND_TEXT_MAX, "there is no player %.20s%s",
                 s->word + (s->word[0] == '#'), help);
    else snprintf(explanation, SB_FIND_TEXT_MAX, "there is no player `%.60s`%s", s->word, help);
    return SB_FIND_NONE;
}

static sb_find ask_for_room(char *explanation)
{
    snprintf(explanation, SB_FIND_TEXT_MAX, "put the number of the room in front");
    return SB_FIND_NEEDS_ROOM;
}

sb_find sb_find_player(const sb_find_rooms *rooms, char **text, sb_argument_value *out,
                       char explanation[SB_FIND_TEXT_MAX])
{
    search s = { .by = BY_NAME, .out = out, .list = explanation, .with_rooms = rooms->count > 1 };
    bool   quoted = **text == '"';
    size_t size = quoted || rooms->count > SB_FIND_ROOMS_MAX ? 0 : longest_name(rooms, *text);
    explanation[0] = '\0';
    s.word = size > 0 && **text != '#' ? cut(text, size) : sb_words_next(text, &quoted);
    if (!s.word) s.word = "";
    out->text = s.word;
    out->given = true;
    bool number = !quoted && parse_number(&s);
    if (rooms->count > 1 && ((number && s.by == BY_ID) || rooms->count > SB_FIND_ROOMS_MAX))
        return ask_for_room(explanation);
    look(rooms, &s);
    if (s.found == 0 && !number && s.word[0]) {
        s.by = BY_PREFIX;
        look(rooms, &s);
    }
    if (s.found == 1) return SB_FIND_ONE;
    out->player.peer_id = 0;
    return explain(&s, rooms, explanation);
}
