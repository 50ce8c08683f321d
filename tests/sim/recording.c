/* tests/sim/recording.c -- entries in memory and in a file. */
#include "tests/sim/recording.h"

#include "base/bytes.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    HEAD = 8 + 1 + 2, /* bytes of an entry before its content */
    OWN_FLOATS = 10,
    EXACT_HEAD = 4 + 2,
    OWN_BYTES = 4 + 4 * OWN_FLOATS + 1 + RECORDING_ENTRIES * 5,
};

static const char magic[8] = "SBREC1\n";

void recording_clear(recording *r)
{
    free(r->bytes);
    *r = (recording){ 0 };
}

static uint8_t *reserve(recording *r, size_t size)
{
    if (r->size + size > r->capacity) {
        r->capacity = 2 * (r->size + size);
        r->bytes = realloc(r->bytes, r->capacity);
        assert(r->bytes);
    }
    r->size += size;
    return r->bytes + r->size - size;
}

void recording_add(recording *r, sb_time at, recording_kind kind, sb_span bytes)
{
    assert(bytes.size <= UINT16_MAX);
    uint8_t *to = reserve(r, HEAD + bytes.size);
    sb_store_u32(to, (uint32_t)((uint64_t)at & UINT32_MAX));
    sb_store_u32(to + 4, (uint32_t)((uint64_t)at >> 32));
    to[8] = (uint8_t)kind;
    sb_store_u16(to + 9, (uint16_t)bytes.size);
    if (bytes.size) memcpy(to + HEAD, bytes.data, bytes.size);
}

bool recording_next(const recording *r, size_t *at, recording_entry *out)
{
    if (r->size - *at < HEAD) return false;
    const uint8_t *from = r->bytes + *at;
    size_t         size = sb_load_u16(from + 9);
    if (r->size - *at - HEAD < size) return false;
    out->at = (sb_time)(sb_load_u32(from) | (uint64_t)sb_load_u32(from + 4) << 32);
    out->kind = from[8];
    out->bytes = (sb_span){ from + HEAD, size };
    *at += HEAD + size;
    return true;
}

/* ---- files ---- */

bool recording_write(const recording *r, const char *path)
{
    FILE *file = fopen(path, "wb");
    if (!file) return false;
    bool good = fwrite(magic, sizeof magic, 1, file) == 1 &&
                (r->size == 0 || fwrite(r->bytes, r->size, 1, file) == 1);
    return fclose(file) == 0 && good;
}

bool recording_read(recording *r, const char *path)
{
    char  head[sizeof magic], buffer[65536];
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    *r = (recording){ 0 };
    bool good = fread(head, sizeof head, 1, file) == 1 && memcmp(head, magic, sizeof magic) == 0;
    for (size_t n; good && (n = fread(buffer, 1, sizeof buffer, file)) > 0;)
        memcpy(reserve(r, n), buffer, n);
    good = good && !ferror(file);
    (void)fclose(file);
    return good;
}

/* ---- the own ship ---- */

static void store_floats(uint8_t **to, const float *values, unsigned count)
{
    for (unsigned i = 0; i < count; i++, *to += 4) sb_store_u32(*to, sb_float_bits(values[i]));
}

static void load_floats(const uint8_t **from, float *values, unsigned count)
{
    for (unsigned i = 0; i < count; i++, *from += 4) values[i] = sb_bits_float(sb_load_u32(*from));
}

void recording_add_own(recording *r, sb_time at, const recording_own_ship *own)
{
    uint8_t bytes[OWN_BYTES], *to = bytes + 4;
    sb_store_u32(bytes, own->object_id);
    store_floats(&to, own->position, 3);
    store_floats(&to, own->forward, 3);
    store_floats(&to, own->up, 3);
    store_floats(&to, &own->speed, 1);
    *to++ = own->cloaked;
    store_floats(&to, own->power_wanted, RECORDING_ENTRIES);
    for (unsigned i = 0; i < RECORDING_ENTRIES; i++) *to++ = own->on[i];
    assert(to == bytes + OWN_BYTES);
    recording_add(r, at, RECORDING_OWN, (sb_span){ bytes, sizeof bytes });
}

bool recording_get_own(sb_span bytes, recording_own_ship *out)
{
    if (bytes.size != OWN_BYTES) return false;
    const uint8_t *from = bytes.data + 4;
    out->object_id = sb_load_u32(bytes.data);
    load_floats(&from, out->position, 3);
    load_floats(&from, out->forward, 3);
    load_floats(&from, out->up, 3);
    load_floats(&from, &out->speed, 1);
    out->cloaked = *from++ != 0;
    load_floats(&from, out->power_wanted, RECORDING_ENTRIES);
    for (unsigned i = 0; i < RECORDING_ENTRIES; i++) out->on[i] = *from++ != 0;
    return true;
}

/* ---- the host's values ---- */

static size_t exact_bytes(const recording_exact *e)
{
    size_t count = (size_t)e->entry_count + e->child_count + RECORDING_FACINGS;
    return EXACT_HEAD + 4 * count;
}

void recording_add_exact(recording *r, sb_time at, const recording_exact *exact)
{
    uint8_t  bytes[EXACT_HEAD + 4 * (RECORDING_ENTRIES + RECORDING_CHILDREN + RECORDING_FACINGS)];
    uint8_t *to = bytes + EXACT_HEAD;
    assert(exact->entry_count <= RECORDING_ENTRIES);
    assert(exact->child_count <= RECORDING_CHILDREN);
    sb_store_u32(bytes, exact->object_id);
    bytes[4] = exact->entry_count;
    bytes[5] = exact->child_count;
    store_floats(&to, exact->entries, exact->entry_count);
    store_floats(&to, exact->children, exact->child_count);
    store_floats(&to, exact->facings, RECORDING_FACINGS);
    recording_add(r, at, RECORDING_EXACT, (sb_span){ bytes, exact_bytes(exact) });
}

bool recording_get_exact(sb_span bytes, recording_exact *out)
{
    if (bytes.size < EXACT_HEAD) return false;
    const uint8_t *from = bytes.data + EXACT_HEAD;
    out->object_id = sb_load_u32(bytes.data);
    out->entry_count = bytes.data[4];
    out->child_count = bytes.data[5];
    if (out->entry_count > RECORDING_ENTRIES || out->child_count > RECORDING_CHILDREN ||
        bytes.size != exact_bytes(out))
        return false;
    load_floats(&from, out->entries, out->entry_count);
    load_floats(&from, out->children, out->child_count);
    load_floats(&from, out->facings, RECORDING_FACINGS);
    return true;
}
