/* apps/ctl/connection.c -- finds the control socket of a server, sends requests, prints answers.
 *
 * For:      ctl.h. An answer is a JSON object per line; the last one has the key "result".
 * Tests:    tests/apps/ctl_test.py
 */
#include "ctl/ctl.h"

#include "base/suggestion.h"
#include "common/clean_text.h"
#include "common/commands.h"

#include <errno.h>
#include <jansson.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { PATIENCE_MS = 5000 };

static const size_t answer_max = 16 << 20, read_bytes = 64 << 10;

/* ---- finding the server ---- */

typedef struct found {
    size_t count;
    char   names[SB_CONTROL_FOUND_MAX][SB_CONTROL_NAME_MAX];
    char   paths[SB_CONTROL_FOUND_MAX][SB_CONTROL_PATH_MAX];
} found;

static void print_folders(void)
{
    char folder[SB_CONTROL_PATH_MAX];
    for (unsigned i = 0, shown = 0; i < SB_CONTROL_FOLDERS; i++)
        if (sb_control_folder(i, folder)) fprintf(stderr, "%s%s", shown++ ? " and " : "", folder);
}

static void explain_none(void)
{
    fprintf(stderr, "starbase ctl: no server is running here: there is no control socket in ");
    print_folders();
    fprintf(stderr,
            "\nA server of another user is reachable for root and for members of the group "
            "%s.\n",
            SB_CONTROL_GROUP);
}

static void explain_missing(const found *f, const char *instance)
{
    sb_suggestion near = sb_suggestion_start(instance);
    for (size_t i = 0; i < f->count; i++) sb_suggestion_try(&near, f->names[i]);
    fprintf(stderr, "starbase ctl: there is no server `%s` here", instance);
    if (near.best) fprintf(stderr, "; did you mean `%s`?\n", near.best);
    else fprintf(stderr, "; `starbase ctl --list` shows those that are\n");
}

static void explain_several(const found *f)
{
    fprintf(stderr, "starbase ctl: several servers run here; choose one with --instance NAME:\n");
    for (size_t i = 0; i < f->count; i++) fprintf(stderr, "  %-16s %s\n", f->names[i], f->paths[i]);
}

static int connect_to(const char *path)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    int                descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    if (descriptor < 0) return -1;
    if (connect(descriptor, (const struct sockaddr *)&address, sizeof address) == 0)
        return descriptor;
    int error = errno;
    (void)close(descriptor);
    errno = error;
    return -1;
}

/* A server that died leaves its socket: such entries are removed. */
static void drop_dead(found *f)
{
    size_t kept = 0;
    for (size_t i = 0; i < f->count; i++) {
        int descriptor = connect_to(f->paths[i]);
        if (descriptor < 0 && errno == ECONNREFUSED) continue;
        if (descriptor >= 0) (void)close(descriptor);
        if (kept != i) {
            memcpy(f->names[kept], f->names[i], sizeof f->names[i]);
            memcpy(f->paths[kept], f->paths[i], sizeof f->paths[i]);
        }
        kept++;
    }
    f->count = kept;
}

static void find_servers(found *f)
{
    f->count = sb_control_list(f->names, f->paths, SB_CONTROL_FOUND_MAX);
    drop_dead(f);
}

int ctl_list_servers(void)
{
    found f;
    find_servers(&f);
    for (size_t i = 0; i < f.count; i++) printf("%-16s %s\n", f.names[i], f.paths[i]);
    return f.count > 0 ? SB_EXIT_FINE : SB_EXIT_NEGATIVE;
}

static const char *choose(ctl *c, const found *f)
{
    if (f->count == 0) explain_none();
    for (size_t i = 0; c->instance && i < f->count; i++)
        if (strcmp(f->names[i], c->instance) == 0) return f->paths[i];
    if (f->count == 0) return NULL;
    if (c->instance) explain_missing(f, c->instance);
    else if (f->count == 1) return f->paths[0];
    else explain_several(f);
    return NULL;
}

bool ctl_connect(ctl *c)
{
    found f;
    find_servers(&f);
    const char *path = choose(c, &f);
    if (!path) return false;
    snprintf(c->path, sizeof c->path, "%s", path);
    c->socket = connect_to(path);
    if (c->socket >= 0) return true;
    fprintf(stderr, "starbase ctl: cannot connect to %s: %s\n", path, strerror(errno));
    if (errno == EACCES)
        fprintf(stderr,
                "Only root, the server's own user and members of the group %s may: "
                "`sudo usermod -aG %s $USER`, then log in again.\n",
                SB_CONTROL_GROUP, SB_CONTROL_GROUP);
    return false;
}

void ctl_disconnect(ctl *c)
{
    if (c->socket >= 0) (void)close(c->socket);
    free(c->bytes);
    c->bytes = NULL;
    c->size = c->at = c->capacity = 0;
    c->socket = -1;
}

bool ctl_is_closed(const ctl *c)
{
    return c->socket < 0;
}

/* ---- lines of the server ---- */

static bool grow(ctl *c)
{
    if (c->capacity - c->size >= read_bytes) return true;
    size_t capacity = c->capacity ? 2 * c->capacity : 2 * read_bytes;
    char  *larger = capacity <= answer_max ? realloc(c->bytes, capacity) : NULL;
    if (!larger) return false;
    c->bytes = larger;
    c->capacity = capacity;
    return true;
}

/* A server that hangs still has a socket: says once that it takes long. */
static void wait_for_answer(ctl *c)
{
    struct pollfd ready = { .fd = c->socket, .events = POLLIN };
    if (poll(&ready, 1, PATIENCE_MS) != 0) return;
    fprintf(stderr,
            "starbase ctl: the server has not answered for %d s; this waits on, Ctrl-C gives up\n",
            PATIENCE_MS / 1000);
    c->awaits = false;
}

static bool receive(ctl *c)
{
    if (c->bytes && c->at > 0) {
        memmove(c->bytes, c->bytes + c->at, c->size - c->at);
        c->size -= c->at;
        c->at = 0;
    }
    if (!grow(c)) return false;
    if (c->awaits) wait_for_answer(c);
    ssize_t size;
    do size = recv(c->socket, c->bytes + c->size, read_bytes, 0);
    while (size < 0 && errno == EINTR);
    if (size > 0) c->size += (size_t)size;
    return size > 0;
}

/* The next line without its newline, lent until the next call. NULL: the connection has ended. */
static const char *next_line(ctl *c)
{
    for (;;) {
        char *start = c->bytes ? c->bytes + c->at : NULL;
        char *end = start ? memchr(start, '\n', c->size - c->at) : NULL;
        if (end) {
            *end = '\0';
            c->at = (size_t)(end - c->bytes) + 1;
            return start;
        }
        if (!receive(c)) {
            ctl_disconnect(c);
            return NULL;
        }
    }
}

static bool send_line(ctl *c, const char *line)
{
    char   request[CTL_LINE_MAX + 2];
    size_t size = (size_t)snprintf(request, sizeof request, "%s\n", line), sent = 0;
    if (size >= sizeof request) size = sizeof request - 1;
    while (sent < size) {
        ssize_t part = send(c->socket, request + sent, size - sent, MSG_NOSIGNAL);
        if (part < 0 && errno == EINTR) continue;
        if (part <= 0) return false;
        sent += (size_t)part;
    }
    return true;
}

/* ---- answers ---- */

/* The lines of an answer: results go to stdout, what was refused to stderr, and the last line says
 * which of them it is. */
typedef struct answer {
    char  *text;
    size_t size;
    FILE  *out;
    int    status; /* -1: the answer goes on */
    bool   json, with_rooms;
} answer;

static void add_line(answer *a, const char *line)
{
    json_t *object = json_loads(line, 0, NULL);
    json_t *result = json_object_get(object, "result");
    json_t *message = json_object_get(object, "message"), *room = json_object_get(object, "room");
    if (a->json) fprintf(a->out, "%s\n", line);
    else if (message && !result) {
        if (room && json_integer_value(room) > 1) a->with_rooms = true;
        if (room) fprintf(a->out, "\001room %lld: \002", (long long)json_integer_value(room));
        fprintf(a->out, "%s\n", json_string_value(message) ? json_string_value(message) : "");
    }
    if (result) a->status = (int)json_integer_value(json_object_get(object, "status"));
    json_decref(object);
}

/* Prints the answer; between \001 and \002 are room numbers, which one room does not need. */
static void print_answer(const answer *a)
{
    FILE *out = a->status == SB_EXIT_FINE || a->json ? stdout : stderr;
    bool  hidden = false;
    for (size_t i = 0; i < a->size; i++) {
        char byte = a->text[i];
        if (byte == '\001') hidden = !a->with_rooms;
        else if (byte == '\002') hidden = false;
        else if (!hidden) fputc(byte, out);
    }
    fflush(out);
}

static void explain_closed(void)
{
    fprintf(stderr, "starbase ctl: the server has closed the connection\n");
}

int ctl_request(ctl *c, const char *line)
{
    answer      a = { .status = -1, .json = c->json };
    const char *next = NULL;
    a.out = open_memstream(&a.text, &a.size);
    if (!a.out) return SB_EXIT_NEGATIVE;
    (void)send_line(c, line); /* a server that refuses to listen has said why */
    c->awaits = true;
    while (a.status < 0 && (next = next_line(c))) add_line(&a, next);
    c->awaits = false;
    fclose(a.out);
    print_answer(&a);
    free(a.text);
    if (a.status >= 0) return a.status;
    explain_closed();
    ctl_disconnect(c);
    return SB_EXIT_NEGATIVE;
}

int ctl_follow(ctl *c)
{
    for (const char *line; (line = next_line(c));) {
        printf("%s\n", line);
        if (fflush(stdout) != 0) return SB_EXIT_FINE; /* the reader is gone */
    }
    explain_closed();
    return SB_EXIT_NEGATIVE;
}

void ctl_complete(ctl *c, const char *line, void (*found_word)(void *context, const char *word),
                  void *context)
{
    char request[CTL_LINE_MAX];
    snprintf(request, sizeof request, "complete %s", line);
    if (!send_line(c, request)) return;
    for (const char *next; (next = next_line(c));) {
        json_t *object = json_loads(next, 0, NULL);
        json_t *word = json_object_get(object, "word");
        bool    ended = json_object_get(object, "result") != NULL;
        if (word && json_string_value(word)) found_word(context, json_string_value(word));
        json_decref(object);
        if (ended) return;
    }
}
