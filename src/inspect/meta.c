/* src/inspect/meta.c -- the table of a record's properties.
 *
 * Tests:    tests/inspect/filter_test.c, tests/inspect/render_test.c
 */
#include "inspect/meta.h"

#include "inspect/number_text.h"
#include "inspect/render.h"
#include "inspect/show.h"

#include <strings.h>

struct sb_meta {
    const char  *name;
    sb_meta_kind kind;
    bool (*read)(const sb_record *r, int64_t start_us, sb_meta_value *out);
};

static bool set_number(sb_meta_value *out, int64_t value)
{
    out->integer = value;
    out->number = (double)value;
    return true;
}

static bool set_text(sb_meta_value *out, const char *value)
{
    sb_text_add_string(&out->text, value);
    return true;
}

#define READER(name_) static bool name_(const sb_record *r, int64_t start_us, sb_meta_value *out)

READER(read_opcode)
{
    uint8_t opcode;
    (void)start_us;
    return sb_record_opcode(r, &opcode) && set_number(out, opcode);
}

READER(read_name)
{
    (void)start_us;
    return set_text(out, sb_record_name(r));
}

READER(read_layer)
{
    (void)start_us;
    return set_text(out, sb_layer_name(r->layer));
}

static bool set_seconds(sb_meta_value *out, int64_t micros)
{
    out->integer = micros;
    out->number = (double)micros / 1e6;
    return true;
}

READER(read_time)
{
    (void)start_us;
    return r->has_time && set_seconds(out, r->time_us);
}

READER(read_elapsed)
{
    return r->has_time && set_seconds(out, r->time_us - start_us);
}

READER(read_number)
{
    (void)start_us;
    return set_number(out, (int64_t)r->number);
}

READER(read_datagram)
{
    (void)start_us;
    return set_number(out, (int64_t)r->datagram);
}

READER(read_size)
{
    (void)start_us;
    return set_number(out, (int64_t)r->bytes.size);
}

READER(read_ok)
{
    (void)start_us;
    return set_number(out, r->result == SB_OK);
}

READER(read_error)
{
    (void)start_us;
    return r->result != SB_OK && set_text(out, sb_result_name(r->result));
}

static bool set_endpoint(sb_meta_value *out, sb_endpoint e)
{
    char buffer[SB_NUMBER_TEXT_MAX];
    sb_text_add(&out->text, buffer, sb_format_endpoint(buffer, e));
    return true;
}

READER(read_from)
{
    (void)start_us;
    return r->has_endpoints && set_endpoint(out, r->source);
}

READER(read_to)
{
    (void)start_us;
    return r->has_endpoints && set_endpoint(out, r->destination);
}

READER(read_side)
{
    (void)start_us;
    return r->from != SB_SIDE_UNKNOWN && set_text(out, r->from == SB_SIDE_HOST ? "host" : "client");
}

READER(read_peer_id)
{
    (void)start_us;
    return r->has_peer_id && set_number(out, r->peer_id);
}

READER(read_type)
{
    (void)start_us;
    out->names = sb_transport_type_names();
    return r->has_transport && set_number(out, r->transport.type);
}

READER(read_seq)
{
    (void)start_us;
    bool there =
        r->has_transport && (r->transport.reliable || r->transport.type == SB_TRANSPORT_ACK);
    return there && set_number(out, r->transport.seq);
}

READER(read_reliable)
{
    (void)start_us;
    return r->has_transport && set_number(out, r->transport.reliable);
}

READER(read_retransmission)
{
    (void)start_us;
    return set_number(out, r->retransmission);
}

READER(read_repeated)
{
    (void)start_us;
    return set_number(out, r->repeated);
}

READER(read_late)
{
    (void)start_us;
    return set_number(out, r->late);
}

READER(read_gap)
{
    (void)start_us;
    return r->gap > 0 && set_number(out, r->gap);
}

READER(read_fragments)
{
    (void)start_us;
    return r->fragment_count > 0 && set_number(out, r->fragment_count);
}

READER(read_raw)
{
    (void)start_us;
    out->bytes = r->bytes;
    return true;
}

READER(read_file)
{
    (void)start_us;
    return r->file && set_text(out, r->file);
}

static const sb_meta rows[] = {
    { "opcode", SB_META_NUMBER, read_opcode },
    { "name", SB_META_TEXT, read_name },
    { "layer", SB_META_TEXT, read_layer },
    { "time", SB_META_SECONDS, read_time },
    { "elapsed", SB_META_SECONDS, read_elapsed },
    { "number", SB_META_NUMBER, read_number },
    { "datagram", SB_META_NUMBER, read_datagram },
    { "size", SB_META_NUMBER, read_size },
    { "ok", SB_META_FLAG, read_ok },
    { "error", SB_META_TEXT, read_error },
    { "from", SB_META_TEXT, read_from },
    { "to", SB_META_TEXT, read_to },
    { "side", SB_META_TEXT, read_side },
    { "peer_id", SB_META_NUMBER, read_peer_id },
    { "type", SB_META_NUMBER, read_type },
    { "seq", SB_META_NUMBER, read_seq },
    { "reliable", SB_META_FLAG, read_reliable },
    { "retransmission", SB_META_FLAG, read_retransmission },
    { "repeated", SB_META_FLAG, read_repeated },
    { "late", SB_META_FLAG, read_late },
    { "gap", SB_META_NUMBER, read_gap },
    { "fragments", SB_META_NUMBER, read_fragments },
    { "raw", SB_META_BYTES, read_raw },
    { "file", SB_META_TEXT, read_file },
};

enum { ROW_COUNT = sizeof rows / sizeof *rows };

const sb_meta *sb_find_meta(const char *name, size_t size)
{
    for (size_t i = 0; i < ROW_COUNT; i++)
        if (strlen(rows[i].name) == size && strncasecmp(rows[i].name, name, size) == 0)
            return &rows[i];
    return NULL;
}

bool sb_meta_read(const sb_meta *meta, const sb_record *r, int64_t start_us, sb_meta_value *out)
{
    out->kind = meta->kind;
    out->names = NULL;
    out->text = (sb_text){ out->buffer, sizeof out->buffer, 0 };
    return meta->read(r, start_us, out);
}

sb_meta_kind sb_meta_kind_of(const sb_meta *meta)
{
    return meta->kind;
}

bool sb_meta_is_opcode(const sb_meta *meta)
{
    return meta == &rows[0];
}

bool sb_meta_is_name(const sb_meta *meta)
{
    return meta->read == read_name;
}

bool sb_meta_is_plain_number(const sb_meta *meta)
{
    bool number = meta->kind == SB_META_NUMBER || meta->kind == SB_META_SECONDS;
    return number && meta->read != read_opcode && meta->read != read_type;
}

const char *sb_meta_name(size_t index)
{
    return index < ROW_COUNT ? rows[index].name : NULL;
}
