-- data/ships/nebula.lua -- Nebula, species 4.
--
-- Figures: docs/facts (ships, subsystems, weapons, power, ordnance), explained in spec 11; list
-- order: spec 03 §10. `source` below is the evidence for entries that name none of their own (spec
-- 11 §1.2), `class_sources` that of the figures of the ship. `starbase ships nebula --evidence`
-- lists what is still an estimate. The box and the solids of `hull` are explained in spec 11 §9.

return {
    species = 4,
    key = "nebula",
    name = "Nebula",
    faction = "Federation",
    modifier_class = 1,
    selectable = true,

    class_sources = { radius = "documented", shields = "engine", sensor_range = "estimate" },
    mass = 100,
    rotational_inertia = 10000,
    bound_radius = 3.2013,
    sensor_range = 2000,
    captured_hash = 0x040C,
    impulse = {
        max_speed = 6.0, max_accel = 1.4, max_angular_accel = 0.15, max_angular_velocity = 0.25,
    },
    shields = { -- front, rear, top, bottom, left, right
        max = { 7000, 3500, 3500, 3500, 3500, 3500 },
        rate = { 10, 10, 10, 10, 10, 10 },
    },
    power = {
        output = 800, main_battery = 100000, backup_battery = 150000, main_conduit = 1000,
        backup_conduit = 200, draw_source = "documented",
    },
    repair = { max_points = 40, teams = 3 },
    ordnance = {
        { system = "torpedo_system", slot = 0, projectile = 2,
          ground = "photon fire seen in traces of Federation ships", source = "estimate" },
    },
    hull = {
        box = { centre = { 0, 0.15, 0.05 }, half = { 1.75, 2.3, 0.65 }, source = "estimate" },
        solids = {
            -- saucer
            { kind = "ellipsoid", centre = { 0, 0.7, 0.08 }, half = { 1.7, 1.65, 0.24 } },
            -- engineering hull
            { kind = "box", centre = { 0, -0.95, -0.3 }, half = { 0.35, 0.85, 0.28 } },
            -- pylon
            { kind = "box", centre = { 0, -1.3, 0.2 }, half = { 0.12, 0.4, 0.2 } },
            -- torpedo pod
            { kind = "box", centre = { 0, -1.3, 0.5 }, half = { 0.45, 0.62, 0.17 } },
            -- nacelles
            { kind = "ellipsoid", centre = { -0.95, -1.25, -0.05 }, half = { 0.2, 0.85, 0.18 } },
            { kind = "ellipsoid", centre = { 0.95, -1.25, -0.05 }, half = { 0.2, 0.85, 0.18 } },
        },
    },

    source = {
        condition = "engine", properties = "hardpoint", power = "documented",
        position = "hardpoint", order = "engine",
    },
    subsystems = {
        {
            type = "hull", name = "Hull", critical = true,
            max_condition = 12000, disabled_below = 0.5, repair_complexity = 3,
            position = { 0, -1.1, -0.28 }, radius = 0.5,
        },
        {
            type = "shield", name = "Shield Generator",
            max_condition = 9000, disabled_below = 0.75, repair_complexity = 2,
            power_per_second = 250,
            position = { 0, -0.4, 0.24 }, radius = 0.28,
        },
        {
            type = "sensor", name = "Sensor Array",
            max_condition = 8000, disabled_below = 0.5, repair_complexity = 1,
            power_per_second = 100,
            position = { 0, -0.25, -0.3 }, radius = 0.25,
        },
        {
            type = "power", name = "Warp Core", critical = true,
            max_condition = 7000, disabled_below = 0.5, repair_complexity = 2,
            position = { 0, -1, -0.25 }, radius = 0.35,
        },
        {
            type = "impulse", name = "Impulse Engines", targetable = false,
            max_condition = 4000, disabled_below = 0.5, repair_complexity = 3,
            power_per_second = 100,
            position = { 0, -1, 0 }, radius = 0.25,
            children = {
                {
                    name = "Port Impulse",
                    max_condition = 2400, disabled_below = 0.5, repair_complexity = 3,
                    source = { properties = "inherited" },
                },
                {
                    name = "Star Impulse",
                    max_condition = 2400, disabled_below = 0.5, repair_complexity = 3,
                    source = { properties = "inherited" },
                },
            },
        },
        {
            type = "phaser_system", name = "Phasers", targetable = false,
            max_condition = 8000, disabled_below = 0.75, repair_complexity = 7,
            power_per_second = 200, single_fire = "yes",
            source = { properties = "estimate", fire = "estimate" },
            children = {
                {
                    name = "Ventral Phaser 1",
                    max_condition = 1000, disabled_below = 0.75, repair_complexity = 7,
                    position = { -0.975, 0.44, -0.06 }, radius = 0.25, mount = { 0, 0.44, -0.06 },
                    source = { position = "estimate" },
                    weapon = { id = 1, max_damage = 250, max_damage_distance = 50, max_charge = 5,
                               min_firing_charge = 3.5, recharge_rate = 0.08, discharge_rate = 1,
                               forward = { -1, 0, 0 }, up = { 0, 0, 1 },
                               arc_width = { -0.872665, 0.872665 },
                               arc_height = { -0.261799, 0.05236 } },
                },
                {
                    name = "Ventral Phaser 2",
                    max_condition = 1000, disabled_below = 0.75, repair_complexity = 7,
                    position = { -0.488, 1.081, -0.06 }, radius = 0.25, mount = { 0, 0.44, -0.06 },
                    source = { position = "estimate" },
                    weapon = { id = 2, max_damage = 250, max_damage_distance = 50, max_charge = 5,
                               min_firing_charge = 3.5, recharge_rate = 0.08, discharge_rate = 1,
                               forward = { 0, 1, 0 }, up = { 0, 0, 1 },
                               arc_width = { -1.396263, 0.349066 },
                               arc_height = { -1.221731, 0.05236 } },
                },
                {
                    name = "Ventral Phaser 3",
                    max_condition = 1000, disabled_below = 0.75, repair_complexity = 7,
                    position = { 0.488, 1.081, -0.06 }, radius = 0.25, mount = { 0, 0.44, -0.06 },
                    source = { position = "estimate" },
                    weapon = { id = 3, max_damage = 250, max_damage_distance = 50, max_charge = 5,
                               min_firing_charge = 3.5, recharge_rate = 0.08, discharge_rate = 1,
                               forward = { 0, 1, 0 }, up = { 0, 0, 1 },
                               arc_width = { -0.349066, 1.396263 },
                               arc_height = { -1.221731, 0.05236 } },
                },
                {
                    name = "Ventral Phaser 4",
                    max_condition = 1000, disabled_below = 0.75, repair_complexity = 7,
                    position = { 0.975, 0.44, -0.06 }, radius = 0.25, mount = { 0, 0.44, -0.06 },
                    source = { position = "estimate" },
                    weapon = { id = 4, max_damage = 250, max_damage_distance = 50, max_charge = 5,
                               min_firing_charge = 3.5, recharge_rate = 0.08, discharge_rate = 1,
                               forward = { 1, 0, 0 }, up = { 0, 0, 1 },
                               arc_width = { -0.872665, 0.872665 },
                               arc_height = { -0.261799, 0.05236 } },
                },
                {
                    name = "Dorsal Phaser 1",
                    max_condition = 1000, disabled_below = 0.75, repair_complexity = 7,
                    position = { -1.239, 0.43, 0.25 }, radius = 0.25, mount = { 0, 0.43, 0.25 },
                    source = { position = "estimate" },
                    weapon = { id = 5, max_damage = 250, max_damage_distance = 50, max_charge = 5,
                               min_firing_charge = 3.5, recharge_rate = 0.08, discharge_rate = 1,
                               forward = { -1, 0, 0 }, up = { 0, 0, 1 },
                               arc_width = { -0.872665, 0.872665 },
                               arc_height = { -0.05236, 1.221731 } },
                },
                {
                    name = "Dorsal Phaser 2",
                    max_condition = 1000, disabled_below = 0.75, repair_complexity = 7,
                    position = { -0.62, 1.287, 0.25 }, radius = 0.25, mount = { 0, 0.43, 0.25 },
                    source = { position = "estimate" },
                    weapon = { id = 6, max_damage = 250, max_damage_distance = 50, max_charge = 5,
                               min_firing_charge = 3.5, recharge_rate = 0.08, discharge_rate = 1,
                               forward = { 0, 1, 0 }, up = { 0, 0, 1 },
                               arc_width = { -1.396263, 0.349066 },
                               arc_height = { -0.05236, 1.221731 } },
                },
                {
                    name = "Dorsal Phaser 3",
                    max_condition = 1000, disabled_below = 0.75, repair_complexity = 7,
                    position = { 0.62, 1.287, 0.25 }, radius = 0.25, mount = { 0, 0.43, 0.25 },
                    source = { position = "estimate" },
                    weapon = { id = 7, max_damage = 250, max_damage_distance = 50, max_charge = 5,
                               min_firing_charge = 3.5, recharge_rate = 0.08, discharge_rate = 1,
                               forward = { 0, 1, 0 }, up = { 0, 0, 1 },
                               arc_width = { -0.349066, 1.396263 },
                               arc_height = { -0.05236, 1.221731 } },
                },
                {
                    name = "Dorsal Phaser 4",
                    max_condition = 1000, disabled_below = 0.75, repair_complexity = 7,
                    position = { 1.239, 0.43, 0.25 }, radius = 0.25, mount = { 0, 0.43, 0.25 },
                    source = { position = "estimate" },
                    weapon = { id = 8, max_damage = 250, max_damage_distance = 50, max_charge = 5,
                               min_firing_charge = 3.5, recharge_rate = 0.08, discharge_rate = 1,
                               forward = { 1, 0, 0 }, up = { 0, 0, 1 },
                               arc_width = { -0.872665, 0.872665 },
                               arc_height = { -0.05236, 1.221731 } },
                },
            },
        },
        {
            type = "warp", name = "Warp Engines", targetable = false,
            max_condition = 10000, disabled_below = 0.5, repair_complexity = 2,
            power_per_second = 0,
            position = { 0, -1.5, -0.2 }, radius = 0.25,
            children = {
                {
                    name = "Port Warp",
                    max_condition = 5000, disabled_below = 0.5, repair_complexity = 2,
                    source = { properties = "inherited" },
                },
                {
                    name = "Star Warp",
                    max_condition = 5000, disabled_below = 0.5, repair_complexity = 2,
                    source = { properties = "inherited" },
                },
            },
        },
        {
            type = "torpedo_system", name = "Torpedoes", targetable = false,
            max_condition = 8000, disabled_below = 0.75, repair_complexity = 3,
            power_per_second = 150,
            source = { properties = "estimate" },
            children = {
                {
                    name = "Forward Torp 1",
                    max_condition = 2600, disabled_below = 0.75, repair_complexity = 3,
                    position = { -0.12, -0.8, 0.48 }, radius = 0.25,
                    weapon = { id = 0, reload_delay = 40, immediate_delay = 0.25, max_ready = 1,
                               dumbfire = true, forward = { 0, 1, 0 }, source = "engine" },
                },
                {
                    name = "Forward Torp 2",
                    max_condition = 2600, disabled_below = 0.75, repair_complexity = 3,
                    position = { -0.07, -0.78, 0.48 }, radius = 0.25,
                    weapon = { id = 1, reload_delay = 40, immediate_delay = 0.25, max_ready = 1,
                               dumbfire = true, forward = { 0, 1, 0 }, source = "engine" },
                },
                {
                    name = "Forward Torp 3",
                    max_condition = 2600, disabled_below = 0.75, repair_complexity = 3,
                    position = { 0.07, -0.78, 0.48 }, radius = 0.25,
                    weapon = { id = 2, reload_delay = 40, immediate_delay = 0.25, max_ready = 1,
                               dumbfire = true, forward = { 0, 1, 0 }, source = "engine" },
                },
                {
                    name = "Forward Torp 4",
                    max_condition = 2600, disabled_below = 0.75, repair_complexity = 3,
                    position = { 0.12, -0.8, 0.48 }, radius = 0.25,
                    weapon = { id = 3, reload_delay = 40, immediate_delay = 0.25, max_ready = 1,
                               dumbfire = true, forward = { 0, 1, 0 }, source = "engine" },
                },
                {
                    name = "Aft Torp 1",
                    max_condition = 2600, disabled_below = 0.75, repair_complexity = 3,
                    position = { -0.05, -1.8, 0.48 }, radius = 0.25,
                    weapon = { id = 4, reload_delay = 40, immediate_delay = 0.25, max_ready = 1,
                               dumbfire = true, forward = { 0, -1, 0 }, source = "engine" },
                },
                {
                    name = "Aft Torp 2",
                    max_condition = 2600, disabled_below = 0.75, repair_complexity = 3,
                    position = { 0.05, -1.8, 0.48 }, radius = 0.25,
                    weapon = { id = 5, reload_delay = 40, immediate_delay = 0.25, max_ready = 1,
                               dumbfire = true, forward = { 0, -1, 0 }, source = "engine" },
                },
            },
        },
        {
            type = "repair", name = "Repair", targetable = false,
            max_condition = 2000, disabled_below = 0.1, repair_complexity = 2, power_per_second = 1,
            position = { 0, -1.7, 0.1 }, radius = 0.25,
        },
        {
            type = "tractor_system", name = "Tractors", targetable = false,
            max_condition = 3000, disabled_below = 0.75, repair_complexity = 7,
            power_per_second = 400, power_mode = "main_battery",
            source = { properties = "estimate" },
            children = {
                {
                    name = "Aft Tractor",
                    max_condition = 1500, disabled_below = 0.75, repair_complexity = 7,
                    position = { 0, -1.92, 0.08 }, radius = 0.2,
                    weapon = { id = 0, max_damage = 100, max_damage_distance = 700, max_charge = 5,
                               min_firing_charge = 3, recharge_rate = 0.3, discharge_rate = 1,
                               forward = { 0, -1, 0 }, up = { 0, 0, 1 },
                               arc_width = { -0.698132, 0.698132 },
                               arc_height = { -0.698132, 0.698132 } },
                },
                {
                    name = "Forward Tractor",
                    max_condition = 1500, disabled_below = 0.75, repair_complexity = 7,
                    position = { 0, 2.2, 0.08 }, radius = 0.2,
                    weapon = { id = 0, max_damage = 100, max_damage_distance = 200, max_charge = 5,
                               min_firing_charge = 3, recharge_rate = 0.3, discharge_rate = 1,
                               forward = { 0, 1, 0 }, up = { 0, 0, 1 },
                               arc_width = { -0.698132, 0.698132 },
                               arc_height = { -0.698132, 0.698132 } },
                },
            },
        },
        {
            type = "hull", name = "Bridge", critical = true,
            max_condition = 9000, disabled_below = 0.5, repair_complexity = 4,
            position = { 0, 0.4, 0.3 }, radius = 0.46,
        },
    },
}
