/* apps/serve/prompt.c -- the console on a terminal: a prompt with history, editing and completion
 * below the log.
 *
 * For:      console.c, which reads the finished lines from a pipe. libedit waits for keys, so it has
 *           a thread of its own; the main thread answers its questions about words.
 * Never:    lets that thread touch anything of the server but this file's struct.
 * Tests:    tests/apps/prompt_test.py
 */
#include "serve/serve.h"

#include "admin/complete.h"
#include "common/line_editor.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

enum { WORDS_MAX = 128, WORD_BYTES = 128, ANSWER_SECONDS = 2, BACKGROUND_MS = 500 };

struct serve_prompt {
    pthread_t       thread;
    int             lines[2];             /* a pipe: finished lines */
    int             redraw, leave, asked; /* eventfds */
    bool            was_in_background;
    pthread_mutex_t lock; /* protects all below */
    pthread_cond_t  answered;
    bool            waits; /* for the words of `line` */
    char            line[SERVE_LINE];
    size_t          word_count;
    char            words[WORDS_MAX][WORD_BYTES];
};

static void set_event(int descriptor)
{
    const uint64_t one = 1;
    (void)!write(descriptor, &one, sizeof one);
}

static void clear_event(int descriptor)
{
    uint64_t ignored;
    (void)!read(descriptor, &ignored, sizeof ignored);
}

/* ---- on the prompt's thread ---- */

/* Asks the main thread, and waits at most ANSWER_SECONDS. */
static void complete(void *context, const char *line, sb_line_editor_fn found, void *editor)
{
    struct serve_prompt *p = context;
    struct timespec      until;
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += ANSWER_SECONDS;
    pthread_mutex_lock(&p->lock);
    snprintf(p->line, sizeof p->line, "%s", line);
    p->word_count = 0;
    p->waits = true;
    set_event(p->asked);
    while (p->waits && pthread_cond_timedwait(&p->answered, &p->lock, &until) == 0) {
    }
    p->waits = false;
    for (size_t i = 0; i < p->word_count; i++) found(editor, p->words[i]);
    pthread_mutex_unlock(&p->lock);
}

static bool is_in_background(void)
{
    return tcgetpgrp(STDIN_FILENO) != getpgrp();
}

/* Waits for a key; draws the line again when the log has written over it. */
static bool wait_for_key(void *context, sb_line_editor *editor)
{
    struct serve_prompt *p = context;
    for (;;) {
        bool          background = is_in_background();
        struct pollfd ready[] = { { .fd = p->leave, .events = POLLIN },
                                  { .fd = p->redraw, .events = POLLIN },
                                  { .fd = background ? -1 : STDIN_FILENO, .events = POLLIN } };
        if (p->was_in_background && !background) sb_line_editor_resume(editor);
        p->was_in_background = background;
        if (poll(ready, 3, background ? BACKGROUND_MS : -1) < 0 && errno != EINTR) return false;
        if (ready[0].revents) return false;
        if (ready[1].revents) {
            clear_event(p->redraw);
            if (!background) sb_line_editor_redraw(editor);
        }
        if (ready[2].revents) return true;
    }
}

/* A background process must leave the settings of the terminal alone. False: leave. */
static bool wait_for_foreground(struct serve_prompt *p)
{
    struct pollfd leave = { .fd = p->leave, .events = POLLIN };
    while (is_in_background())
        if (poll(&leave, 1, BACKGROUND_MS) > 0) return false;
    return poll(&leave, 1, 0) == 0;
}

static void pass_lines_on(struct serve_prompt *p, sb_line_editor *editor)
{
    char line[SERVE_LINE + 1];
    sb_line_editor_set_wait(editor, wait_for_key, p);
    for (const char *typed; wait_for_foreground(p) && (typed = sb_line_editor_read(editor));) {
        int size = snprintf(line, sizeof line, "%.*s\n", SERVE_LINE - 1, typed);
        (void)!write(p->lines[1], line, (size_t)size);
    }
}

static void *run(void *context)
{
    struct serve_prompt *p = context;
    sb_line_editor *editor = wait_for_foreground(p) ? sb_line_editor_open("> ", complete, p) : NULL;
    if (editor) {
        pass_lines_on(p, editor);
        sb_line_editor_close(editor);
    }
    (void)close(p->lines[1]); /* Ctrl-D: the input of commands has ended */
    p->lines[1] = -1;
    return NULL;
}

/* ---- on the main thread ---- */

static void add_word(void *context, const char *word)
{
    struct serve_prompt *p = context;
    if (p->word_count < WORDS_MAX) snprintf(p->words[p->word_count++], WORD_BYTES, "%s", word);
}

static void answer(serve *s, void *context, short events)
{
    static const sb_actor console = { SB_DOOR_CONSOLE, SB_ROLE_OPERATOR, "console", 0, 0 };
    struct serve_prompt  *p = context;
    (void)events;
    clear_event(p->asked);
    pthread_mutex_lock(&p->lock);
    if (p->waits) sb_admin_complete(s->admin, &console, p->line, add_word, p);
    p->waits = false;
    pthread_cond_signal(&p->answered);
    pthread_mutex_unlock(&p->lock);
}

static void destroy(struct serve_prompt *p)
{
    int all[] = { p->lines[0], p->lines[1], p->redraw, p->leave, p->asked };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i] >= 0) (void)close(all[i]);
    pthread_mutex_destroy(&p->lock);
    pthread_cond_destroy(&p->answered);
    free(p);
}

static bool start(serve *s, struct serve_prompt *p)
{
    p->redraw = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    p->leave = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    p->asked = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (pipe2(p->lines, O_CLOEXEC) != 0 || p->redraw < 0 || p->leave < 0 || p->asked < 0)
        return false;
    return serve_watch(s, p->asked, POLLIN, answer, p) &&
           pthread_create(&p->thread, NULL, run, p) == 0;
}

int serve_open_prompt(serve *s)
{
    if (!sb_line_editor_is_full() || !isatty(STDOUT_FILENO) || !isatty(STDERR_FILENO)) return -1;
    struct serve_prompt *p = calloc(1, sizeof *p);
    if (!p) return -1;
    p->lines[0] = p->lines[1] = p->redraw = p->leave = p->asked = -1;
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->answered, NULL);
    if (!start(s, p)) {
        serve_unwatch(s, p->asked);
        destroy(p);
        return -1;
    }
    s->prompt = p;
    sb_log_set_prompt(&s->log, p->redraw);
    return p->lines[0];
}

void serve_close_prompt(serve *s)
{
    struct serve_prompt *p = s->prompt;
    if (!p) return;
    sb_log_set_prompt(&s->log, -1);
    set_event(p->leave);
    (void)pthread_join(p->thread, NULL);
    serve_unwatch(s, p->asked);
    serve_unwatch(s, p->lines[0]);
    if (s->console.descriptor == p->lines[0]) s->console.descriptor = -1;
    destroy(p);
    s->prompt = NULL;
}
