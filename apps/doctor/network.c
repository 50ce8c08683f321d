/* apps/doctor/network.c -- ports, whether the server can be reached, firewalls, addresses.
 *
 * Tests:    tests/apps/doctor_test.py
 */
#include "doctor/doctor.h"

#include "common/clean_text.h"
#include "platform/clock.h"
#include "platform/udp.h"
#include "run/survey.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    QUERIES_MAX = 8, /* queries of one run: the server limits its answers per address */
    NAME_BYTES = 4 * SB_GAMESPY_VALUE_MAX,
    PACKET_WAIT_MS = 2000,
};

#define LOOPBACK 0x7F000001u

static sb_survey survey; /* too large for a stack */

void doctor_port_range(const doctor *d, unsigned *first, unsigned *last)
{
    *first = *last = 0;
    for (size_t i = 0; i < d->config->room_count; i++) {
        unsigned port = d->config->rooms[i].port;
        if (port == 0) continue;
        if (*first == 0 || port < *first) *first = port;
        if (port > *last) *last = port;
    }
}

/* ---- queries ---- */

/* Asks one address. True: a game server answered, and `name` is its name. */
static bool ask(sb_endpoint server, char name[NAME_BYTES])
{
    char             error[SB_UDP_ERROR_MAX];
    sb_survey_config config = { .servers = &server, .count = 1, .timeout_us = 2 * SB_SECOND };
    sb_span          value;
    if (sb_survey_run(&survey, &config, error) != SB_OK || sb_survey_answers(&survey) == 0)
        return false;
    if (!sb_found_value(&survey.servers[0].found, "hostname", &value)) value = (sb_span){ NULL, 0 };
    (void)sb_clean_game_text(value, name, NAME_BYTES);
    return true;
}

/* True if a server with this name is the room: servers with a password have a star in front. */
static bool is_name_of(const sb_room_config *room, const char *name)
{
    return strcmp(name + (name[0] == '*'), room->shown_name) == 0;
}

/* ---- the check of ports ---- */

static void examine_taken(doctor *d, const sb_room_config *room, const char *error)
{
    char        name[NAME_BYTES];
    uint32_t    bound = d->config->bind_address.address;
    sb_endpoint here = { bound ? bound : LOOPBACK, (uint16_t)room->port };
    if (!ask(here, name))
        doctor_report(d, DOCTOR_TODO,
                      "%s; no game server answers there: `ss -ulpn sport = :%u` names the program, "
                      "stop it or choose another `port`",
                      error, room->port);
    else if (is_name_of(room, name)) {
        d->is_running = true;
        doctor_report(d, DOCTOR_OK, "UDP %u: the server \"%s\" is running", room->port, name);
    } else
        doctor_report(d, DOCTOR_TODO,
                      "UDP %u: another game server, \"%s\", is there: stop it, reload it if it is "
                      "this one with an older configuration, or choose another `port`",
                      room->port, name);
}

static bool open_at(const doctor *d, unsigned port, sb_udp *udp, char error[SB_UDP_ERROR_MAX])
{
    sb_udp_options options = { .local = { d->config->bind_address.address, (uint16_t)port },
                               .port_hint = "port" };
    return sb_udp_open(udp, &options, error) == SB_OK;
}

void doctor_check_ports(doctor *d)
{
    char     error[SB_UDP_ERROR_MAX];
    unsigned first, last;
    size_t   free_count = 0, asked = 0, skipped = 0, any = 0;
    for (size_t i = 0; i < d->config->room_count; i++) {
        const sb_room_config *room = &d->config->rooms[i];
        sb_udp                udp;
        if (room->port == 0) any++;
        else if (open_at(d, room->port, &udp, error)) {
            sb_udp_close(&udp);
            free_count++;
        } else if (asked++ < QUERIES_MAX) examine_taken(d, room, error);
        else skipped++;
    }
    doctor_port_range(d, &first, &last);
    if (skipped)
        doctor_report(d, d->is_running ? DOCTOR_NOTE : DOCTOR_TODO,
                      "%zu more ports are in use; they were not asked which server has them",
                      skipped);
    if (any)
        doctor_report(
            d, DOCTOR_NOTE,
            "port = 0: at each start the system chooses a free UDP port, which the server "
            "prints; set `port` for a server that players find again");
    if (free_count == 0) return;
    if (first == last) doctor_report(d, DOCTOR_OK, "UDP %u is free", first);
    else
        doctor_report(d, DOCTOR_OK, "UDP %u to %u: %zu of %zu are free", first, last, free_count,
                      d->config->room_count - any);
}

/* ---- the check whether the server can be reached ---- */

static void list_addresses(doctor *d)
{
    struct ifaddrs *interfaces = NULL;
    d->address_count = 0;
    if (getifaddrs(&interfaces) != 0) return;
    for (const struct ifaddrs *i = interfaces; i && d->address_count < DOCTOR_ADDRESSES;
         i = i->ifa_next) {
        if (!i->ifa_addr || i->ifa_addr->sa_family != AF_INET || !(i->ifa_flags & IFF_UP)) continue;
        const struct sockaddr_in *in = (const void *)i->ifa_addr;
        if ((i->ifa_flags & IFF_LOOPBACK) == 0)
            d->addresses[d->address_count++] = ntohl(in->sin_addr.s_addr);
    }
    freeifaddrs(interfaces);
}

/* The address at which other programs reach the first room. */
static sb_endpoint own_address(const doctor *d, unsigned port)
{
    uint32_t bound = d->config->bind_address.address;
    if (bound == 0) bound = d->address_count > 0 ? d->addresses[0] : LOOPBACK;
    return (sb_endpoint){ bound, (uint16_t)port };
}

/* Sends a datagram from a second socket to a room's port. */
static bool can_receive(const doctor *d, char address[SB_ENDPOINT_TEXT],
                        char error[SB_UDP_ERROR_MAX])
{
    static const uint8_t probe[] = "doctor";
    sb_udp               room, sender = { .descriptor = -1 };
    sb_udp_batch        *batch = sb_udp_batch_create();
    bool                 received = false;
    snprintf(error, SB_UDP_ERROR_MAX, "no memory");
    if (batch && open_at(d, d->config->rooms[0].port, &room, error)) {
        sb_udp_options any = { .port_hint = "port" };
        sb_endpoint    to = own_address(d, room.local.port);
        struct pollfd  arrival = { .fd = room.descriptor, .events = POLLIN };
        sb_endpoint_text(to, address);
        if (sb_udp_open(&sender, &any, error) == SB_OK) {
            memcpy(sb_udp_next_buffer(&sender, batch), probe, sizeof probe);
            sb_udp_send(&sender, batch, to, sizeof probe);
            sb_udp_flush(&sender, batch);
            received = poll(&arrival, 1, PACKET_WAIT_MS) == 1;
            snprintf(error, SB_UDP_ERROR_MAX, "a datagram to the own address %s did not arrive",
                     address);
        }
        sb_udp_close(&sender);
        sb_udp_close(&room);
    }
    if (batch) sb_udp_batch_destroy(batch);
    return received;
}

static void reach_running(doctor *d)
{
    char        name[NAME_BYTES], text[SB_ENDPOINT_TEXT];
    sb_endpoint to = own_address(d, d->config->rooms[0].port);
    sb_endpoint_text(to, text);
    if (ask(to, name)) doctor_report(d, DOCTOR_OK, "the server answers queries at %s", text);
    else
        doctor_report(d, DOCTOR_TODO,
                      "the server does not answer at %s, the address of this machine: a firewall "
                      "or `bind` keeps queries away",
                      text);
}

void doctor_check_reach(doctor *d)
{
    char address[SB_ENDPOINT_TEXT] = "", error[SB_UDP_ERROR_MAX];
    list_addresses(d);
    if (d->is_running) reach_running(d);
    else if (can_receive(d, address, error))
        doctor_report(d, DOCTOR_OK, "no server is running; datagrams to %s arrive", address);
    else if (address[0] == '\0')
        doctor_report(d, DOCTOR_NOTE, "not checked: the port of the first room is in use");
    else doctor_report(d, DOCTOR_TODO, "%s: allow UDP to the own address in the firewall", error);
}

/* ---- hints for firewalls and routers ---- */

/* The command opens UDP ports; %s is a port, or a range in the notation of the program. */
static const struct {
    const char *program, *question, *nothing, *command, *separator;
} firewalls[] = {
    { "ufw", "ufw status", "inactive", "ufw allow %s/udp", ":" },
    { "firewall-cmd", "firewall-cmd --state", "not running",
      "firewall-cmd --permanent --add-port=%s/udp && firewall-cmd --reload", "-" },
    { "nft", "nft list ruleset", "no output",
      "nft insert rule inet filter input udp dport %s accept", "-" },
    { "iptables", "iptables -S INPUT", "only -P INPUT ACCEPT",
      "iptables -I INPUT -p udp --dport %s -j ACCEPT", ":" },
};

static bool is_in_folders(const char *folders, const char *program)
{
    char path[512];
    while (folders && *folders) {
        size_t size = strcspn(folders, ":");
        snprintf(path, sizeof path, "%.*s/%s", (int)size, folders, program);
        if (size > 0 && access(path, X_OK) == 0) return true;
        folders += size + (folders[size] == ':');
    }
    return false;
}

static bool is_installed(const char *program)
{
    return is_in_folders(getenv("PATH"), program) ||
           is_in_folders("/usr/local/sbin:/usr/sbin:/sbin", program);
}

static void format_ports(const doctor *d, const char *separator, char out[32])
{
    unsigned first, last;
    doctor_port_range(d, &first, &last);
    if (first == last) snprintf(out, 32, "%u", first);
    else snprintf(out, 32, "%u%s%u", first, separator, last);
}

/* Replaces the only %s of a command. */
static void format_command(const char *command, const char *ports, char out[160])
{
    size_t size = (size_t)(strstr(command, "%s") - command);
    snprintf(out, 160, "%.*s%s%s", (int)size, command, ports, command + size + 2);
}

void doctor_check_firewall(doctor *d)
{
    char     ports[32], command[160];
    unsigned first, last;
    doctor_port_range(d, &first, &last);
    if (first == 0) {
        doctor_report(d, DOCTOR_NOTE, "not checked: no `port` is set, so none can be opened");
        return;
    }
    for (size_t i = 0; i < sizeof firewalls / sizeof *firewalls; i++) {
        if (!is_installed(firewalls[i].program)) continue;
        format_ports(d, firewalls[i].separator, ports);
        format_command(firewalls[i].command, ports, command);
        doctor_report(d, DOCTOR_NOTE,
                      "%s is installed; `%s` shows whether it lets UDP %s in (%s: everything), "
                      "`%s` opens the port",
                      firewalls[i].program, firewalls[i].question, ports, firewalls[i].nothing,
                      command);
        return; /* the others stand behind the first one that is found */
    }
    doctor_report(d, DOCTOR_OK,
                  "no firewall program on this machine; the provider or a router may have another");
}

/* 10/8, 172.16/12, 192.168/16, 100.64/10 (shared by a provider) and 169.254/16. */
static bool is_private(uint32_t address)
{
    return address >> 24 == 10 || address >> 20 == 0xAC1 || address >> 16 == 0xC0A8 ||
           address >> 22 == 0x64400000u >> 22 || address >> 16 == 0xA9FE;
}

void doctor_check_address(doctor *d)
{
    char        text[SB_ENDPOINT_TEXT], ports[32];
    unsigned    first, last;
    sb_endpoint own = own_address(d, d->config->rooms[0].port);
    doctor_port_range(d, &first, &last);
    format_ports(d, " to ", ports);
    for (size_t i = 0; d->config->bind_address.address == 0 && i < d->address_count; i++)
        if (!is_private(d->addresses[i])) own.address = d->addresses[i];
    sb_endpoint_text(own, text);
    text[strcspn(text, ":")] = '\0';
    if (own.address >> 24 == 127)
        doctor_report(d, DOCTOR_NOTE, "only programs on this machine can join at %s: %s", text,
                      d->config->bind_address.address ? "set bind = \"0.0.0.0\" for all"
                                                      : "it has no network");
    else if (first == 0)
        doctor_report(d, DOCTOR_NOTE,
                      "players join at %s, at the port that the server prints when it starts",
                      text);
    else if (is_private(own.address))
        doctor_report(d, DOCTOR_NOTE,
                      "%s is a private address: for players outside of this network, forward UDP "
                      "%s on the router to it",
                      text, ports);
    else doctor_report(d, DOCTOR_OK, "players on the internet join at %s, UDP %s", text, ports);
    if (first > 0 && (first < 22101 || last > 22201))
        doctor_report(d, DOCTOR_NOTE, "the game searches the LAN only from UDP 22101 to 22201");
}
