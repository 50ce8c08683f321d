/* src/inspect/render.c -- headings and other parts that the renderers share. */
#include "inspect/render.h"

#include "inspect/number_text.h"
#include "inspect/show.h"
#include "inspect/text.h"

void sb_render_init(sb_render *render, sb_output *out)
{
    *render = (sb_render){ .out = out };
}

static const uint8_t *find_peer(const sb_render *render, sb_endpoint endpoint)
{
    for (size_t i = 0; i < render->peer_count; i++)
        if (sb_endpoints_equal(render->peers[i].endpoint, endpoint))
            return &render->peers[i].peer_id;
    return NULL;
}

void sb_render_learn(sb_render *render, const sb_record *r)
{
    if (render->names) sb_object_names_learn(render->names, r);
    if (r->has_time && !render->has_start) {
        render->has_start = true;
        render->start_us = r->time_us;
    }
    if (!r->has_endpoints || !r->has_peer_id || r->from != SB_SIDE_CLIENT) return;
    if (r->peer_id == SB_PEER_NONE) return;
    for (size_t i = 0; i < render->peer_count; i++) {
        if (!sb_endpoints_equal(render->peers[i].endpoint, r->source)) continue;
        render->peers[i].peer_id = r->peer_id;
        return;
    }
    size_t at = render->peer_next++ % SB_RENDER_PEERS;
    if (render->peer_count < SB_RENDER_PEERS) render->peer_count++;
    render->peers[at].endpoint = r->source;
    render->peers[at].peer_id = r->peer_id;
}

/* Adds at most `columns` characters of the name. */
static void add_cut(sb_text *t, const char *name, size_t columns)
{
    size_t at = 0, taken = 0;
    for (; name[at]; at++) {
        bool starts = ((unsigned char)name[at] & 0xC0) != 0x80;
        if (starts && taken++ == columns) break;
    }
    sb_text_add(t, name, at);
}

/* "C2:Cady2", or "C?" while the client has no peer id. */
static void add_client(const sb_render *render, const sb_record *r, const uint8_t *peer_id,
                       sb_direction_form form, sb_text *t)
{
    bool        has_id = peer_id && *peer_id != SB_PEER_NONE;
    const char *name =
        has_id && render->names ? sb_object_names_player(render->names, r, *peer_id) : NULL;
    if (!name || form == SB_DIRECTION_FULL) {
        sb_text_add_char(t, 'C');
        if (has_id) sb_text_add_number(t, *peer_id);
        else sb_text_add_char(t, '?');
    }
    if (!name) return;
    if (form == SB_DIRECTION_FULL) sb_text_add_char(t, ':');
    add_cut(t, name, form == SB_DIRECTION_FULL ? 12 : 8);
}

void sb_render_add_direction(const sb_render *render, const sb_record *r, sb_direction_form form,
                             sb_text *t)
{
    if (r->from == SB_SIDE_UNKNOWN) return;
    if (r->from == SB_SIDE_CLIENT) {
        add_client(render, r, r->has_peer_id ? &r->peer_id : NULL, form, t);
        sb_text_add_string(t, ">S");
        return;
    }
    sb_text_add_string(t, "S>");
    add_client(render, r, r->has_endpoints ? find_peer(render, r->destination) : NULL, form, t);
}

void sb_render_add_name(const sb_render *render, const sb_record *r, const sb_field *f,
                        const sb_value *v, sb_text *text)
{
    size_t before = text->size;
    if (!render->names) return;
    sb_text_add_string(text, "  ");
    if (!sb_object_names_add_value(render->names, r, f, v, true, text)) text->size = before;
}

size_t sb_format_endpoint(char *out, sb_endpoint endpoint)
{
    size_t size = sb_format_address(out, endpoint.address);
    out[size++] = ':';
    return size + sb_format_u64(out + size, endpoint.port);
}

static void add_transport(sb_text *t, const sb_transport_message *m)
{
    for (const sb_name *n = sb_transport_type_names(); n->name; n++) {
        if (n->value != m->type) continue;
        sb_text_add_string(t, n->name);
        if (!n->published) continue;
        sb_text_add_string(t, " [");
        sb_text_add_string(t, n->published);
        sb_text_add_char(t, ']');
    }
    if (m->type == SB_TRANSPORT_NOOP) return;
    bool ack = m->type == SB_TRANSPORT_ACK;
    if (!ack) sb_text_add_string(t, m->reliable ? ", reliable" : ", unreliable");
    if (m->priority) sb_text_add_string(t, ", priority");
    if (ack || m->reliable) {
        sb_text_add_string(t, ", seq ");
        sb_text_add_number(t, m->seq);
    }
    if (m->fragment) {
        sb_text_add_string(t, ", fragment ");
        sb_text_add_number(t, m->frag_index);
    }
}

const char *sb_record_shield_change(const sb_record *r)
{
    return r->context.layout == SB_SHIELD_DOCUMENTED ? "shields documented" : "shields stock";
}

static void add_marks(sb_text *t, const sb_record *r)
{
    if (r->fragment_count > 0) {
        sb_text_add_string(t, ", from ");
        sb_text_add_number(t, r->fragment_count);
        sb_text_add_string(t, " fragments");
    }
    if (r->retransmission) sb_text_add_string(t, ", retransmission");
    if (r->repeated) sb_text_add_string(t, ", sent before");
    if (r->late) sb_text_add_string(t, ", late");
    if (r->gap > 0) {
        sb_text_add_string(t, ", gap of ");
        sb_text_add_number(t, r->gap);
        sb_text_add_string(t, " before it");
    }
    if (r->shield_layout_changed) {
        sb_text_add_string(t, ", ");
        sb_text_add_string(t, sb_record_shield_change(r));
        sb_text_add_string(t, " from here on");
    }
}

static void add_way(const sb_render *render, const sb_record *r, sb_text *t)
{
    char buffer[SB_NUMBER_TEXT_MAX];
    if (r->has_time) {
        sb_text_add_string(t, "  +");
        sb_text_add(t, buffer, sb_format_micros(buffer, r->time_us - render->start_us));
    }
    if (r->has_endpoints) {
        sb_text_add_string(t, "  ");
        sb_text_add(t, buffer, sb_format_endpoint(buffer, r->source));
        sb_text_add_string(t, " > ");
        sb_text_add(t, buffer, sb_format_endpoint(buffer, r->destination));
    }
    if (r->from == SB_SIDE_UNKNOWN) return;
    sb_text_add_string(t, "  ");
    sb_render_add_direction(render, r, SB_DIRECTION_FULL, t);
}

/* Prints "StateUpdate [published]  opcode 0x1C  spec 03  35 bytes". */
static void print_title(sb_render *render, const sb_record *r)
{
    sb_output  *o = render->out;
    const char *published = sb_record_published(r);
    char        buffer[160];
    sb_text     t = { buffer, sizeof buffer, 0 };
    uint8_t     opcode;
    sb_output_style(o, SB_STYLE_BOLD);
    if (r->result != SB_OK) sb_output_style(o, SB_STYLE_RED);
    sb_output_text(o, sb_record_name(r));
    sb_output_style(o, SB_STYLE_RESET);
    if (published) {
        sb_text_add_string(&t, " [");
        sb_text_add_string(&t, published);
        sb_text_add_char(&t, ']');
    }
    if (sb_record_opcode(r, &opcode)) {
        sb_text_add_string(&t, "  opcode ");
        sb_text_add_hex_number(&t, opcode, 2);
        sb_text_add_string(&t, "  spec ");
        sb_text_add_string(&t, sb_find_message_type(opcode)->spec);
    }
    sb_text_add_string(&t, "  ");
    sb_text_add_number(&t, (int64_t)r->bytes.size);
    sb_text_add_string(&t, r->bytes.size == 1 ? " byte" : " bytes");
    sb_output_cell(o, SB_STYLE_DIM, t.data, t.size, 0);
}

void sb_render_file(sb_render *render, const sb_record *r)
{
    if (!r->file || r->file == render->file) return;
    render->file = r->file;
    sb_output_style(render->out, SB_STYLE_BOLD);
    sb_output_text(render->out, "== ");
    sb_output_text(render->out, r->file);
    sb_output_text(render->out, " ==");
    sb_output_style(render->out, SB_STYLE_RESET);
    sb_output_char(render->out, '\n');
}

void sb_render_heading(sb_render *render, const sb_record *r)
{
    sb_output *o = render->out;
    sb_render_file(render, r);
    char    buffer[256];
    sb_text t = { buffer, sizeof buffer, 0 };
    sb_text_add_char(&t, '#');
    sb_text_add_number(&t, (int64_t)r->number);
    sb_output_cell(o, SB_STYLE_DIM, t.data, t.size, 5);
    sb_output_char(o, ' ');
    print_title(render, r);
    t.size = 0;
    add_way(render, r, &t);
    if (r->has_transport) {
        sb_text_add_string(&t, t.size > 0 ? "\n      " : "  ");
        add_transport(&t, &r->transport);
        add_marks(&t, r);
    }
    sb_output_cell(o, r->retransmission || r->gap > 0 ? SB_STYLE_YELLOW : SB_STYLE_DIM, t.data,
                   t.size, 0);
    sb_output_char(o, '\n');
}

void sb_text_add_refusal(sb_text *t, const sb_record *r)
{
    sb_span bytes = sb_record_shown_bytes(r);
    size_t  offset = r->refusal.offset < bytes.size ? r->refusal.offset : bytes.size;
    sb_text_add_string(t, "refused at byte ");
    sb_text_add_number(t, (int64_t)offset);
    if (r->refusal.field) {
        sb_text_add_string(t, " in ");
        sb_text_add_string(t, r->refusal.field);
    }
    sb_text_add_string(t, ": ");
    sb_text_add_string(t, sb_record_reason(r));
    if (offset == bytes.size) return;
    sb_text_add_string(t, " · ");
    sb_text_add_bytes(t, (sb_span){ bytes.data + offset, bytes.size - offset }, 16);
}

void sb_render_refusal(sb_render *render, const sb_record *r)
{
    char    buffer[512];
    sb_text t = { buffer, sizeof buffer, 0 };
    sb_text_add_refusal(&t, r);
    sb_output_cell(render->out, SB_STYLE_RED, t.data, t.size, 0);
}
