-- data/ships/kessoklight.lua -- Kessok Light, species 14.
--
-- Figures: docs/facts (ships, subsystems, weapons, power, ordnance), explained in spec 11; list
-- order: spec 03 §10. `source` below is the evidence for entries that name none of their own (spec
-- 11 §1.2), `class_sources` that of the figures of the ship. `starbase ships kessoklight
-- --evidence` lists what is still an estimate. The box and the solids of `hull` are explained in
-- spec 11 §9.

return {
    species = 14,
    key = "kessoklight",
    name = "Kessok Light",
    faction = "Kessok",
    modifier_class = 1,
    selectable = true,

    mass = 140,
    rotational_inertia = 10000,
    bound_radius = 2.6973,
    cloak_strength = 50,
    impulse = {
        max_speed = 3.8, max_accel = 0.8, max_angular_accel = 0.15, max_angular_velocity = 0.28,
    },
    shields = { -- front, rear, top, bottom, left, right
        max = { 6000, 3000, 12000, 2000, 3000, 3000 },
        rate = { 16, 12, 30, 2, 12, 12 },
    },
    power = {
        output = 900, main_battery = 120000, backup_battery = 80000, main_conduit = 1000,
        backup_conduit = 50, draw_source = "estimate",
    },
    repair = { max_points = 90, teams = 4 },
    ordnance = {
        { system = "torpedo_system", slot = 0, projectile = 7, ground = "system is called Positron",
          source = "estimate" },
    },
    hull = {
        box = { centre = { 0, -0.35, 0 }, half = { 1.2, 2.1, 0.55 }, source = "estimate" },
        solids = {
            -- hull
            { kind = "ellipsoid", centre = { 0, -0.1, 0 }, half = { 0.39, 1.83, 0.35 } },
            -- pods
            { kind = "ellipsoid", centre = { -0.75, -1.35, -0.2 }, half = { 0.4, 0.95, 0.25 } },
            { kind = "ellipsoid", centre = { 0.75, -1.35, -0.2 }, half = { 0.4, 0.95, 0.25 } },
        },
    },

    source = {
        condition = "hardpoint", properties = "hardpoint", power = "estimate",
        position = "hardpoint", order = "catalogue",
    },
    subsystems = {
        {
            type = "hull", name = "Hull", critical = true,
            max_condition = 7000, disabled_below = 0, repair_complexity = 2,
            position = { 0, 0, 0 }, radius = 1.2,
        },
        {
            type = "power", name = "Warp Core", critical = true,
            max_condition = 6000, disabled_below = 0.5, repair_complexity = 2,
            position = { 0, -1.5, -0.2 }, radius = 0.35,
        },
        {
            type = "torpedo_system", name = "Torpedoes", targetable = false,
            max_condition = 4000, disabled_below = 0.75, repair_complexity = 3,
            power_per_second = 100,
            source = { condition = "estimate", properties = "estimate" },
            children = {
                {
                    name = "Torpedo",
                    max_condition = 2400, disabled_below = 0.75, repair_complexity = 3,
                    position = { 0, 1.5, -0.15 }, radius = 0.16,
                    weapon = { id = 0, reload_delay = 50, immediate_delay = 0.25, max_ready = 1,
                               dumbfire = true, forward = { 0, 1, 0 } },
                },
            },
        },
        {
            type = "repair", name = "Repair System",
            max_condition = 2000, disabled_below = 0, repair_complexity = 20, power_per_second = 1,
            position = { 0, -0.6, 0 }, radius = 0.3,
        },
        {
            type = "shield", name = "Shield Generator",
            max_condition = 10000, disabled_below = 0.75, repair_complexity = 2,
            power_per_second = 350,
            position = { 0, -0.5, 0.15 }, radius = 0.3,
        },
        {
            type = "sensor", name = "Sensor Array",
            max_condition = 9000, disabled_below = 0.5, repair_complexity = 1,
            power_per_second = 100,
            position = { 0, -1.1, 0.27 }, radius = 0.25,
        },
        {
            type = "impulse", name = "Impulse Engines", targetable = false,
            max_condition = 2000, disabled_below = 0.5, repair_complexity = 3,
            power_per_second = 100,
            position = { 0, 0, 0 }, radius = 0.25,
            children = {
                {
                    name = "Port Impulse",
                    max_condition = 3000, disabled_below = 0.5, repair_complexity = 3,
                    source = { condition = "estimate", properties = "inherited" },
                },
                {
                    name = "Starboard Impulse",
                    max_condition = 3000, disabled_below = 0.5, repair_complexity = 3,
                    source = { condition = "estimate", properties = "inherited" },
                },
            },
        },
        {
            type = "warp", name = "Warp Engines", targetable = false,
            max_condition = 4000, disabled_below = 0.5, repair_complexity = 3, power_per_second = 0,
            position = { 0, 0, 0 }, radius = 0.25,
            children = {
                {
                    name = "Port Warp",
                    max_condition = 3000, disabled_below = 0.5, repair_complexity = 3,
                    source = { condition = "estimate", properties = "inherited" },
                },
                {
                    name = "Starboard Warp",
                    max_condition = 3000, disabled_below = 0.5, repair_complexity = 3,
                    source = { condition = "estimate", properties = "inherited" },
                },
            },
        },
        {
            type = "phaser_system", name = "Beams", targetable = false,
            max_condition = 7000, disabled_below = 0.75, repair_complexity = 7,
            power_per_second = 300,
            source = { condition = "estimate", properties = "estimate" },
            children = {
                {
                    name = "Forward Beam 1",
                    max_condition = 2400, disabled_below = 0.75, repair_complexity = 7,
                    position = { -0.8, -1.25, -0.3 }, radius = 0.25,
                    source = { position = "estimate" },
                    weapon = { id = 2, max_damage = 400, max_damage_distance = 200, max_charge = 7,
                               min_firing_charge = 4, recharge_rate = 0.17, discharge_rate = 1,
                               forward = { 0, 1, 0 }, up = { 0, 0, 1 },
                               arc_width = { -0.174533, 0.174533 },
                               arc_height = { -0.261799, 0.261799 } },
                },
                {
                    name = "Forward Beam 2",
                    max_condition = 2400, disabled_below = 0.75, repair_complexity = 7,
                    position = { 0.8, -1.25, -0.3 }, radius = 0.25,
                    source = { position = "estimate" },
                    weapon = { id = 3, max_damage = 400, max_damage_distance = 200, max_charge = 7,
                               min_firing_charge = 4, recharge_rate = 0.17, discharge_rate = 1,
                               forward = { 0, 1, 0 }, up = { 0, 0, 1 },
                               arc_width = { -0.174533, 0.174533 },
                               arc_height = { -0.261799, 0.261799 } },
                },
                {
                    name = "Port Beam 1",
                    max_condition = 1200, disabled_below = 0.75, repair_complexity = 7,
                    position = { -0.24, 0.37, 0 }, radius = 0.2,
                    source = { position = "estimate" },
                    weapon = { id = 1, max_damage = 200, max_damage_distance = 120, max_charge = 7,
                               min_firing_charge = 4, recharge_rate = 0.05, discharge_rate = 1,
                               forward = { -1, 0, 0 }, up = { 0, 0, 1 },
                               arc_width = { -1.134464, 1.047198 },
                               arc_height = { -0.349066, 1.396263 } },
                },
                {
                    name = "Port Beam 2",
                    max_condition = 1200, disabled_below = 0.75, repair_complexity = 7,
                    position = { -0.57, -1.6, -0.1 }, radius = 0.2,
                    source = { position = "estimate" },
                    weapon = { id = 1, max_damage = 150, max_damage_distance = 120, max_charge = 7,
                               min_firing_charge = 4, recharge_rate = 0.05, discharge_rate = 1,
                               forward = { -1, 0, 0 }, up = { 0, 0, 1 },
                               arc_width = { -1.047198, 1.134464 },
                               arc_height = { -0.349066, 1.396263 } },
                },
                {
                    name = "Star Beam 1",
                    max_condition = 1200, disabled_below = 0.75, repair_complexity = 7,
                    position = { 0.24, 0.37, 0 }, radius = 0.2,
                    source = { position = "estimate" },
                    weapon = { id = 4, max_damage = 200, max_damage_distance = 120, max_charge = 7,
                               min_firing_charge = 4, recharge_rate = 0.05, discharge_rate = 1,
                               forward = { 1, 0, 0 }, up = { 0, 0, 1 },
                               arc_width = { -1.047198, 1.134464 },
                               arc_height = { -0.349066, 1.396263 } },
                },
                {
                    name = "Star Beam 2",
                    max_condition = 1200, disabled_below = 0.75, repair_complexity = 7,
                    position = { 0.57, -1.6, -0.1 }, radius = 0.2,
                    source = { position = "estimate" },
                    weapon = { id = 4, max_damage = 150, max_damage_distance = 120, max_charge = 7,
                               min_firing_charge = 4, recharge_rate = 0.05, discharge_rate = 1,
                               forward = { 1, 0, 0 }, up = { 0, 0, 1 },
                               arc_width = { -1.134464, 1.047198 },
                               arc_height = { -0.349066, 1.396263 } },
                },
                {
                    name = "Aft Beam 1",
                    max_condition = 1200, disabled_below = 0.75, repair_complexity = 7,
                    position = { -0.45, -2.2, -0.1 }, radius = 0.1,
                    source = { position = "estimate" },
                    weapon = { id = 6, max_damage = 200, max_damage_distance = 120, max_charge = 7,
                               min_firing_charge = 4, recharge_rate = 0.05, discharge_rate = 1,
                               forward = { 0, -1, 0 }, up = { 0, 0, 1 },
                               arc_width = { -0.349066, 0.349066 },
                               arc_height = { -0.523599, 0.523599 } },
                },
                {
                    name = "Aft Beam 2",
                    max_condition = 1200, disabled_below = 0.75, repair_complexity = 7,
                    position = { 0.45, -2.2, -0.1 }, radius = 0.1,
                    source = { position = "estimate" },
                    weapon = { id = 7, max_damage = 200, max_damage_distance = 120, max_charge = 7,
                               min_firing_charge = 4, recharge_rate = 0.05, discharge_rate = 1,
                               forward = { 0, -1, 0 }, up = { 0, 0, 1 },
                               arc_width = { -0.349066, 0.349066 },
                               arc_height = { -0.523599, 0.523599 } },
                },
            },
        },
        {
            type = "cloak", name = "Cloaking Device",
            max_condition = 1500, disabled_below = 0.75, repair_complexity = 6,
            power_per_second = 700, power_mode = "backup_only",
            position = { 0, -0.27, 0 }, radius = 0.28,
            source = { power = "hardpoint" },
        },
    },
}
