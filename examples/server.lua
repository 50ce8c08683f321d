-- examples/server.lua -- a configuration of `starbase serve` with every key and its default.
-- Printed by `starbase serve --example` from the table of keys (src/config/keys.c).
--
--     starbase serve --config server.lua --check-config     prints the effective configuration
--     starbase serve --config server.lua                    starts the server
--
-- All keys are optional. Each one can also be set in the environment (max_players:
-- STARBASE_MAX_PLAYERS) or on the command line (--max-players 8, or --set max_players=8). The
-- environment overrides this file, and the command line overrides both. Relative paths start
-- at the directory in which the server is started.
--
-- SIGHUP or the console command `reload` makes a running server read the file again. The last
-- line above each key says when a change takes effect: at once, for players who join later, when
-- the room is empty, or after a restart. The log names every change.
--
-- Each line is `key = value`. Texts stand in quotes, lists in braces, and `--` starts a comment.
-- The file is Lua: `local` names avoid repetition, and a file may also return one table, `return
-- { key = value, ... }`. It cannot access files, the clock or the network.
--
-- Rooms are matches, each on a port of its own. `rooms` is a number, or a list of rooms. A room
-- of the list overrides the values that all rooms share:
--
--     rooms = {
--         { name = "Beginners", collision_damage = false },
--         { name = "Teams", mission = "team", system = "Multi3", port = 22150 },
--     }

---- Server ------------------------------------------------------------------------------------

-- the name in lists of servers (Starbase); rooms that share a name
-- get numbers
-- a text of at most 63 bytes, without control characters; changes at once
name = "Starbase"

-- UDP port (22101); further rooms take the following ports; stock
-- clients search the LAN from 22101 to 22201; 0: any free port
-- a whole number from 0 to 65535; changes after a restart
port = 22101

-- IPv4 address to listen on (0.0.0.0: all)
-- a text of at most 15 bytes, without control characters; changes after a restart
bind = "0.0.0.0"

-- players per room, 1 to 16 (8)
-- a whole number from 1 to 16; changes at once, above the value at the start when the room is empty
max_players = 8

-- password that players must enter; it is not certain that stock
-- clients send it in the form that the server expects (spec 01 §13)
-- a text of at most 31 bytes, without control characters; changes at once, for players who join later
password = ""

---- Match -------------------------------------------------------------------------------------

-- ffa, team, faction, assault, or a mission's script (ffa); assault
-- has no starbase yet: attackers and defenders fight each other
-- a text of at most 63 bytes, without control characters; changes when the room is empty
mission = "ffa"

-- star system, by number or name (Multi1)
-- a number or a name; changes when the room is empty
system = "Multi1"

-- length of a match in minutes (0: no limit)
-- a whole number from 0 to 254; changes when the room is empty
time_limit = 0

-- a match ends when a player has this many kills (0: no limit)
-- a whole number from 0 to 254; changes when the room is empty
frag_limit = 0

-- frag_limit counts units of 10,000 points instead of kills
-- true or false; changes when the room is empty
score_limit = false

-- tell clients that the kill limit ended the match, not the score
-- limit; it is not known which of them the stock server names (spec 09
-- §10.1)
-- true or false; changes when the room is empty
kills_as_kills = false

-- pause between the end of a match and the next match (30; 0: until
-- all players have left); newcomers wait that long and are told
-- seconds from 0 to 3600; changes at once
restart = 30

-- obey RESTART_GAME (0x39) of the player with the lowest id, for
-- mods: no stock client sends one (spec 09 §8)
-- true or false; changes at once
player_restart = false

-- do not pass on chat lines that are commands: `!admin CODE` of anybody,
-- and lines that begin with `!` of players with a role
-- true or false; changes at once
hide_commands = true

-- collisions damage ships
-- true or false; changes at once
collision_damage = true

-- weapons damage ships of the own team, as in the stock game; clients
-- do not learn of this setting
-- true or false; changes at once
friendly_fire = true

---- Players -----------------------------------------------------------------------------------

-- lines that a player is told one second after joining; %server%,
-- %player%, %players%, %max_players%, %system%, %mission%,
-- %next_system%, %next_mission%, %time_left% and %frag_limit% are
-- filled in
-- a list of at most 32 texts; changes at once
motd = { }

-- lines that answer !rules, with the same placeholders
-- a list of at most 32 texts; changes at once
rules = { }

-- how long the address of a kicked player is kept out (0: not at all)
-- seconds from 0 to 86400; changes at once
kick_seconds = 300

-- a player who neither chats, shoots nor steers for so long is
-- warned (0: not)
-- seconds from 0 to 86400; changes at once
idle_warn = 0

-- and after so long idle_action follows (0: never)
-- seconds from 0 to 86400; changes at once
idle_limit = 0

-- kick (the player is removed, and may come back at once) or lobby (the
-- player's ship is destroyed, and another may be chosen)
-- one of kick, lobby; changes at once
idle_action = "kick"

-- when a player chooses the larger team, of two or more players
-- difference: off (nothing), tell (the player is asked to change), or
-- enforce (the player is put into the other team)
-- one of off, tell, enforce; changes at once
balance = "off"

-- when `rotation`, map, mission and next change a room with players:
-- empty (when all have left) or rejoin (the match ends, and all are
-- removed after 15 s and told to join again)
-- one of empty, rejoin; changes at once
rotate = "empty"

-- send players another system and limits (MissionInit, 0x35) without a
-- new join; it is not known what stock clients do with it
-- true or false; changes at once
resend_settings = false

---- Rooms -------------------------------------------------------------------------------------

-- matches at the same time, each on its own port (1)
-- a whole number from 0 to 4096; changes after a restart
rooms = 1

-- threads that run the rooms (0: one per processor)
-- a whole number from 0 to 64; changes after a restart
threads = 0

---- Client file checks ------------------------------------------------------------------------

-- if a player's files differ: off (not checked), log, strict
-- (refuse), learn (write a manifest; needs a restart) (log)
-- one of off, log, strict, learn; changes at once
checksums = "log"

-- accepted sets of files: CSV files, or `vanilla`; separated by
-- commas (vanilla)
-- a list of at most 32 texts; changes at once
manifests = { }

-- accept files that no manifest lists
-- true or false; changes at once
allow_extra = false

-- what a wrong integrity hash of a player's ship does: off (nothing),
-- report (log lines), boot (as the original server: remove the player
-- after the same wrong hash in ten updates over 5 s) (report); warning:
-- no captured hash (Akira FB37, Nebula 040C) is reproduced yet, so boot
-- may remove honest players (spec 04 §1)
-- one of off, report, boot; changes at once
integrity = "report"

-- write a manifest with the files of the next player who answers
-- all checksum rounds; sets checksums to learn
-- a text of at most 255 bytes, without control characters; changes after a restart
learn = ""

-- send the mission scripts in DIR to players whose own differ, as the
-- stock host does; DIR stands for Scripts/Multiplayer; every file must
-- match a manifest. Players' games run these files: docs/files.md (none)
-- a text of at most 255 bytes, without control characters; changes at once
send_files = ""

-- KiB of these files per second, to all players of all rooms together
-- a whole number from 8 to 1000000; changes at once
send_files_rate = 256

---- Discovery ---------------------------------------------------------------------------------

-- master servers that list this server (none)
-- a list of at most 32 texts; changes at once
masters = { }

-- a masterserver.txt: one HOST[:PORT] per line, added to masters
-- a text of at most 255 bytes, without control characters; changes at once
masters_file = ""

-- time between two heartbeats to a master
-- seconds from 10 to 3600; changes after a restart
heartbeat = 60

-- the port that heartbeats announce; -1: the real port (spec 05 §5.1)
-- a whole number from -1 to 65535; changes after a restart
heartbeat_port = -1

-- the answer to \basic\ includes the keys of \info\ (spec 05 §9)
-- true or false; changes after a restart
basic_includes_info = false

-- when to answer \echo\ queries: never, to the LAN, always
-- one of never, lan, always; changes after a restart
echo_queries = "lan"

-- when to answer \packets\ queries: never, to the LAN, always
-- one of never, lan, always; changes after a restart
packets_queries = "lan"

-- query answers per second of all rooms together to one address
-- a whole number from 1 to 1000; changes at once
answers_per_source = 5

-- query answers of all rooms together in one burst to one address;
-- a browser sees as many rooms at once
-- a whole number from 1 to 1000; changes at once
answers_burst = 15

-- query answers per second of all rooms together to one /24 network
-- a whole number from 1 to 10000; changes at once
answers_per_network = 20

-- query answers of all rooms together in one burst to one /24 network
-- a whole number from 1 to 10000; changes at once
answers_network_burst = 60

-- query answers per second of all rooms together to all addresses
-- a whole number from 1 to 100000; changes at once
answers_total = 200

-- query answers per second of all rooms together to one configured
-- master; eight more per room may be sent in one burst
-- a whole number from 1 to 10000; changes at once
answers_per_master = 50

---- Simulation --------------------------------------------------------------------------------

-- what the server computes: relay, collisions, weapons, or enforce,
-- which lets nobody gain by cheats (weapons), or 0 to 3
-- one of relay, collisions, weapons, enforce; changes after a restart
fidelity = "weapons"

-- what a shortage of power does to players' ships: stock (batteries
-- drain, systems keep working) or strict (systems get weaker); the
-- stock server never weakens them (spec 10 §4.4)
-- one of stock, strict; changes after a restart
power = "stock"

-- ships take no damage, not even from self-destruct (spec 10 §3.3,
-- 08 §8)
-- true or false; changes after a restart
no_damage = false

-- log every point of damage
-- true or false; changes after a restart
trace_damage = false

-- relay and apply EnterSet messages of clients, for mods: no stock
-- client sends one (spec 07 §7.3)
-- true or false; changes at once
client_sets = false

-- do not check that players own the objects in their messages (spec
-- 07 §2.6)
-- true or false; changes at once
trust_clients = false

-- load ships/, projectiles.lua and systems.lua from DIR; each one
-- that is there replaces the whole stock set of its kind
-- a text of at most 255 bytes, without control characters; changes after a restart
data = ""

---- Connections -------------------------------------------------------------------------------

-- when to retransmit: measured (from the round trip) or stock (after 1,
-- 3, 6 ... s, as the game) (measured)
-- one of stock, measured; changes after a restart
retransmit = "measured"

-- send ship states without our additions, as the stock server does
-- (spec 03 §17); for its intervals see lane_distance
-- true or false; changes after a restart
stock_updates = false

-- send the states of all ships of a room together, every 0.1 s, as the
-- stock server does, instead of each one when its owner's update
-- arrives (spec 03 §17.1); implied by stock_updates
-- true or false; changes after a restart
stock_clock = false

-- send the states of distant ships less often, as the stock server
-- does: half as often from 114 units, a fifth as often from 228, never
-- from 343; from five players on every 0.125 s instead of 0.1 s (spec
-- 03 §8.1)
-- true or false; changes at once
lane_distance = false

-- layout of the shields in ship states: from each ship's data, or one
-- for all ships (spec 03 §4.2)
-- one of ship, stock, documented; changes after a restart
shield_layout = "ship"

-- do not send players the addresses of other players
-- true or false; changes after a restart
hide_addresses = false

-- players behind one address (4; 0: no limit)
-- a whole number from 0 to 120; changes at once, for players who join later
peers_per_address = 4

-- a player who is silent this long has left; idle clients send every
-- 5 seconds
-- seconds from 12 to 600; changes at once, for players who join later
timeout = 45

-- how long an acknowledgement waits for data in the same datagram
-- seconds from 0 to 0.05; changes after a restart
ack_delay = 0

-- send a Disconnect and a Boot to the other players when a player
-- leaves (spec 01 §8.3)
-- true or false; changes after a restart
leave_notice = true

-- accept a new port of a player behind a router (spec 01 §10.5)
-- true or false; changes after a restart
rebind = true

-- datagrams accepted per second from one player; the rest is dropped
-- a whole number from 10 to 100000; changes at once, for players who join later
datagrams_per_s = 300

-- messages accepted per second from one player; the rest is dropped
-- a whole number from 10 to 1000000; changes at once, for players who join later
messages_per_s = 10000

-- bytes accepted per second from one player; the rest is dropped
-- a whole number from 1000 to 100000000; changes at once, for players who join later
bytes_per_s = 262144

-- time for the answer to one checksum round
-- seconds from 1 to 600; changes at once
checksum_limit = 30

-- time for a client to load the game
-- seconds from 5 to 3600; changes at once
loading_limit = 120

---- Mods --------------------------------------------------------------------------------------

-- ships of unknown species, and ships with other subsystems than
-- ours: true (they fly, take no damage, and their weapons do none),
-- false (they are refused), auto (false with checksums strict, else
-- true)
-- one of auto, true, false; changes at once
mod_ships = "auto"

-- receivers of the messages of mods; default is the same as others;
-- `mods` lists exceptions by message type
-- one of default, others, drop, all, team, host-only; changes at once
mod_policy = "default"

-- bytes of one message of a mod; longer ones are dropped
-- a whole number from 1 to 16384; changes at once
mod_bytes = 1024

-- messages of mods per second from one player; the rest is dropped
-- a whole number from 0 to 1000; changes at once
mod_per_s = 20

---- Choices where the behaviour of the stock game is not certain ------------------------------

-- status answers list the server, too, after the players (spec 05 §3.1)
-- true or false; changes at once
list_host_as_player = true

-- send ObjectNotFound when a ship enters a set without warping, above
-- all after its creation (spec 07 §5)
-- true or false; changes at once
spawn_notice = true

-- send DestroyObject for the ship and the other objects of a player
-- who leaves (spec 07 §9)
-- true or false; changes at once
leave_destroy = true

-- send PlayerListEvent when a player leaves (spec 07 §9)
-- true or false; changes at once
leave_event = false

-- send PlayerLeftText when a player leaves (spec 07 §9)
-- true or false; changes at once
leave_text = true

-- send a newcomer PlayerListEvent for every player in the game (spec 07 §8)
-- true or false; changes at once
list_older_players = false

-- send a newcomer their own score, too (spec 06 §5.11)
-- true or false; changes at once
score_self_on_join = true

-- send the second boolean of Settings as 1 (spec 06 §5.6); warning: its
-- only known readers are two throttles, and with four players or more
-- stock clients may then send their ships' states only every 0.5 s
-- true or false; changes at once
throttle_bit = false

-- with throttle_bit and two or more players, send the health of ships
-- only in full updates, once a second, as one analysis says of the
-- stock host (spec 03 §7); warning: damage is then shown seconds late
-- true or false; changes at once
throttle_health = false

-- destination object of PlayerListEvent (spec 07 §8)
-- a whole number from 0 to 4294967295; changes after a restart
list_object = 1615

---- Operators: docs/admin.md ------------------------------------------------------------------

-- name of the control socket, /run/starbase/NAME.ctl, for `starbase ctl`
-- (server; empty: no socket)
-- a text of at most 31 bytes, without control characters; changes after a restart
instance = "server"

-- seats of a room that only players may take who have held a role since
-- the start, or whose address slots_for lists (0)
-- a whole number from 0 to 16; changes at once
slots = 0

-- addresses, separated by commas, that may take the seats of `slots`
-- a text of at most 1000 bytes, without control characters; changes at once
slots_for = ""

-- chat commands of helpers, separated by commas (mute, unmute, say, tell)
-- a text of at most 1000 bytes, without control characters; changes at once
helper_commands = ""

-- what moderators have in addition (kick, bans, restart, end)
-- a text of at most 1000 bytes, without control characters; changes at once
moderator_commands = ""

-- what admins have in addition (ban, unban, map, mission, next, bots)
-- a text of at most 1000 bytes, without control characters; changes at once
admin_commands = ""

---- Store -------------------------------------------------------------------------------------

-- the database of results, bans and commands; "": none. The default
-- is used only where its folder can be written (docs/store.md)
-- a text of at most 240 bytes, without control characters; changes after a restart
store = "/var/lib/starbase/starbase.db"

-- days for which addresses of players are stored (0: for ever)
-- a whole number from 0 to 36500; changes after a restart
keep_days = 90

-- store what players say
-- true or false; changes after a restart
store_chat = false

---- Program -----------------------------------------------------------------------------------

-- error, warning, info or debug (info)
-- one of error, warning, info, debug; changes at once
log_level = "info"

-- write log lines as JSON
-- true or false; changes after a restart
log_json = false

-- read commands from stdin if it is a terminal or a pipe;
-- --no-console switches this off
-- true or false; changes after a restart
console = true

-- show rooms and players in the terminal instead of the log
-- true or false; changes after a restart
view = false

---- Tables ------------------------------------------------------------------------------------

-- players of the server itself, up to `fill` together with people; they give their seats to people (docs/bots.md)
-- { fill = 4, skill = "medium", when = "always", count = true, names = { "Ada" } }
-- set in the file; the number `fill` alone also with --bots N or STARBASE_BOTS=N; changes at once
bots = { fill = 0, skill = "normal", when = "always", count = true, names = { } }

-- constants of the simulation, 0 to 1e9
-- { NAME = NUMBER, ... }
-- set in the file, or one by one with --set combat.NAME=NUMBER; changes after a restart
combat = {}

-- exceptions to mod_policy by message type (spec 09 §9.1)
-- { { type = 0xCD, policy = "drop" }, ... }
-- set only in the file; changes at once
mods = {}

-- score factors, -100 to 100: a row per class of the attacker, a column per class of the target
-- { { 1, 1, 1 }, { 1, 1, 1 }, { 1, 3, 1 } }
-- set only in the file; changes when the room is empty
modifiers = { { 1, 1, 1 }, { 1, 1, 1 }, { 1, 3, 1 } }

-- what players can vote on with !vote NAME; docs/rules.md explains the fields
-- { { name = "kick", text = "remove %s", command = "kick %s", argument = "player" }, ... }
-- set only in the file; changes at once
votes = {
    { name = "kick", text = "remove %s from the server", command = "kick %s voted out",
      argument = "player", quorum = 60, majority = 66, seconds = 30, cooldown = 120 },
    { name = "map", text = "play in %s next", command = "map %s",
      argument = "word", quorum = 50, majority = 51, seconds = 30, cooldown = 60 },
    { name = "restart", text = "start the match anew", command = "restart",
      argument = "none", quorum = 50, majority = 66, seconds = 30, cooldown = 60 },
}

-- what a room plays: the first entry at the start, the next one after each match (see rotate)
-- { { system = "Multi1", mission = "ffa", time_limit = 15, frag_limit = 10 }, ... }
-- set only in the file; changes at once
rotation = {}

