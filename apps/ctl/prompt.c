/* apps/ctl/prompt.c -- commands typed at a prompt: history, editing, completion with the Tab key.
 *
 * For:      ctl.h. With libedit; without it the terminal's own editing.
 * Tests:    tests/apps/prompt_test.py
 */
#include "ctl/ctl.h"

#include "common/commands.h"
#include "common/line_editor.h"

#include <string.h>

static void complete(void *context, const char *line, sb_line_editor_fn found, void *editor)
{
    ctl_complete(context, line, found, editor);
}

/* True: the prompt ends, here or on the server. */
static bool ends_prompt(const char *word)
{
    return strcmp(word, "exit") == 0 || strcmp(word, "quit") == 0;
}

int ctl_prompt(ctl *c)
{
    sb_line_editor *editor = sb_line_editor_open("starbase> ", complete, c);
    const char     *line;
    int             status = SB_EXIT_FINE;
    if (!editor) return SB_EXIT_NEGATIVE;
    printf("Connected to %s. `help` lists the commands; `exit` or Ctrl-D leaves.\n", c->path);
    while (!ctl_is_closed(c) && (line = sb_line_editor_read(editor))) {
        if (ends_prompt(line)) break;
        if (line[0] == '\0') continue;
        status = ctl_request(c, line);
        if (status == SB_EXIT_FINE && strcmp(line, "follow") == 0) {
            sb_line_editor_close(editor); /* Ctrl-C ends it */
            return ctl_follow(c);
        }
    }
    sb_line_editor_close(editor);
    return ctl_is_closed(c) ? SB_EXIT_NEGATIVE : SB_EXIT_FINE;
}
