-- data/ships/galor.lua -- Galor, species 10.
--
-- Figures: docs/facts (ships, subsystems, weapons, power, ordnance), explained in spec 11; list
-- order: spec 03 §10. `source` below is the evidence for entries that name none of their own (spec
-- 11 §1.2), `class_sources` that of the figures of the ship. `starbase ships galor --evidence`
-- lists what is still an estimate. The box and the solids of `hull` are explained in spec 11 §9.

return {
    species = 10,
    key = "galor",
    name = "Galor",
    faction = "Cardassian",
    modifier_class = 1,
    selectable = true,

    class_sources = { shields = "engine" },
    mass = 60,
    rotational_inertia = 6000,
    bound_radius = 2.4762,
    impulse = {
        max_speed = 5.4, max_accel = 1.5, max_angular_accel = 0.15, max_angular_velocity = 0.3,
    },
    shields = { -- front, rear, top, bottom, left, right
        max = { 4000, 700, 2200, 1100, 2200, 2200 },
        rate = { 10, 1, 2, 2, 2, 2 },
    },
    power = {
        output = 500, main_battery = 120000, backup_battery = 50000, main_conduit = 550,
        backup_conduit = 150, draw_source = "documented",
    },
    repair = { max_points = 16, teams = 2 },
    ordnance = {
        { system = "torpedo_system", slot = 0, projectile = 5, ground = "script name",
          source = "estimate" },
    },
    hull = {
        box = { centre = { 0, -0.6, 0.05 }, half = { 1.4, 1.75, 0.4 }, source = "estimate" },
        solids = {
            -- main hull
            { kind = "ellipsoid", centre = { 0, -0.1, 0.02 }, half = { 1.25, 0.75, 0.24 } },
            -- bow
            { kind = "box", centre = { 0, 0.62, 0.05 }, half = { 0.25, 0.32, 0.2 } },
            -- tail
            { kind = "box", centre = { 0, -1.2, -0.02 }, half = { 0.2, 0.95, 0.15 } },
        },
    },

    source = {
        condition = "hardpoint", properties = "hardpoint", power = "documented",
        position = "hardpoint", order = "catalogue",
    },
    subsystems = {
        {
            type = "hull", name = "Hull", critical = true,
            max_condition = 5000, disabled_below = 0, repair_complexity = 2,
            position = { 0, 0, -0.1 }, radius = 0.5,
            source = { condition = "engine" },
        },
        {
            type = "shield", name = "Shield Generator",
            max_condition = 6000, disabled_below = 0.65, repair_complexity = 2,
            power_per_second = 200,
            position = { 0, 0.1, 0.13 }, radius = 0.15,
        },
        {
            type = "power", name = "Warp Core", critical = true,
            max_condition = 3200, disabled_below = 0.5, repair_complexity = 2,
            position = { 0, -0.3, -0.12 }, radius = 0.17,
        },
        {
            type = "phaser_system", name = "Compressors", targetable = false,
            max_condition = 5000, disabled_below = 0.75, repair_complexity = 7,
            power_per_second = 150,
            source = { condition = "estimate", properties = "estimate" },
            children = {
                {
                    name = "Forward Beam",
                    max_condition = 1600, disabled_below = 0.75, repair_complexity = 7,
                    position = { 0, 0.74, -0.0446 }, radius = 0.1,
                    source = { position = "estimate" },
                    weapon = { id = 1, max_damage = 400, max_damage_distance = 30, max_charge = 8,
                               min_firing_charge = 5, recharge_rate = 0.2, discharge_rate = 1,
                               forward = { 0, 1, 0 }, up = { 0, 0, 1 },
                               arc_width = { -0.872665, 0.872665 },
                               arc_height = { -1.134464, 0.349066 } },
                },
                {
                    name = "Port Beam",
                    max_condition = 800, disabled_below = 0.75, repair_complexity = 7,
                    position = { -1.1, -0.139, -0.024563 }, radius = 0.1,
                    source = { position = "estimate" },
                    weapon = { id = 2, max_damage = 200, max_damage_distance = 40, max_charge = 8,
                               min_firing_charge = 5, recharge_rate = 0.2, discharge_rate = 1,
                               forward = { -1, 0, 0 }, up = { 0, 0, 1 },
                               arc_width = { -1.396263, 1.570796 },
                               arc_height = { -0.698132, 1.221731 } },
                },
                {
                    name = "Star Beam",
                    max_condition = 800, disabled_below = 0.75, repair_complexity = 7,
                    position = { 1.1, -0.139, -0.024563 }, radius = 0.1,
                    source = { position = "estimate" },
                    weapon = { id = 3, max_damage = 200, max_damage_distance = 40, max_charge = 8,
                               min_firing_charge = 5, recharge_rate = 0.2, discharge_rate = 1,
                               forward = { 1, 0, 0 }, up = { 0, 0, 1 },
                               arc_width = { -1.570796, 1.396263 },
                               arc_height = { -0.698132, 1.221731 } },
                },
                {
                    name = "Aft Beam",
                    max_condition = 800, disabled_below = 0.75, repair_complexity = 7,
                    position = { 0, -2.06, 0.12 }, radius = 0.1,
                    source = { position = "estimate" },
                    weapon = { id = 4, max_damage = 200, max_damage_distance = 40, max_charge = 8,
                               min_firing_charge = 5, recharge_rate = 0.2, discharge_rate = 1,
                               forward = { 0, -1, 0 }, up = { 0, 0, 1 },
                               arc_width = { -0.698132, 0.698132 },
                               arc_height = { 0.087266, 0.610865 } },
                },
            },
        },
        {
            type = "torpedo_system", name = "Torpedoes", targetable = false,
            max_condition = 3000, disabled_below = 0.75, repair_complexity = 3,
            power_per_second = 50,
            source = { condition = "estimate", properties = "estimate" },
            children = {
                {
                    name = "Forward Torpedo",
                    max_condition = 1800, disabled_below = 0.75, repair_complexity = 3,
                    position = { 0, 0.752, -0.07 }, radius = 0.05,
                    weapon = { id = 0, reload_delay = 30, immediate_delay = 1.5, max_ready = 2,
                               dumbfire = true, forward = { 0, 1, 0 } },
                },
            },
        },
        {
            type = "impulse", name = "Impulse Engines", targetable = false,
            max_condition = 1200, disabled_below = 0.5, repair_complexity = 4,
            power_per_second = 50,
            position = { 0.4, -0.18, 0.02 }, radius = 0.08,
            children = {
                {
                    name = "Port Impulse",
                    max_condition = 3000, disabled_below = 0.5, repair_complexity = 4,
                    source = { condition = "estimate", properties = "inherited" },
                },
                {
                    name = "Starboard Impulse",
                    max_condition = 3000, disabled_below = 0.5, repair_complexity = 4,
                    source = { condition = "estimate", properties = "inherited" },
                },
            },
        },
        {
            type = "warp", name = "Warp Engine", targetable = false,
            max_condition = 3000, disabled_below = 0.5, repair_complexity = 3, power_per_second = 0,
            position = { 0, -0.4, 0.02 }, radius = 0.08,
            children = {
                {
                    name = "Warp Engine 1",
                    max_condition = 4000, disabled_below = 0.5, repair_complexity = 3,
                    source = { condition = "estimate", properties = "inherited" },
                },
            },
        },
        {
            type = "repair", name = "Repair Subsystem", targetable = false,
            max_condition = 1000, disabled_below = 0.1, repair_complexity = 4, power_per_second = 1,
            position = { 0, -1.603, 0.027 }, radius = 0.1,
        },
        {
            type = "sensor", name = "Sensor Array",
            max_condition = 5000, disabled_below = 0.5, repair_complexity = 1,
            power_per_second = 50,
            position = { 0, 0.75, 0.24 }, radius = 0.07,
        },
    },
}
