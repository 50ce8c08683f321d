/* src/client/seen_ship.c -- questions about rows of the table of ships.
 *
 * Tests:    tests/client/ship_events_test.c
 */
#include <starbase/client.h>

#include <string.h>

bool sb_client_is_warping(const sb_seen_ship *ship, sb_time now)
{
    return now < ship->warp_until;
}

bool sb_client_can_meet(const sb_seen_ship *a, const sb_seen_ship *b, sb_time now)
{
    return strcmp(a->set_name, b->set_name) == 0 && !sb_client_is_warping(a, now) &&
           !sb_client_is_warping(b, now);
}
