-- data/ships/shuttle.lua -- Shuttle, species 15.
--
-- Figures: docs/facts (ships, subsystems, weapons, power, ordnance), explained in spec 11; list
-- order: spec 03 §10. `source` below is the evidence for entries that name none of their own (spec
-- 11 §1.2), `class_sources` that of the figures of the ship. `starbase ships shuttle --evidence`
-- lists what is still an estimate. The box and the solids of `hull` are explained in spec 11 §9.
-- The power that its parts draw is estimated too high: captured battery bytes imply about 145 (spec
-- 10 §4.5).

return {
    species = 15,
    key = "shuttle",
    name = "Shuttle",
    faction = "Federation",
    modifier_class = 1,
    selectable = true,

    class_sources = { radius = "documented", shields = "engine" },
    mass = 15,
    rotational_inertia = 2000,
    bound_radius = 0.1506,
    impulse = {
        max_speed = 4.0, max_accel = 2.5, max_angular_accel = 0.6, max_angular_velocity = 0.8,
    },
    shields = { -- front, rear, top, bottom, left, right
        max = { 2400, 800, 800, 800, 800, 800 },
        rate = { 15, 12, 12, 12, 12, 12 },
    },
    power = {
        output = 100, main_battery = 20000, backup_battery = 10000, main_conduit = 140,
        backup_conduit = 40, draw_source = "estimate",
    },
    repair = { max_points = 2, teams = 1 },
    hull = {
        box = { centre = { 0, 0, 0 }, half = { 0.06, 0.125, 0.05 }, source = "estimate" },
        solids = {
            -- body
            { kind = "box", centre = { 0, 0, 0.005 }, half = { 0.045, 0.12, 0.04 } },
            -- nacelles
            { kind = "box", centre = { -0.048, -0.03, -0.035 }, half = { 0.01, 0.09, 0.012 } },
            { kind = "box", centre = { 0.048, -0.03, -0.035 }, half = { 0.01, 0.09, 0.012 } },
        },
    },

    source = {
        condition = "engine", properties = "hardpoint", power = "estimate", position = "hardpoint",
        order = "engine",
    },
    subsystems = {
        {
            type = "hull", name = "Hull", critical = true,
            max_condition = 1600, disabled_below = 0, repair_complexity = 1,
            position = { 0, 0, 0 }, radius = 0.12,
        },
        {
            type = "impulse", name = "Impulse Engines", targetable = false,
            max_condition = 1000, disabled_below = 0.5, repair_complexity = 2,
            power_per_second = 50,
            position = { 0, 0, 0 }, radius = 0.003,
            children = {
                {
                    name = "Port Impulse",
                    max_condition = 1100, disabled_below = 0.5, repair_complexity = 2,
                    source = { properties = "inherited" },
                },
                {
                    name = "Star Impulse",
                    max_condition = 1100, disabled_below = 0.5, repair_complexity = 2,
                    source = { properties = "inherited" },
                },
            },
        },
        {
            type = "power", name = "Warp Core", critical = true,
            max_condition = 1000, disabled_below = 0.5, repair_complexity = 1,
            position = { 0, -0.06, -0.03 }, radius = 0.04,
        },
        {
            type = "sensor", name = "Sensor Array",
            max_condition = 1400, disabled_below = 0.5, repair_complexity = 0.4,
            power_per_second = 50,
            position = { 0, 0.04, -0.014 }, radius = 0.03,
        },
        {
            type = "shield", name = "Shield Generator",
            max_condition = 2600, disabled_below = 0.75, repair_complexity = 1,
            power_per_second = 40,
            position = { 0, -0.04, 0.04 }, radius = 0.04,
        },
        {
            type = "phaser_system", name = "Phasers", targetable = false,
            max_condition = 800, disabled_below = 0.75, repair_complexity = 3,
            power_per_second = 50, single_fire = "yes",
            source = { properties = "estimate", fire = "estimate" },
            children = {
                {
                    name = "Phaser", targetable = false,
                    max_condition = 800, disabled_below = 0.75, repair_complexity = 3,
                    position = { 0, 0.11, -0.013 }, radius = 0.034,
                    source = { position = "estimate" },
                    weapon = { id = 1, max_damage = 300, max_damage_distance = 45, max_charge = 4,
                               min_firing_charge = 2, recharge_rate = 0.8, discharge_rate = 1,
                               forward = { 0, 1, 0 }, up = { 0, 0, 1 },
                               arc_width = { -0.959931, 0.959931 },
                               arc_height = { -1.047198, 0.610865 } },
                },
            },
        },
        {
            type = "repair", name = "Repair", targetable = false,
            max_condition = 200, disabled_below = 0.1, repair_complexity = 4, power_per_second = 1,
            position = { 0, 0.03, 0 }, radius = 0.03,
        },
        {
            type = "warp", name = "Warp Engines", targetable = false,
            max_condition = 1600, disabled_below = 0.5, repair_complexity = 1, power_per_second = 0,
            position = { 0, 0, -0.02 }, radius = 0.01,
            children = {
                {
                    name = "Port Warp",
                    max_condition = 800, disabled_below = 0.5, repair_complexity = 1,
                    source = { properties = "inherited" },
                },
                {
                    name = "Star Warp",
                    max_condition = 800, disabled_below = 0.5, repair_complexity = 1,
                    source = { properties = "inherited" },
                },
            },
        },
        {
            type = "tractor_system", name = "Tractors", targetable = false,
            max_condition = 400, disabled_below = 0.75, repair_complexity = 4,
            power_per_second = 100, power_mode = "main_battery",
            source = { properties = "estimate" },
            children = {
                {
                    name = "Forward Tractor", targetable = false,
                    max_condition = 400, disabled_below = 0.75, repair_complexity = 4,
                    position = { 0, 0.12, -0.01 }, radius = 0.04,
                    weapon = { id = 0, max_damage = 20, max_damage_distance = 100, max_charge = 5,
                               min_firing_charge = 3, recharge_rate = 0.3, discharge_rate = 1,
                               forward = { 0, 1, 0 }, up = { 0, 0, 1 },
                               arc_width = { -0.698132, 0.698132 },
                               arc_height = { -0.698132, 0.349066 } },
                },
            },
        },
    },
}
