-- data/ships/cardhybrid.lua -- Cardassian Hybrid, species 12.
--
-- Figures: docs/facts (ships, subsystems, weapons, power, ordnance), explained in spec 11; list
-- order: spec 03 §10. `source` below is the evidence for entries that name none of their own (spec
-- 11 §1.2), `class_sources` that of the figures of the ship. `starbase ships cardhybrid --evidence`
-- lists what is still an estimate. The box and the solids of `hull` are explained in spec 11 §9.

return {
    species = 12,
    key = "cardhybrid",
    name = "Cardassian Hybrid",
    faction = "Cardassian",
    modifier_class = 1,
    selectable = true,

    class_sources = { radius = "engine", mass = "engine", impulse = "engine" },
    mass = 200,
    rotational_inertia = 10000,
    bound_radius = 4.597,
    impulse = {
        max_speed = 5.4, max_accel = 1.4, max_angular_accel = 0.16, max_angular_velocity = 0.28,
    },
    shields = { -- front, rear, top, bottom, left, right
        max = { 12000, 3000, 12000, 3000, 3000, 3000 },
        rate = { 20, 10, 20, 10, 10, 10 },
    },
    power = {
        output = 1000, main_battery = 160000, backup_battery = 50000, main_conduit = 1100,
        backup_conduit = 100, draw_source = "estimate",
    },
    repair = { max_points = 40, teams = 3 },
    ordnance = {
        { system = "torpedo_system", slot = 0, projectile = 5, ground = "script name",
          source = "estimate" },
        { system = "pulse_system", slot = 0, projectile = 11, ground = "bolts of 1000 measured",
          source = "engine" },
    },
    hull = {
        box = { centre = { 0, -1.1, 0 }, half = { 2.8, 3.2, 0.6 }, source = "estimate" },
        solids = {
            -- main hull
            { kind = "ellipsoid", centre = { 0, -0.1, 0.03 }, half = { 2, 1.6, 0.42 } },
            -- bow
            { kind = "box", centre = { 0, 1.5, 0.05 }, half = { 0.45, 0.55, 0.35 } },
            -- tail
            { kind = "box", centre = { 0, -2.8, 0 }, half = { 0.4, 1.45, 0.3 } },
            -- wings
            { kind = "ellipsoid", centre = { -2.1, 0, -0.15 }, half = { 0.45, 1.1, 0.3 } },
            { kind = "ellipsoid", centre = { 2.1, 0, -0.15 }, half = { 0.45, 1.1, 0.3 } },
        },
    },

    source = {
        condition = "hardpoint", properties = "hardpoint", power = "estimate",
        position = "hardpoint", order = "catalogue",
    },
    subsystems = {
        {
            type = "hull", name = "Hull", critical = true,
            max_condition = 11000, disabled_below = 0, repair_complexity = 2,
            position = { 0, 0, 0 }, radius = 1.4,
            source = { condition = "engine" },
        },
        {
            type = "power", name = "Warp Core", critical = true,
            max_condition = 6000, disabled_below = 0.5, repair_complexity = 2,
            position = { 0, -1.8, 0.02 }, radius = 0.47,
        },
        {
            type = "torpedo_system", name = "Torpedoes", targetable = false,
            max_condition = 5000, disabled_below = 0.75, repair_complexity = 3,
            power_per_second = 100,
            source = { condition = "estimate", properties = "estimate" },
            children = {
                {
                    name = "Torpedo 1",
                    max_condition = 3000, disabled_below = 0.75, repair_complexity = 3,
                    position = { -2.4, 0.3, -0.24 }, radius = 0.25,
                    weapon = { id = 1, reload_delay = 12, immediate_delay = 1, max_ready = 1,
                               dumbfire = true, forward = { 0, 1, 0 } },
                },
                {
                    name = "Torpedo 2",
                    max_condition = 3000, disabled_below = 0.75, repair_complexity = 3,
                    position = { 2.4, 0.3, -0.24 }, radius = 0.25,
                    weapon = { id = 2, reload_delay = 12, immediate_delay = 1, max_ready = 1,
                               dumbfire = true, forward = { 0, 1, 0 } },
                },
                {
                    name = "Aft Torpedo",
                    max_condition = 3000, disabled_below = 0.75, repair_complexity = 3,
                    position = { 0, -4, 0.01 }, radius = 0.25,
                    weapon = { id = 3, reload_delay = 12, immediate_delay = 1, max_ready = 1,
                               dumbfire = true, forward = { 0, -1, 0 } },
                },
            },
        },
        {
            type = "repair", name = "Repair System", targetable = false,
            max_condition = 1000, disabled_below = 0.1, repair_complexity = 20,
            power_per_second = 1,
            position = { 0, 0, 0 }, radius = 0.25,
        },
        {
            type = "shield", name = "Shield Generator",
            max_condition = 10000, disabled_below = 0.75, repair_complexity = 2,
            power_per_second = 300,
            position = { 0, 0.5, 0.3 }, radius = 0.4,
        },
        {
            type = "sensor", name = "Sensor Array",
            max_condition = 8000, disabled_below = 0.5, repair_complexity = 1,
            power_per_second = 100,
            position = { -0.025, 1.8, 0.4 }, radius = 0.35,
        },
        {
            type = "impulse", name = "Impulse Engines", targetable = false,
            max_condition = 500, disabled_below = 0.5, repair_complexity = 4,
            power_per_second = 100,
            position = { 0, -1, 0 }, radius = 0.5,
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
            type = "warp", name = "Warp Engines", targetable = false,
            max_condition = 12000, disabled_below = 0.75, repair_complexity = 3,
            power_per_second = 0,
            position = { 0, -1, 0 }, radius = 0.5,
            children = {
                {
                    name = "Port Warp",
                    max_condition = 4000, disabled_below = 0.75, repair_complexity = 3,
                    source = { condition = "estimate", properties = "inherited" },
                },
                {
                    name = "Starboard Warp",
                    max_condition = 4000, disabled_below = 0.75, repair_complexity = 3,
                    source = { condition = "estimate", properties = "inherited" },
                },
                {
                    name = "Center Warp",
                    max_condition = 4000, disabled_below = 0.75, repair_complexity = 3,
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
                    name = "Forward Compressor",
                    max_condition = 1600, disabled_below = 0.75, repair_complexity = 7,
                    position = { -0.03, 1.61, 0.02 }, radius = 0.2,
                    source = { position = "estimate" },
                    weapon = { id = 1, max_damage = 400, max_damage_distance = 30, max_charge = 8,
                               min_firing_charge = 5, recharge_rate = 0.2, discharge_rate = 1,
                               forward = { 0, 1, 0 }, up = { 0, 0, 1 },
                               arc_width = { -1.308997, 1.308997 },
                               arc_height = { -1.745329, 0.261799 } },
                },
                {
                    name = "Forward Beam 1",
                    max_condition = 1600, disabled_below = 0.75, repair_complexity = 7,
                    position = { -1.6, 0.5, -0.08 }, radius = 0.3,
                    source = { position = "estimate" },
                    weapon = { id = 2, max_damage = 400, max_damage_distance = 200, max_charge = 7,
                               min_firing_charge = 4, recharge_rate = 0.17, discharge_rate = 1,
                               forward = { 0, 1, 0 }, up = { 0, 0, 1 },
                               arc_width = { -0.349066, 0.349066 },
                               arc_height = { -0.698132, 0.698132 } },
                },
                {
                    name = "Forward Beam 2",
                    max_condition = 1600, disabled_below = 0.75, repair_complexity = 7,
                    position = { 1.6, 0.5, -0.08 }, radius = 0.3,
                    source = { position = "estimate" },
                    weapon = { id = 3, max_damage = 400, max_damage_distance = 200, max_charge = 7,
                               min_firing_charge = 4, recharge_rate = 0.17, discharge_rate = 1,
                               forward = { 0, 1, 0 }, up = { 0, 0, 1 },
                               arc_width = { -0.349066, 0.349066 },
                               arc_height = { -0.698132, 0.698132 } },
                },
                {
                    name = "Ventral Beam 1",
                    max_condition = 800, disabled_below = 0.75, repair_complexity = 7,
                    position = { -2.4, -0.4, -0.2 }, radius = 0.4,
                    source = { position = "estimate" },
                    weapon = { id = 4, max_damage = 200, max_damage_distance = 120, max_charge = 7,
                               min_firing_charge = 4, recharge_rate = 0.1, discharge_rate = 1,
                               forward = { 0, -1, 0 }, up = { 0, 0, 1 },
                               arc_width = { -0.698132, 0.698132 },
                               arc_height = { -1.570796, -0.349066 } },
                },
                {
                    name = "Ventral Beam 2",
                    max_condition = 800, disabled_below = 0.75, repair_complexity = 7,
                    position = { 2.4, -0.4, -0.2 }, radius = 0.25,
                    source = { position = "estimate" },
                    weapon = { id = 5, max_damage = 200, max_damage_distance = 120, max_charge = 7,
                               min_firing_charge = 4, recharge_rate = 0.1, discharge_rate = 1,
                               forward = { 0, -1, 0 }, up = { 0, 0, 1 },
                               arc_width = { -0.698132, 0.698132 },
                               arc_height = { -1.570796, -0.349066 } },
                },
                {
                    name = "Dorsal Beam 1",
                    max_condition = 800, disabled_below = 0.75, repair_complexity = 7,
                    position = { -1.4, 0, -0.01 }, radius = 0.25,
                    source = { position = "estimate" },
                    weapon = { id = 6, max_damage = 200, max_damage_distance = 120, max_charge = 7,
                               min_firing_charge = 4, recharge_rate = 0.1, discharge_rate = 1,
                               forward = { 0, 1, 0 }, up = { 0, 0, 1 },
                               arc_width = { -1.047198, 0.698132 },
                               arc_height = { 0.523599, 2.879793 } },
                },
                {
                    name = "Dorsal Beam 2",
                    max_condition = 800, disabled_below = 0.75, repair_complexity = 7,
                    position = { 1.4, 0, 0.01 }, radius = 0.25,
                    source = { position = "estimate" },
                    weapon = { id = 7, max_damage = 200, max_damage_distance = 120, max_charge = 7,
                               min_firing_charge = 4, recharge_rate = 0.1, discharge_rate = 1,
                               forward = { 0, 1, 0 }, up = { 0, 0, 1 },
                               arc_width = { -0.698132, 1.047198 },
                               arc_height = { 0.523599, 2.879793 } },
                },
            },
        },
        {
            type = "pulse_system", name = "Disruptor Cannons", targetable = false,
            max_condition = 5000, disabled_below = 0.75, repair_complexity = 8,
            power_per_second = 100, single_fire = "no",
            source = { condition = "estimate", properties = "estimate", fire = "engine" },
            children = {
                {
                    name = "Cannon",
                    max_condition = 2800, disabled_below = 0.75, repair_complexity = 8,
                    position = { -0.02, 1.54, -0.08 }, radius = 0.25,
                    weapon = { id = 1, max_damage = 1800, max_damage_distance = 150,
                               max_charge = 1.5, min_firing_charge = 1, recharge_rate = 0.05,
                               discharge_rate = 1, forward = { 0, 1, 0 }, up = { 0, 0, 1 },
                               arc_width = { -0.349066, 0.349066 },
                               arc_height = { -0.349066, 0.349066 }, damage_radius_factor = 0.3,
                               cooldown_time = 10, source = "engine" },
                },
            },
        },
        {
            type = "tractor_system", name = "Tractors", targetable = false,
            max_condition = 3000, disabled_below = 0.75, repair_complexity = 7,
            power_per_second = 400, power_mode = "main_battery",
            source = { condition = "estimate", properties = "estimate" },
            children = {
                {
                    name = "Forward Tractor",
                    max_condition = 1500, disabled_below = 0.75, repair_complexity = 7,
                    position = { 0, 0.7, -0.36 }, radius = 0.3,
                    weapon = { id = 1, max_damage = 40, max_damage_distance = 240, max_charge = 5,
                               min_firing_charge = 3, recharge_rate = 0.3, discharge_rate = 1,
                               forward = { 0, 1, 0 }, up = { 0, 0, 1 },
                               arc_width = { -0.523599, 0.523599 },
                               arc_height = { -0.523599, 0.087266 } },
                },
                {
                    name = "Aft Tractor",
                    max_condition = 1500, disabled_below = 0.75, repair_complexity = 7,
                    position = { 0, -0.7, -0.36 }, radius = 0.3,
                    weapon = { id = 1, max_damage = 40, max_damage_distance = 240, max_charge = 5,
                               min_firing_charge = 3, recharge_rate = 0.3, discharge_rate = 1,
                               forward = { 0, 1, 0 }, up = { 0, 0, 1 },
                               arc_width = { -0.523599, 0.523599 },
                               arc_height = { -2.96706, -2.268928 } },
                },
            },
        },
    },
}
