-- data/ships/warbird.lua -- Warbird, species 8.
--
-- Figures: docs/facts (ships, subsystems, weapons, power, ordnance), explained in spec 11; list
-- order: spec 03 §10. `source` below is the evidence for entries that name none of their own (spec
-- 11 §1.2), `class_sources` that of the figures of the ship. `starbase ships warbird --evidence`
-- lists what is still an estimate. The box and the solids of `hull` are explained in spec 11 §9.

return {
    species = 8,
    key = "warbird",
    name = "Warbird",
    faction = "Romulan",
    modifier_class = 1,
    selectable = true,

    class_sources = {
        radius = "engine", mass = "engine", shields = "engine", impulse = "engine",
        sensor_range = "documented",
    },
    mass = 400,
    rotational_inertia = 20000,
    bound_radius = 7.548,
    cloak_strength = 100,
    sensor_range = 3000,
    impulse = {
        max_speed = 4.5, max_accel = 1.8, max_angular_accel = 0.07, max_angular_velocity = 0.2,
    },
    shields = { -- front, rear, top, bottom, left, right
        max = { 4000, 4000, 4000, 4000, 4000, 4000 },
        rate = { 8, 8, 8, 8, 8, 8 },
    },
    power = {
        output = 1500, main_battery = 100000, backup_battery = 200000, main_conduit = 1700,
        backup_conduit = 300, draw_source = "documented",
    },
    repair = { max_points = 28, teams = 4 },
    ordnance = {
        { system = "torpedo_system", slot = 0, projectile = 6, ground = "hits of 1400 measured",
          source = "engine" },
        { system = "pulse_system", slot = 0, projectile = 15, ground = "bolts of 200 measured",
          source = "engine" },
    },
    hull = {
        box = { centre = { 0, -0.15, 0.1 }, half = { 4.95, 6.4, 1.6 }, source = "estimate" },
        solids = {
            -- upper hull
            { kind = "ellipsoid", centre = { 0, -0.06, 1.2 }, half = { 4.2, 3.55, 0.45 } },
            -- lower hull
            { kind = "ellipsoid", centre = { 0, -0.2, -1 }, half = { 3.6, 4.5, 0.45 } },
            -- head
            { kind = "ellipsoid", centre = { 0, 4.9, 0.1 }, half = { 0.9, 1.35, 0.8 } },
            -- tail
            { kind = "box", centre = { 0, -5.4, 0 }, half = { 0.6, 1.1, 0.6 } },
            -- nacelles
            { kind = "ellipsoid", centre = { -4.65, -0.6, 0.05 }, half = { 0.3, 3, 0.5 } },
            { kind = "ellipsoid", centre = { 4.65, -0.6, 0.05 }, half = { 0.3, 3, 0.5 } },
        },
    },

    source = {
        condition = "hardpoint", properties = "hardpoint", power = "documented",
        position = "hardpoint", order = "catalogue",
    },
    subsystems = {
        {
            type = "hull", name = "Hull", critical = true,
            max_condition = 24000, disabled_below = 0, repair_complexity = 3,
            position = { 0, -0.44, 1.3 }, radius = 4,
            source = { condition = "engine" },
        },
        {
            type = "shield", name = "Shield Generator",
            max_condition = 12000, disabled_below = 0.75, repair_complexity = 2,
            power_per_second = 400,
            position = { 0, 1.4, -0.5 }, radius = 0.5,
        },
        {
            type = "power", name = "Power Plant", critical = true,
            max_condition = 6000, disabled_below = 0.5, repair_complexity = 2,
            position = { 0, 0.4, -1.2 }, radius = 0.52,
        },
        {
            type = "phaser_system", name = "Disruptor Beam", targetable = false,
            max_condition = 5000, disabled_below = 0.75, repair_complexity = 8,
            power_per_second = 100,
            source = { condition = "estimate", properties = "estimate" },
            children = {
                {
                    name = "Disruptor",
                    max_condition = 1400, disabled_below = 0.75, repair_complexity = 8,
                    position = { 0, 5.69, 0.5 }, radius = 0.2,
                    source = { position = "estimate" },
                    weapon = { id = 1, max_damage = 250, max_damage_distance = 40, max_charge = 6,
                               min_firing_charge = 4, recharge_rate = 0.26, discharge_rate = 1,
                               forward = { 0, 1, 0 }, up = { 0, 0, 1 },
                               arc_width = { -1.134464, 1.134464 },
                               arc_height = { -0.785398, 0.785398 }, source = "engine" },
                },
            },
        },
        {
            type = "pulse_system", name = "Disruptor Cannons", targetable = false,
            max_condition = 5000, disabled_below = 0.75, repair_complexity = 9,
            power_per_second = 200, single_fire = "yes",
            source = { condition = "estimate", properties = "estimate", fire = "engine" },
            children = {
                {
                    name = "Port Cannon 1",
                    max_condition = 800, disabled_below = 0.75, repair_complexity = 9,
                    position = { -4.71982, 2.1, 0.391266 }, radius = 0.14,
                    weapon = { id = 1, max_damage = 300, max_damage_distance = 80, max_charge = 2,
                               min_firing_charge = 1.2, recharge_rate = 0.09, discharge_rate = 1,
                               forward = { 0, 1, 0 }, up = { 0, 0, 1 },
                               arc_width = { -0.349066, 0.349066 },
                               arc_height = { -0.349066, 0.349066 }, damage_radius_factor = 0.2,
                               cooldown_time = 1.6, source = "engine" },
                },
                {
                    name = "Port Cannon 2",
                    max_condition = 800, disabled_below = 0.75, repair_complexity = 9,
                    position = { -4.69604, 2.1, -0.286642 }, radius = 0.14,
                    weapon = { id = 2, max_damage = 300, max_damage_distance = 80, max_charge = 2,
                               min_firing_charge = 1.2, recharge_rate = 0.09, discharge_rate = 1,
                               forward = { 0, 1, 0 }, up = { 0, 0, 1 },
                               arc_width = { -0.349066, 0.349066 },
                               arc_height = { -0.349066, 0.349066 }, damage_radius_factor = 0.2,
                               cooldown_time = 1.6, source = "engine" },
                },
                {
                    name = "Star Cannon 1",
                    max_condition = 800, disabled_below = 0.75, repair_complexity = 9,
                    position = { 4.70064, 2.1, 0.386971 }, radius = 0.14,
                    weapon = { id = 3, max_damage = 300, max_damage_distance = 80, max_charge = 2,
                               min_firing_charge = 1.2, recharge_rate = 0.09, discharge_rate = 1,
                               forward = { 0, 1, 0 }, up = { 0, 0, 1 },
                               arc_width = { -0.349066, 0.349066 },
                               arc_height = { -0.349066, 0.349066 }, damage_radius_factor = 0.2,
                               cooldown_time = 1.6, source = "engine" },
                },
                {
                    name = "Star Cannon 2",
                    max_condition = 800, disabled_below = 0.75, repair_complexity = 9,
                    position = { 4.71185, 2.1, -0.283262 }, radius = 0.14,
                    weapon = { id = 4, max_damage = 300, max_damage_distance = 80, max_charge = 2,
                               min_firing_charge = 1.2, recharge_rate = 0.09, discharge_rate = 1,
                               forward = { 0, 1, 0 }, up = { 0, 0, 1 },
                               arc_width = { -0.349066, 0.349066 },
                               arc_height = { -0.349066, 0.349066 }, damage_radius_factor = 0.2,
                               cooldown_time = 1.6, source = "engine" },
                },
            },
        },
        {
            type = "torpedo_system", name = "Torpedoes", targetable = false,
            max_condition = 5000, disabled_below = 0.75, repair_complexity = 4,
            power_per_second = 150,
            source = { condition = "estimate", properties = "estimate" },
            children = {
                {
                    name = "Forward Torpedo",
                    max_condition = 3200, disabled_below = 0.75, repair_complexity = 4,
                    position = { 0, 6.05, -0.6 }, radius = 0.4,
                    weapon = { id = 0, reload_delay = 10, immediate_delay = 2, max_ready = 2,
                               dumbfire = true, forward = { 0, 1, 0 } },
                },
                {
                    name = "Aft Torpedo",
                    max_condition = 3200, disabled_below = 0.75, repair_complexity = 4,
                    position = { 0, -5.8, -0.4 }, radius = 0.35,
                    weapon = { id = 1, reload_delay = 10, immediate_delay = 2, max_ready = 2,
                               dumbfire = true, forward = { 0, -1, 0 } },
                },
            },
        },
        {
            type = "impulse", name = "Impulse Engines", targetable = false,
            max_condition = 3200, disabled_below = 0.5, repair_complexity = 3,
            power_per_second = 300,
            position = { 0.908, 0.4, -1.2 }, radius = 0.25,
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
            max_condition = 8000, disabled_below = 0.5, repair_complexity = 3, power_per_second = 0,
            position = { 0, -4.64049, -0.305373 }, radius = 0.2,
            children = {
                {
                    name = "Port Warp",
                    max_condition = 4000, disabled_below = 0.5, repair_complexity = 3,
                    source = { condition = "estimate", properties = "inherited" },
                },
                {
                    name = "Starboard Warp",
                    max_condition = 4000, disabled_below = 0.5, repair_complexity = 3,
                    source = { condition = "estimate", properties = "inherited" },
                },
            },
        },
        {
            type = "cloak", name = "Cloaking Device",
            max_condition = 3000, disabled_below = 0.75, repair_complexity = 7,
            power_per_second = 1000, power_mode = "backup_only",
            position = { 0, -2.94717, 1.1 }, radius = 0.55,
            source = { power = "hardpoint" },
        },
        {
            type = "sensor", name = "Sensor Array",
            max_condition = 10000, disabled_below = 0.5, repair_complexity = 1,
            power_per_second = 200,
            position = { 0, 3, 1.4 }, radius = 0.4,
        },
        {
            type = "repair", name = "Engineering", targetable = false,
            max_condition = 1000, disabled_below = 0.1, repair_complexity = 10,
            power_per_second = 1,
            position = { 0, -5.28643, 0.007125 }, radius = 0.45,
        },
        {
            type = "hull", name = "Bridge", critical = true,
            max_condition = 14000, disabled_below = 0, repair_complexity = 4,
            position = { 0, 5.3, 0.2 }, radius = 0.7,
        },
        {
            type = "tractor_system", name = "Tractors", targetable = false,
            max_condition = 3000, disabled_below = 0.75, repair_complexity = 7,
            power_per_second = 800, power_mode = "main_battery",
            source = { condition = "estimate", properties = "estimate" },
            children = {
                {
                    name = "Aft Tractor",
                    max_condition = 2000, disabled_below = 0.75, repair_complexity = 7,
                    position = { 0, -6.35, 0 }, radius = 0.25,
                    weapon = { id = 0, max_damage = 80, max_damage_distance = 180, max_charge = 5,
                               min_firing_charge = 3, recharge_rate = 0.3, discharge_rate = 1,
                               forward = { 0, -1, 0 }, up = { 0, 0, 1 },
                               arc_width = { -1.047198, 1.047198 },
                               arc_height = { -1.047198, 1.047198 } },
                },
                {
                    name = "Forward Tractor",
                    max_condition = 2000, disabled_below = 0.75, repair_complexity = 7,
                    position = { 0, 6, 0 }, radius = 0.25,
                    weapon = { id = 0, max_damage = 80, max_damage_distance = 180, max_charge = 5,
                               min_firing_charge = 3, recharge_rate = 0.3, discharge_rate = 1,
                               forward = { 0, 1, 0 }, up = { 0, 0, 1 },
                               arc_width = { -1.047198, 1.047198 },
                               arc_height = { -1.047198, 1.047198 } },
                },
            },
        },
    },
}
