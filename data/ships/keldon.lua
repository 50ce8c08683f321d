-- data/ships/keldon.lua -- Keldon, species 11.
--
-- Figures: docs/facts (ships, subsystems, weapons, power, ordnance), explained in spec 11; list
-- order: spec 03 §10. `source` below is the evidence for entries that name none of their own (spec
-- 11 §1.2), `class_sources` that of the figures of the ship. `starbase ships keldon --evidence`
-- lists what is still an estimate. The box and the solids of `hull` are explained in spec 11 §9.

return {
    species = 11,
    key = "keldon",
    name = "Keldon",
    faction = "Cardassian",
    modifier_class = 1,
    selectable = true,

    class_sources = { shields = "engine" },
    mass = 80,
    rotational_inertia = 8000,
    bound_radius = 3.2508,
    impulse = {
        max_speed = 5.7, max_accel = 1.5, max_angular_accel = 0.15, max_angular_velocity = 0.3,
    },
    shields = { -- front, rear, top, bottom, left, right
        max = { 5500, 1100, 3300, 2200, 3300, 3300 },
        rate = { 12, 2, 5, 5, 5, 5 },
    },
    power = {
        output = 600, main_battery = 140000, backup_battery = 50000, main_conduit = 700,
        backup_conduit = 100, draw_source = "documented",
    },
    repair = { max_points = 20, teams = 2 },
    ordnance = {
        { system = "torpedo_system", slot = 0, projectile = 5, ground = "script name",
          source = "estimate" },
    },
    hull = {
        box = { centre = { 0, -0.81, 0.14 }, half = { 1.65, 2.1, 0.5 }, source = "estimate",
                centre_source = "engine" },
        solids = {
            -- main hull
            { kind = "ellipsoid", centre = { 0, -0.1, 0.02 }, half = { 1.55, 0.95, 0.33 } },
            -- bow
            { kind = "box", centre = { 0, 0.87, 0.05 }, half = { 0.35, 0.35, 0.25 } },
            -- superstructure
            { kind = "box", centre = { 0, -1.2, 0.3 }, half = { 0.45, 1, 0.25 } },
            -- tail
            { kind = "box", centre = { 0, -2, 0.1 }, half = { 0.22, 0.88, 0.2 } },
        },
    },

    source = {
        condition = "hardpoint", properties = "hardpoint", power = "documented",
        position = "hardpoint", order = "catalogue",
    },
    subsystems = {
        {
            type = "hull", name = "Hull", critical = true,
            max_condition = 6000, disabled_below = 0, repair_complexity = 2,
            position = { 0, -0.184, -0.08 }, radius = 0.8,
            source = { condition = "engine" },
        },
        {
            type = "shield", name = "Shield Generator",
            max_condition = 9000, disabled_below = 0.75, repair_complexity = 2,
            power_per_second = 200,
            position = { 0, -0.8, 0.4 }, radius = 0.3,
        },
        {
            type = "power", name = "Warp Core", critical = true,
            max_condition = 4000, disabled_below = 0.5, repair_complexity = 2,
            position = { 0, -0.5, 0 }, radius = 0.47,
        },
        {
            type = "phaser_system", name = "Compressors", targetable = false,
            max_condition = 5000, disabled_below = 0.75, repair_complexity = 7,
            power_per_second = 200,
            source = { condition = "estimate", properties = "estimate" },
            children = {
                {
                    name = "Forward Beam",
                    max_condition = 1600, disabled_below = 0.75, repair_complexity = 7,
                    position = { 0, 1.02, -0.001947 }, radius = 0.1,
                    source = { position = "estimate" },
                    weapon = { id = 1, max_damage = 400, max_damage_distance = 30, max_charge = 8,
                               min_firing_charge = 5, recharge_rate = 0.1, discharge_rate = 1,
                               forward = { 0, 1, 0 }, up = { 0, 0, 1 },
                               arc_width = { -1.134464, 1.134464 },
                               arc_height = { -1.134464, 0.349066 } },
                },
                {
                    name = "Port Beam",
                    max_condition = 1600, disabled_below = 0.75, repair_complexity = 7,
                    position = { -1.41, -0.18, 0.008038 }, radius = 0.3,
                    source = { position = "estimate" },
                    weapon = { id = 2, max_damage = 200, max_damage_distance = 40, max_charge = 8,
                               min_firing_charge = 5, recharge_rate = 0.2, discharge_rate = 1,
                               forward = { 0, 1, 0 }, up = { 0, 0, 1 },
                               arc_width = { -3.141593, -0.174533 },
                               arc_height = { -0.698132, 1.221731 } },
                },
                {
                    name = "Star Beam",
                    max_condition = 1600, disabled_below = 0.75, repair_complexity = 7,
                    position = { 1.485, -0.18, 0.008038 }, radius = 0.3,
                    source = { position = "estimate" },
                    weapon = { id = 3, max_damage = 200, max_damage_distance = 40, max_charge = 8,
                               min_firing_charge = 5, recharge_rate = 0.2, discharge_rate = 1,
                               forward = { 0, 1, 0 }, up = { 0, 0, 1 },
                               arc_width = { 0.174533, 3.141593 },
                               arc_height = { -0.698132, 1.221731 } },
                },
                {
                    name = "Aft Beam",
                    max_condition = 800, disabled_below = 0.75, repair_complexity = 7,
                    position = { 0.02, -2.7, 0.22 }, radius = 0.2,
                    source = { position = "estimate" },
                    weapon = { id = 4, max_damage = 200, max_damage_distance = 40, max_charge = 8,
                               min_firing_charge = 5, recharge_rate = 0.1, discharge_rate = 1,
                               forward = { 0, -1, 0 }, up = { 0, 0, 1 },
                               arc_width = { -0.698132, 0.698132 },
                               arc_height = { 0.087266, 0.610865 } },
                },
            },
        },
        {
            type = "torpedo_system", name = "Torpedoes", targetable = false,
            max_condition = 4000, disabled_below = 0.75, repair_complexity = 3,
            power_per_second = 70,
            source = { condition = "estimate", properties = "estimate" },
            children = {
                {
                    name = "Forward Torpedo",
                    max_condition = 1800, disabled_below = 0.75, repair_complexity = 3,
                    position = { 0.02, 1.03208, -0.03 }, radius = 0.1,
                    weapon = { id = 1, reload_delay = 30, immediate_delay = 1.5, max_ready = 2,
                               dumbfire = true, forward = { 0, 1, 0 } },
                },
                {
                    name = "Aft Torpedo",
                    max_condition = 1800, disabled_below = 0.75, repair_complexity = 3,
                    position = { 0.03, -2, 0.33 }, radius = 0.15,
                    weapon = { id = 2, reload_delay = 30, immediate_delay = 1.5, max_ready = 1,
                               dumbfire = true, forward = { 0, -1, 0 } },
                },
            },
        },
        {
            type = "impulse", name = "Impulse Engines", targetable = false,
            max_condition = 2800, disabled_below = 0.5, repair_complexity = 4,
            power_per_second = 70,
            position = { 0.63, -0.158, 0.02 }, radius = 0.15,
            children = {
                {
                    name = "Impulse 1",
                    max_condition = 3000, disabled_below = 0.5, repair_complexity = 4,
                    source = { condition = "estimate", properties = "inherited" },
                },
                {
                    name = "Impulse 2",
                    max_condition = 3000, disabled_below = 0.5, repair_complexity = 4,
                    source = { condition = "estimate", properties = "inherited" },
                },
                {
                    name = "Impulse 3",
                    max_condition = 3000, disabled_below = 0.5, repair_complexity = 4,
                    source = { condition = "estimate", properties = "inherited" },
                },
                {
                    name = "Impulse 4",
                    max_condition = 3000, disabled_below = 0.5, repair_complexity = 4,
                    source = { condition = "estimate", properties = "inherited" },
                },
            },
        },
        {
            type = "warp", name = "Warp Engine", targetable = false,
            max_condition = 3000, disabled_below = 0.75, repair_complexity = 3,
            power_per_second = 0,
            position = { -0.63, -0.158, 0.02 }, radius = 0.15,
            children = {
                {
                    name = "Warp Engine 1",
                    max_condition = 5000, disabled_below = 0.75, repair_complexity = 3,
                    source = { condition = "estimate", properties = "inherited" },
                },
            },
        },
        {
            type = "sensor", name = "Sensor Array",
            max_condition = 5000, disabled_below = 0.5, repair_complexity = 1,
            power_per_second = 50,
            position = { 0.02, 1.06576, 0.34 }, radius = 0.15,
        },
        {
            type = "repair", name = "Repair Subsystem", targetable = false,
            max_condition = 1000, disabled_below = 0.1, repair_complexity = 4, power_per_second = 1,
            position = { 0.02335, -2.36942, -0.01 }, radius = 0.1,
        },
        {
            type = "tractor_system", name = "Tractors", targetable = false,
            max_condition = 3000, disabled_below = 0.75, repair_complexity = 7,
            power_per_second = 400, power_mode = "main_battery",
            source = { condition = "estimate", properties = "estimate" },
            children = {
                {
                    name = "Ventral Tractor",
                    max_condition = 1000, disabled_below = 0.75, repair_complexity = 7,
                    position = { 0, 0, -0.29 }, radius = 0.3,
                    weapon = { id = 7, max_damage = 40, max_damage_distance = 80, max_charge = 5,
                               min_firing_charge = 3, recharge_rate = 0.3, discharge_rate = 1,
                               forward = { 0, 0, -1 }, up = { 0, 1, 0 },
                               arc_width = { -0.436332, 0.436332 },
                               arc_height = { -1.221731, 1.047198 } },
                },
                {
                    name = "Dorsal Tractor",
                    max_condition = 1000, disabled_below = 0.75, repair_complexity = 7,
                    position = { 0, -1.98, 0.3 }, radius = 0.2,
                    weapon = { id = 7, max_damage = 40, max_damage_distance = 80, max_charge = 5,
                               min_firing_charge = 3, recharge_rate = 0.3, discharge_rate = 1,
                               forward = { 0, -1, 0 }, up = { 0, 0, 1 },
                               arc_width = { -0.698132, 0.698132 },
                               arc_height = { -0.034907, 1.047198 } },
                },
            },
        },
    },
}
