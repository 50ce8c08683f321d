-- data/ships/enterprise.lua -- Enterprise, species 37.
--
-- A Sovereign that differs in four figures only: hull, shields, reactor, repair (spec 11 §7). Hull
-- and shields are measured, the reactor is documented, repair is not known: the Sovereign's stands
-- here as an estimate. Everything else is the Sovereign's.

return {
    species = 37,
    key = "enterprise",
    name = "Enterprise",
    faction = "Federation",
    modifier_class = 1,
    selectable = false,

    class_source = "inherited",
    class_sources = {
        shields = "engine", shield_rates = "estimate", repair = "estimate", reactor = "documented",
        radius = "inherited",
    },
    mass = 100,
    rotational_inertia = 10000,
    bound_radius = 3.929,
    sensor_range = 2400,
    impulse = {
        max_speed = 7.5, max_accel = 1.6, max_angular_accel = 0.15, max_angular_velocity = 0.3,
    },
    shields = { -- front, rear, top, bottom, left, right
        max = { 16000, 8000, 16000, 16000, 8000, 8000 },
        rate = { 12, 12, 12, 12, 12, 12 },
    },
    power = {
        output = 1600, main_battery = 300000, backup_battery = 120000, main_conduit = 1900,
        backup_conduit = 300, draw_source = "inherited",
    },
    repair = { max_points = 50, teams = 3 },
    ordnance = {
        { system = "torpedo_system", slot = 0, projectile = 14, ground = "as the Sovereign",
          max_torpedoes = 200, source = "inherited" },
        { system = "torpedo_system", slot = 1, projectile = 3, ground = "as the Sovereign",
          max_torpedoes = 60, source = "inherited" },
        { system = "torpedo_system", slot = 2, projectile = 12, ground = "as the Sovereign",
          max_torpedoes = 0, source = "inherited" },
    },
    hull = {
        box = { centre = { 0, 0, -0.07 }, half = { 1.15, 3.5, 0.41 }, source = "inherited" },
        solids = {
            -- saucer
            { kind = "ellipsoid", centre = { 0, 1.75, 0.02 }, half = { 1.1, 1.7, 0.22 } },
            -- engineering hull
            { kind = "box", centre = { 0, -0.66, -0.25 }, half = { 0.28, 1.44, 0.2 } },
            -- nacelles
            { kind = "ellipsoid", centre = { -0.88, -2.3, 0.15 }, half = { 0.16, 1.15, 0.13 } },
            { kind = "ellipsoid", centre = { 0.88, -2.3, 0.15 }, half = { 0.16, 1.15, 0.13 } },
        },
    },

    subsystems_of = "sovereign",
    changes = {
        { name = "Hull", max_condition = 16000, source = "engine" },
    },
}
