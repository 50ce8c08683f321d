-- /etc/starbase/server.lua -- configuration of starbase.service.
--
-- Each line is `key = value`; a line that begins with -- is a comment. All keys with explanations:
-- starbase-server.lua(5), or `starbase serve --example`. After a change:
--
--     starbase serve --config /etc/starbase/server.lua --check-config
--     systemctl reload starbase
--
-- `starbase doctor` checks this file and the machine.

name = "Starbase"               -- the name in lists of servers
port = 22101                    -- UDP; the game searches the LAN from 22101 to 22201
max_players = 8

mission = "ffa"                 -- ffa, team, faction
system = "Multi1"               -- Multi1 to Multi7, Albirea, Poseidon
time_limit = 20                 -- minutes; 0: none
frag_limit = 0                  -- kills; 0: none

-- bots = 4                     -- bots fill the room up to 4 players and make room for people
-- motd = { "Welcome to %server%, %player%." }
-- password = "sesame"          -- for all players; then make this file 0640, root:starbase
-- masters = { "HOST" }         -- master servers that list this server for the internet
-- checksums = "strict"         -- refuse players whose files differ; log: only write it down
