# Makes starbase@.service of starbase.service: instance NAME runs by /etc/starbase/NAME.lua, in a folder
# of its own.
1s/.*/# One of several game servers: `systemctl enable --now starbase@NAME` runs \/etc\/starbase\/NAME.lua./
s/^Description=.*/& %i/
s|/etc/starbase/server\.lua|/etc/starbase/%i.lua|
s|^StateDirectory=starbase$|StateDirectory=starbase/%i|
s|^WorkingDirectory=/var/lib/starbase$|WorkingDirectory=/var/lib/starbase/%i|
s|at /var/lib/starbase, the only|at /var/lib/starbase/%i, the only|
