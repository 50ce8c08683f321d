-- data/ships/birdofprey.lua -- Bird of Prey, species 6.
--
-- Figures: docs/facts (ships, subsystems, weapons, power, ordnance), explained in spec 11; list
-- order: spec 03 §10. `source` below is the evidence for entries that name none of their own (spec
-- 11 §1.2), `class_sources` that of the figures of the ship. `starbase ships birdofprey --evidence`
-- lists what is still an estimate. The box and the solids of `hull` are explained in spec 11 §9.

return {
    species = 6,
    key = "birdofprey",
    name = "Bird of Prey",
    faction = "Klingon",
    modifier_class = 1,
    selectable = true,

    class_sources = { radius = "engine", mass = "engine", shields = "engine", impulse = "engine" },
    mass = 45,
    rotational_inertia = 2000,
    bound_radius = 1.349,
    cloak_strength = 90,
    impulse = {
        max_speed = 6.2, max_accel = 2.5, max_angular_accel = 0.35, max_angular_velocity = 0.5,
    },
    shields = { -- front, rear, top, bottom, left, right
        max = { 3000, 3000, 3000, 3000, 3000, 3000 },
        rate = { 20, 8, 8, 3, 3, 3 },
    },
    power = {
        output = 400, main_battery = 80000, backup_battery = 40000, main_conduit = 470,
        backup_conduit = 70, draw_source = "documented",
    },
    repair = { max_points = 16, teams = 1 },
    ordnance = {
        { system = "torpedo_system", slot = 0, projectile = 6, ground = "script name",
          source = "estimate" },
        { system = "pulse_system", slot = 0, projectile = 8, ground = "bolts of 110 measured",
          source = "engine" },
    },
    hull = {
        box = { centre = { 0, 0.13, -0.26 }, half = { 1.05, 0.78, 0.46 }, source = "estimate" },
        solids = {
            -- body
            { kind = "ellipsoid", centre = { 0, -0.2, 0.02 }, half = { 0.36, 0.42, 0.16 } },
            -- neck
            { kind = "box", centre = { 0, 0.38, 0 }, half = { 0.07, 0.28, 0.06 } },
            -- head
            { kind = "ellipsoid", centre = { 0, 0.72, -0.01 }, half = { 0.14, 0.17, 0.09 } },
            -- inner wings
            { kind = "ellipsoid", centre = { -0.5, -0.1, -0.2 }, half = { 0.25, 0.35, 0.14 } },
            { kind = "ellipsoid", centre = { 0.5, -0.1, -0.2 }, half = { 0.25, 0.35, 0.14 } },
            -- outer wings
            { kind = "ellipsoid", centre = { -0.85, 0.1, -0.5 }, half = { 0.19, 0.5, 0.2 } },
            { kind = "ellipsoid", centre = { 0.85, 0.1, -0.5 }, half = { 0.19, 0.5, 0.2 } },
        },
    },

    source = {
        condition = "engine", properties = "hardpoint", power = "documented", position = "engine",
        order = "engine", creation = "rule",
    },
    subsystems = {
        {
            type = "hull", name = "Hull", creation_index = 0, critical = true,
            max_condition = 4000, disabled_below = 0, repair_complexity = 3,
            position = { 0, -0.15, 0 }, radius = 0.5,
        },
        {
            type = "shield", name = "Shield Generator", creation_index = 1,
            max_condition = 5000, disabled_below = 0.75, repair_complexity = 2,
            power_per_second = 180,
            position = { 0, -0.1, 0.12 }, radius = 0.12,
        },
        {
            type = "power", name = "Warp Core", creation_index = 2, critical = true,
            max_condition = 2400, disabled_below = 0.5, repair_complexity = 2,
            position = { 0, -0.33, 0 }, radius = 0.19,
        },
        {
            type = "pulse_system", name = "Disruptor Cannons", creation_index = 3,
            targetable = false,
            max_condition = 600, disabled_below = 0.75, repair_complexity = 9,
            power_per_second = 80, single_fire = "no",
            position = { 0, 0.65, 0.03 }, radius = 0.1,
            source = { properties = "estimate", fire = "engine" },
            children = {
                {
                    name = "Port Cannon", creation_index = 4,
                    max_condition = 600, disabled_below = 0.75, repair_complexity = 9,
                    position = { -1.009, 0.45, -0.67 }, radius = 0.25,
                    source = { creation = "trace" },
                    weapon = { id = 1, max_damage = 200, max_damage_distance = 100,
                               max_charge = 3.8, min_firing_charge = 3.6, recharge_rate = 0.4,
                               discharge_rate = 1, forward = { 0, 1, 0 }, up = { 0, 0, 1 },
                               arc_width = { -0.436332, 0.436332 },
                               arc_height = { -0.436332, 0.436332 }, damage_radius_factor = 0.3,
                               cooldown_time = 0.2, source = "engine" },
                },
                {
                    name = "Star Cannon", creation_index = 5,
                    max_condition = 600, disabled_below = 0.75, repair_complexity = 9,
                    position = { 1.008, 0.45, -0.67 }, radius = 0.25,
                    source = { creation = "trace" },
                    weapon = { id = 2, max_damage = 200, max_damage_distance = 100,
                               max_charge = 3.8, min_firing_charge = 3.6, recharge_rate = 0.4,
                               discharge_rate = 1, forward = { 0, 1, 0 }, up = { 0, 0, 1 },
                               arc_width = { -0.436332, 0.436332 },
                               arc_height = { -0.436332, 0.436332 }, damage_radius_factor = 0.3,
                               cooldown_time = 0.2, source = "engine" },
                },
            },
        },
        {
            type = "torpedo_system", name = "Torpedoes", creation_index = 6, targetable = false,
            max_condition = 2200, disabled_below = 0.75, repair_complexity = 3,
            power_per_second = 50,
            position = { 0, 0.65, 0.04 }, radius = 0.09,
            source = { properties = "estimate" },
            children = {
                {
                    name = "Fwd Torpedo", creation_index = 7,
                    max_condition = 2200, disabled_below = 0.75, repair_complexity = 3,
                    position = { 0, 0.816025, -0.033764 }, radius = 0.08,
                    source = { creation = "trace" },
                    weapon = { id = 1, reload_delay = 20, immediate_delay = 0.25, max_ready = 1,
                               dumbfire = true, forward = { 0, 1, 0 } },
                },
            },
        },
        {
            type = "impulse", name = "Impulse Engines", creation_index = 8, targetable = false,
            max_condition = 2400, disabled_below = 0.5, repair_complexity = 4,
            power_per_second = 50,
            position = { -0.234938, -0.218531, -0.046803 }, radius = 0.12,
            children = {
                {
                    name = "Impulse Engine", creation_index = 9,
                    max_condition = 2400, disabled_below = 0.5, repair_complexity = 4,
                    position = { 0, -0.5, 0.03 }, radius = 0.15,
                    source = { properties = "inherited" },
                },
            },
        },
        {
            type = "warp", name = "Warp Engines", creation_index = 10, targetable = false,
            max_condition = 3200, disabled_below = 0.75, repair_complexity = 3,
            power_per_second = 0,
            position = { 0.237953, -0.306927, 0.053082 }, radius = 0.1,
            children = {
                {
                    name = "Port Warp", creation_index = 11,
                    max_condition = 1600, disabled_below = 0.75, repair_complexity = 3,
                    position = { -0.2, -0.2, 0 }, radius = 0.17,
                    source = { properties = "inherited" },
                },
                {
                    name = "Star Warp", creation_index = 12,
                    max_condition = 1600, disabled_below = 0.75, repair_complexity = 3,
                    position = { 0.2, -0.2, 0 }, radius = 0.17,
                    source = { properties = "inherited" },
                },
            },
        },
        {
            type = "cloak", name = "Cloaking Device", creation_index = 13,
            max_condition = 800, disabled_below = 0.75, repair_complexity = 6,
            power_per_second = 380, power_mode = "backup_only",
            position = { 0, 0.37, 0 }, radius = 0.07,
            source = { power = "hardpoint", creation = "trace" },
        },
        {
            type = "sensor", name = "Sensor Array", creation_index = 14,
            max_condition = 6000, disabled_below = 0.5, repair_complexity = 1,
            power_per_second = 50,
            position = { 0, 0.2, 0.09 }, radius = 0.08,
        },
        {
            type = "repair", name = "Engineering", creation_index = 15, targetable = false,
            max_condition = 400, disabled_below = 0.1, repair_complexity = 4, power_per_second = 1,
            position = { 0, -0.1, 0.1 }, radius = 0.15,
        },
    },
}
