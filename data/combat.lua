-- data/combat.lua -- the constants of the combat simulation, with their defaults.
--
-- For hosts: copy the lines you want to change into `combat = { ... }` of server.lua, or of a ship's
-- own file for that ship alone; names that are left out keep their default. The tag says what a value rests on: [T] traces, [R] published analyses of
-- the game, [I] our own inference, to be replaced when somebody measures it. Meaning: spec 10 §14
-- and the section of the rule. The library has the same values built in (starbase/combat.h); a test
-- compares the two.

return {
    collision_dead_zone = 0.01, -- [R] force / mass / contacts that does nothing
    collision_slope = 900,      -- [R] HP per unit of force / mass / contacts
    collision_base = 500,       -- [R] HP of any collision beyond the dead zone
    collision_search = 1.5,     -- [R] distance added to a subsystem's radius
    collision_gap = 26,         -- [R] largest gap of two ships whose collision is believed
    collision_interval = 0.25,  -- [I] seconds between two collisions of the same pair
    force_margin = 2.5,         -- [I] force / mass that is believed, per unit of both top speeds
    force_slack = 1,            -- [I] and beyond that
    collision_shields = 0,      -- [I] 1: facings absorb collisions (refuted by a trace)
    volume_slope = 0.1,         -- [R] radius of a damage volume per unit
    volume_base = 0.1,          -- [R] smallest radius of a damage volume
    volume_limit = 0.5,         -- [R] largest one
    volume_strength = 6000,     -- [R] strength of a damage volume
    volume_scale = 100,         -- [T] model units per game unit (0x29)
    cloak_time = 5,             -- [R] seconds to cloak or decloak
    shield_delay = 1,           -- [R] seconds between cloak switch and shields
    decloak_facing = 1,         -- [R] HP of an empty facing after decloaking
    cloak_efficiency = 0.5,     -- [I] a cloak with less power than this fails
    explosion_lifetime = 9.5,   -- [T] seconds from death to the end of the wreck
    beam_low = 0.5,             -- [I] damage and discharge at level 0
    beam_medium = 0.75,         -- [I] level 1
    beam_high = 1,              -- [I] level 2
    beam_cutoff = 2,            -- [I] of max_damage_distance: no damage beyond
    beam_search = 0.1,          -- [I] of bound_radius: reach of a beam's damage
    beam_recharge_others = 1,   -- [I] recharge of ships of others (unknown multiplier)
    arc_tolerance = 0.09,       -- [I] radians by which arcs are widened for lag
    pulse_cost = 1,             -- [I] charge per bolt
    pulse_tolerance = 0.25,     -- [I] charge that may be missing, for lag
    torpedo_tolerance = 0.1,    -- [I] seconds that may be missing, for lag
    torpedo_life = 30,          -- [I] least seconds of flight without a lifetime of its own
    impact_depth = 0.5,         -- [I] of bound_radius: where a hit lies, and its reach without shields
    splash = 0,                 -- [I] damage of an exploding ship to others
    splash_radius = 0,          -- [I] and its reach
    spawn_grace = 0,            -- [I] seconds after creation without damage
    health_interval = 0.1,      -- [T] seconds between two updates of a ship to a player
    power_interval = 1,         -- [R] seconds that a budget of power is for
    score_divisor = 10,         -- [R] points of damage that are a point of score
    battery_frozen = 0,         -- [I] 1: batteries never drain (spec 10 §4.5)
    facing_stops = 5,           -- [I] HP a facing needs to stop a hit; 0: any will do
    facing_default = 1000,      -- [R] maximum of a facing without data
    lag_seconds = 0.25,         -- [I] of motion that plausibility checks forgive
    lag_distance = 2,           -- [I] units they forgive
}
