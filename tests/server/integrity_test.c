/* tests/server/integrity_test.c -- integrity hashes of players' ships and their consequences.
 * Spec 04 §1; docs/decisions/integrity-hash.md.
 */
#include "rig.h"

#include <starbase/integrity.h>
#include <starbase/message.h>

#include "base/bytes.h"
#include "server/server_internal.h"
#include "test.h"

#include <string.h>

enum { SOVEREIGN = 5, AKIRA = 1, PREDICTED = 0xAFEF, WRONG = 0x1234, OTHER = 0x4321 };
enum { NO_HASH = -1 };

static const sb_vec3 middle = { 0, 0, 0 };

/* A player with a ship, and the clock of the player's game. */
typedef struct pilot {
    room    *r;
    seat    *seat;
    uint32_t ship;
    float    game_time;
} pilot;

static pilot take_off(room *r, uint8_t species)
{
    pilot p = { r, room_join(r, "Alpha"), 0, 0.0f };
    p.ship = seat_spawn(r, p.seat, species, middle);
    return p;
}

static room *open_in_mode(sb_integrity_mode mode)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.integrity = mode;
    return room_open(&c);
}

/* A StateUpdate of the pilot's ship with an absolute position and a hash. */
static void send_hash(const pilot *p, float game_time, int hash)
{
    uint8_t bytes[25] = { SB_OP_STATE_UPDATE };
    sb_store_u32(bytes + 1, p->ship);
    sb_store_u32(bytes + 5, sb_float_bits(game_time));
    bytes[9] = SB_STATE_POS;
    bytes[22] = hash == NO_HASH ? 0x20 : 0x21;
    sb_store_u16(bytes + 23, (uint16_t)hash);
    seat_say(p->r, p->seat, SB_UNRELIABLE, (sb_span){ bytes, hash == NO_HASH ? 23 : 25 });
    room_step(p->r);
}

/* Flies for `ms` milliseconds, then sends an update with this hash. */
static void fly(pilot *p, unsigned ms, int hash)
{
    room_wait(p->r, (sb_time)ms * 1000);
    p->game_time += (float)ms * 1e-3f;
    send_hash(p, p->game_time, hash);
}

/* A reliable message of the player: no stranger knows its number. */
static void confirm(pilot *p)
{
    seat_say_hex(p->r, p->seat, "2C {id} 01 00 61");
}

/* Long enough for the text of a kick to arrive before the Boot. */
static bool is_booted(pilot *p)
{
    room_wait(p->r, 6 * SB_SECOND);
    return p->seat->left;
}

/* ---- reports ---- */

TEST(the_default_is_to_report)
{
    sb_server_config c;
    sb_server_defaults(&c);
    CHECK_EQ(c.integrity, SB_INTEGRITY_MODE_REPORT);
}

TEST(the_predicted_hash_is_no_event)
{
    pilot p = take_off(room_open(NULL), SOVEREIGN);
    for (unsigned i = 0; i < 12; i++) fly(&p, 1000, PREDICTED);
    CHECK_EQ(room_count_events(p.r, SB_SERVER_HASH_CHANGED), 0);
    CHECK_EQ(room_count_events(p.r, SB_SERVER_HASH_DIFFERS), 0);
    CHECK_EQ(COUNTED(p.r, SB_SERVER_COUNT_HASH_DIFFERS), 0);
}

TEST(a_hash_that_changes_within_one_life_is_reported)
{
    pilot p = take_off(room_open(NULL), SOVEREIGN);
    fly(&p, 1000, PREDICTED);
    fly(&p, 1000, WRONG);
    const room_event *e = room_expect(p.r, SB_SERVER_HASH_CHANGED);
    CHECK_EQ(e->event.peer_id, p.seat->id);
    CHECK_EQ(e->event.object_id, p.ship);
    CHECK_EQ(e->event.value, WRONG);
    CHECK_EQ(e->event.expected_hash, PREDICTED);
    CHECK_TEXT(e->text, "Sovereign");
    CHECK_EQ(COUNTED(p.r, SB_SERVER_COUNT_HASH_CHANGED), 1);
}

TEST(changes_are_all_counted_and_reported_once_in_10_s)
{
    pilot p = take_off(room_open(NULL), SOVEREIGN);
    for (unsigned i = 0; i < 21; i++) fly(&p, 500, i % 2 ? WRONG : OTHER); /* 10 s: 20 changes */
    CHECK_EQ(COUNTED(p.r, SB_SERVER_COUNT_HASH_CHANGED), 20);
    CHECK_EQ(room_count_events(p.r, SB_SERVER_HASH_CHANGED), 1);
    fly(&p, 500, WRONG);
    (void)room_expect(p.r, SB_SERVER_HASH_CHANGED);
    const room_event *e = room_expect(p.r, SB_SERVER_HASH_CHANGED);
    CHECK_EQ(e->event.skipped, 19);
    CHECK(!is_booted(&p));
}

TEST(a_new_ship_may_have_another_hash)
{
    pilot p = take_off(room_open(NULL), SOVEREIGN);
    fly(&p, 1000, WRONG);
    seat_say_hex(p.r, p.seat, "13");
    room_wait(p.r, 15 * SB_SECOND);
    p.ship = seat_spawn(p.r, p.seat, SOVEREIGN, middle);
    fly(&p, 1000, OTHER);
    CHECK_EQ(COUNTED(p.r, SB_SERVER_COUNT_HASH_CHANGED), 0);
    CHECK_EQ(COUNTED(p.r, SB_SERVER_COUNT_HASH_DIFFERS), 2); /* once per ship */
}

TEST(a_difference_from_the_prediction_is_told_once_per_ship)
{
    pilot p = take_off(room_open(NULL), SOVEREIGN);
    for (unsigned i = 0; i < 5; i++) fly(&p, 1000, WRONG);
    const room_event *e = room_expect(p.r, SB_SERVER_HASH_DIFFERS);
    CHECK_EQ(e->event.value, WRONG);
    CHECK_EQ(e->event.expected_hash, PREDICTED);
    CHECK_EQ(e->event.other, 0); /* no capture has confirmed the class */
    CHECK_EQ(e->event.object_id, p.ship);
    CHECK_TEXT(e->text, "Sovereign");
    CHECK_EQ(room_count_events(p.r, SB_SERVER_HASH_DIFFERS), 1);
    CHECK_EQ(COUNTED(p.r, SB_SERVER_COUNT_HASH_DIFFERS), 1);
    CHECK_EQ(COUNTED(p.r, SB_SERVER_COUNT_HASH_CHANGED), 0);
}

/* The ships of the room with one class replaced by a copy that `captured` confirms. */
static const sb_ship_set *ships_with_capture(uint8_t species, int captured)
{
    static sb_ship_set   set;
    static sb_ship_class copy;
    set = *sb_stock_ships();
    copy = *sb_find_ship(&set, species);
    copy.captured_hash = captured;
    set.by_species[species] = &copy;
    return &set;
}

TEST(a_captured_hash_confirms_the_class)
{
    sb_server_config c;
    sb_server_defaults(&c);
    c.ships = ships_with_capture(SOVEREIGN, PREDICTED);
    pilot p = take_off(room_open(&c), SOVEREIGN);
    fly(&p, 1000, WRONG);
    CHECK_EQ(room_expect(p.r, SB_SERVER_HASH_DIFFERS)->event.other, 1);
}

TEST(no_stock_class_is_confirmed_yet)
{
    const sb_ship_set *ships = sb_stock_ships();
    for (size_t i = 0; i < ships->count; i++)
        CHECK(!sb_ship_predict_integrity(&ships->ships[i]).confirmed);
    CHECK_EQ(sb_find_ship(ships, AKIRA)->captured_hash, 0xFB37);
    CHECK_EQ(sb_find_ship(ships, 4)->captured_hash, 0x040C);
    CHECK_EQ(sb_ship_predict_integrity(sb_find_ship(ships, SOVEREIGN)).wire, PREDICTED);
}

TEST(without_data_hashes_are_only_compared_with_each_other)
{
    pilot p = take_off(open_in_mode(SB_INTEGRITY_MODE_BOOT), 99);
    for (unsigned i = 0; i < 12; i++) fly(&p, 1000, WRONG);
    CHECK_EQ(COUNTED(p.r, SB_SERVER_COUNT_HASH_DIFFERS), 0);
    fly(&p, 1000, OTHER);
    CHECK_EQ(COUNTED(p.r, SB_SERVER_COUNT_HASH_CHANGED), 1);
    CHECK(!is_booted(&p));
}

TEST(integrity_off_reports_and_counts_nothing)
{
    pilot p = take_off(open_in_mode(SB_INTEGRITY_MODE_OFF), SOVEREIGN);
    for (unsigned i = 0; i < 12; i++) fly(&p, 1000, i < 11 ? WRONG : OTHER);
    CHECK_EQ(room_count_events(p.r, SB_SERVER_HASH_CHANGED), 0);
    CHECK_EQ(room_count_events(p.r, SB_SERVER_HASH_DIFFERS), 0);
    CHECK_EQ(COUNTED(p.r, SB_SERVER_COUNT_HASH_CHANGED), 0);
    CHECK_EQ(COUNTED(p.r, SB_SERVER_COUNT_HASH_DIFFERS), 0);
    CHECK(!is_booted(&p));
}

/* ---- removal ---- */

TEST(report_never_removes_a_player)
{
    pilot p = take_off(room_open(NULL), SOVEREIGN);
    for (unsigned i = 0; i < 60; i++) fly(&p, 1000, WRONG);
    CHECK_EQ(COUNTED(p.r, SB_SERVER_COUNT_HASH_BOOTS), 0);
    CHECK(!is_booted(&p));
}

TEST(boot_removes_after_the_same_wrong_hash_in_ten_updates)
{
    pilot p = take_off(open_in_mode(SB_INTEGRITY_MODE_BOOT), SOVEREIGN);
    for (unsigned i = 0; i < 9; i++) {
        fly(&p, 1000, WRONG);
        room_wait(p.r, 1000);
        confirm(&p);
    }
    CHECK_EQ(COUNTED(p.r, SB_SERVER_COUNT_HASH_BOOTS), 0);
    fly(&p, 1000, WRONG);
    CHECK_EQ(COUNTED(p.r, SB_SERVER_COUNT_HASH_BOOTS), 1);
    const room_event *e = room_expect(p.r, SB_SERVER_KICKED);
    CHECK(strstr(e->text, "integrity hash"));
    CHECK(is_booted(&p));
    CHECK_EQ(p.seat->left_reason, SB_LEFT_BOOTED);
    CHECK_EQ(p.seat->boot_reason, SB_BOOT_KICKED); /* 4, as the original host (spec 04 §2) */
    CHECK(seat_find(p.seat, SB_OP_CHAT).size > 0); /* says why */
    CHECK_EQ(COUNTED(p.r, SB_SERVER_COUNT_HASH_BOOTS), 1);
}

TEST(boot_waits_for_five_seconds_of_wrong_hashes)
{
    pilot p = take_off(open_in_mode(SB_INTEGRITY_MODE_BOOT), SOVEREIGN);
    fly(&p, 1000, WRONG);
    for (unsigned i = 0; i < 49; i++) { /* 50 in 4.9 s */
        fly(&p, 100, WRONG);
        if (i == 10) confirm(&p);
    }
    CHECK_EQ(COUNTED(p.r, SB_SERVER_COUNT_HASH_BOOTS), 0);
    fly(&p, 100, WRONG);
    CHECK_EQ(COUNTED(p.r, SB_SERVER_COUNT_HASH_BOOTS), 1);
}

TEST(any_other_hash_in_between_starts_the_run_anew)
{
    static const int others[] = { OTHER, PREDICTED, NO_HASH };
    for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
        pilot p = take_off(open_in_mode(SB_INTEGRITY_MODE_BOOT), SOVEREIGN);
        for (unsigned i = 0; i < 9; i++) fly(&p, 1000, WRONG);
        fly(&p, 100, others[k]);
        for (unsigned i = 0; i < 9; i++) {
            fly(&p, 1000, WRONG);
            if (i == 1) confirm(&p);
        }
        CHECK_EQ(COUNTED(p.r, SB_SERVER_COUNT_HASH_BOOTS), 0);
        fly(&p, 1000, WRONG);
        CHECK_EQ(COUNTED(p.r, SB_SERVER_COUNT_HASH_BOOTS), 1);
    }
}

TEST(boot_spares_the_predicted_and_the_captured_hash)
{
    pilot p = take_off(open_in_mode(SB_INTEGRITY_MODE_BOOT), SOVEREIGN);
    for (unsigned i = 0; i < 20; i++) fly(&p, 1000, PREDICTED);
    CHECK(!is_booted(&p));
    p = take_off(open_in_mode(SB_INTEGRITY_MODE_BOOT), AKIRA);
    for (unsigned i = 0; i < 20; i++) fly(&p, 1000, 0xFB37);
    CHECK_EQ(COUNTED(p.r, SB_SERVER_COUNT_HASH_DIFFERS), 1);
    CHECK(!is_booted(&p));
}

/* ---- forgeries: datagrams of a stranger with the player's address and id ---- */

TEST(a_forged_update_removes_nobody)
{
    for (unsigned first = 0; first < 3; first++) { /* before, between and after the owner's */
        pilot p = take_off(open_in_mode(SB_INTEGRITY_MODE_BOOT), SOVEREIGN);
        for (unsigned i = 0; i < 30; i++) {
            if (i == 10 * first) send_hash(&p, p.game_time + 0.01f, WRONG);
            fly(&p, 1000, PREDICTED);
        }
        CHECK_EQ(COUNTED(p.r, SB_SERVER_COUNT_HASH_BOOTS), 0);
        CHECK(!is_booted(&p));
    }
}

/* Twenty forgeries between two updates of the owner, again and again. */
TEST(a_flood_of_forged_updates_removes_nobody)
{
    static const int owners[] = { PREDICTED, NO_HASH };
    for (size_t k = 0; k < 2; k++) {
        pilot p = take_off(open_in_mode(SB_INTEGRITY_MODE_BOOT), SOVEREIGN);
        for (unsigned i = 0; i < 10; i++) {
            for (unsigned n = 0; n < 20; n++) {
                p.game_time += 0.001f;
                send_hash(&p, p.game_time, WRONG);
            }
            fly(&p, 1000, owners[k]);
        }
        CHECK_EQ(COUNTED(p.r, SB_SERVER_COUNT_HASH_BOOTS), 0);
        CHECK(!is_booted(&p));
    }
}

/* Forgeries from the near future: only a tenth of a second of them is believed, or nothing. */
TEST(forged_updates_that_outrun_the_owner_remove_nobody)
{
    static const int owners[] = { PREDICTED, NO_HASH };
    for (size_t k = 0; k < 2; k++) {
        pilot p = take_off(open_in_mode(SB_INTEGRITY_MODE_BOOT), SOVEREIGN);
        fly(&p, 1000, owners[k]);
        for (unsigned i = 0; i < 30; i++) {
            send_hash(&p, p.game_time + (i % 2 ? 4.5f : 0.9f), WRONG);
            fly(&p, 1000, owners[k]);
        }
        CHECK_EQ(COUNTED(p.r, SB_SERVER_COUNT_STATE_AHEAD), 15);
        CHECK_EQ(COUNTED(p.r, SB_SERVER_COUNT_STATE_OLD), 0);
        CHECK_EQ(COUNTED(p.r, SB_SERVER_COUNT_HASH_BOOTS), 0);
        CHECK(!is_booted(&p));
    }
}

/* The owner's link stalls, so nothing interrupts the run. */
TEST(a_forged_run_during_a_stall_removes_nobody)
{
    pilot p = take_off(open_in_mode(SB_INTEGRITY_MODE_BOOT), SOVEREIGN);
    fly(&p, 1000, PREDICTED);
    confirm(&p);
    for (unsigned i = 0; i < 300; i++) fly(&p, 100, WRONG);
    confirm(&p); /* the stall is over ... */
    fly(&p, 100, WRONG);
    fly(&p, 800, PREDICTED); /* ... and the owner's next position arrives within a second */
    for (unsigned i = 0; i < 30; i++) fly(&p, 100, WRONG);
    CHECK_EQ(COUNTED(p.r, SB_SERVER_COUNT_HASH_BOOTS), 0);
    CHECK(!is_booted(&p));
}

/* The player looks at the explosion and talks; the client may send no updates of the wreck. */
TEST(a_forged_run_of_a_wreck_removes_nobody)
{
    pilot p = take_off(open_in_mode(SB_INTEGRITY_MODE_BOOT), SOVEREIGN);
    fly(&p, 1000, PREDICTED);
    seat_say_hex(p.r, p.seat, "13");
    for (unsigned i = 0; i < 80; i++) {
        fly(&p, 100, WRONG);
        if (i % 20 == 0) confirm(&p);
    }
    CHECK_EQ(COUNTED(p.r, SB_SERVER_COUNT_HASH_BOOTS), 0);
    CHECK(!is_booted(&p));
}

/* ---- reload ---- */

TEST(the_mode_of_a_running_room_changes_at_once)
{
    static const sb_config_field fields[] = { SB_CONFIG_FIELD(integrity) };
    sb_server_config             c;
    pilot                        p = take_off(open_in_mode(SB_INTEGRITY_MODE_OFF), SOVEREIGN);
    fly(&p, 1000, WRONG);
    CHECK_EQ(COUNTED(p.r, SB_SERVER_COUNT_HASH_DIFFERS), 0);
    sb_server_defaults(&c);
    sb_server_reconfigure(p.r->server, &c, &(sb_config_fields){ .now = fields, .now_count = 1 });
    fly(&p, 1000, WRONG);
    CHECK_EQ(COUNTED(p.r, SB_SERVER_COUNT_HASH_DIFFERS), 1);
}

/* ---- the edges of a run, as the test sets it ---- */

/* A run of wrong hashes that is just long enough to remove its player: ten updates over five
 * seconds, and a reliable message two seconds ago. */
typedef struct run {
    pilot      p;
    sb_server *s;
    sb_player *player;
    sb_object *ship;
} run;

static run just_long_enough(sb_integrity_mode mode)
{
    run r = { .p = take_off(open_in_mode(mode), SOVEREIGN) };
    room_wait(r.p.r, 20 * SB_SECOND);
    r.s = r.p.r->server;
    r.player = sb_server_find_player(r.s, r.p.seat->id);
    r.ship = r.player->ship;
    r.ship->receiver.hash = WRONG;
    r.ship->receiver.hash_run = 10;
    r.ship->receiver.hash_since = r.ship->run_since = r.s->now - 5 * SB_SECOND;
    r.ship->run_confirmed_at = r.s->now - 2 * SB_SECOND;
    r.player->reliable_at = r.s->now - SB_SECOND; /* a later one starts nothing again */
    return r;
}

/* True if an update with the hash of the run removes the player. */
static bool removes(run *r)
{
    sb_hash_state before = sb_server_hash_state(r->ship);
    before.seen--;
    sb_server_judge_hash(r->s, r->player, r->ship, before);
    bool removed = r->player->phase == SB_PLAYER_REFUSED;
    CHECK_EQ(COUNTED(r->p.r, SB_SERVER_COUNT_HASH_BOOTS), removed);
    return removed;
}

TEST(ten_updates_five_seconds_and_two_after_a_message_are_enough)
{
    run r = just_long_enough(SB_INTEGRITY_MODE_BOOT);
    CHECK(removes(&r));
    r = just_long_enough(SB_INTEGRITY_MODE_BOOT);
    r.ship->receiver.hash_run--;
    CHECK(!removes(&r));
    r = just_long_enough(SB_INTEGRITY_MODE_BOOT);
    r.ship->run_since = ++r.ship->receiver.hash_since;
    CHECK(!removes(&r));
    r = just_long_enough(SB_INTEGRITY_MODE_BOOT);
    r.ship->run_confirmed_at++;
    CHECK(!removes(&r));
    r = just_long_enough(SB_INTEGRITY_MODE_REPORT);
    CHECK(!removes(&r));
    r = just_long_enough(SB_INTEGRITY_MODE_BOOT);
    r.ship->exploding = true;
    CHECK(!removes(&r));
    r.ship->exploding = false;
}

TEST(a_message_before_or_at_the_start_of_a_run_confirms_nothing)
{
    run r = just_long_enough(SB_INTEGRITY_MODE_BOOT);
    r.ship->run_since--; /* a new run: the message of the old one does not count ... */
    r.player->reliable_at = r.ship->receiver.hash_since;
    CHECK(!removes(&r));
    CHECK_EQ(r.ship->run_since, r.ship->receiver.hash_since);
    CHECK_EQ(r.ship->run_confirmed_at, SB_TIME_NEVER);
    r.player->reliable_at++; /* ... but the first one after its start does */
    CHECK(removes(&r));
    CHECK_EQ(r.ship->run_confirmed_at, r.player->reliable_at);
}

TEST(a_change_is_reported_again_after_exactly_ten_seconds)
{
    pilot p = take_off(room_open(NULL), SOVEREIGN);
    fly(&p, 1000, WRONG);
    fly(&p, 1000, OTHER);
    const sb_server_event *changed = &room_expect(p.r, SB_SERVER_HASH_CHANGED)->event;
    CHECK_EQ(changed->peer_id, p.seat->id);
    CHECK_EQ(changed->object_id, p.ship);
    CHECK_EQ(changed->value, OTHER);
    CHECK_EQ(changed->expected_hash, WRONG);
    CHECK_EQ(changed->skipped, 0);
    sb_player *player = sb_server_find_player(p.r->server, p.seat->id);
    CHECK_EQ(player->hash_quiet_until, p.r->now + 10 * SB_SECOND);
    fly(&p, 4000, WRONG);
    fly(&p, 5999, OTHER);
    CHECK_EQ(room_count_events(p.r, SB_SERVER_HASH_CHANGED), 1);
    player->hash_quiet_until = p.r->now + 1000;
    fly(&p, 1, WRONG); /* in the moment at which the silence ends */
    CHECK_EQ(room_expect(p.r, SB_SERVER_HASH_CHANGED)->event.skipped, 2);
    CHECK_EQ(player->hash_changes_skipped, 0);
    CHECK_EQ(COUNTED(p.r, SB_SERVER_COUNT_HASH_CHANGED), 4);
}

TEST(a_difference_names_ship_class_and_both_hashes)
{
    pilot p = take_off(room_open(NULL), SOVEREIGN);
    fly(&p, 1000, WRONG);
    const room_event *differs = room_expect(p.r, SB_SERVER_HASH_DIFFERS);
    CHECK_EQ(differs->event.object_id, p.ship);
    CHECK_EQ(differs->event.value, WRONG);
    CHECK_EQ(differs->event.expected_hash, PREDICTED);
    CHECK_EQ(differs->event.other, 0);
    CHECK_TEXT(differs->text, sb_find_ship(sb_stock_ships(), SOVEREIGN)->name);
    CHECK_EQ(COUNTED(p.r, SB_SERVER_COUNT_HASH_DIFFERS), 1);
}
