/* src/server/limits.h -- sizes, budgets and times of a room.
 *
 * For:      the files of this folder, through server_internal.h.
 * Spec:     docs/decisions/room-fairness.md explains budgets and reserves.
 */
#ifndef SB_SERVER_LIMITS_H
#define SB_SERVER_LIMITS_H

enum {
    /* Sizes of tables. */
    OBJECTS_MAX = 40,      /* a ship for each of 16 players, and 24 other objects */
    SCENERY_LANES_MAX = 8, /* objects that are no player's ship and get StateUpdates; small rooms
                              have SCENERY_LANES_PER_PLAYER for each place */
    SCENERY_LANES_PER_PLAYER = 2,
    FIRE_RECORDS_MAX = 16,    /* weapons per player with a rate limit */
    REQUEST_RECORDS_MAX = 25, /* object requests per player: all that both budgets allow in 1 s */

    /* Sizes in bytes. */
    CREATION_BYTES_MAX = 512,   /* a creation message that is kept for late joiners */
    SET_NAME_MAX = 32,          /* in a creation (spec 07 §2.6) */
    ENTER_SET_MAX = 64,         /* in an EnterSet (spec 07 §7) */
    ENCODED_MESSAGE_MAX = 2048, /* a message that the room builds itself */

    /* Budgets of one player: tokens per second, and the most that can be saved up. */
    CHAT_LINES_PER_SECOND = 1, /* spec 09 §4 */
    CHAT_BURST = 5,
    /* More, of a player in whose name somebody forges messages: forged lines must not use up what
     * the player's own need, which come late and then many at once. */
    CHAT_ATTACKED_PER_SECOND = 6,
    CHAT_ATTACKED_BURST = 120,
    TEAM_CHOICES_PER_SECOND = 1,
    TEAM_BURST = 4,
    REQUESTS_PER_SECOND = 20,    /* spec 07 §6; also the burst */
    ASKS_PER_SECOND = 5,         /* the room's own requests to the player; also the burst */
    SHOTS_PER_SECOND = 20,       /* of one weapon (spec 08 §17) */
    SHOTS_BURST = 100,           /* a stall of 6 s at 15 messages per second */
    COLLISIONS_PER_SECOND = 120, /* an honest client sends 43; a ram must not be refused because
                                    harmless touches came before it */
    COLLISIONS_BURST = 280,      /* a stall of 6 s while grinding along an asteroid */

    /* Relay budget of one player, in cells of SB_CELL_BYTES (docs/decisions/room-fairness.md).
     * After a stall of 6 s, a stock player's 15 messages per second arrive as a bunch of 90. */
    RELAY_CELLS_PER_SECOND = 100,
    RELAY_BURST_CELLS = 120,
    RELAY_BURST_CELLS_MIN = 100, /* from three players on */

    /* Budget of one player for what the room itself sends because of the player's messages: ships,
     * deaths, restarts. No reserve holds these back, so the burst is shared out. */
    EFFECT_CELLS_PER_SECOND = 100,
    EFFECT_BURST_CELLS = 120,    /* smaller than a receiver's queue: one burst cannot fill it */
    EFFECT_BURST_CELLS_MIN = 24, /* in a full room */

    /* Messages of mods: mod_per_s of the configuration, and a stall of 6 s of them at once. */
    MOD_BURST_SECONDS = 6,

    /* StopFiring has its own budget: if one were missing, a weapon would fire on by itself. */
    STOPS_PER_SECOND = 100,
    STOPS_BURST = 120,

    /* Relayed messages that wait for space (backlog.c). */
    BACKLOG_BYTES_PER_PLAYER = 4096,
    BACKLOG_MESSAGE_MAX = 2048, /* a longer one, of a mod, does not wait */

    /* Free bytes a receiver's queue must keep; below the limit, messages of that kind are not
     * queued. The smaller the reserve, the longer a kind still passes while the queue fills. */
    VOLUME_QUEUE_RESERVE = 8192, /* damage volumes, and objects that are no player's ship */
    RELAY_QUEUE_RESERVE = 6144,  /* actions, chat and choices of teams of other players */
    CHAT_QUEUE_RESERVE = 4096,   /* lines of the server to one player */
    REPAIR_QUEUE_RESERVE = 3072, /* repairs; ships, deaths and scores have no reserve */

    /* Files for clients (spec 06 §5.4). */
    FILE_FRAGMENTS_IN_FLIGHT = 16, /* per client: 64 of its 160 cells, and less than the 8 KiB that
                                      an old computer's socket holds */
    FILE_CLIENT_BYTES_PER_SECOND = 65536,
    FILE_CLIENT_BURST = 8192,
    FILE_RECORDS_MAX = 32,      /* players whose acknowledged files are remembered */
    FILE_SOURCES_MAX = 32,      /* addresses whose bytes are counted */
    FILE_MEMORY_SECONDS = 600,  /* for both */
    FILE_PROGRESS_SECONDS = 5,  /* between two reports about one player */
    FILE_RETRY_US = 100 * 1000, /* after the player's queue was full */

    /* Ships that are given up (replacing.c). A creation while the player's ship lives waits for the
     * end of that ship's updates: a player sends one every 0.1 s, so seven in a row would have to
     * be lost. Updates right after the creation may have been overtaken by it. */
    SECOND_SHIP_WAIT_US = 1000 * 1000,
    SECOND_SHIP_GRACE_US = 250 * 1000,
    HIT_MEMORY_SECONDS = 10,              /* after a hit, its shooter is the killer */
    MOD_SHIP_DISARMED_SECONDS = 30000000, /* for ever: longer than any match */

    /* Times. */
    REASON_SECONDS = 4, /* from a text to the Boot: retransmissions after 1 and 3 s (01 §6.5) */
    REASON_SECONDS_JOINING = 1,     /* the same for a client that may not answer any more */
    ROUND_ANSWER_SECONDS = 5,       /* a client that answers later loses its seat to a newcomer */
    LOADING_SECONDS = 30,           /* the same for one that loads the mission or a file */
    ATTACKED_JOIN_SECONDS = 60,     /* more for a step of a join whose messages somebody forges */
    PAUSE_ANNOUNCED_SECONDS = 30,   /* players in the game are told of a longer pause */
    RESTART_INTERVAL_SECONDS = 10,  /* between two restarts by players */
    LOSSY_LINK_SECONDS = 30,        /* a link counts as lossy this long after a retransmission */
    CLOCK_RESTART_SECONDS = 3600,   /* an empty room with an older game clock restarts the clock */
    UPDATE_INTERVAL_MIN_US = 10000, /* between two StateUpdates of a ship to one player */
    SHARED_WAIT_US = 20000,         /* SB_LOAD_SHARED: an update waits this long for others */
};

#endif
