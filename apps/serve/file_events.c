/* apps/serve/file_events.c -- logs the progress of files that are sent to clients.
 *
 * For:      events.c. The room reports progress at most every few seconds per player.
 * Tests:    tests/e2e/files_test.c
 */
#include "serve/serve.h"

static void append_progress(sb_log_line *line, const sb_server_event *e)
{
    sb_log_text(line, " %u of %u files, %lld bytes sent", e->done, e->total, (long long)e->value);
    if (e->text.size) {
        sb_log_text(line, "; now ");
        sb_log_span(line, e->text);
        sb_log_value_text(line, "file", e->text);
    }
    sb_log_value_number(line, "done", e->done);
}

static void append_withheld(sb_log_line *line, const sb_server_event *e)
{
    sb_log_text(line, " gets no files: ");
    sb_log_span(line, e->text);
    sb_log_value_text(line, "reason", e->text);
}

static void append_all(sb_log_line *line, const sb_server_event *e, const char *verb)
{
    sb_log_text(line, " %s %u file%s, %lld bytes", verb, e->total, e->total == 1 ? "" : "s",
                (long long)e->value);
}

void serve_log_files(serve_room *r, const sb_server_event *e)
{
    sb_log_line  line;
    bool         bad = e->type == SB_SERVER_FILES_STOPPED || e->type == SB_SERVER_FILES_WITHHELD;
    sb_log_level level = bad ? SB_LOG_WARNING : SB_LOG_INFO;
    if (!serve_start_line(r, &line, e, level, "files")) return;
    switch (e->type) {
    case SB_SERVER_FILES_STARTED: append_all(&line, e, "gets"); break;
    case SB_SERVER_FILES_SENT: append_all(&line, e, "has acknowledged"); break;
    case SB_SERVER_FILES_WITHHELD: append_withheld(&line, e); break;
    case SB_SERVER_FILES_STOPPED:
        sb_log_text(&line, " leaves with");
        append_progress(&line, e);
        break;
    default:
        sb_log_text(&line, " has");
        append_progress(&line, e);
        break;
    }
    if (e->type != SB_SERVER_FILES_WITHHELD) {
        sb_log_value_number(&line, "total", e->total);
        sb_log_value_number(&line, "bytes", e->value);
    }
    sb_log_end(&line);
}
