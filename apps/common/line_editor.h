/* apps/common/line_editor.h -- reads lines from a terminal: history, editing, completion.
 *
 * For:      `starbase ctl`; apps/serve/prompt.c for the console of the server.
 * May use:  libedit; built without it, lines are read as the terminal gives them.
 */
#ifndef SB_APPS_COMMON_LINE_EDITOR_H
#define SB_APPS_COMMON_LINE_EDITOR_H

#include <stdbool.h>

typedef struct sb_line_editor sb_line_editor;

typedef void (*sb_line_editor_fn)(void *context, const char *word);
/* Calls found(editor, word) for each word that may stand at the end of the line. */
typedef void (*sb_line_editor_complete_fn)(void *context, const char *line, sb_line_editor_fn found,
                                           void *editor);

/* Given; NULL: no memory. `prompt` is borrowed. One editor at a time. */
sb_line_editor *sb_line_editor_open(const char *prompt, sb_line_editor_complete_fn complete,
                                    void *context);
/* The next line without its newline and blanks at its ends; lent until the next call. NULL: the
 * input has ended. */
const char *sb_line_editor_read(sb_line_editor *e);
void        sb_line_editor_close(sb_line_editor *e);
/* Replaces the function that waits for a byte: false ends the input. For programs that wait for
 * more than the terminal. */
void sb_line_editor_set_wait(sb_line_editor *e, bool (*wait)(void *context, sb_line_editor *e),
                             void           *context);
/* Draws prompt and line again, after other output has erased them. For the function above. */
void sb_line_editor_redraw(sb_line_editor *e);
/* Takes the terminal back after the process was in the background. */
void sb_line_editor_resume(sb_line_editor *e);
/* True if libedit edits the line. */
bool sb_line_editor_is_full(void);

#endif
