-- data/ships/marauder.lua -- Marauder, species 9.
--
-- Figures: docs/facts (ships, subsystems, weapons, power, ordnance), explained in spec 11; list
-- order: spec 03 §10. `source` below is the evidence for entries that name none of their own (spec
-- 11 §1.2), `class_sources` that of the figures of the ship. `starbase ships marauder --evidence`
-- lists what is still an estimate. The box and the solids of `hull` are explained in spec 11 §9.

return {
    species = 9,
    key = "marauder",
    name = "Marauder",
    faction = "Ferengi",
    modifier_class = 1,
    selectable = true,

    class_sources = { radius = "engine", mass = "engine", impulse = "engine" },
    mass = 100,
    rotational_inertia = 9000,
    bound_radius = 2.575,
    impulse = {
        max_speed = 5.5, max_accel = 1.6, max_angular_accel = 0.19, max_angular_velocity = 0.36,
    },
    shields = { -- front, rear, top, bottom, left, right
        max = { 6000, 4500, 3000, 4500, 3000, 3000 },
        rate = { 8, 4, 4, 4, 4, 4 },
    },
    power = {
        output = 700, main_battery = 140000, backup_battery = 100000, main_conduit = 900,
        backup_conduit = 200, draw_source = "documented",
    },
    repair = { max_points = 36, teams = 4 },
    ordnance = {
        { system = "pulse_system", slot = 0, projectile = 9, ground = "bolts of 150 measured",
          source = "engine" },
    },
    hull = {
        box = { centre = { 0, 0, 0.2 }, half = { 1.6, 1.7, 0.45 }, source = "estimate" },
        solids = {
            -- main hull
            { kind = "ellipsoid", centre = { 0, -0.7, 0.12 }, half = { 1.1, 0.95, 0.26 } },
            -- bow
            { kind = "box", centre = { 0, 0.7, 0.1 }, half = { 0.35, 0.98, 0.18 } },
            -- arms
            { kind = "ellipsoid", centre = { -1.25, 0.25, 0.1 }, half = { 0.33, 1.2, 0.22 } },
            { kind = "ellipsoid", centre = { 1.25, 0.25, 0.1 }, half = { 0.33, 1.2, 0.22 } },
        },
    },

    source = {
        condition = "hardpoint", properties = "hardpoint", power = "documented",
        position = "hardpoint", order = "catalogue",
    },
    subsystems = {
        {
            type = "hull", name = "Hull", critical = true,
            max_condition = 9000, disabled_below = 0, repair_complexity = 3,
            position = { 0, -0.502, 0.27 }, radius = 1,
            source = { condition = "engine" },
        },
        {
            type = "shield", name = "Shield Generator",
            max_condition = 12000, disabled_below = 0.75, repair_complexity = 2,
            power_per_second = 200,
            position = { 0, -0.3, 0.1 }, radius = 0.2,
        },
        {
            type = "power", name = "Warp Core", critical = true,
            max_condition = 8000, disabled_below = 0.5, repair_complexity = 2,
            position = { 0, -1.276, 0.3 }, radius = 0.25,
        },
        {
            type = "phaser_system", name = "Phasers", targetable = false,
            max_condition = 5000, disabled_below = 0.75, repair_complexity = 7,
            power_per_second = 100,
            source = { condition = "estimate", properties = "estimate" },
            children = {
                {
                    name = "Ventral Phaser",
                    max_condition = 2000, disabled_below = 0.75, repair_complexity = 7,
                    position = { 0, 0.28, -0.04 }, radius = 0.25,
                    source = { position = "estimate" },
                    weapon = { id = 1, max_damage = 900, max_damage_distance = 80, max_charge = 4.5,
                               min_firing_charge = 3, recharge_rate = 0.08, discharge_rate = 1,
                               forward = { 0, -1, 0 }, up = { 0, 0, 1 },
                               arc_width = { -1.221731, 1.221731 },
                               arc_height = { -2.792527, 0.017453 } },
                },
            },
        },
        {
            type = "impulse", name = "Impulse Engines", targetable = false,
            max_condition = 3000, disabled_below = 0.5, repair_complexity = 4,
            power_per_second = 50,
            position = { 0.735, -1.192, 0.2 }, radius = 0.12,
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
            max_condition = 400, disabled_below = 0.5, repair_complexity = 3, power_per_second = 0,
            position = { -0.735, -1.192, 0.2 }, radius = 0.12,
            children = {
                {
                    name = "Star Warp",
                    max_condition = 3000, disabled_below = 0.5, repair_complexity = 3,
                    source = { condition = "estimate", properties = "inherited" },
                },
                {
                    name = "Port Warp",
                    max_condition = 3000, disabled_below = 0.5, repair_complexity = 3,
                    source = { condition = "estimate", properties = "inherited" },
                },
            },
        },
        {
            type = "tractor_system", name = "Tractors", targetable = false,
            max_condition = 3000, disabled_below = 0.75, repair_complexity = 7,
            power_per_second = 2000, power_mode = "main_battery",
            source = { condition = "estimate", properties = "estimate" },
            children = {
                {
                    name = "Forward Tractor",
                    max_condition = 2500, disabled_below = 0.75, repair_complexity = 7,
                    position = { 0, 1.6, 0.08 }, radius = 0.2,
                    weapon = { id = 0, max_damage = 110, max_damage_distance = 180, max_charge = 50,
                               min_firing_charge = 3, recharge_rate = 0.3, discharge_rate = 1,
                               forward = { 0, 1, 0 }, up = { 0, 0, 1 },
                               arc_width = { -0.698132, 0.698132 },
                               arc_height = { -0.872665, 0.872665 } },
                },
                {
                    name = "Aft Tractor",
                    max_condition = 2500, disabled_below = 0.75, repair_complexity = 7,
                    position = { 0, -1.55, 0.42 }, radius = 0.2,
                    weapon = { id = 0, max_damage = 110, max_damage_distance = 180, max_charge = 50,
                               min_firing_charge = 3, recharge_rate = 0.3, discharge_rate = 1,
                               forward = { 0, -1, 0 }, up = { 0, 0, 1 },
                               arc_width = { -0.698132, 0.698132 },
                               arc_height = { -0.523599, 0.523599 } },
                },
            },
        },
        {
            type = "sensor", name = "Sensor Array",
            max_condition = 8000, disabled_below = 0.5, repair_complexity = 1,
            power_per_second = 100,
            position = { 0, 1.15, 0.2 }, radius = 0.2,
        },
        {
            type = "repair", name = "Repair Subsystem", targetable = false,
            max_condition = 2000, disabled_below = 0.1, repair_complexity = 1, power_per_second = 1,
            position = { -0.434, -1.165, 0.13 }, radius = 0.1,
        },
        {
            type = "pulse_system", name = "Plasma Emitters", targetable = false,
            max_condition = 5000, disabled_below = 0.75, repair_complexity = 4,
            power_per_second = 200, single_fire = "no",
            source = { condition = "estimate", properties = "estimate", fire = "engine" },
            children = {
                {
                    name = "Port Emitter",
                    max_condition = 4000, disabled_below = 0.75, repair_complexity = 4,
                    position = { -1.3, 0.3, 0.06 }, radius = 0.25,
                    weapon = { id = 1, max_damage = 400, max_damage_distance = 100,
                               max_charge = 3.5, min_firing_charge = 2, recharge_rate = 0.4,
                               discharge_rate = 1, forward = { 0, 1, 0 }, up = { 0, 0, 1 },
                               arc_width = { -0.349066, 0.349066 },
                               arc_height = { -0.349066, 0.349066 }, damage_radius_factor = 0.3,
                               cooldown_time = 0.3, source = "engine" },
                },
                {
                    name = "Star Emitter",
                    max_condition = 4000, disabled_below = 0.75, repair_complexity = 4,
                    position = { 1.3, 0.3, 0.06 }, radius = 0.25,
                    weapon = { id = 2, max_damage = 400, max_damage_distance = 100,
                               max_charge = 3.5, min_firing_charge = 2, recharge_rate = 0.4,
                               discharge_rate = 1, forward = { 0, 1, 0 }, up = { 0, 0, 1 },
                               arc_width = { -0.349066, 0.349066 },
                               arc_height = { -0.349066, 0.349066 }, damage_radius_factor = 0.3,
                               cooldown_time = 0.3, source = "engine" },
                },
            },
        },
    },
}
