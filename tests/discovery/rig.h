/* tests/discovery/rig.h -- a responder with a clock, a status, and the checks its tests share. */
#ifndef SB_TESTS_DISCOVERY_RIG_H
#define SB_TESTS_DISCOVERY_RIG_H

#include <starbase/discovery.h>

/* The server of spec 05 §3.4, group by group. */
#define BASIC "\\gamename\\bcommander\\gamever\\60\\location\\1"
#define INFO                                                                                       \
    "\\hostname\\My Game23\\missionscript\\Multiplayer.Episode.Mission1.Mission1\\mapname\\DM"     \
    "\\numplayers\\0\\maxplayers\\8\\gamemode\\openplaying"
#define RULES   "\\timelimit\\-1\\fraglimit\\-2\\system\\Multi1\\password\\0"
#define PLAYERS "\\player_0\\Dedicated Server"

typedef struct rig {
    sb_responder_config config;
    sb_server_status    status;
    sb_responder       *responder;
    sb_time             now;
    sb_endpoint         to; /* receiver of the last packet */
    size_t              size;
    uint8_t             packet[SB_ANSWER_MAX];
} rig;

extern const sb_endpoint stranger, neighbour, master; /* neighbour is on the LAN */

sb_span text(const char *s);
void    check_span(sb_span actual, const char *expected);

/* Opens a responder with r->config. */
void open_rig(rig *r);
rig  new_rig(void);
/* A rig with budgets that are hardly ever exhausted. */
rig  unlimited_rig(void);
void close_rig(rig *r);

sb_result ask(rig *r, sb_endpoint from, const char *query);
/* Writes the next packet; false: none is due. */
bool next_packet(rig *r);
/* Writes all packets that are due and returns their number. */
unsigned drain(rig *r);
/* Sends `times` queries, each answered at once, and returns how many were accepted. */
unsigned ask_many(rig *r, sb_endpoint from, const char *query, unsigned times);
void     check_next_packet(rig *r, sb_endpoint to, const char *expected);
uint64_t counted(const rig *r, sb_responder_counter counter);
/* Sets every value of the status to its longest; `letters` has 300 bytes and is borrowed. */
void make_longest(rig *r, uint8_t *letters);

/* Expects one packet for one query, in a new responder, so that the queryid is 1. */
void check_answer(sb_endpoint from, const char *query, const char *expected);
void check_refused_bytes(sb_endpoint from, sb_span query, sb_result result,
                         sb_responder_counter counter);
void check_refused(sb_endpoint from, const char *query, sb_result result,
                   sb_responder_counter counter);

#endif
