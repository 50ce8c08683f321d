/* apps/serve/start_error.c -- errors before the log is open, in the form that the log would have.
 *
 * For:      readers that parse both streams of `starbase serve --log-json`: a wrong command line or
 *           configuration is an object, too.
 * Tests:    tests/apps/serve_test.py
 */
#include "serve/serve.h"

#include "config/keys.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool variable_asks_for_json(bool otherwise)
{
    const char *variable = getenv("STARBASE_LOG_JSON");
    bool        json = otherwise;
    if (variable) (void)sb_key_parse_flag(variable, &json);
    return json;
}

bool serve_asks_for_json(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--log-json") == 0) return true;
    return variable_asks_for_json(false);
}

/* If the file has an error, the environment and the command line have not been applied. */
static bool wants_json(const serve_options *o, const sb_process_config *config)
{
    bool json = variable_asks_for_json(config->log_json);
    for (size_t i = 0; i < o->sources.setting_count; i++)
        if (strcmp(o->settings[i].key, "log_json") == 0)
            (void)sb_key_parse_flag(o->settings[i].value, &json);
    return json;
}

void serve_report_json(const char *text)
{
    sb_log         log;
    sb_log_options options = { .descriptor = STDERR_FILENO, .level = SB_LOG_ERROR, .json = true };
    sb_log_open(&log, &options);
    sb_log_message(&log, SB_LOG_ERROR, "server", SB_LOG_NO_ROOM, "%s", text);
    sb_log_close(&log);
}

void serve_report_config_error(const serve_options *o, const sb_process_config *config)
{
    if (wants_json(o, config) && !o->check) serve_report_json(config->data.error);
    else fprintf(stderr, "starbase serve: %s\n", config->data.error);
}
