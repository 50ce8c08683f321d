/* tests/vector_file.c -- a strict parser of the format in vectors/README.md: no line is skipped. */
#include "vector_file.h"

#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- small texts ---- */

static int digit_of(char c)
{
    static const char digits[] = "0123456789ABCDEF0123456789abcdef";
    const char       *at = c ? strchr(digits, c) : NULL;
    return at ? (int)((at - digits) % 16) : -1;
}

size_t vector_hex(const char *text, uint8_t *out, size_t capacity)
{
    size_t count = 0;
    for (; *text; text++) {
        if (*text == ' ') continue;
        int high = digit_of(text[0]), low = high < 0 ? -1 : digit_of(text[1]);
        if (low < 0 || count == capacity) return SIZE_MAX;
        out[count++] = (uint8_t)(high * 16 + low);
        text++;
    }
    return count;
}

/* The byte of an escape sequence; -1: malformed. `*text` moves to its last character. */
static int unescape(const char **text)
{
    const char *t = *text + 1;
    if (*t == '\\' || *t == '"') {
        *text = t;
        return *t;
    }
    if (*t != 'x' || digit_of(t[1]) < 0 || digit_of(t[2]) < 0) return -1;
    *text = t + 2;
    return digit_of(t[1]) * 16 + digit_of(t[2]);
}

size_t vector_unquote(const char *text, uint8_t *out, size_t capacity)
{
    size_t count = 0, length = strlen(text);
    if (length < 2 || *text++ != '"') return SIZE_MAX;
    for (; *text != '"'; text++) {
        int byte = *text == '\\' ? unescape(&text) : (uint8_t)*text;
        if (byte <= 0 && *text == '\0') return SIZE_MAX;
        if (byte < 0 || count == capacity) return SIZE_MAX;
        out[count++] = (uint8_t)byte;
    }
    return text[1] == '\0' ? count : SIZE_MAX;
}

static char *trim(char *text)
{
    while (*text == ' ') text++;
    size_t size = strlen(text);
    while (size > 0 && text[size - 1] == ' ') text[--size] = '\0';
    return text;
}

/* ---- one file ---- */

/* A key with its own line and the indented lines below it. */
typedef struct block {
    const char *key;
    int         line;
    char      **texts; /* texts[0] is the rest of the key's own line, may be empty */
    int        *lines;
    size_t      count;
} block;

typedef struct parse {
    vector_file *v;
    uint8_t     *free_memory; /* the unused part of v->memory */
    bool         seen_hex, seen_layer;
    char        *error;
    size_t       capacity;
} parse;

static bool refuse(parse *p, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static bool refuse(parse *p, int line, const char *format, ...)
{
    int     at = snprintf(p->error, p->capacity, "%s:%d: ", p->v->path, line);
    va_list list;
    va_start(list, format);
    if (at > 0 && (size_t)at < p->capacity)
        vsnprintf(p->error + at, p->capacity - (size_t)at, format, list);
    va_end(list);
    return false;
}

static void *allocate(parse *p, size_t bytes)
{
    void *at = p->free_memory;
    p->free_memory += (bytes + 15) / 16 * 16;
    return at;
}

/* The lines of a block, joined with blanks. */
static bool parse_text(parse *p, const block *b, const char **out)
{
    if (*out) return refuse(p, b->line, "%s is said twice", b->key);
    size_t capacity = 1, size = 0;
    for (size_t i = 0; i < b->count; i++) capacity += strlen(b->texts[i]) + 1;
    char *text = allocate(p, capacity);
    for (size_t i = 0; i < b->count; i++) {
        size_t more = strlen(b->texts[i]);
        if (size > 0) text[size++] = ' ';
        memcpy(text + size, b->texts[i], more);
        size += more;
    }
    text[size] = '\0';
    if (size == 0) return refuse(p, b->line, "%s is empty", b->key);
    *out = text;
    return true;
}

static bool parse_hex(parse *p, const block *b, sb_span *out)
{
    size_t capacity = 0, size = 0;
    for (size_t i = 0; i < b->count; i++) capacity += strlen(b->texts[i]);
    uint8_t *bytes = allocate(p, capacity + 1);
    if (out->data) return refuse(p, b->line, "%s is said twice", b->key);
    for (size_t i = 0; i < b->count; i++) {
        size_t more = vector_hex(b->texts[i], bytes + size, capacity);
        if (more == SIZE_MAX) return refuse(p, b->lines[i], "not hex: %s", b->texts[i]);
        size += more;
    }
    *out = (sb_span){ bytes, size };
    return true;
}

/* The content of `text:` is the bytes themselves; lines are joined without a separator. */
static bool parse_raw(parse *p, const block *b, sb_span *out)
{
    size_t capacity = 0, size = 0;
    for (size_t i = 0; i < b->count; i++) capacity += strlen(b->texts[i]);
    uint8_t *bytes = allocate(p, capacity + 1);
    for (size_t i = 0; i < b->count; i++) {
        size_t more = strlen(b->texts[i]);
        memcpy(bytes + size, b->texts[i], more);
        size += more;
    }
    *out = (sb_span){ bytes, size };
    return true;
}

static bool parse_word(parse *p, const block *b, const char *const *words, size_t count,
                       unsigned *out)
{
    for (size_t i = 0; b->count == 1 && i < count; i++) {
        if (strcmp(words[i], b->texts[0]) != 0) continue;
        *out = (unsigned)i;
        return true;
    }
    return refuse(p, b->line, "%s cannot be '%s'", b->key, b->texts[0]);
}

static bool parse_number(parse *p, const block *b, unsigned long max, unsigned long *out)
{
    char *end;
    *out = strtoul(b->texts[0], &end, 0);
    if (*end || end == b->texts[0] || *out > max || b->count != 1)
        return refuse(p, b->line, "%s is not a number up to %lu", b->key, max);
    return true;
}

static bool parse_refusal(parse *p, const block *b)
{
    char *name = b->texts[0], *at = strstr(name, " at "), *end = at;
    if (at) p->v->offset = strtoul(at + 4, &end, 10);
    if (!at || *end || end == at + 4 || b->count != 1)
        return refuse(p, b->line, "refuse is RESULT at OFFSET, such as TRUNCATED at 5");
    *at = '\0';
    for (int r = SB_OK + 1; r < SB_RESULT_COUNT; r++) {
        if (strcmp(name, sb_result_name((sb_result)r)) != 0) continue;
        p->v->refused = true;
        p->v->result = (sb_result)r;
        return true;
    }
    return refuse(p, b->line, "no result is called %s", name);
}

/* Cuts `text` at the separator; cells lose the blanks around them. */
static bool parse_cells(parse *p, int line, char *text, char separator, vector_line *out)
{
    *out = (vector_line){ .line = line };
    for (char *rest = text; rest;) {
        char *cut = strchr(rest, separator);
        if (cut) *cut = '\0';
        if (out->count == VECTOR_CELLS_MAX) return refuse(p, line, "too many cells");
        out->cells[out->count++] = trim(rest);
        rest = cut ? cut + 1 : NULL;
    }
    return true;
}

static bool parse_expectation(parse *p, int line, char *text, vector_line *out)
{
    char *equals = strstr(text, " = ");
    if (!equals) return refuse(p, line, "an expectation is PATH = VALUE: %s", text);
    *equals = '\0';
    *out = (vector_line){ line, { trim(text), trim(equals + 3) }, 2 };
    if (!*out->cells[0] || !*out->cells[1]) return refuse(p, line, "path or value is missing");
    return true;
}

static bool parse_lines(parse *p, const block *b, bool rows)
{
    if (p->v->lines) return refuse(p, b->line, "%s is said twice", b->key);
    p->v->lines = allocate(p, b->count * sizeof *p->v->lines);
    for (size_t i = 0; i < b->count; i++) {
        if (!*b->texts[i]) continue;
        vector_line *out = &p->v->lines[p->v->line_count++];
        bool         good = rows ? parse_cells(p, b->lines[i], b->texts[i], '|', out)
                                 : parse_expectation(p, b->lines[i], b->texts[i], out);
        if (!good) return false;
    }
    return p->v->line_count > 0 || refuse(p, b->line, "%s is empty", b->key);
}

static bool parse_evidence(parse *p, const block *b)
{
    static const char *const words[] = { "T", "E",        "R",           "I",
                                         "P", "computed", "constructed", "rebuilt" };
    if (!parse_text(p, b, &p->v->evidence)) return false;
    size_t size = strcspn(p->v->evidence, " ,;:");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == size && strncmp(words[i], p->v->evidence, size) == 0) return true;
    return refuse(p, b->line,
                  "evidence begins with T, E, R, I, P, computed, constructed or rebuilt");
}

static bool parse_layer(parse *p, const block *b)
{
    static const char *const words[] = {
        "message", "plain", "transport", "gamespy", "master-list", "cipher",
    };
    unsigned word = 0;
    if (!parse_word(p, b, words, sizeof words / sizeof *words, &word)) return false;
    p->v->layer = (vector_layer)word;
    p->seen_layer = true;
    return true;
}

static bool parse_side(parse *p, const block *b)
{
    static const char *const words[] = { "client", "host" };
    unsigned                 word = 0;
    if (!parse_word(p, b, words, 2, &word)) return false;
    p->v->from = word == 0 ? SB_SIDE_CLIENT : SB_SIDE_HOST;
    return true;
}

static bool parse_own(parse *p, const block *b)
{
    static const char *const words[] = { "false", "true" };
    unsigned                 word = 0;
    if (!parse_word(p, b, words, 2, &word)) return false;
    p->v->own = word == 1;
    return true;
}

static bool parse_shields(parse *p, const block *b)
{
    static const char *const words[SB_SHIELD_LAYOUTS] = { "stock", "documented" };
    unsigned                 word = 0;
    if (!parse_word(p, b, words, SB_SHIELD_LAYOUTS, &word)) return false;
    p->v->shields = (uint8_t)word;
    return true;
}

static bool parse_block(parse *p, const block *b)
{
    vector_file  *v = p->v;
    unsigned long number = 0;
    if (strcmp(b->key, "spec") == 0) return parse_text(p, b, &v->spec);
    if (strcmp(b->key, "evidence") == 0) return parse_evidence(p, b);
    if (strcmp(b->key, "title") == 0) return parse_text(p, b, &v->title);
    if (strcmp(b->key, "note") == 0) return parse_text(p, b, &v->note);
    if (strcmp(b->key, "layer") == 0) return parse_layer(p, b);
    if (strcmp(b->key, "from") == 0) return parse_side(p, b);
    if (strcmp(b->key, "own") == 0) return parse_own(p, b);
    if (strcmp(b->key, "shields") == 0) return parse_shields(p, b);
    if (strcmp(b->key, "species") == 0) {
        bool good = parse_number(p, b, 255, &number);
        v->species = (uint8_t)number;
        return good;
    }
    if (strcmp(b->key, "hex") == 0 || strcmp(b->key, "text") == 0) {
        if (p->seen_hex) return refuse(p, b->line, "the bytes are given twice");
        p->seen_hex = true;
        return *b->key == 'h' ? parse_hex(p, b, &v->bytes) : parse_raw(p, b, &v->bytes);
    }
    if (strcmp(b->key, "encrypted") == 0) return parse_hex(p, b, &v->encrypted);
    if (strcmp(b->key, "expect") == 0) return parse_lines(p, b, false);
    if (strcmp(b->key, "refuse") == 0) return parse_refusal(p, b);
    if (strcmp(b->key, "table") == 0) {
        v->layer = VECTOR_TABLE;
        return parse_text(p, b, &v->table);
    }
    if (strcmp(b->key, "columns") == 0)
        return parse_cells(p, b->line, b->texts[0], '|', &v->columns);
    if (strcmp(b->key, "rows") == 0) return parse_lines(p, b, true);
    return refuse(p, b->line, "unknown key '%s'", b->key);
}

/* Checks which keys are required and which exclude each other. */
static bool check_whole(parse *p)
{
    const vector_file *v = p->v;
    if (!v->spec || !v->evidence || !v->title)
        return refuse(p, 1, "spec, evidence and title are needed");
    if (v->table) {
        if (p->seen_hex || v->refused || p->seen_layer)
            return refuse(p, 1, "a table has columns and rows, nothing else");
        for (size_t i = 0; i < v->line_count; i++)
            if (v->lines[i].count != v->columns.count)
                return refuse(p, v->lines[i].line, "the table has %zu columns", v->columns.count);
        return v->line_count > 0 || refuse(p, 1, "the table has no rows");
    }
    if (v->columns.count > 0) return refuse(p, 1, "columns belong to a table");
    if (!p->seen_layer || !p->seen_hex) return refuse(p, 1, "layer and hex (or text) are needed");
    if (v->layer == VECTOR_CIPHER)
        return (v->encrypted.size > 0 && !v->refused && !v->lines) ||
               refuse(p, 1, "a cipher vector has hex and encrypted, nothing else");
    if (v->refused == (v->line_count > 0)) return refuse(p, 1, "either expect or refuse");
    return true;
}

/* Ends the block before and begins the one of this line; `*content` becomes what follows the key.
 */
static bool start_block(parse *p, block *b, int line, char **content)
{
    char *colon = strchr(*content, ':');
    if (b->key && !parse_block(p, b)) return false;
    if (!colon) return refuse(p, line, "a line is KEY: VALUE, or indented");
    *colon = '\0';
    b->key = *content;
    b->line = line;
    b->count = 0;
    *content = trim(colon + 1);
    return true;
}

static bool take_line(parse *p, block *b, int number, char *line)
{
    bool  indented = *line == ' ';
    char *content = trim(line);
    if (!*content || *content == '#') return true;
    if (indented && !b->key) return refuse(p, number, "the first line cannot be indented");
    if (!indented && !start_block(p, b, number, &content)) return false;
    if (b->count == 1 && !*b->texts[0]) b->count = 0; /* the key has no content */
    b->texts[b->count] = content;
    b->lines[b->count++] = number;
    return true;
}

/* Splits the text into blocks and handles each when it is complete. */
static bool parse_blocks(parse *p, char *text, size_t lines)
{
    block b = { .texts = malloc((lines + 1) * sizeof *b.texts),
                .lines = malloc((lines + 1) * sizeof *b.lines) };
    bool  good = b.texts && b.lines;
    int   number = 1;
    for (char *line = text; good && line; number++) {
        char *end = strchr(line, '\n');
        if (end) *end = '\0';
        good = take_line(p, &b, number, line);
        line = end ? end + 1 : NULL;
    }
    if (good && b.key) good = parse_block(p, &b);
    free(b.texts);
    free(b.lines);
    return good && check_whole(p);
}

static char *read_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    if (!file) return NULL;
    if (fseek(file, 0, SEEK_END) == 0) {
        long size = ftell(file);
        rewind(file);
        text = size < 0 ? NULL : malloc((size_t)size + 1);
        size_t got = text ? fread(text, 1, (size_t)size, file) : 0;
        if (text) text[got] = '\0';
    }
    fclose(file);
    return text;
}

bool vector_read(vector_file *v, const char *path, char *error, size_t capacity)
{
    *v = (vector_file){ .path = path };
    char *text = read_text(path);
    if (!text) {
        snprintf(error, capacity, "%s: cannot be read", path);
        return false;
    }
    size_t size = strlen(text), lines = 1;
    for (const char *c = text; *c; c++) lines += *c == '\n';
    /* Each line ends up in at max one text, one set of bytes and one vector_line. */
    size_t memory_bytes = 4 * (size + 64) + (lines + 16) * (sizeof(vector_line) + 64);
    v->memory = malloc(memory_bytes);
    parse p = { .v = v, .free_memory = v->memory, .error = error, .capacity = capacity };
    /* Cells and paths point into the text, so it moves into the memory as well. */
    char *kept = v->memory ? allocate(&p, size + 1) : NULL;
    if (kept) memcpy(kept, text, size + 1);
    free(text);
    if (kept && parse_blocks(&p, kept, lines)) return true;
    vector_free(v);
    return false;
}

void vector_free(vector_file *v)
{
    free(v->memory);
    v->memory = NULL;
}

/* ---- all files ---- */

static bool ends_with(const char *text, const char *end)
{
    size_t a = strlen(text), b = strlen(end);
    return a > b && strcmp(text + a - b, end) == 0;
}

static void add_path(vector_paths *p, const char *path)
{
    char **more = realloc(p->paths, (p->count + 1) * sizeof *more);
    if (!more) abort();
    p->paths = more;
    p->paths[p->count] = strdup(path);
    if (!p->paths[p->count++]) abort();
}

static void find_below(vector_paths *p, const char *root)
{
    DIR *directory = opendir(root);
    if (!directory) return;
    for (struct dirent *e = readdir(directory); e; e = readdir(directory)) {
        char        path[4096];
        struct stat about = { 0 }; /* MemorySanitizer does not see what stat writes */
        if (e->d_name[0] == '.') continue;
        int size = snprintf(path, sizeof path, "%s/%s", root, e->d_name);
        if (size < 0 || (size_t)size >= sizeof path || stat(path, &about) != 0) continue;
        if (S_ISDIR(about.st_mode)) find_below(p, path);
        else if (ends_with(path, ".vec") || ends_with(path, ".table")) add_path(p, path);
    }
    closedir(directory);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

vector_paths vector_find(const char *root)
{
    vector_paths p = { NULL, 0 };
    find_below(&p, root);
    if (p.count > 1) qsort(p.paths, p.count, sizeof *p.paths, by_text);
    return p;
}

void vector_paths_free(vector_paths *p)
{
    for (size_t i = 0; i < p->count; i++) free(p->paths[i]);
    free(p->paths);
    *p = (vector_paths){ NULL, 0 };
}
