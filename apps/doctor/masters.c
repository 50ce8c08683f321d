/* apps/doctor/masters.c -- asks every configured master for its list. Spec 05 §7.
 *
 * Never:    sends a heartbeat: that would announce a server at the port of this program.
 * Tests:    tests/apps/doctor_test.py
 */
#include "doctor/doctor.h"

#include "common/waiting.h"
#include "platform/clock.h"
#include "platform/interrupt.h"
#include "run/master_list.h"

#include <stdio.h>
#include <string.h>

enum { MASTERS_MAX = 16, HOST_BYTES = 256 };

static sb_browse  list; /* too large for a stack */
static sb_waiting waiting;

static bool is_before(const sb_texts *texts, size_t count, const char *text)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(texts->items[i], text) == 0) return true;
    return false;
}

/* True if the list has a room of this machine. Behind a router, the list has the router's address:
 * then the port alone proves nothing, and the answer is false. */
static bool is_listed(const doctor *d)
{
    for (size_t i = 0; i < list.count; i++)
        for (size_t k = 0; k < d->address_count; k++)
            for (size_t r = 0; r < d->config->room_count; r++)
                if (list.servers[i].address == d->addresses[k] &&
                    list.servers[i].port == d->config->rooms[r].port)
                    return true;
    return false;
}

static bool poll_waiting(void *context)
{
    (void)context;
    const char *text = sb_waiting_next(&waiting, sb_clock_now());
    if (text) fputs(text, stderr);
    return sb_interrupt_pending() != 0;
}

static bool fetch(const char *host, char error[SB_UDP_ERROR_MAX])
{
    sb_endpoint master;
    if (!sb_udp_resolve_endpoint(host, SB_MASTER_LIST_PORT, &master, error)) return false;
    sb_waiting_start(&waiting, host, sb_clock_now());
    sb_result   result = sb_master_list_fetch(&list, master, poll_waiting, NULL, error);
    const char *text = sb_waiting_end(&waiting);
    if (text) fputs(text, stderr);
    return result == SB_OK;
}

static void examine_master(doctor *d, const char *name)
{
    char error[SB_UDP_ERROR_MAX], host[HOST_BYTES];
    snprintf(host, sizeof host, "%.*s", (int)strcspn(name, ":"), name);
    if (!fetch(host, error))
        doctor_report(d, DOCTOR_TODO,
                      "%s gives no list: %s; if it stays so, name another master, or players will "
                      "not find this server there",
                      host, error);
    else if (is_listed(d))
        doctor_report(d, DOCTOR_OK, "%s lists this server, one of %zu", host, list.count);
    else if (d->is_running)
        doctor_report(
            d, DOCTOR_NOTE,
            "%s answers and lists %zu servers, none at an address of this machine; behind "
            "a router look for the router's address: `starbase query --master %s`",
            host, list.count, host);
    else doctor_report(d, DOCTOR_OK, "%s answers and lists %zu servers", host, list.count);
}

void doctor_check_masters(doctor *d)
{
    size_t count = 0;
    sb_interrupt_catch();
    for (size_t r = 0; r < d->config->room_count; r++) {
        const sb_texts *masters = &d->config->rooms[r].masters;
        const sb_texts *before = r > 0 ? &d->config->rooms[r - 1].masters : NULL;
        for (size_t i = 0; i < masters->count && count < MASTERS_MAX; i++) {
            const char *name = masters->items[i];
            if (is_before(masters, i, name) || (before && is_before(before, before->count, name)))
                continue;
            count++;
            if (!sb_interrupt_pending()) examine_master(d, name);
        }
    }
    if (count == 0)
        doctor_report(d, DOCTOR_NOTE,
                      "none is configured: only the LAN and people who know the address find this "
                      "server; masters = { \"HOST\" } lists it");
}
