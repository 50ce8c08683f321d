/* tests/sim/record_main.c -- starbase-record: writes the sessions of docs/evidence/jumps.md to
 * files.
 *
 * For:      linking with the library of another commit, as that page says. starbase-jumps of this
 *           commit then reads what that commit's host sent.
 */
#include "tests/sim/session.h"

static bool record(const char *dir, session_kind kind, unsigned link, unsigned n,
                   const session_config *config)
{
    char      path[512];
    recording r;
    session_play(config, &r);
    session_path(dir, kind, link, n, path, sizeof path);
    bool written = recording_write(&r, path);
    recording_clear(&r);
    if (!written) perror(path);
    return written;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fputs("usage: starbase-record DIR\n", stderr);
        return 2;
    }
    session_config config;
    for (unsigned kind = 0; kind < SESSION_KINDS; kind++)
        for (unsigned link = 0; link < SESSION_LINKS; link++)
            for (unsigned n = 0; session_of_table((session_kind)kind, link, n, &config); n++)
                if (!record(argv[1], (session_kind)kind, link, n, &config)) return 1;
    return 0;
}
