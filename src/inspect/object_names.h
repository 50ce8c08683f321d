/* src/inspect/object_names.h -- names of players, ships and parts of ships, learned from a capture.
 *
 * For:      renderers, which show `Cady2/Sovereign` and `Cady2/Torpedo tube 2` instead of the ids.
 * May use:  its own tables, whose size is fixed: a full table overwrites its oldest entry.
 * Never:    passes a character on that base/utf8.h does not call visible; shows a name that the
 *           capture does not support: an id of unknown meaning has no name.
 * Spec:     01 §5 (Name), 07 §2 (creation), 08 §2 (ids of ships and subsystems).
 *
 * Names of players come from Name records, names of ships from ObjectCreate and PlayerObjectCreate.
 * Each is known per host, because a capture may contain several servers.
 */
#ifndef SB_INSPECT_OBJECT_NAMES_H
#define SB_INSPECT_OBJECT_NAMES_H

#include "inspect/record.h"
#include "inspect/text.h"

enum {
    SB_NAMED_PLAYERS_MAX = 128,
    SB_NAMED_SHIPS_MAX = 512,
    SB_NAME_BYTES_MAX = 64, /* a name in UTF-8, with its NUL; longer names are cut */
};

typedef struct sb_named_player {
    sb_endpoint host;
    uint8_t     peer_id;
    char        name[SB_NAME_BYTES_MAX];
} sb_named_player;

typedef struct sb_named_ship {
    sb_endpoint          host;
    uint32_t             object_id;
    uint8_t              peer_id; /* of the owner; 0: not known */
    uint8_t              species;
    const sb_ship_class *model; /* NULL: no list of its parts is known */
    char                 name[SB_NAME_BYTES_MAX];
} sb_named_ship;

typedef struct sb_object_names {
    const char     *file; /* the input the names come from; another input starts anew */
    sb_named_player players[SB_NAMED_PLAYERS_MAX];
    sb_named_ship   ships[SB_NAMED_SHIPS_MAX];
    size_t          player_count, ship_count; /* all that were added; the tables are rings */
} sb_object_names;

void sb_object_names_init(sb_object_names *names);
/* Learns from a record of a capture; other records change nothing. */
void sb_object_names_learn(sb_object_names *names, const sb_record *record);

/* The name of the player with this peer id on the record's host; NULL: not known. */
const char *sb_object_names_player(const sb_object_names *names, const sb_record *record,
                                   uint32_t peer_id);
/* Adds the name of an object: "Cady2/Sovereign", "Cady2/Torpedo tube 2"; with `exact` also the name
 * of a weapon in the ship's data: "Cady2/Torpedo tube 2 (Forward Torpedo 2)". False: not known;
 * nothing is added. */
bool sb_object_names_add(const sb_object_names *names, const sb_record *record, uint32_t object_id,
                         bool exact, sb_text *text);
/* The same for a field of the record, if its value is an object id or a peer id. */
bool sb_object_names_add_value(const sb_object_names *names, const sb_record *record,
                               const sb_field *field, const sb_value *value, bool exact,
                               sb_text *text);

#endif
