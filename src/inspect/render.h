/* src/inspect/render.h -- prints a record as a line, a tree, a hexdump or JSON.
 *
 * For:      `starbase decode`. Each function prints one record to `out` and ends with a newline.
 * Never:    allocates or does I/O. Nothing here is special to one opcode: the output follows from
 *           the fields.
 */
#ifndef SB_INSPECT_RENDER_H
#define SB_INSPECT_RENDER_H

#include "inspect/number_text.h"
#include "inspect/object_names.h"
#include "inspect/output.h"
#include "inspect/record.h"
#include "inspect/text.h"

enum { SB_RENDER_PEERS = 64 };

/* The value of `schema` in JSON lines and in the JSON of --stats. The number changes if a key is
 * renamed or removed or gets another meaning, not if one is added. docs/decode.md lists the keys.
 */
#define SB_JSON_SCHEMA       "starbase.decode/1"
#define SB_JSON_STATS_SCHEMA "starbase.decode-stats/1"

/* The part of a JSON line that all records of a datagram share: `text` holds it for these values.
 */
typedef struct sb_json_origin {
    bool        has_time, has_endpoints, has_peer_id;
    uint8_t     peer_id;
    sb_side     from;
    uint64_t    datagram;
    int64_t     time_us;
    sb_endpoint source, destination;
    size_t      size;
    char        text[192];
} sb_json_origin;

typedef struct sb_render {
    sb_output  *out;
    size_t      width;   /* columns of the terminal; longer lines are cut. 0: never cut */
    bool        remarks; /* hexdumps show published names */
    const char *file;    /* the input named by the newest file heading */
    /* Lines and trees show these names instead of ids or beside them. Borrowed; NULL: none. */
    sb_object_names *names;
    bool             has_start; /* `start_us` is set */
    int64_t          start_us;  /* time of the first record; times are printed relative to it */
    /* The peer id of each client address seen: datagrams of the host do not name their receiver.
     * A full table overwrites its oldest entry. */
    struct {
        sb_endpoint endpoint;
        uint8_t     peer_id;
    } peers[SB_RENDER_PEERS];
    size_t         peer_count, peer_next;
    sb_json_origin origin; /* of the newest record printed as JSON */
    sb_float_text  floats[SB_FLOAT_TEXTS];
} sb_render;

void sb_render_init(sb_render *render, sb_output *out);
/* Learns the peer id of an address, the start time and names. Call it for every record, even if the
 * record is not printed. */
void sb_render_learn(sb_render *render, const sb_record *record);

void sb_render_line(sb_render *render, const sb_record *record);
void sb_render_tree(sb_render *render, const sb_record *record);
void sb_render_hex(sb_render *render, const sb_record *record);
void sb_render_json(sb_render *render, const sb_record *record);

/* ---- parts the renderers share ---- */

/* How the direction of a record names a client. */
typedef enum sb_direction_form {
    SB_DIRECTION_FULL,    /* C2:Cady2>S */
    SB_DIRECTION_COMPACT, /* Cady2>S; C2>S if the name is not known; long names are cut */
} sb_direction_form;

/* Adds "C2:Cady2>S" or "S>C3:Kira"; nothing if the sender is unknown. */
void sb_render_add_direction(const sb_render *render, const sb_record *record,
                             sb_direction_form form, sb_text *text);
/* Adds the name of the object or player after its number, if the capture has one. */
void   sb_render_add_name(const sb_render *render, const sb_record *record, const sb_field *field,
                          const sb_value *value, sb_text *text);
size_t sb_format_endpoint(char *out, sb_endpoint endpoint);
/* Prints number, name, time, addresses and transport: the first lines of a tree or hexdump. */
void sb_render_heading(sb_render *render, const sb_record *record);
/* Prints the name of the input before its first record, if there are several inputs. */
void sb_render_file(sb_render *render, const sb_record *record);
/* "shields documented" or "shields stock": the new layout if `shield_layout_changed` is set. */
const char *sb_record_shield_change(const sb_record *record);
/* Adds why and where the record was refused, and the bytes from there on. */
void sb_text_add_refusal(sb_text *text, const sb_record *record);
void sb_render_refusal(sb_render *render, const sb_record *record);

#endif
