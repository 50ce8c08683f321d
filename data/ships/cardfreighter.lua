-- data/ships/cardfreighter.lua -- Cardassian Freighter, species 16.
--
-- Figures: docs/facts (ships, subsystems, weapons, power, ordnance), explained in spec 11; list
-- order: spec 03 §10. `source` below is the evidence for entries that name none of their own (spec
-- 11 §1.2), `class_sources` that of the figures of the ship. `starbase ships cardfreighter
-- --evidence` lists what is still an estimate. The box and the solids of `hull` are explained in
-- spec 11 §9.

return {
    species = 16,
    key = "cardfreighter",
    name = "Cardassian Freighter",
    faction = "Cardassian",
    modifier_class = 1,
    selectable = false,

    mass = 80,
    rotational_inertia = 20000,
    bound_radius = 1.8484,
    impulse = {
        max_speed = 3.0, max_accel = 0.8, max_angular_accel = 0.08, max_angular_velocity = 0.15,
    },
    shields = { -- front, rear, top, bottom, left, right
        max = { 1000, 1000, 1000, 1000, 1000, 1000 },
        rate = { 2, 2, 2, 2, 2, 2 },
    },
    power = {
        output = 400, main_battery = 50000, backup_battery = 10000, main_conduit = 400,
        backup_conduit = 200, draw_source = "estimate",
    },
    repair = { max_points = 6, teams = 1 },
    hull = {
        box = { centre = { 0, 0, 0 }, half = { 0.7, 1.55, 0.45 }, source = "estimate" },
        solids = {
            -- hold
            { kind = "box", centre = { 0, -0.3, 0 }, half = { 0.39, 1.2, 0.39 } },
            -- bow
            { kind = "ellipsoid", centre = { 0, 0.7, 0 }, half = { 0.39, 0.42, 0.35 } },
        },
    },

    source = {
        condition = "hardpoint", properties = "hardpoint", power = "estimate",
        position = "hardpoint", order = "catalogue",
    },
    subsystems = {
        {
            type = "hull", name = "Hull", critical = true,
            max_condition = 4500, disabled_below = 0, repair_complexity = 3,
            position = { 0, 0, 0 }, radius = 1,
        },
        {
            type = "impulse", name = "Impulse Engines", targetable = false,
            max_condition = 200, disabled_below = 0.5, repair_complexity = 1, power_per_second = 50,
            position = { 0, 0, 0 }, radius = 0.25,
            children = {
                {
                    name = "Port Impulse",
                    max_condition = 2000, disabled_below = 0.5, repair_complexity = 1,
                    source = { condition = "estimate", properties = "inherited" },
                },
                {
                    name = "Starboard Impulse",
                    max_condition = 2000, disabled_below = 0.5, repair_complexity = 1,
                    source = { condition = "estimate", properties = "inherited" },
                },
            },
        },
        {
            type = "warp", name = "Warp Engines", targetable = false,
            max_condition = 200, disabled_below = 0.5, repair_complexity = 3, power_per_second = 0,
            position = { 0, 0, 0 }, radius = 0.25,
            children = {
                {
                    name = "Warp Drive",
                    max_condition = 3000, disabled_below = 0.5, repair_complexity = 3,
                    source = { condition = "estimate", properties = "inherited" },
                },
            },
        },
        {
            type = "repair", name = "Engineering", targetable = false,
            max_condition = 200, disabled_below = 0.1, repair_complexity = 1, power_per_second = 1,
            position = { 0, 0, 0 }, radius = 0.25,
        },
        {
            type = "tractor_system", name = "Tractors", targetable = false,
            max_condition = 1500, disabled_below = 0.5, repair_complexity = 3,
            power_per_second = 200, power_mode = "main_battery",
            source = { condition = "estimate", properties = "estimate" },
            children = {
                {
                    name = "Tractor Beam",
                    max_condition = 1500, disabled_below = 0.5, repair_complexity = 3,
                    position = { 0, 1.5, -0.35 }, radius = 0.2,
                    weapon = { id = 7, max_damage = 200, max_damage_distance = 100, max_charge = 5,
                               min_firing_charge = 3, recharge_rate = 0.3, discharge_rate = 1,
                               forward = { 0, 1, 0 }, up = { 0, 0, 1 },
                               arc_width = { -0.349066, 0.349066 },
                               arc_height = { -2.094395, 0.261799 } },
                },
            },
        },
        {
            type = "sensor", name = "Sensor Array",
            max_condition = 1500, disabled_below = 0.75, repair_complexity = 1,
            power_per_second = 50,
            position = { 0, 1, 0.2 }, radius = 0.1,
        },
        {
            type = "shield", name = "Shield Generator",
            max_condition = 1000, disabled_below = 0.5, repair_complexity = 4,
            power_per_second = 100,
            position = { 0, 0.75, 0.1 }, radius = 0.2,
        },
        {
            type = "power", name = "Warp Core", critical = true,
            max_condition = 2000, disabled_below = 0.75, repair_complexity = 2,
            position = { 0, 0.6, 0.2 }, radius = 0.3,
        },
    },
}
