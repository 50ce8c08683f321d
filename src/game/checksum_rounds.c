/* src/game/checksum_rounds.c -- the five requests of a join, in the order they are sent.
 *
 * For:      manifest.c, and the loader of manifests on the build machine: apart from the rest so
 *           that the program which compiles the vanilla manifest does not need it.
 * Spec:     06 §4.3.
 */
#include <starbase/manifest.h>

/* Exact strings: a trailing slash only in the first two, a capital S only in the last [T]. */
static const sb_checksum_round rounds[SB_CHECKSUM_ROUNDS] = {
    { 0x00, "scripts/", "App.pyc", false },
    { 0x01, "scripts/", "Autoexec.pyc", false },
    { 0x02, "scripts/ships", "*.pyc", true },
    { 0x03, "scripts/mainmenu", "*.pyc", false },
    [SB_CHECKSUM_FF] = { 0xFF, "Scripts/Multiplayer", "*.pyc", true },
};

const sb_checksum_round *sb_checksum_rounds(void)
{
    return rounds;
}

int sb_checksum_position(uint8_t index)
{
    for (int i = 0; i < SB_CHECKSUM_ROUNDS; i++)
        if (rounds[i].index == index) return i;
    return -1;
}
