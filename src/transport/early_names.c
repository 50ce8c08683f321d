/* src/transport/early_names.c -- see early_names.h. */
#include "transport/early_names.h"

#include <string.h>

static const sb_time kept_for = SB_SECOND; /* then the client repeats it */

static bool is_of(const sb_early_name *n, sb_endpoint from, uint8_t id)
{
    return n->size > 0 && n->from.address == from.address && n->from.port == from.port &&
           n->id == id;
}

static sb_early_name *find_name(sb_early_names *names, sb_endpoint from, uint8_t id)
{
    for (unsigned i = 0; i < SB_EARLY_NAMES; i++)
        if (is_of(&names->names[i], from, id)) return &names->names[i];
    return NULL;
}

static bool is_first_name(const sb_transport_message *m, uint8_t id)
{
    return m->type == SB_TRANSPORT_NAME && m->reliable && m->seq == 1 && m->payload.size >= 5 &&
           m->payload.size <= SB_EARLY_NAME_BYTES && m->payload.data[0] == id;
}

void sb_early_names_note(sb_early_names *names, sb_time now, sb_endpoint from, uint8_t id,
                         const sb_datagram *datagram)
{
    sb_transport_message m;
    for (size_t at = 0; sb_datagram_next(datagram, &at, &m);) {
        if (!is_first_name(&m, id)) continue;
        sb_early_name *n = find_name(names, from, id);
        if (!n) n = &names->names[names->next++ % SB_EARLY_NAMES];
        *n = (sb_early_name){ .from = from, .id = id, .size = (uint8_t)m.payload.size, .at = now };
        memcpy(n->payload, m.payload.data, m.payload.size);
    }
}

bool sb_early_names_take(sb_early_names *names, sb_time now, sb_endpoint from, uint8_t id,
                         sb_transport_message *name)
{
    sb_early_name *n = find_name(names, from, id);
    if (!n) return false;
    *name = (sb_transport_message){ .type = SB_TRANSPORT_NAME,
                                    .reliable = true,
                                    .priority = true,
                                    .seq = 1,
                                    .payload = { n->payload, n->size } };
    n->size = 0;
    return now - n->at <= kept_for;
}
