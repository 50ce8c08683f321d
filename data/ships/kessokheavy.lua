-- data/ships/kessokheavy.lua -- Kessok Heavy, species 13.
--
-- Figures: docs/facts (ships, subsystems, weapons, power, ordnance), explained in spec 11; list
-- order: spec 03 §10. `source` below is the evidence for entries that name none of their own (spec
-- 11 §1.2), `class_sources` that of the figures of the ship. `starbase ships kessokheavy
-- --evidence` lists what is still an estimate. The box and the solids of `hull` are explained in
-- spec 11 §9.

return {
    species = 13,
    key = "kessokheavy",
    name = "Kessok Heavy",
    faction = "Kessok",
    modifier_class = 1,
    selectable = true,

    class_sources = { radius = "engine", mass = "engine", shields = "engine", impulse = "engine" },
    mass = 500,
    rotational_inertia = 15000,
    bound_radius = 6.174,
    cloak_strength = 50,
    impulse = {
        max_speed = 3.7, max_accel = 2.5, max_angular_accel = 0.11, max_angular_velocity = 0.22,
    },
    shields = { -- front, rear, top, bottom, left, right
        max = { 8500, 5000, 20000, 2500, 5000, 5000 },
        rate = { 20, 12, 40, 2, 12, 12 },
    },
    power = {
        output = 1400, main_battery = 100000, backup_battery = 100000, main_conduit = 1500,
        backup_conduit = 100, draw_source = "documented",
    },
    repair = { max_points = 140, teams = 4 },
    ordnance = {
        { system = "torpedo_system", slot = 0, projectile = 7, ground = "hits of 2200 measured",
          source = "engine" },
    },
    hull = {
        box = { centre = { 0, -1.8, -0.3 }, half = { 4, 3.9, 1.2 }, source = "estimate" },
        solids = {
            -- hull
            { kind = "ellipsoid", centre = { 0, -0.55, -0.35 }, half = { 1.9, 2.55, 0.5 } },
            -- wings
            { kind = "ellipsoid", centre = { -2.9, -0.8, -0.8 }, half = { 1.1, 2.2, 0.5 } },
            { kind = "ellipsoid", centre = { 2.9, -0.8, -0.8 }, half = { 1.1, 2.2, 0.5 } },
            -- engine blocks
            { kind = "box", centre = { -1.5, -4.6, 0.4 }, half = { 0.5, 0.9, 0.4 } },
            { kind = "box", centre = { 1.5, -4.6, 0.4 }, half = { 0.5, 0.9, 0.4 } },
        },
    },

    source = {
        condition = "engine", properties = "hardpoint", power = "documented", position = "engine",
        order = "engine",
    },
    subsystems = {
        {
            type = "hull", name = "Hull", critical = true,
            max_condition = 18000, disabled_below = 0, repair_complexity = 2,
            position = { 0, -1, -0.3 }, radius = 3.4,
        },
        {
            type = "power", name = "Warp Core", critical = true,
            max_condition = 7000, disabled_below = 0.5, repair_complexity = 2,
            position = { 0, -1.6, -0.35 }, radius = 0.5,
        },
        {
            type = "impulse", name = "Impulse Engines", targetable = false,
            max_condition = 8000, disabled_below = 0.5, repair_complexity = 4,
            power_per_second = 200,
            position = { 0, 0, -0.1 }, radius = 0.25,
            children = {
                {
                    name = "Port Impulse",
                    max_condition = 5000, disabled_below = 0.5, repair_complexity = 4,
                    position = { -1.5, -5.2, 0.5 }, radius = 1.2,
                    source = { properties = "inherited" },
                },
                {
                    name = "Star Impulse",
                    max_condition = 5000, disabled_below = 0.5, repair_complexity = 4,
                    position = { 1.5, -5.2, 0.5 }, radius = 1.2,
                    source = { properties = "inherited" },
                },
            },
        },
        {
            type = "warp", name = "Warp Engines", targetable = false,
            max_condition = 10000, disabled_below = 0.5, repair_complexity = 3,
            power_per_second = 0,
            position = { 0, 1.2, -0.3 }, radius = 0.25,
            children = {
                {
                    name = "Port Warp",
                    max_condition = 7000, disabled_below = 0.5, repair_complexity = 3,
                    position = { -3.8, -0.8, -1 }, radius = 2.5,
                    source = { properties = "inherited" },
                },
                {
                    name = "Star Warp",
                    max_condition = 7000, disabled_below = 0.5, repair_complexity = 3,
                    position = { 3.8, -0.8, -1 }, radius = 2.5,
                    source = { properties = "inherited" },
                },
            },
        },
        {
            type = "phaser_system", name = "Positron Beams", targetable = false,
            max_condition = 9000, disabled_below = 0.75, repair_complexity = 7,
            power_per_second = 200, single_fire = "no",
            position = { 0, 0, -0.2 }, radius = 0.3,
            source = { properties = "estimate", fire = "engine" },
            children = {
                {
                    name = "Forward Beam 1",
                    max_condition = 2400, disabled_below = 0.75, repair_complexity = 7,
                    position = { -1.15, 1.81, -0.3 }, radius = 0.25, mount = { -1.15, 1.8, -0.3 },
                    weapon = { id = 1, max_damage = 400, max_damage_distance = 200, max_charge = 7,
                               min_firing_charge = 4, recharge_rate = 0.17, discharge_rate = 1,
                               forward = { 0, 1, 0 }, up = { 0, 0, 1 },
                               arc_width = { -0.349066, 0.349066 },
                               arc_height = { -1.047198, 1.221731 }, damage_radius_factor = 0.15,
                               source = "engine" },
                },
                {
                    name = "Forward Beam 2",
                    max_condition = 2400, disabled_below = 0.75, repair_complexity = 7,
                    position = { 1.15, 1.81, -0.3 }, radius = 0.25, mount = { 1.15, 1.8, -0.3 },
                    weapon = { id = 2, max_damage = 400, max_damage_distance = 200, max_charge = 7,
                               min_firing_charge = 4, recharge_rate = 0.17, discharge_rate = 1,
                               forward = { 0, 1, 0 }, up = { 0, 0, 1 },
                               arc_width = { -0.349066, 0.349066 },
                               arc_height = { -1.047198, 1.22173 }, damage_radius_factor = 0.15,
                               source = "engine" },
                },
                {
                    name = "Ventral Beam 1",
                    max_condition = 1200, disabled_below = 0.75, repair_complexity = 7,
                    position = { -0.5, 0.39, -0.65 }, radius = 0.3, mount = { -0.5, 0.4, -0.65 },
                    weapon = { id = 3, max_damage = 200, max_damage_distance = 120, max_charge = 7,
                               min_firing_charge = 4, recharge_rate = 0.05, discharge_rate = 1,
                               forward = { 0, -1, 0 }, up = { 0, 0, 1 },
                               arc_width = { -0.261799, 0.261799 },
                               arc_height = { -2.268928, -0.05236 }, source = "engine" },
                },
                {
                    name = "Ventral Beam 2",
                    max_condition = 1200, disabled_below = 0.75, repair_complexity = 7,
                    position = { 0.5, 0.39, -0.65 }, radius = 0.3, mount = { 0.5, 0.4, -0.65 },
                    weapon = { id = 3, max_damage = 200, max_damage_distance = 120, max_charge = 7,
                               min_firing_charge = 4, recharge_rate = 0.05, discharge_rate = 1,
                               forward = { 0, -1, 0 }, up = { 0, 0, 1 },
                               arc_width = { -0.261799, 0.261799 },
                               arc_height = { -2.268928, -0.05236 }, source = "engine" },
                },
                {
                    name = "Dorsal Beam 1",
                    max_condition = 1200, disabled_below = 0.75, repair_complexity = 7,
                    position = { -0.5, 0.41, -0.18 }, radius = 0.3, mount = { -0.5, 0.4, -0.18 },
                    weapon = { id = 3, max_damage = 200, max_damage_distance = 120, max_charge = 7,
                               min_firing_charge = 4, recharge_rate = 0.05, discharge_rate = 1,
                               forward = { 0, 1, 0 }, up = { 0, 0, 1 },
                               arc_width = { -0.872665, 0.872665 },
                               arc_height = { 0.872665, 2.792527 }, source = "engine" },
                },
                {
                    name = "Dorsal Beam 2",
                    max_condition = 1200, disabled_below = 0.75, repair_complexity = 7,
                    position = { 0.5, 0.41, -0.18 }, radius = 0.3, mount = { 0.5, 0.4, -0.18 },
                    weapon = { id = 3, max_damage = 200, max_damage_distance = 120, max_charge = 7,
                               min_firing_charge = 4, recharge_rate = 0.05, discharge_rate = 1,
                               forward = { 0, 1, 0 }, up = { 0, 0, 1 },
                               arc_width = { -0.872665, 0.872665 },
                               arc_height = { 0.872665, 2.792527 }, source = "engine" },
                },
                {
                    name = "Forward Beam 3",
                    max_condition = 2400, disabled_below = 0.75, repair_complexity = 7,
                    position = { -1.6, -3.49, 0.5 }, radius = 0.25, mount = { -1.6, -3.5, 0.5 },
                    weapon = { id = 1, max_damage = 400, max_damage_distance = 200, max_charge = 7,
                               min_firing_charge = 4, recharge_rate = 0.17, discharge_rate = 1,
                               forward = { 0, 1, 0 }, up = { 0, 0, 1 },
                               arc_width = { -0.349066, 0.349066 },
                               arc_height = { -0.05236, 1.22173 }, damage_radius_factor = 0.15,
                               source = "engine" },
                },
                {
                    name = "Forward Beam 4",
                    max_condition = 2400, disabled_below = 0.75, repair_complexity = 7,
                    position = { 1.6, -3.49, 0.5 }, radius = 0.25, mount = { 1.6, -3.5, 0.5 },
                    weapon = { id = 1, max_damage = 400, max_damage_distance = 200, max_charge = 7,
                               min_firing_charge = 4, recharge_rate = 0.17, discharge_rate = 1,
                               forward = { 0, 1, 0 }, up = { 0, 0, 1 },
                               arc_width = { -0.349066, 0.349066 },
                               arc_height = { -0.05236, 1.22173 }, damage_radius_factor = 0.15,
                               source = "engine" },
                },
            },
        },
        {
            type = "torpedo_system", name = "Torpedoes", targetable = false,
            max_condition = 5000, disabled_below = 0.75, repair_complexity = 3,
            power_per_second = 200,
            position = { 0, 1.5, -0.3 }, radius = 0.25,
            source = { properties = "estimate" },
            children = {
                {
                    name = "Torpedo Tube 1",
                    max_condition = 2600, disabled_below = 0.75, repair_complexity = 3,
                    position = { -1.57, 1.8, -0.55 }, radius = 0.3,
                    weapon = { id = 0, reload_delay = 60, immediate_delay = 0.25, max_ready = 1,
                               dumbfire = true, forward = { 0, 1, 0 } },
                },
                {
                    name = "Torpedo Tube 2",
                    max_condition = 2600, disabled_below = 0.75, repair_complexity = 3,
                    position = { 1.56, 1.8, -0.55 }, radius = 0.3,
                    weapon = { id = 1, reload_delay = 60, immediate_delay = 0.25, max_ready = 1,
                               dumbfire = true, forward = { 0, 1, 0 } },
                },
            },
        },
        {
            type = "repair", name = "Repair System",
            max_condition = 3000, disabled_below = 0, repair_complexity = 20, power_per_second = 50,
            position = { 0, -2.5, -0.36 }, radius = 0.5,
        },
        {
            type = "shield", name = "Shield Generator",
            max_condition = 12000, disabled_below = 0.75, repair_complexity = 2,
            power_per_second = 500,
            position = { 0, 0.2, -0.4 }, radius = 0.65,
        },
        {
            type = "sensor", name = "Sensor Array",
            max_condition = 10000, disabled_below = 0.5, repair_complexity = 1,
            power_per_second = 200,
            position = { 0, 1.35, -0.6 }, radius = 0.8,
        },
        {
            type = "cloak", name = "Cloaking Device",
            max_condition = 2000, disabled_below = 0.75, repair_complexity = 6,
            power_per_second = 1300, power_mode = "backup_only",
            position = { 0, -0.75, -0.4 }, radius = 0.5,
            source = { power = "hardpoint" },
        },
    },
}
