/* apps/doctor/doctor.c -- `starbase doctor`: checks a machine before and while it runs a server.
 *
 * Tests:    tests/apps/doctor_test.py
 */
#include "doctor/doctor.h"

#include "common/clean_text.h"
#include "common/commands.h"
#include "common/options.h"
#include "config/keys.h"

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
        "a configuration in /etc/starbase start at " SERVICE_FOLDER ", as in the service.\n"
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

/* ---- keys ---- */

bool doctor_has_key(const char *name)
{
    return sb_config_find_key(name) != NULL;
}

const char *doctor_key_text(const doctor *d, const char *name)
{
    const sb_key *key = sb_config_find_key(name);
    const char   *text = NULL;
    if (!key || key->of_room || key->store != SB_STORE_TEXT) return "";
    memcpy(&text, (const char *)d->config + key->offset, sizeof text);
    return text ? text : "";
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
    { "control", true, doctor_check_control },
};

static int run_checks(doctor *d)
{
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
        d->check = checks[i].name;
        if (d->config || !checks[i].needs_config) checks[i].run(d);
    }
    return d->todo_count > 0 ? SB_EXIT_NEGATIVE : SB_EXIT_FINE;
}

/* ---- the command ---- */

/* The service starts in its own folder, so relative paths in its configuration start there. */
static void enter_service_folder(const char *file)
{
    if (file && strncmp(file, "/etc/starbase/", 14) == 0 && chdir(SERVICE_FOLDER) != 0)
        return; /* the configuration then names the file that is missing */
}

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
    sb_config_sources sources = { .file = d->file, .environment = (const char *const *)environ };
    enter_service_folder(d->file);
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
