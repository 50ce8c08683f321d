/* apps/doctor/doctor.h -- types and functions that the files of `starbase doctor` share.
 *
 * For:      doctor.c     the command, the table of checks, the output
 *           network.c    ports, whether the server can be reached, firewalls, addresses
 *           masters.c    whether masters answer and list this server
 *           machine.c    clock, limits of the system
 *           folders.c    the store's folder, disk space
 *           doors.c      the control socket, the port for metrics
 *           account.c    the rights of the service's user
 * Never:    changes anything on the machine, or announces a server to a master.
 */
#ifndef SB_APPS_DOCTOR_H
#define SB_APPS_DOCTOR_H

#include "config/process_config.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum doctor_verdict {
    DOCTOR_OK,
    DOCTOR_NOTE, /* cannot be checked from here, or is a matter of taste: no reason to fail */
    DOCTOR_TODO, /* something to do */
} doctor_verdict;

enum { DOCTOR_ADDRESSES = 16 };

typedef struct doctor {
    const sb_process_config *config;     /* NULL: it has an error */
    const char              *file;       /* NULL: none */
    bool                     of_service; /* the file is one of systemd's services */
    bool                     json;
    const char              *check;      /* the name of the check that runs */
    size_t                   todo_count; /* lines that say what to do */
    bool                     is_running; /* a server with this configuration answers */
    uint32_t                 addresses[DOCTOR_ADDRESSES]; /* of this machine, without loopback */
    size_t                   address_count;
} doctor;

/* ---- doctor.c ---- */

/* Prints a line of the running check. */
void doctor_report(doctor *d, doctor_verdict verdict, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- account.c ---- */

#define DOCTOR_SERVICE_USER "starbase"

/* 0, or the errno that says why the service has no such access (R_OK, W_OK, X_OK) to `path`. Only
 * root can ask for the service; others ask for themselves. */
int         doctor_access_error(const char *path, int mode);
const char *doctor_account_name(void); /* whose access that is */

/* ---- the checks ---- */

void doctor_check_ports(doctor *d);
void doctor_check_reach(doctor *d);
void doctor_check_firewall(doctor *d);
void doctor_check_address(doctor *d);
void doctor_check_masters(doctor *d);
void doctor_check_clock(doctor *d);
void doctor_check_limits(doctor *d);
void doctor_check_store(doctor *d);
void doctor_check_disk(doctor *d);
void doctor_check_control(doctor *d);
void doctor_check_http(doctor *d);

/* The least and the greatest port of the rooms; 0 and 0: the system chooses all ports. */
void doctor_port_range(const doctor *d, unsigned *first, unsigned *last);

#endif
