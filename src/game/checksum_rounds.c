/* src/game/checksum_rounds.c -- the five requests of a join, in the order they are sent.
 *
 * For:      the manifest code, and the build-time program that compiles the vanilla manifest and
 *           needs this file alone.
 * Spec:     06 §4.3.
 * Tests:    tests/game/manifest_test.c
 */
#include <starbase/manifest.h>

/* The strings are exact: the first two end with a slash, the last has a capital S [T]. */
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
