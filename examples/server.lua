-- examples/server.lua -- a configuration of `starbase serve` with every key.
--
--     starbase serve --config server.lua --check-config     what it means, all in all
--     starbase serve --config server.lua
--
-- All keys are optional; those below show their defaults unless a comment says otherwise. Each but
-- the tables combat, mods and modifiers can also come from the environment (max_players:
-- STARBASE_MAX_PLAYERS) or from the command line (--max-players, or --set max_players=8), which win
-- over this file in that order. Of combat, single constants can: --set combat.spawn_grace=3; mods,
-- modifiers and a list of rooms are set only here. Files are looked for from the directory in which
-- the server is started.
--
-- After a change, SIGHUP or the command `reload` makes a running server read the file again. What
-- has changed then counts
--     at once: name, restart, collision_damage, friendly_fire, checksums (but not to "learn"),
--         manifests, allow_extra, masters, masters_file, trust_clients, checksum_limit,
--         loading_limit, mod_policy, mods, mod_bytes, mod_per_s, list_host_as_player,
--         spawn_notice, leave_destroy, leave_event, leave_text, list_older_players,
--         score_self_on_join, log_level;
--     when nobody is in the room: mission, system, time_limit, frag_limit, score_limit,
--         kills_as_kills, modifiers;
--     with a restart: everything else. The log names what waits, and what needs a restart.
--
-- This is Lua: `--` begins a comment, and `local` names may be used to avoid repetition. There is
-- no access to files, the clock or the network.

return {
    -- What players see first ----------------------------------------------------------------------
    name = "Starbase",     -- at most 63 bytes; several rooms with one name are numbered
    port = 22101,          -- UDP; clients look for servers on the LAN from 22101 to 22201
    bind = "0.0.0.0",      -- an address of this machine; 0.0.0.0: all of them
    max_players = 8,       -- 1 to 16
    password = "",         -- whether stock clients send it as we expect is not certain (spec 01 §13)

    -- The match -----------------------------------------------------------------------------------
    mission = "ffa",       -- ffa, team, faction, assault (without its starbase), or a script
    system = "Multi1",     -- a name, or its number: system = 1
    time_limit = 0,        -- minutes; 0: none
    frag_limit = 0,        -- kills; 0: none
    score_limit = false,   -- true: frag_limit counts 10,000 points each
    kills_as_kills = false, -- true: clients say that kills ended the match; stock says points
    restart = 30,          -- seconds from the end of a match to the next one; 0: never
    collision_damage = true,
    friendly_fire = false,

    -- Rooms ---------------------------------------------------------------------------------------
    -- Several matches at once, each on a port of its own. A number:
    --     rooms = 4                         -- ports 22101 to 22104
    -- or a list; what a room does not say is as above:
    --     rooms = {
    --         { name = "Beginners", collision_damage = false },
    --         { name = "Teams", mission = "team", system = "Multi3", port = 22150 },
    --     },
    rooms = 1,
    threads = 0,           -- that run them; 0: one per processor

    -- The files of players ------------------------------------------------------------------------
    -- The server needs no game files: it compares what clients report with lists of hashes.
    checksums = "log",     -- off: do not ask; log: tell differences; strict: refuse players who have
                           -- some; learn: write what the next player has to the file `learn`
    manifests = {},        -- accepted sets: CSV files, or "vanilla"; empty: { "vanilla" }
    allow_extra = false,   -- true: files that no manifest lists do not count
    learn = "",            -- a file to write, in a directory that is there; makes checksums "learn"

    -- Being found ---------------------------------------------------------------------------------
    masters = {},          -- such as { "master.example.org", "10.0.0.1:27900" }; none by default
    masters_file = "",     -- a masterserver.txt: one HOST[:PORT] per line, added to masters
    heartbeat = 60,        -- seconds between announcements
    heartbeat_port = -1,   -- the port that is announced; -1: the real one
    basic_includes_info = false,
    echo_queries = "lan",  -- never, lan, always
    packets_queries = "lan",
    -- Answers per second, against abuse as an amplifier (spec 05 §8).
    answers_per_source = 5,
    answers_burst = 15,
    answers_per_network = 20,
    answers_network_burst = 60,
    answers_total = 200,
    answers_per_master = 50,

    -- The simulation ------------------------------------------------------------------------------
    fidelity = "weapons",  -- relay: clients decide all; collisions: the server computes collisions;
                           -- weapons: all damage; enforce: implausible actions have no effect
    no_damage = false,     -- true: ships take no damage, not even by self-destruct
    trace_damage = false,  -- true: log every point of damage
    trust_clients = false, -- true: do not check who owns what a message is about
    data = "",             -- a directory with ships/, projectiles.lua, systems.lua of your own
    combat = {
        -- Constants of spec 10, such as:
        --     spawn_grace = 5,              -- seconds without damage after creation
    },
    modifiers = { { 1, 1, 1 }, { 1, 1, 1 }, { 1, 3, 1 } }, -- of scores: attacker by target class

    -- Connections ---------------------------------------------------------------------------------
    retransmit = "stock",  -- stock: lost messages are repeated as the game does; measured: sooner
    stock_updates = false, -- true: ship states exactly as often as the game, not a bit better
    shield_layout = "ship", -- ship: as its data say; stock, documented: one for all (spec 03 §4.2)
    hide_addresses = false, -- true: players do not learn the addresses of others
    peers_per_address = 4, -- players behind one address; 0: any number
    timeout = 45,          -- seconds of silence after which a player has left
    ack_delay = 0,         -- seconds, at most 0.05
    leave_notice = true,
    rebind = true,
    datagrams_per_s = 300, -- of one player; what is more is dropped
    messages_per_s = 10000,
    bytes_per_s = 262144,
    checksum_limit = 30,   -- seconds to answer one checksum round
    loading_limit = 120,   -- seconds to load the game

    -- Mods ----------------------------------------------------------------------------------------
    mod_policy = "default", -- default (others), others, drop, all, team, host-only (spec 09 §9.1)
    mods = {
        -- { type = 0xCD, policy = "drop" },
    },
    mod_bytes = 1024,
    mod_per_s = 20,

    -- What is not certain about the stock game (spec 05 to 07) ------------------------------------
    list_host_as_player = true,
    spawn_notice = true,
    leave_destroy = true,
    leave_event = false,
    leave_text = true,
    list_older_players = false,
    score_self_on_join = true,
    list_object = 0x064F,

    -- The program ---------------------------------------------------------------------------------
    log_level = "info",    -- error, warning, info, debug
    log_json = false,
    console = true,        -- commands from stdin, if it is a terminal or a pipe: help, status ...
    view = false,          -- true: show rooms and players in the terminal
}
