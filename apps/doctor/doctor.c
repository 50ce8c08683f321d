/* apps/doctor/doctor.c -- `starbase doctor`: checks a machine before and while it runs a server.
 *
 * Tests:    tests/apps/doctor_test.py
 */
#include "doctor/doctor.h"

#include "common/clean_text.h"
#include "common/commands.h"
#include "common/options.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SERVICE_FILE   "/etc/starbase/server.lua"
#define SERVICE_FOLDER "/var/lib/starbase"

enum { KEY_JSON = 256, LINE_BYTES = 1024 };

static const sb_option options[] = {
    { 'c', "config", "FILE",
      "the server's configuration; also STARBASE_CONFIG\n(" SERVICE_FILE ", if it is there)",
      NULL },
    { KEY_JSON, "json", NULL,
      "print a JSON object per line: `check`, `verdict` (ok, note or todo),\n`text`", NULL },
    { 0 },
};

static const sb_usage usage = {
    .command = "doctor",
    .synopsis = "[options]",
    .about =
        "Checks the machine on which a server runs or is going to run: configuration, ports,\n"
        "whether the server can be reached, firewall, masters, clock, limits, store, disk, "
        "control\n"
        "socket. Each line begins with `ok`, with `todo` and what to do, or with `note` if this\n"
        "machine cannot know. It changes nothing. Exit status 1: there is something to do.",
    .options = options,
    .footer =
        "Run it as root to check the rights of the service's user `starbase`. Relative paths in\n"
        "a configuration in /etc/starbase start where the service starts: " SERVICE_FOLDER ",\n"
        "of starbase@NAME.service " SERVICE_FOLDER "/NAME.\n"
        "\n"
        "Examples:\n"
        "  starbase doctor\n"
        "  starbase doctor -c server.lua\n"
        "  starbase doctor --json\n",
};

/* ---- output ---- */

void doctor_report(doctor *d, doctor_verdict verdict, const char *format, ...)
{
    static const char *const words[] = { "ok", "note", "todo" };
    char                     text[LINE_BYTES], clean[LINE_BYTES];
    va_list                  list;
    va_start(list, format);
    (void)vsnprintf(text, sizeof text, format, list);
    va_end(list);
    (void)sb_clean_utf8(text, clean, sizeof clean);
    d->todo_count += verdict == DOCTOR_TODO;
    if (d->json) {
        printf("{\"check\":\"%s\",\"verdict\":\"%s\",\"text\":", d->check, words[verdict]);
        sb_clean_print_json(stdout, clean);
        printf("}\n");
    } else printf("%-5s %-13s %s\n", words[verdict], d->check, clean);
    (void)fflush(stdout); /* some checks wait for the network */
}

/* ---- the configuration ---- */

static void check_configuration(doctor *d)
{
    const sb_process_config *config = d->config;
    size_t                   rooms = config->room_count;
    if (d->file && doctor_access_error(d->file, R_OK) != 0)
        doctor_report(d, DOCTOR_TODO,
                      "%s cannot be read by %s: `chown root:%s %s` and `chmod 640 %s`", d->file,
                      doctor_account_name(), DOCTOR_SERVICE_USER, d->file, d->file);
    doctor_report(d, DOCTOR_OK, "%s: %zu room%s, the first is \"%s\"",
                  d->file ? d->file : "no file, all defaults", rooms, rooms == 1 ? "" : "s",
                  config->rooms[0].shown_name);
    for (const sb_data_warning *w = config->data.warnings; w; w = w->next)
        doctor_report(d, DOCTOR_NOTE, "%s", w->text);
}

/* ---- the checks, in their order ---- */

static const struct {
    const char *name;
    bool        needs_config;
    void (*run)(doctor *d);
} checks[] = {
    { "configuration", true, check_configuration }, { "port", true, doctor_check_ports },
    { "reach", true, doctor_check_reach },          { "firewall", true, doctor_check_firewall },
    { "address", true, doctor_check_address },      { "masters", true, doctor_check_masters },
    { "clock", false, doctor_check_clock },         { "limits", true, doctor_check_limits },
    { "store", true, doctor_check_store },          { "disk", true, doctor_check_disk },
    { "control", true, doctor_check_control },      { "http", true, doctor_check_http },
};

static int run_checks(doctor *d)
{
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
        d->check = checks[i].name;
        if (d->config || !checks[i].needs_config) checks[i].run(d);
    }
    return d->todo_count > 0 ? SB_EXIT_NEGATIVE : SB_EXIT_FINE;
}

/* ---- the service ---- */

enum { NAME_MAX_BYTES = 32, FOLDER_BYTES = 64 };

/* /etc/starbase/server.lua belongs to starbase.service, NAME.lua to starbase@NAME.service: systemd
 * starts them in their folders and names the folders in STATE_DIRECTORY. `name` becomes "" for the
 * first. */
static void enter_service_folder(doctor *d, char name[NAME_MAX_BYTES])
{
    const char       *file = d->file;
    static const char place[] = "/etc/starbase/", ending[] = ".lua";
    char              folder[FOLDER_BYTES];
    size_t            start = sizeof place - 1, size = file ? strlen(file) : 0;
    if (size <= start + 4 || strncmp(file, place, start) != 0) return;
    size -= start + 4;
    if (size >= NAME_MAX_BYTES || strcmp(file + start + size, ending) != 0) return;
    if (memchr(file + start, '/', size)) return;
    snprintf(name, NAME_MAX_BYTES, "%.*s", (int)size, file + start);
    if (strcmp(name, "server") == 0) name[0] = '\0';
    d->of_service = true;
    snprintf(folder, sizeof folder, "%s%s%s", SERVICE_FOLDER, name[0] ? "/" : "", name);
    (void)setenv("STATE_DIRECTORY", folder, 1);
    /* If there is no such folder yet, the configuration names the files that are missing. */
    if (chdir(folder) != 0) return;
}

/* ---- the command ---- */

static void report_bad_configuration(doctor *d, const char *error)
{
    d->check = checks[0].name;
    if (d->file && access(d->file, R_OK) != 0 && errno == EACCES)
        doctor_report(d, DOCTOR_TODO, "%s; run this as root: `sudo starbase doctor`", error);
    else
        doctor_report(
            d, DOCTOR_TODO,
            "%s; correct it (`starbase serve --keys` lists the keys), then run this again", error);
}

static int examine(doctor *d, sb_process_config *config)
{
    char       name[NAME_MAX_BYTES] = "";
    sb_setting instance = { "--set", "instance", name };
    enter_service_folder(d, name);
    sb_config_sources sources = { .file = d->file, .environment = (const char *const *)environ };
    sources.settings = &instance;
    sources.setting_count = name[0] ? 1 : 0;
    if (sb_process_config_load(config, &sources) == SB_OK) d->config = config;
    else report_bad_configuration(d, config->data.error);
    int status = run_checks(d);
    sb_process_config_free(config);
    return status;
}

static const char *default_file(void)
{
    const char *file = getenv("STARBASE_CONFIG");
    if (file && file[0]) return file;
    return access(SERVICE_FILE, F_OK) == 0 ? SERVICE_FILE : NULL;
}

int sb_run_doctor(int argc, char **argv)
{
    doctor     d = { .file = default_file() };
    sb_options o;
    sb_options_init(&o, &usage, argc, argv);
    for (int key; (key = sb_options_next(&o)) != SB_OPTIONS_END;) {
        if (key == SB_OPTIONS_BAD) return SB_EXIT_USAGE;
        if (key == SB_OPTIONS_DONE) return SB_EXIT_FINE;
        if (key == 'c') d.file = o.argument;
        else if (key == KEY_JSON) d.json = true;
    }
    if (o.operand < argc)
        return sb_usage_error(&usage, "unexpected argument `%s`", argv[o.operand]);
    sb_process_config *config = calloc(1, sizeof *config);
    if (!config) return SB_EXIT_NEGATIVE;
    int status = examine(&d, config);
    free(config);
    return status;
}
