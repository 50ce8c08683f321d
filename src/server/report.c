/* src/server/report.c -- events of a room, reported to the program that runs it.
 *
 * For:      every file of this folder. Refused and implausible messages are counted here.
 * Never:    sends anything to a player (send.c).
 * Tests:    tests/server/report_test.c, fairness_test.c, cheat_test.c
 */
#include "server/server_internal.h"

#include "base/assert.h"

#include <string.h>

static const char *const event_names[SB_SERVER_EVENT_TYPES] = {
    [SB_SERVER_CONNECTED] = "connected",
    [SB_SERVER_NAMED] = "named",
    [SB_SERVER_FILES_DIFFER] = "files-differ",
    [SB_SERVER_CHECKED] = "checked",
    [SB_SERVER_FILES_STARTED] = "files-started",
    [SB_SERVER_FILES_PROGRESS] = "files-progress",
    [SB_SERVER_FILES_SENT] = "files-sent",
    [SB_SERVER_FILES_STOPPED] = "files-stopped",
    [SB_SERVER_FILES_WITHHELD] = "files-withheld",
    [SB_SERVER_JOIN_FAILED] = "join-failed",
    [SB_SERVER_CONNECT_REFUSED] = "connect-refused",
    [SB_SERVER_KICKED] = "kicked",
    [SB_SERVER_WAITING] = "waiting",
    [SB_SERVER_JOINED] = "joined",
    [SB_SERVER_LEFT] = "left",
    [SB_SERVER_CHAT] = "chat",
    [SB_SERVER_COMMAND] = "command",
    [SB_SERVER_TEAM] = "team",
    [SB_SERVER_SPAWNED] = "spawned",
    [SB_SERVER_TARGET] = "target",
    [SB_SERVER_KILLED] = "killed",
    [SB_SERVER_SCORE] = "score",
    [SB_SERVER_MATCH_OVER] = "match-over",
    [SB_SERVER_MATCH_STARTED] = "match-started",
    [SB_SERVER_SUSPICIOUS] = "suspicious",
    [SB_SERVER_HASH_CHANGED] = "hash-changed",
    [SB_SERVER_HASH_DIFFERS] = "hash-differs",
    [SB_SERVER_REFUSED] = "refused",
    [SB_SERVER_COMBAT] = "combat",
    [SB_SERVER_STOPPED] = "stopped",
};

static const sb_counter_text counters[] = { SB_SERVER_COUNTERS(SB_COUNTER_ROW) };

const char *sb_server_event_name(sb_server_event_type type)
{
    return type < SB_SERVER_EVENT_TYPES ? event_names[type] : "unknown";
}

const char *sb_server_counter_name(sb_server_counter counter)
{
    return counter < SB_SERVER_COUNTER_COUNT ? counters[counter].name : "unknown";
}

const char *sb_server_counter_text(sb_server_counter counter)
{
    return counter < SB_SERVER_COUNTER_COUNT ? counters[counter].text : "unknown counter";
}

/* ---- events ---- */

sb_server_event sb_server_event_about(const sb_server *s, sb_server_event_type type,
                                      const sb_player *p)
{
    sb_server_event event = { .type = type, .now = s->now };
    if (p) {
        event.peer_id = p->peer_id;
        event.slot = (uint8_t)(p - s->players);
        event.address = p->address;
        event.house = sb_server_is_house(s, p);
    }
    return event;
}

void sb_server_report(const sb_server *s, const sb_server_event *event, const sb_player *p)
{
    if (!s->config.on_event) return;
    sb_server_event with_name = *event;
    char            name[96] = "";
    if (p) sb_utf8_from_utf16((sb_span){ p->name, p->name_size }, name, sizeof name);
    with_name.name = sb_text_span(name);
    s->config.on_event(s->config.event_context, &with_name);
}

void sb_server_report_text(const sb_server *s, sb_server_event_type type, const sb_player *p,
                           const char *text)
{
    sb_server_event event = sb_server_event_about(s, type, p);
    event.text = sb_text_span(text);
    sb_server_report(s, &event, p);
}

void sb_server_refuse(sb_server *s, const sb_player *p, sb_server_counter why, sb_span bytes)
{
    SB_ASSERT(why < SB_SERVER_COUNT_MESSAGES_IN); /* the counters before it are refusals */
    s->counters[why]++;
    sb_server_event event = sb_server_event_about(s, SB_SERVER_REFUSED, p);
    event.value = why;
    event.bytes = bytes;
    event.text = sb_text_span(sb_server_counter_text(why));
    sb_server_report(s, &event, p);
}

/* Counts a message in the current window of 10 s; returns the count in this window. */
static uint32_t count_implausible(sb_implausible_record *record, sb_time now)
{
    if (record->count == 0 || now - record->since >= 10 * SB_SECOND) {
        record->since = now;
        record->count = 0;
    }
    return ++record->count;
}

void sb_server_report_implausible(sb_server *s, sb_player *p, sb_implausible what, double claimed,
                                  double possible)
{
    SB_ASSERT(what < SB_IMPLAUSIBLE_COUNT);
    s->implausible[what]++;
    if (!p) return;
    sb_implausible_record *record = &p->implausible[what];
    if (count_implausible(record, s->now) <= sb_implausible_lag(what)) return;
    if (s->now < record->quiet_until) return;
    record->quiet_until = s->now + SB_SECOND;
    sb_server_event event = sb_server_event_about(s, SB_SERVER_SUSPICIOUS, p);
    event.object_id = p->ship ? p->ship->object_id : 0;
    event.value = what;
    event.text = sb_text_span(sb_implausible_text(what));
    event.claimed = claimed;
    event.possible = possible;
    sb_server_report(s, &event, p);
}
