/* apps/doctor/machine.c -- the clock and the limits of the system.
 *
 * Tests:    tests/apps/doctor_test.py
 */
#include "doctor/doctor.h"

#include "platform/clock.h"
#include "platform/process.h"
#include "platform/udp.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/timex.h>

enum {
    CLOCK_READS = 10000,
    UNIT_DESCRIPTORS = 8192,     /* LimitNOFILE of the unit */
    BUFFER_BYTES_MIN = 200 << 10 /* a burst of a full room */
};

/* ---- the clock ---- */

static bool is_monotonic(void)
{
    sb_time last = sb_clock_now();
    for (int i = 0; i < CLOCK_READS; i++) {
        sb_time now = sb_clock_now();
        if (now < last) return false;
        last = now;
    }
    return true;
}

/* The file of the program cannot be from the future. */
static bool is_before_program(int64_t wall_us)
{
    enum { DAY_S = 24 * 60 * 60 };
    struct stat file;
    return stat("/proc/self/exe", &file) == 0 && wall_us / SB_SECOND + DAY_S < file.st_mtime;
}

/* timedatectl needs a program that sets the clock; each one that is installed has a file there. */
static const char *sync_command(void)
{
    DIR *folder = opendir("/usr/lib/systemd/ntp-units.d");
    bool found = false;
    for (const struct dirent *e; !found && folder && (e = readdir(folder));)
        found = strstr(e->d_name, ".list") != NULL;
    if (folder) (void)closedir(folder);
    return found ? "timedatectl set-ntp true" : "apt install systemd-timesyncd";
}

void doctor_check_clock(doctor *d)
{
    char         text[SB_CLOCK_TEXT];
    struct timex state = { .modes = 0 };
    int64_t      wall_us = sb_clock_wall_us();
    sb_clock_text(wall_us, text);
    if (!is_monotonic())
        doctor_report(d, DOCTOR_TODO,
                      "the monotonic clock goes back: choose another clock source (`cat "
                      "/sys/devices/system/clocksource/clocksource0/available_clocksource`)");
    else if (is_before_program(wall_us))
        doctor_report(d, DOCTOR_TODO, "it is %s by the clock, before this program was made: `%s`",
                      text, sync_command());
    else if (adjtimex(&state) == TIME_ERROR || (state.status & STA_UNSYNC))
        doctor_report(d, DOCTOR_NOTE, "%s; not synchronised, so times in the log may be off: `%s`",
                      text, sync_command());
    else doctor_report(d, DOCTOR_OK, "%s, synchronised", text);
}

/* ---- limits ---- */

/* A number in /proc/sys; -1: it cannot be read, as in some containers. */
static long read_setting(const char *path)
{
    char  line[32], *end = line;
    FILE *file = fopen(path, "re");
    bool  read = file && fgets(line, sizeof line, file);
    long  value = read ? strtol(line, &end, 10) : -1;
    if (file) (void)fclose(file);
    return end != line ? value : -1;
}

static void check_buffer(doctor *d, const char *name, const char *path)
{
    long bytes = read_setting(path);
    if (bytes >= 0 && bytes < BUFFER_BYTES_MIN)
        doctor_report(d, DOCTOR_TODO,
                      "%s is %ld bytes, too few for a full room: `sysctl -w %s=%d`, and the same "
                      "line in /etc/sysctl.d",
                      name, bytes, name, SB_UDP_BUFFER_BYTES);
    else if (bytes >= 0 && bytes < SB_UDP_BUFFER_BYTES && d->config->room_count > 1)
        doctor_report(d, DOCTOR_NOTE, "%s is %ld bytes; with many rooms set it to %d", name, bytes,
                      SB_UDP_BUFFER_BYTES);
}

void doctor_check_limits(doctor *d)
{
    size_t wanted = sb_process_config_descriptors(d->config);
    size_t missing = sb_process_reserve_descriptors(wanted);
    if (missing > 0)
        doctor_report(d, DOCTOR_TODO,
                      "%zu rooms need %zu open files, here are %zu fewer: `ulimit -n %zu` as root",
                      d->config->room_count, wanted, missing, wanted);
    else if (wanted > UNIT_DESCRIPTORS)
        doctor_report(d, DOCTOR_TODO,
                      "%zu rooms need %zu open files: set LimitNOFILE in the unit (`systemctl edit "
                      "starbase`)",
                      d->config->room_count, wanted);
    else doctor_report(d, DOCTOR_OK, "open files are enough: %zu of %d", wanted, UNIT_DESCRIPTORS);
    check_buffer(d, "net.core.rmem_max", "/proc/sys/net/core/rmem_max");
    check_buffer(d, "net.core.wmem_max", "/proc/sys/net/core/wmem_max");
}
