/* apps/common/line_editor.c -- reads lines from a terminal: history, editing, completion.
 *
 * Tests:    tests/apps/prompt_test.py
 */
#include "common/line_editor.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include <wchar.h>

enum { LINE_BYTES = 512, HISTORY_LINES = 500, WORDS_MAX = 128, WORD_BYTES = 128 };

/* Blanks at both ends removed, in a buffer of the editor. */
static const char *trim(char out[LINE_BYTES], const char *line)
{
    line += strspn(line, " \t");
    size_t size = strcspn(line, "\r\n");
    while (size > 0 && (line[size - 1] == ' ' || line[size - 1] == '\t')) size--;
    if (size >= LINE_BYTES) size = LINE_BYTES - 1;
    memcpy(out, line, size);
    out[size] = '\0';
    return out;
}

#ifdef SB_HAS_LIBEDIT

#include <histedit.h>

struct sb_line_editor {
    EditLine                  *edit;
    History                   *history;
    const char                *prompt;
    sb_line_editor_complete_fn complete;
    void                      *context;
    bool (*wait)(void *context, sb_line_editor *e);
    void  *wait_context;
    char   line[LINE_BYTES];
    size_t word_count;
    char   words[WORDS_MAX][WORD_BYTES];
};

static sb_line_editor *of(EditLine *edit)
{
    void *e = NULL;
    (void)el_get(edit, EL_CLIENTDATA, &e);
    return e;
}

static char *prompt_of(EditLine *edit)
{
    return (char *)(uintptr_t)of(edit)->prompt;
}

/* ---- completion ---- */

static void add_word(void *context, const char *word)
{
    sb_line_editor *e = context;
    if (e->word_count < WORDS_MAX) snprintf(e->words[e->word_count++], WORD_BYTES, "%s", word);
}

/* How many bytes all found words have in common, without regard to case. */
static size_t common_size(const sb_line_editor *e)
{
    size_t size = strlen(e->words[0]);
    for (size_t i = 1; i < e->word_count; i++)
        while (size > 0 && strncasecmp(e->words[0], e->words[i], size) != 0) size--;
    return size;
}

static void list_words(const sb_line_editor *e)
{
    printf("\n");
    for (size_t i = 0; i < e->word_count; i++) printf("%s  ", e->words[i]);
    printf("\n");
    fflush(stdout);
}

static void insert(sb_line_editor *e, const char *word, size_t size, size_t typed, bool quoted)
{
    char text[WORD_BYTES + 8];
    bool whole = e->word_count == 1;
    snprintf(text, sizeof text, "%s%.*s%s%s", quoted ? "\"" : "", (int)size, word,
             quoted && whole ? "\"" : "", whole ? " " : "");
    if (typed > 0) el_deletestr(e->edit, (int)typed);
    (void)el_insertstr(e->edit, text);
}

static unsigned char on_tab(EditLine *edit, int key)
{
    sb_line_editor *e = of(edit);
    const LineInfo *info = el_line(edit);
    char            line[LINE_BYTES];
    (void)key;
    snprintf(line, sizeof line, "%.*s", (int)(info->cursor - info->buffer), info->buffer);
    const char *start = strrchr(line, ' ');
    size_t      typed = strlen(start ? start + 1 : line);
    e->word_count = 0;
    e->complete(e->context, line, add_word, e);
    if (e->word_count == 0) return CC_REFRESH_BEEP;
    size_t size = common_size(e);
    if (e->word_count > 1 && size <= typed) {
        list_words(e);
        return CC_REDISPLAY;
    }
    bool quoted = e->word_count == 1 && strchr(e->words[0], ' ') != NULL;
    insert(e, e->words[0], size, typed, quoted);
    return CC_REFRESH;
}

/* ---- reading ---- */

/* libedit asks here for each character. */
static int read_character(EditLine *edit, wchar_t *out)
{
    sb_line_editor *e = of(edit);
    mbstate_t       state = { 0 };
    unsigned char   byte;
    for (size_t have = 0; have < 4; have++) {
        if (e->wait && !e->wait(e->wait_context, e)) return 0;
        ssize_t size;
        do size = read(STDIN_FILENO, &byte, 1);
        while (size < 0 && errno == EINTR);
        if (size <= 0) return 0;
        size_t result = mbrtowc(out, (const char *)&byte, 1, &state);
        if (result != (size_t)-2) {
            if (result == (size_t)-1) *out = L'?';
            return 1;
        }
    }
    *out = L'?';
    return 1;
}

sb_line_editor *sb_line_editor_open(const char *prompt, sb_line_editor_complete_fn complete,
                                    void *context)
{
    HistEvent       event;
    sb_line_editor *e = calloc(1, sizeof *e);
    if (!e) return NULL;
    e->prompt = prompt;
    e->complete = complete;
    e->context = context;
    e->edit = el_init("starbase", stdin, stdout, stderr);
    e->history = history_init();
    if (!e->edit || !e->history) {
        sb_line_editor_close(e);
        return NULL;
    }
    (void)history(e->history, &event, H_SETSIZE, HISTORY_LINES);
    (void)history(e->history, &event, H_SETUNIQUE, 1);
    (void)el_set(e->edit, EL_CLIENTDATA, e);
    (void)el_set(e->edit, EL_PROMPT, prompt_of);
    (void)el_set(e->edit, EL_EDITOR, "emacs");
    (void)el_set(e->edit, EL_HIST, history, e->history);
    (void)el_set(e->edit, EL_SIGNAL, 0);
    (void)el_set(e->edit, EL_GETCFN, read_character);
    (void)el_set(e->edit, EL_ADDFN, "complete", "complete the word", on_tab);
    (void)el_set(e->edit, EL_BIND, "\t", "complete", NULL);
    return e;
}

const char *sb_line_editor_read(sb_line_editor *e)
{
    int         count = 0;
    HistEvent   event;
    const char *line = el_gets(e->edit, &count);
    if (!line || count <= 0) return NULL;
    (void)trim(e->line, line);
    if (e->line[0]) (void)history(e->history, &event, H_ENTER, e->line);
    return e->line;
}

void sb_line_editor_close(sb_line_editor *e)
{
    if (e->history) history_end(e->history);
    if (e->edit) el_end(e->edit);
    free(e);
}

void sb_line_editor_redraw(sb_line_editor *e)
{
    (void)el_set(e->edit, EL_REFRESH);
}

void sb_line_editor_resume(sb_line_editor *e)
{
    (void)el_set(e->edit, EL_PREP_TERM, 1);
    sb_line_editor_redraw(e);
}

bool sb_line_editor_is_full(void)
{
    return true;
}

#else

struct sb_line_editor {
    const char *prompt;
    bool (*wait)(void *context, sb_line_editor *e);
    void *wait_context;
    char  line[LINE_BYTES], bytes[2 * LINE_BYTES];
};

sb_line_editor *sb_line_editor_open(const char *prompt, sb_line_editor_complete_fn complete,
                                    void *context)
{
    sb_line_editor *e = calloc(1, sizeof *e);
    (void)complete;
    (void)context;
    if (e) e->prompt = prompt;
    return e;
}

const char *sb_line_editor_read(sb_line_editor *e)
{
    printf("%s", e->prompt);
    fflush(stdout);
    if (e->wait && !e->wait(e->wait_context, e)) return NULL;
    return fgets(e->bytes, sizeof e->bytes, stdin) ? trim(e->line, e->bytes) : NULL;
}

void sb_line_editor_close(sb_line_editor *e)
{
    free(e);
}

void sb_line_editor_redraw(sb_line_editor *e)
{
    printf("%s", e->prompt);
    fflush(stdout);
}

void sb_line_editor_resume(sb_line_editor *e)
{
    sb_line_editor_redraw(e);
}

bool sb_line_editor_is_full(void)
{
    return false;
}

#endif

void sb_line_editor_set_wait(sb_line_editor *e, bool (*wait)(void *context, sb_line_editor *e),
                             void           *context)
{
    e->wait = wait;
    e->wait_context = context;
}
