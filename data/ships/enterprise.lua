-- data/ships/enterprise.lua -- Enterprise, species 37.
--
-- A Sovereign with other values, of which only `power` is known (spec 11 §7). Everything else here
-- is the Sovereign's and an estimate; so are the figures of the subsystems it borrows, whatever
-- source data/ships/sovereign.lua gives for them. The list itself is right (spec 03 §10).
-- docs/facts/ships-serialization.csv repeats the Sovereign's maxima for it and leaves those of hull
-- and shield generator empty: these two are the ones to doubt.

return {
    species = 37,
    key = "enterprise",
    name = "Enterprise",
    faction = "Federation",
    modifier_class = 1,
    selectable = false,

    class_source = "estimate",
    mass = 100,
    rotational_inertia = 10000,
    bound_radius = 3.7209,
    impulse = {
        max_speed = 7.5, max_accel = 1.6, max_angular_accel = 0.15, max_angular_velocity = 0.3,
    },
    shields = { -- front, rear, top, bottom, left, right
        max = { 11000, 5500, 11000, 11000, 5500, 5500 },
        rate = { 12, 12, 12, 12, 12, 12 },
    },
    power = {
        output = 1600, main_battery = 300000, backup_battery = 120000, main_conduit = 1900,
        backup_conduit = 300, draw_source = "estimate",
    },
    repair = { max_points = 50, teams = 3 },
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
}
