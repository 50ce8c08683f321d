-- data/ships/vorcha.lua -- Vor'cha, species 7.
--
-- Figures: docs/facts (ships, subsystems, weapons, power, ordnance), explained in spec 11; list
-- order: spec 03 §10. `source` below is the evidence for entries that name none of their own (spec
-- 11 §1.2), `class_sources` that of the figures of the ship. `starbase ships vorcha --evidence`
-- lists what is still an estimate. The box and the solids of `hull` are explained in spec 11 §9.

return {
    species = 7,
    key = "vorcha",
    name = "Vor'cha",
    faction = "Klingon",
    modifier_class = 1,
    selectable = true,

    class_sources = { radius = "engine", mass = "engine", shields = "engine", impulse = "engine" },
    mass = 150,
    rotational_inertia = 15000,
    bound_radius = 3.237,
    cloak_strength = 95,
    impulse = {
        max_speed = 7.6, max_accel = 1.3, max_angular_accel = 0.11, max_angular_velocity = 0.22,
    },
    shields = { -- front, rear, top, bottom, left, right
        max = { 24000, 6000, 3500, 3000, 4500, 4500 },
        rate = { 28, 9, 2, 2, 2, 2 },
    },
    power = {
        output = 800, main_battery = 100000, backup_battery = 100000, main_conduit = 900,
        backup_conduit = 200, draw_source = "documented",
    },
    repair = { max_points = 32, teams = 2 },
    ordnance = {
        { system = "torpedo_system", slot = 0, projectile = 6, ground = "script name",
          source = "estimate" },
        { system = "pulse_system", slot = 0, projectile = 1, ground = "bolts of 200 measured",
          source = "engine" },
    },
    hull = {
        box = { centre = { 0, 0.7, -0.05 }, half = { 1.7, 2.4, 0.5 }, source = "estimate" },
        solids = {
            -- head
            { kind = "box", centre = { 0, 2.5, -0.02 }, half = { 0.3, 0.58, 0.17 } },
            -- neck
            { kind = "box", centre = { 0, 1.6, -0.03 }, half = { 0.2, 0.5, 0.17 } },
            -- main hull
            { kind = "ellipsoid", centre = { 0, 0.3, 0 }, half = { 1.1, 1.05, 0.33 } },
            -- nacelles
            { kind = "ellipsoid", centre = { -1.45, -0.1, -0.25 }, half = { 0.22, 1.2, 0.2 } },
            { kind = "ellipsoid", centre = { 1.45, -0.1, -0.25 }, half = { 0.22, 1.2, 0.2 } },
        },
    },

    source = {
        condition = "hardpoint", properties = "hardpoint", power = "documented",
        position = "hardpoint", order = "catalogue", creation = "rule",
    },
    subsystems = {
        {
            type = "hull", name = "Hull", creation_index = 0, critical = true,
            max_condition = 18000, disabled_below = 0, repair_complexity = 2,
            position = { 0, 0.8, 0 }, radius = 1.5,
            source = { condition = "engine" },
        },
        {
            type = "shield", name = "Shield Generator", creation_index = 1,
            max_condition = 10000, disabled_below = 0.75, repair_complexity = 2,
            power_per_second = 250,
            position = { 0, 1.1, -0.13 }, radius = 0.18,
        },
        {
            type = "power", name = "Warp Core", creation_index = 2, critical = true,
            max_condition = 7000, disabled_below = 0.5, repair_complexity = 2,
            position = { 0, -0.1, -0.07 }, radius = 0.3,
        },
        {
            type = "phaser_system", name = "Disruptor Beams", creation_index = 3,
            targetable = false,
            max_condition = 5000, disabled_below = 0.75, repair_complexity = 7,
            power_per_second = 50,
            source = { condition = "estimate", properties = "estimate", creation = "trace" },
            children = {
                {
                    name = "Disruptor", creation_index = 4,
                    max_condition = 2000, disabled_below = 0.75, repair_complexity = 7,
                    position = { 0, 2.95, -0.014608 }, radius = 0.2,
                    source = { position = "estimate" },
                    weapon = { id = 1, max_damage = 450, max_damage_distance = 60, max_charge = 8,
                               min_firing_charge = 4, recharge_rate = 0.35, discharge_rate = 1,
                               forward = { 0, 1, 0 }, up = { 0, 0, 1 },
                               arc_width = { -0.261799, 0.261799 },
                               arc_height = { -0.959931, 0.959931 } },
                },
            },
        },
        {
            type = "pulse_system", name = "Disruptor Cannons", creation_index = 5,
            targetable = false,
            max_condition = 5000, disabled_below = 0.75, repair_complexity = 9,
            power_per_second = 150, single_fire = "no",
            source = { condition = "estimate", properties = "estimate", fire = "engine" },
            children = {
                {
                    name = "Port Cannon", creation_index = 6,
                    max_condition = 1600, disabled_below = 0.75, repair_complexity = 9,
                    position = { -1.55, 0.2, -0.25 }, radius = 0.1,
                    source = { creation = "trace" },
                    weapon = { id = 2, max_damage = 400, max_damage_distance = 100,
                               max_charge = 3.3, min_firing_charge = 3, recharge_rate = 0.33,
                               discharge_rate = 1, forward = { 0, 1, 0 }, up = { 0, 0, 1 },
                               arc_width = { -0.349066, 0.349066 },
                               arc_height = { -0.349066, 0.349066 }, damage_radius_factor = 0.3,
                               cooldown_time = 0.8, source = "engine" },
                },
                {
                    name = "Star Cannon", creation_index = 7,
                    max_condition = 1600, disabled_below = 0.75, repair_complexity = 9,
                    position = { 1.55, 0.2, -0.25 }, radius = 0.1,
                    source = { creation = "trace" },
                    weapon = { id = 3, max_damage = 400, max_damage_distance = 100,
                               max_charge = 3.3, min_firing_charge = 3, recharge_rate = 0.33,
                               discharge_rate = 1, forward = { 0, 1, 0 }, up = { 0, 0, 1 },
                               arc_width = { -0.349066, 0.349066 },
                               arc_height = { -0.349066, 0.349066 }, damage_radius_factor = 0.3,
                               cooldown_time = 0.8, source = "engine" },
                },
            },
        },
        {
            type = "torpedo_system", name = "Torpedoes", creation_index = 8, targetable = false,
            max_condition = 5000, disabled_below = 0.75, repair_complexity = 3,
            power_per_second = 150,
            source = { condition = "estimate", properties = "estimate" },
            children = {
                {
                    name = "Fwd Torpedo 1", creation_index = 9,
                    max_condition = 2200, disabled_below = 0.75, repair_complexity = 3,
                    position = { -0.05, 2.9, -0.03 }, radius = 0.1,
                    weapon = { id = 0, reload_delay = 30, immediate_delay = 0.25, max_ready = 1,
                               dumbfire = true, forward = { 0, 1, 0 } },
                },
                {
                    name = "Fwd Torpedo 2", creation_index = 10,
                    max_condition = 2200, disabled_below = 0.75, repair_complexity = 3,
                    position = { 0.05, 2.9, -0.03 }, radius = 0.1,
                    weapon = { id = 1, reload_delay = 30, immediate_delay = 0.25, max_ready = 1,
                               dumbfire = true, forward = { 0, 1, 0 } },
                },
                {
                    name = "Aft Torpedo", creation_index = 11,
                    max_condition = 2200, disabled_below = 0.75, repair_complexity = 3,
                    position = { 0, -0.5, -0.03 }, radius = 0.2,
                    weapon = { id = 2, reload_delay = 30, immediate_delay = 0.25, max_ready = 1,
                               dumbfire = true, forward = { 0, -1, 0 } },
                },
            },
        },
        {
            type = "impulse", name = "Impulse Engines", creation_index = 12, targetable = false,
            max_condition = 6000, disabled_below = 0.5, repair_complexity = 4,
            power_per_second = 100,
            position = { -0.707087, -0.11634, -0.1 }, radius = 0.2,
            children = {
                {
                    name = "Port Impulse", creation_index = 13,
                    max_condition = 3000, disabled_below = 0.5, repair_complexity = 4,
                    source = { condition = "estimate", properties = "inherited" },
                },
                {
                    name = "Starboard Impulse", creation_index = 14,
                    max_condition = 3000, disabled_below = 0.5, repair_complexity = 4,
                    source = { condition = "estimate", properties = "inherited" },
                },
            },
        },
        {
            type = "warp", name = "Warp Engines", creation_index = 15, targetable = false,
            max_condition = 10000, disabled_below = 0.75, repair_complexity = 3,
            power_per_second = 0,
            position = { -0.014205, 0.90963, 0 }, radius = 0.2,
            children = {
                {
                    name = "Port Warp", creation_index = 16,
                    max_condition = 4000, disabled_below = 0.75, repair_complexity = 3,
                    source = { condition = "estimate", properties = "inherited" },
                },
                {
                    name = "Starboard Warp", creation_index = 17,
                    max_condition = 4000, disabled_below = 0.75, repair_complexity = 3,
                    source = { condition = "estimate", properties = "inherited" },
                },
            },
        },
        {
            type = "cloak", name = "Cloaking Device", creation_index = 18,
            max_condition = 2000, disabled_below = 0.75, repair_complexity = 6,
            power_per_second = 700, power_mode = "backup_only",
            position = { 0, 2, -0.07 }, radius = 0.2,
            source = { power = "hardpoint" },
        },
        {
            type = "sensor", name = "Sensor Array", creation_index = 19,
            max_condition = 7000, disabled_below = 0.75, repair_complexity = 1,
            power_per_second = 100,
            position = { 0, 2.2, 0.15 }, radius = 0.13,
        },
        {
            type = "repair", name = "Repair System", creation_index = 20, targetable = false,
            max_condition = 800, disabled_below = 0.1, repair_complexity = 10, power_per_second = 1,
            position = { -0.364869, 0.325853, -0.05 }, radius = 0.15,
            source = { creation = "trace" },
        },
        {
            type = "tractor_system", name = "Tractors", creation_index = 21, targetable = false,
            max_condition = 3000, disabled_below = 0.75, repair_complexity = 7,
            power_per_second = 700, power_mode = "main_battery",
            source = { condition = "estimate", properties = "estimate" },
            children = {
                {
                    name = "Aft Tractor", creation_index = 22,
                    max_condition = 1200, disabled_below = 0.75, repair_complexity = 7,
                    position = { 0, -0.5, 0.2 }, radius = 0.15,
                    weapon = { id = 7, max_damage = 70, max_damage_distance = 120, max_charge = 5,
                               min_firing_charge = 3, recharge_rate = 0.3, discharge_rate = 1,
                               forward = { 0, -1, 0 }, up = { 0, 0, 1 },
                               arc_width = { -0.523599, 0.523599 },
                               arc_height = { -0.523599, 0.523599 } },
                },
                {
                    name = "Forward Tractor", creation_index = 23,
                    max_condition = 1200, disabled_below = 0.75, repair_complexity = 7,
                    position = { 0, 1.5, -0.18 }, radius = 0.2,
                    weapon = { id = 7, max_damage = 70, max_damage_distance = 120, max_charge = 5,
                               min_firing_charge = 3, recharge_rate = 0.3, discharge_rate = 1,
                               forward = { 0, 1, 0 }, up = { 0, 0, 1 },
                               arc_width = { -0.523599, 0.523599 }, arc_height = { -1.047198, 0 } },
                },
            },
        },
    },
}
