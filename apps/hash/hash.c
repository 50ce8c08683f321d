/* apps/hash/hash.c -- `starbase hash`: computes a ship's integrity hash and prints each step.
 *
 * For:      people with a captured hash or a hardpoint file who look for the unknown inputs (spec
 *           04 §9). docs/decisions/integrity-hash.md lists the attempts so far.
 * Tests:    tests/apps/hash_test.py
 */
#include "hash/hash.h"

#include "common/commands.h"

#include <starbase/hash.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_JSON = 256, KEY_SET, KEY_EXPECT, KEY_EXPLAIN, KEY_CHECK };

static const sb_option options[] = {
    { 'v', "verbose", NULL, "print every step: input, value, origin, contribution to the hash" },
    { KEY_EXPLAIN, "explain", NULL,
      "print every fold in full: number, input, value, accumulator before and\n"
      "after, and whether a capture has confirmed the result" },
    { KEY_JSON, "json", NULL,
      "print one object per ship; with -v or --explain also its steps; with\n"
      "--check one object per ship and hash of the capture" },
    { KEY_SET, "set", "NAME=VALUE",
      "use VALUE for an input; may be repeated. NAME is the name that -v\n"
      "prints, or only its last part to set all unknown inputs of that name" },
    { KEY_EXPECT, "expect", "WIRE",
      "compare with the 16 bits seen in a capture; exit with 1 if no ship\n"
      "matches" },
    { KEY_CHECK, "check", "CAPTURE",
      "compare with all hashes that clients send in a pcap or pcapng file (-:\n"
      "stdin); with operands, those of these classes only. Exit with 1 if a\n"
      "hash differs from the computed one, or if there is none" },
    { 'p', "port", "N", "with --check: UDP port of the server (22101); any: all traffic" },
    { 0, NULL, NULL, NULL },
};

static const sb_usage usage = {
    .command = "hash",
    .synopsis = "[options] [SHIP... | FILE.lua... | all]",
    .about =
        "Computes the integrity hash that clients send with absolute positions (spec 04): its 32\n"
        "bits and the 16 bits on the wire. SHIP is a key, a name or a species; FILE.lua is a ship\n"
        "as in data/ships (data/README.md). Many inputs are unknown for the stock ships: an\n"
        "unknown number is 0, an unknown text is empty, and estimates of the data files are used.\n"
        "The summary counts the unknown inputs, and those of them that change the hash: most\n"
        "parts of a ship are hashed to a float below 1, which adds nothing.",
    .options = options,
    .footer =
        "Examples:\n"
        "  starbase hash\n"
        "  starbase hash --explain sovereign\n"
        "  starbase hash --check game.pcap sovereign\n"
        "  starbase hash akira --expect 0xFB37\n"
        "  starbase hash akira -v --set sensor_range=2000 --set torpedoes.max_condition=5500\n"
        "  starbase hash akira --set 'torpedoes.types[0].script=PhotonTorpedo'\n",
};

/* ---- --set ---- */

static bool has_name(const hash_setting *s, const char *path)
{
    return strlen(path) == s->name_size && memcmp(s->name, path, s->name_size) == 0;
}

static bool setting_names(const hash_setting *s, const sb_integrity_input *input)
{
    hash_path path;
    hash_write_path(input, path);
    if (has_name(s, path)) return true;
    hash_write_property(input, path);
    return hash_is_unknown(input) && has_name(s, path);
}

static bool read_value(const hash_setting *s, sb_integrity_input *input)
{
    char *end;
    if (input->kind == SB_INTEGRITY_TEXT) {
        input->text = s->value;
        return true;
    }
    bool yes = strcmp(s->value, "yes") == 0, no = strcmp(s->value, "no") == 0;
    if (input->kind == SB_INTEGRITY_FLAG && (yes || no)) {
        input->value = yes;
        return true;
    }
    float value = strtof(s->value, &end);
    if (end == s->value || *end != '\0' || !isfinite(value)) return false;
    if (input->kind == SB_INTEGRITY_FLAG && value != 0 && value != 1) return false;
    input->value = value;
    return true;
}

static void complain_about(hash_job *j, const hash_setting *s, const sb_integrity_input *input)
{
    snprintf(j->complaint, sizeof j->complaint, "%.*s must be %s, not `%s`", (int)s->name_size,
             s->name, input->kind == SB_INTEGRITY_FLAG ? "yes or no" : "a number", s->value);
}

void hash_amend(void *context, sb_integrity_input *input)
{
    hash_job           *j = context;
    const hash_setting *last = NULL;
    for (size_t i = 0; i < j->setting_count; i++) {
        if (!setting_names(&j->settings[i], input)) continue;
        j->settings[i].used = true;
        last = &j->settings[i];
    }
    if (!last) return;
    if (!read_value(last, input)) complain_about(j, last, input);
    input->origin = SB_INTEGRITY_SET;
}

static bool add_setting(hash_job *j, const char *text)
{
    size_t size = strcspn(text, "=");
    if (size == 0 || text[size] == '\0' || j->setting_count == HASH_SETTINGS_MAX) return false;
    j->settings[j->setting_count++] = (hash_setting){ text, size, text + size + 1, false };
    return true;
}

/* ---- the command ---- */

/* Checks before anything is printed that each setting names an input. */
static int check_settings(hash_job *j, const sb_ship_list *f)
{
    if (j->setting_count == 0) return SB_EXIT_FINE;
    for (size_t i = 0; i < f->count; i++) (void)hash_compute(j, f->ships[i]);
    if (j->complaint[0]) return sb_usage_error(&usage, "%s", j->complaint);
    for (size_t i = 0; i < j->setting_count; i++)
        if (!j->settings[i].used)
            return sb_usage_error(&usage, "no input has the name `%.*s`; -v lists the inputs",
                                  (int)j->settings[i].name_size, j->settings[i].name);
    return SB_EXIT_FINE;
}

static int run(hash_job *j, int count, char **operands)
{
    sb_ship_list f;
    sb_ship_list_init(&f);
    int status = sb_ship_list_add(&f, &usage, count, operands);
    if (status == SB_EXIT_FINE) status = check_settings(j, &f);
    bool print = status == SB_EXIT_FINE && !j->capture;
    if (status == SB_EXIT_FINE && j->capture)
        status = hash_check_capture(j, &usage, &f, count == 0);
    for (size_t i = 0; print && i < f.count; i++) {
        uint32_t hash = hash_compute(j, f.ships[i]);
        if (sb_integrity_wire(hash) == j->expected) j->matched = true;
        if (j->json) hash_print_json(j, f.ships[i], hash);
        else hash_print_text(j, f.ships[i], hash);
    }
    sb_ship_list_free(&f);
    free(j->rows);
    if (status == SB_EXIT_FINE && j->expected >= 0 && !j->matched) return SB_EXIT_NEGATIVE;
    return status;
}

static bool read_expected(const char *text, long *out)
{
    char *end;
    *out = strtol(text, &end, 0);
    return end != text && *end == '\0' && *out >= 0 && *out <= 0xFFFF;
}

static bool read_port(const char *text, uint16_t *out)
{
    char *end;
    long  port = strtol(text, &end, 10);
    bool  any = strcmp(text, "any") == 0, whole = end != text && *end == '\0';
    *out = any ? 0 : (uint16_t)port;
    return any || (whole && port >= 1 && port <= 65535);
}

int sb_run_hash(int argc, char **argv)
{
    hash_job   j = { .expected = -1, .port = 22101 };
    sb_options o;
    sb_options_init(&o, &usage, argc, argv);
    for (int key; (key = sb_options_next(&o)) != SB_OPTIONS_END;) {
        if (key == SB_OPTIONS_BAD) return SB_EXIT_USAGE;
        if (key == SB_OPTIONS_DONE) return SB_EXIT_FINE;
        if (key == KEY_JSON) j.json = true;
        else if (key == 'v') j.verbose = true;
        else if (key == KEY_EXPLAIN) j.explain = true;
        else if (key == KEY_CHECK) j.capture = o.argument;
        else if (key == 'p' && !read_port(o.argument, &j.port))
            return sb_usage_error(&usage, "--port: `%s` is not any or a number from 1 to 65535",
                                  o.argument);
        else if (key == KEY_SET && !add_setting(&j, o.argument))
            return sb_usage_error(&usage, "--set needs NAME=VALUE, at most %d times",
                                  HASH_SETTINGS_MAX);
        else if (key == KEY_EXPECT && !read_expected(o.argument, &j.expected))
            return sb_usage_error(&usage, "--expect: `%s` is not a 16-bit number such as 0xFB37",
                                  o.argument);
    }
    if (j.capture && (j.expected >= 0 || j.explain || j.verbose))
        return sb_usage_error(&usage, "--check cannot be combined with --expect, --explain or -v");
    return run(&j, argc - o.operand, argv + o.operand);
}
