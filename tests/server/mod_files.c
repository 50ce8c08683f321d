/* tests/server/mod_files.c -- a mod with four files. */
#include "mod_files.h"

#include <starbase/hash.h>

#include <string.h>

static const char *const directories[MOD_FILES] = { "", "Episode", "Episode", "Episode/Mission1" };
static const char *const names[MOD_FILES] = { "A.pyc", "B.pyc", "C.pyc", "D.pyc" };
const char *const        mod_paths[MOD_FILES] = {
           "Scripts/Multiplayer/A.pyc",
           "Scripts/Multiplayer/Episode/B.pyc",
           "Scripts/Multiplayer/Episode/C.pyc",
           "Scripts/Multiplayer/Episode/Mission1/D.pyc",
};
static const size_t sizes[MOD_FILES] = { 4, 1000, MOD_BIG, 700 };

uint32_t mod_hash_of(const char *text)
{
    const char *slash = strrchr(text, '/');
    if (slash) text = slash + 1;
    return sb_hash_string((sb_span){ (const uint8_t *)text, strlen(text) });
}

static void fill_file(mod *m, unsigned i, uint8_t mark)
{
    uint8_t *at = m->messages[i];
    size_t   name = strlen(mod_paths[i]);
    *at++ = 0x25;
    *at++ = (uint8_t)name;
    *at++ = 0;
    memcpy(at, mod_paths[i], name);
    at += name;
    for (size_t k = 0; k < sizes[i]; k++) at[k] = (uint8_t)(mark + k);
    uint32_t content = sb_hash_file((sb_span){ at, sizes[i] }, SB_FILE_HASH_RULE_DEFAULT);
    m->entries[i] = (sb_manifest_file){
        .position = SB_CHECKSUM_FF,
        .directory = directories[i],
        .name = names[i],
        .directory_hash = directories[i][0] ? mod_hash_of(directories[i]) : 0,
        .name_hash = mod_hash_of(names[i]),
        .content_hash = content,
    };
    m->files[i] =
        (sb_client_file){ 1,       directories[i], mod_hash_of(names[i]),
                          content, mod_paths[i],   { m->messages[i], 3 + name + sizes[i] } };
}

mod *make_mod(uint8_t mark)
{
    static mod      mods[4];
    static unsigned next;
    mod            *m = &mods[next++ % 4];
    for (unsigned i = 0; i < MOD_FILES; i++) fill_file(m, i, mark);
    m->manifest = (sb_manifest){ "mod", m->entries, MOD_FILES };
    m->list[0] = &m->manifest;
    sb_server_defaults(&m->config);
    m->config.manifests = m->list;
    m->config.manifest_count = 1;
    m->config.files = m->files;
    m->config.file_count = MOD_FILES;
    m->config.transport.peers_per_ip = 0;
    return m;
}

const sb_manifest *client_files(const mod *m, const char *has, const char *changed)
{
    static sb_manifest_file entries[MOD_FILES];
    static sb_manifest      manifest;
    manifest = (sb_manifest){ "client", entries, 0 };
    for (unsigned i = 0; i < MOD_FILES; i++) {
        if (!strchr(has, names[i][0])) continue;
        entries[manifest.count] = m->entries[i];
        if (strchr(changed, names[i][0])) entries[manifest.count].content_hash ^= 0x80000000u;
        manifest.count++;
    }
    return &manifest;
}

void answer_rounds(room *r, seat *s, const mod *m, const char *has, const char *changed)
{
    for (unsigned i = 0; i < SB_CHECKSUM_ROUNDS; i++)
        seat_answer_round(r, s, client_files(m, has, changed));
}

seat *connect_with(room *r, const mod *m, const char *name, const char *has, const char *changed)
{
    seat *s = room_connect(r, name);
    answer_rounds(r, s, m, has, changed);
    return s;
}

void expect_file(room *r, seat *s, const mod *m, unsigned i)
{
    uint64_t before = s->by_opcode[0x25];
    for (unsigned k = 0; k < 100 && !seat_find(s, 0x25).size; k++) room_wait(r, 50000);
    CHECK(s->file_size > 0);
    CHECK(s->by_opcode[0x25] <= before + 1);
    CHECK_BYTES(s->file, s->file_size, m->files[i].message.data, m->files[i].message.size);
    s->file_size = 0;
}

void acknowledge_file(room *r, seat *s)
{
    seat_say_hex(r, s, "27");
}

void expect_bundle(room *r, seat *s)
{
    room_step(r);
    CHECK(seat_find(s, 0x28).size > 0);
    CHECK(seat_find(s, 0x00).size > 0);
    EXPECT_HEARD(r, s, "01");
    EXPECT_QUIET(s);
}

void leave_room(room *r, seat *s)
{
    sb_transport_client_leave(s->client, r->now);
    room_step(r);
    CHECK(s->left);
    room_wait(r, 7 * SB_SECOND); /* the silence of an idle player (spec 01 §8.4) */
}

unsigned count_events_of(const room *r, sb_server_event_type type)
{
    unsigned count = 0;
    for (size_t i = 0; i < r->event_count; i++) count += r->events[i].event.type == type;
    return count;
}

seat *reconnect(room *r, const seat *before, const char *name)
{
    sb_endpoint address = before->address;
    address.port = (uint16_t)(address.port + 100 + r->seat_count);
    return room_connect_from(r, name, address);
}
