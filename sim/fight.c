/* sim/fight.c -- a fight of up to eight ships over lossy links, from one seed.
 *
 * For:      sim/fight.h: configurations, and the loop that steps all parties and checks them.
 *
 * fight_pilots.c   flight, settings, damage, death
 * fight_send.c     messages from owners to the host, from the host to clients
 * fight_receive.c  messages that arrive
 * fight_bounds.c   the bounds of position errors, with their derivation
 * fight_checks.c   the invariants
 * fight_report.c   the results
 */
#include "sim/fight_internal.h"

#include "base/assert.h"
#include "replica/testing.h"

#include <stdlib.h>
#include <string.h>

void fight_config_battle(fight_config *config, uint64_t seed)
{
    *config = (fight_config){ .seed = seed, .ships = 8, .length = 300 * SB_SECOND, .deaths = true };
    config->link = (sim_conditions){ .delay_us = 40000,
                                     .jitter_us = 80000,
                                     .loss = 50000,
                                     .duplicate = 10000,
                                     .reorder = 20000,
                                     .reorder_us = 200000 };
    sb_lane_options_default(&config->lanes);
}

void fight_config_session(fight_config *config, uint64_t seed)
{
    *config =
        (fight_config){ .seed = seed, .ships = 2, .length = 528 * SB_SECOND, .session = true };
    config->link = (sim_conditions){ .delay_us = 20000, .jitter_us = 20000, .loss = 2000 };
    sb_lane_options_stock(&config->lanes);
}

static void start(fight *f)
{
    sb_random_init(&f->random, f->config.seed);
    f->now = f->next_tick = 100 * SB_SECOND;
    if (f->config.session) f->now = f->next_tick = FIGHT_STEP_US;
    for (unsigned i = 0; i < f->config.ships; i++) {
        fight_player *p = &f->players[i];
        sim_impairment_init(&p->up.impairment, sb_random_next(&f->random));
        sim_impairment_init(&p->down.impairment, sb_random_next(&f->random));
        sb_replica_add_peer(f->replica, i);
        if (i % 4 == 3) sb_replica_set_lossy(f->replica, i, true);
        p->next_id = sb_slot_first_id(i);
        fight_create_ship(f, i);
    }
}

static void step(fight *f)
{
    f->now += FIGHT_STEP_US;
    fight_deliver_creations(f);
    for (unsigned i = 0; i < f->config.ships; i++) {
        fight_update_life(f, i);
        if (f->players[i].alive) {
            fight_fly(f, i);
            fight_change_settings(f, i);
            if (f->now >= f->players[i].next_send) fight_send_to_host(f, i);
        }
        if (f->host[i].listed && f->players[i].steps_to_spawn == 0) fight_damage_ship(f, i);
        fight_host_receives(f, i);
    }
    if (f->now >= f->next_tick) {
        fight_tick_host(f);
        fight_check_changes_seen(f);
    }
    for (unsigned i = 0; i < f->config.ships; i++) fight_client_receives(f, i);
    fight_check_positions(f);
    sb_replica_check(f->replica);
}

static void finish(fight *f)
{
    for (unsigned of = 0; of < f->config.ships; of++) {
        fight_check_counters(f, &f->host[of].view);
        for (unsigned i = 0; i < f->config.ships; i++)
            fight_check_counters(f, &f->players[i].views[of]);
    }
    fight_count_lost_settings(f);
}

bool fight_run(const fight_config *config, fight_report *report)
{
    sb_replica_config replica = { .max_ships = FIGHT_SHIPS_MAX, .lanes = config->lanes };
    fight            *f = calloc(1, sizeof *f);
    void             *memory = malloc(sb_replica_bytes(&replica));
    SB_ASSERT(f != NULL && memory != NULL);
    SB_ASSERT(config->ships >= 2 && config->ships <= FIGHT_SHIPS_MAX);
    memset(report, 0, sizeof *report);
    f->config = *config;
    f->report = report;
    f->replica = sb_replica_init(memory, &replica);
    start(f);
    sb_time until = f->now + config->length;
    while (f->now < until && !report->failed) step(f);
    finish(f);
    free(memory);
    free(f);
    return !report->failed;
}
