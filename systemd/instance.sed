# Makes starbase@.service of starbase.service: instance NAME runs by /etc/starbase/NAME.lua, in a folder
# of its own, with the control socket /run/starbase/NAME.ctl.
1s/.*/# One of several game servers: `systemctl enable --now starbase@NAME` runs \/etc\/starbase\/NAME.lua./
s/^Description=.*/& %i/
s|serve --config /etc/starbase/server\.lua|serve --set instance=%i --config /etc/starbase/%i.lua|
s|^StateDirectory=starbase$|StateDirectory=starbase/%i|
s|^WorkingDirectory=/var/lib/starbase$|WorkingDirectory=/var/lib/starbase/%i|
s|at /var/lib/starbase, the only|at /var/lib/starbase/%i, the only|
