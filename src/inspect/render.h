/* src/inspect/render.h -- records as text: a line, a tree, a hexdump, JSON, columns.
 *
 * For:      `starbase decode`; each function writes one record to `out`, whole lines.
 * Never:    allocates, does I/O, or knows an opcode: everything follows from the fields.
 */
#ifndef SB_INSPECT_RENDER_H
#define SB_INSPECT_RENDER_H

#include "inspect/output.h"
#include "inspect/record.h"
#include "inspect/text.h"

enum { SB_RENDER_PEERS = 64 };

typedef struct sb_render {
    sb_output  *out;
    size_t      width;     /* of the terminal; lines are cut to it. 0: never cut */
    bool        remarks;   /* hexdumps with published names */
    const char *file;      /* the input that was named last */
    bool        has_start; /* times are shown since `start_us` ... */
    int64_t     start_us;
    /* Which client is behind an address, as far as seen: host datagrams do not say whom they are
     * for. The oldest is forgotten when there are too many. */
    struct {
        sb_endpoint endpoint;
        uint8_t     peer_id;
    } peers[SB_RENDER_PEERS];
    size_t peer_count, peer_next;
} sb_render;

void sb_render_init(sb_render *render, sb_output *out);
/* Learns peer and start time. To be called for every record, shown or not. */
void sb_render_learn(sb_render *render, const sb_record *record);

void sb_render_line(sb_render *render, const sb_record *record);
void sb_render_tree(sb_render *render, const sb_record *record);
void sb_render_hex(sb_render *render, const sb_record *record);
void sb_render_json(sb_render *render, const sb_record *record);

/* ---- parts the renderers share ---- */

/* "C2>S", "S>C3"; empty when nothing is known. Returns the size; `out` has SB_NUMBER_TEXT_MAX. */
size_t sb_render_format_direction(const sb_render *render, const sb_record *record, char *out);
size_t sb_format_endpoint(char *out, sb_endpoint endpoint);
/* A line with number, time, addresses and transport, for the renderers with many lines. */
void sb_render_heading(sb_render *render, const sb_record *record);
/* A line with the name of the input, before the first record of each. */
void sb_render_file(sb_render *render, const sb_record *record);
/* "shields documented": what is new where `shield_layout_changed` is set. */
const char *sb_record_shield_change(const sb_record *record);
/* Why and where it was refused, and the bytes from there. */
void sb_text_add_refusal(sb_text *text, const sb_record *record);
void sb_render_refusal(sb_render *render, const sb_record *record);

#endif
