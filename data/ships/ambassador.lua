-- data/ships/ambassador.lua -- Ambassador, species 2.
--
-- Figures: docs/facts (ships, subsystems, weapons, power, ordnance), explained in spec 11; list
-- order: spec 03 §10. `source` below is the evidence for entries that name none of their own (spec
-- 11 §1.2), `class_sources` that of the figures of the ship. `starbase ships ambassador --evidence`
-- lists what is still an estimate. The box and the solids of `hull` are explained in spec 11 §9.

return {
    species = 2,
    key = "ambassador",
    name = "Ambassador",
    faction = "Federation",
    modifier_class = 1,
    selectable = true,

    class_sources = { shields = "engine" },
    mass = 100,
    rotational_inertia = 10000,
    bound_radius = 3.2687,
    impulse = {
        max_speed = 5.5, max_accel = 1.0, max_angular_accel = 0.11, max_angular_velocity = 0.26,
    },
    shields = { -- front, rear, top, bottom, left, right
        max = { 5000, 2500, 2500, 2500, 2500, 2500 },
        rate = { 8, 8, 8, 8, 8, 8 },
    },
    power = {
        output = 600, main_battery = 200000, backup_battery = 50000, main_conduit = 700,
        backup_conduit = 100, draw_source = "documented",
    },
    repair = { max_points = 40, teams = 3 },
    ordnance = {
        { system = "torpedo_system", slot = 0, projectile = 2,
          ground = "photon fire seen in traces of Federation ships", source = "estimate" },
    },
    hull = {
        box = { centre = { 0, 0.1, 0.05 }, half = { 1.5, 2.65, 0.65 }, source = "estimate" },
        solids = {
            -- saucer
            { kind = "ellipsoid", centre = { 0, 1.2, 0.37 }, half = { 1.45, 1.5, 0.2 } },
            -- neck
            { kind = "box", centre = { 0, -0.15, 0.1 }, half = { 0.2, 0.35, 0.25 } },
            -- engineering hull
            { kind = "ellipsoid", centre = { 0, -0.95, -0.28 }, half = { 0.4, 1.2, 0.3 } },
            -- nacelles
            { kind = "ellipsoid", centre = { -0.95, -1.7, 0.15 }, half = { 0.2, 0.85, 0.18 } },
            { kind = "ellipsoid", centre = { 0.95, -1.7, 0.15 }, half = { 0.2, 0.85, 0.18 } },
        },
    },

    source = {
        condition = "hardpoint", properties = "hardpoint", power = "documented",
        position = "hardpoint", order = "catalogue",
    },
    subsystems = {
        {
            type = "hull", name = "Hull", critical = true,
            max_condition = 13000, disabled_below = 0, repair_complexity = 3,
            position = { 0, -1.1, -0.3 }, radius = 0.7,
            source = { condition = "engine" },
        },
        {
            type = "shield", name = "Shield Generator",
            max_condition = 9000, disabled_below = 0.75, repair_complexity = 2,
            power_per_second = 200,
            position = { 0, -0.2, 0.35 }, radius = 0.25,
        },
        {
            type = "sensor", name = "Sensor Array",
            max_condition = 7000, disabled_below = 0.5, repair_complexity = 1,
            power_per_second = 50,
            position = { 0, 0, -0.3 }, radius = 0.4,
        },
        {
            type = "power", name = "Warp Core", critical = true,
            max_condition = 6000, disabled_below = 0.5, repair_complexity = 2,
            position = { 0, -0.8, -0.35 }, radius = 0.4,
        },
        {
            type = "impulse", name = "Impulse Engines", targetable = false,
            max_condition = 1200, disabled_below = 0.5, repair_complexity = 4,
            power_per_second = 100,
            position = { 0, -0.5, -0.3 }, radius = 0.5,
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
            type = "phaser_system", name = "Phasers", targetable = false,
            max_condition = 8000, disabled_below = 0.75, repair_complexity = 7,
            power_per_second = 150, single_fire = "yes",
            source = { condition = "estimate", properties = "estimate", fire = "estimate" },
            children = {
                {
                    name = "Ventral Phaser 1",
                    max_condition = 1000, disabled_below = 0.75, repair_complexity = 7,
                    position = { -0.3, 1.1, 0.24 }, radius = 0.25,
                    source = { position = "estimate" },
                    weapon = { id = 1, max_damage = 200, max_damage_distance = 70, max_charge = 5,
                               min_firing_charge = 3.5, recharge_rate = 0.1, discharge_rate = 1,
                               forward = { -1, 0, 0 }, up = { 0, 0, 1 },
                               arc_width = { -0.872665, 0.872665 },
                               arc_height = { -1.570796, 0.034907 } },
                },
                {
                    name = "Ventral Phaser 2",
                    max_condition = 1000, disabled_below = 0.75, repair_complexity = 7,
                    position = { 0, 1.3, 0.23 }, radius = 0.25,
                    source = { position = "estimate" },
                    weapon = { id = 2, max_damage = 200, max_damage_distance = 70, max_charge = 5,
                               min_firing_charge = 3.5, recharge_rate = 0.1, discharge_rate = 1,
                               forward = { 0, 1, 0 }, up = { 0, 0, 1 },
                               arc_width = { -0.872665, 0.872665 },
                               arc_height = { -1.570796, 0.034907 } },
                },
                {
                    name = "Ventral Phaser 3",
                    max_condition = 1000, disabled_below = 0.75, repair_complexity = 7,
                    position = { 0.3, 1.1, 0.24 }, radius = 0.25,
                    source = { position = "estimate" },
                    weapon = { id = 3, max_damage = 200, max_damage_distance = 70, max_charge = 5,
                               min_firing_charge = 3.5, recharge_rate = 0.1, discharge_rate = 1,
                               forward = { 1, 0, 0 }, up = { 0, 0, 1 },
                               arc_width = { -0.872665, 0.872665 },
                               arc_height = { -1.570796, 0.034907 } },
                },
                {
                    name = "Dorsal Phaser 1",
                    max_condition = 1000, disabled_below = 0.75, repair_complexity = 7,
                    position = { -0.9, 1.1, 0.52 }, radius = 0.25,
                    source = { position = "estimate" },
                    weapon = { id = 4, max_damage = 200, max_damage_distance = 70, max_charge = 5,
                               min_firing_charge = 3.5, recharge_rate = 0.1, discharge_rate = 1,
                               forward = { -1, 0, 0 }, up = { 0, 0, 1 },
                               arc_width = { -0.872665, 0.872665 },
                               arc_height = { 0.017453, 1.570796 } },
                },
                {
                    name = "Dorsal Phaser 2",
                    max_condition = 1000, disabled_below = 0.75, repair_complexity = 7,
                    position = { 0, 1.95, 0.52 }, radius = 0.25,
                    source = { position = "estimate" },
                    weapon = { id = 5, max_damage = 200, max_damage_distance = 70, max_charge = 5,
                               min_firing_charge = 3.5, recharge_rate = 0.1, discharge_rate = 1,
                               forward = { 0, 1, 0 }, up = { 0, 0, 1 },
                               arc_width = { -0.872665, 0.872665 },
                               arc_height = { 0.017453, 1.570796 } },
                },
                {
                    name = "Dorsal Phaser 3",
                    max_condition = 1000, disabled_below = 0.75, repair_complexity = 7,
                    position = { 0.9, 1.1, 0.52 }, radius = 0.25,
                    source = { position = "estimate" },
                    weapon = { id = 6, max_damage = 200, max_damage_distance = 70, max_charge = 5,
                               min_firing_charge = 3.5, recharge_rate = 0.1, discharge_rate = 1,
                               forward = { 1, 0, 0 }, up = { 0, 0, 1 },
                               arc_width = { -0.872665, 0.872665 },
                               arc_height = { 0.017453, 1.570796 } },
                },
                {
                    name = "Aft Phaser 1",
                    max_condition = 1000, disabled_below = 0.75, repair_complexity = 7,
                    position = { -0.4, 0.28, 0.52 }, radius = 0.25,
                    source = { position = "estimate" },
                    weapon = { id = 7, max_damage = 200, max_damage_distance = 70, max_charge = 5,
                               min_firing_charge = 3.5, recharge_rate = 0.1, discharge_rate = 1,
                               forward = { 0, -1, 0 }, up = { 0, 0, 1 },
                               arc_width = { -0.087266, 0.872665 },
                               arc_height = { 0.034907, 1.570796 } },
                },
                {
                    name = "Aft Phaser 2",
                    max_condition = 1000, disabled_below = 0.75, repair_complexity = 7,
                    position = { 0.4, 0.28, 0.52 }, radius = 0.25,
                    source = { position = "estimate" },
                    weapon = { id = 8, max_damage = 200, max_damage_distance = 70, max_charge = 5,
                               min_firing_charge = 3.5, recharge_rate = 0.1, discharge_rate = 1,
                               forward = { 0, -1, 0 }, up = { 0, 0, 1 },
                               arc_width = { -0.872665, 0.087266 },
                               arc_height = { 0.034907, 1.570796 } },
                },
            },
        },
        {
            type = "warp", name = "Warp Engines", targetable = false,
            max_condition = 3000, disabled_below = 0.5, repair_complexity = 3, power_per_second = 0,
            position = { -0.2, -0.5, -0.3 }, radius = 0.5,
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
            type = "torpedo_system", name = "Torpedoes", targetable = false,
            max_condition = 5000, disabled_below = 0.75, repair_complexity = 3,
            power_per_second = 100,
            source = { condition = "estimate", properties = "estimate" },
            children = {
                {
                    name = "Forward Torpedo 1",
                    max_condition = 2200, disabled_below = 0.75, repair_complexity = 3,
                    position = { -0.04, 0.2, 0.1 }, radius = 0.25,
                    weapon = { id = 1, reload_delay = 30, immediate_delay = 0.25, max_ready = 1,
                               dumbfire = true, forward = { 0, 1, 0 } },
                },
                {
                    name = "Forward Torpedo 2",
                    max_condition = 2200, disabled_below = 0.75, repair_complexity = 3,
                    position = { 0.04, 0.2, 0.1 }, radius = 0.25,
                    weapon = { id = 2, reload_delay = 30, immediate_delay = 0.25, max_ready = 1,
                               dumbfire = true, forward = { 0, 1, 0 } },
                },
                {
                    name = "Aft Torpedo 1",
                    max_condition = 2200, disabled_below = 0.75, repair_complexity = 3,
                    position = { -0.07, -0.75, 0.16 }, radius = 0.2,
                    weapon = { id = 4, reload_delay = 30, immediate_delay = 0.25, max_ready = 1,
                               dumbfire = true, forward = { 0, -1, 0 } },
                },
                {
                    name = "Aft Torpedo 2",
                    max_condition = 2200, disabled_below = 0.75, repair_complexity = 3,
                    position = { 0.07, -0.75, 0.16 }, radius = 0.2,
                    weapon = { id = 5, reload_delay = 30, immediate_delay = 0.25, max_ready = 1,
                               dumbfire = true, forward = { 0, -1, 0 } },
                },
            },
        },
        {
            type = "repair", name = "Engineering", targetable = false,
            max_condition = 11000, disabled_below = 0.01, repair_complexity = 1,
            power_per_second = 1,
            position = { 0, -0.5, -0.3 }, radius = 0.6,
        },
        {
            type = "hull", name = "Bridge", critical = true,
            max_condition = 11000, disabled_below = 0, repair_complexity = 4,
            position = { 0, 1.1, 0.52 }, radius = 0.35,
        },
        {
            type = "tractor_system", name = "Tractors", targetable = false,
            max_condition = 3000, disabled_below = 0.75, repair_complexity = 7,
            power_per_second = 600, power_mode = "main_battery",
            source = { condition = "estimate", properties = "estimate" },
            children = {
                {
                    name = "Forward Tractor",
                    max_condition = 2000, disabled_below = 0.75, repair_complexity = 7,
                    position = { 0, 2.7, 0.36 }, radius = 0.2,
                    weapon = { id = 7, max_damage = 70, max_damage_distance = 114, max_charge = 500,
                               min_firing_charge = 50, recharge_rate = 1, discharge_rate = 1,
                               forward = { 0, 1, 0 }, up = { 0, 0, 1 },
                               arc_width = { -0.872665, 0.872665 },
                               arc_height = { -1.047198, 1.047198 } },
                },
                {
                    name = "Aft Tractor",
                    max_condition = 2000, disabled_below = 0.75, repair_complexity = 7,
                    position = { 0, -2.5, -0.18 }, radius = 0.25,
                    weapon = { id = 0, max_damage = 70, max_damage_distance = 114, max_charge = 5,
                               min_firing_charge = 3, recharge_rate = 0.3, discharge_rate = 1,
                               forward = { 0, -1, 0 }, up = { 0, 0, 1 },
                               arc_width = { -0.523599, 0.523599 },
                               arc_height = { -0.523599, 0.523599 } },
                },
            },
        },
    },
}
