-- data/ships/akira.lua -- Akira, species 1.
--
-- Figures: docs/facts (ships, subsystems, weapons, power), explained in spec 11; list order: spec
-- 03 §10. `source` below is the evidence for entries that name none of their own (spec 11 §1.2).
-- Estimates: bound_radius (1.2 x the distance of the farthest subsystem); max_condition of weapon
-- systems and engines (7 entries); all ordnance. Creation order: known for 12 of 31. `hit`, the
-- point at which a phaser strip is hit, is an estimate too (spec 10 §7).

return {
    species = 1,
    key = "akira",
    name = "Akira",
    faction = "Federation",
    modifier_class = 1,
    selectable = true,

    mass = 70,
    rotational_inertia = 8000,
    bound_radius = 2.9424,
    impulse = {
        max_speed = 6.6, max_accel = 3.0, max_angular_accel = 0.15, max_angular_velocity = 0.4,
    },
    shields = { -- front, rear, top, bottom, left, right
        max = { 10000, 5000, 5000, 5000, 5000, 5000 },
        rate = { 11, 11, 11, 11, 11, 11 },
    },
    power = {
        output = 800, main_battery = 150000, backup_battery = 50000, main_conduit = 900,
        backup_conduit = 100, draw_source = "documented",
    },
    repair = { max_points = 36, teams = 3 },
    ordnance = {
        { system = "torpedo_system", slot = 0, projectile = 2,
          ground = "photon fire seen in traces of Federation ships" },
    },
    hull = {
        box = { centre = { 0, 0.4, 0.05 }, half = { 1.5, 2.2, 0.5 }, source = "estimate" },
        solids = {
            -- saucer
            { kind = "ellipsoid", centre = { 0, 1.2, 0.05 }, half = { 1.2, 1.35, 0.22 } },
            -- lower hull
            { kind = "ellipsoid", centre = { 0, 0.9, -0.2 }, half = { 0.4, 0.9, 0.2 } },
            -- torpedo pod
            { kind = "box", centre = { 0, -0.75, 0.35 }, half = { 0.3, 0.5, 0.13 } },
            -- booms
            { kind = "box", centre = { -0.75, -0.3, 0 }, half = { 0.14, 1.2, 0.14 } },
            { kind = "box", centre = { 0.75, -0.3, 0 }, half = { 0.14, 1.2, 0.14 } },
            -- nacelles
            { kind = "ellipsoid", centre = { -1, -1, -0.1 }, half = { 0.2, 0.78, 0.16 } },
            { kind = "ellipsoid", centre = { 1, -1, -0.1 }, half = { 0.2, 0.78, 0.16 } },
        },
    },

    source = {
        condition = "hardpoint", properties = "hardpoint", power = "documented",
        order = "catalogue", creation = "trace",
    },
    subsystems = {
        {
            type = "hull", name = "Hull", creation_index = 0, critical = true,
            max_condition = 9000, disabled_below = 0.75, repair_complexity = 3,
            position = { 0, 1.19325, 0.129315 }, radius = 1,
            source = { order = "trace", creation = "rule" },
        },
        {
            type = "shield", name = "Shield Generator", creation_index = 1,
            max_condition = 9000, disabled_below = 0.75, repair_complexity = 2,
            power_per_second = 300,
            position = { 0, 1, -0.25 }, radius = 0.18,
            source = { order = "trace", creation = "rule" },
        },
        {
            type = "sensor", name = "Sensor Array", creation_index = 2,
            max_condition = 6000, disabled_below = 0.5, repair_complexity = 1,
            power_per_second = 150,
            position = { 0, 1.55, -0.25 }, radius = 0.17,
            source = { order = "trace", creation = "rule" },
        },
        {
            type = "power", name = "Warp Core", creation_index = 3, critical = true,
            max_condition = 5000, disabled_below = 0.75, repair_complexity = 2,
            position = { 0, 0.6, -0.08 }, radius = 0.2,
            source = { order = "trace", creation = "rule" },
        },
        {
            type = "impulse", name = "Impulse Engines", creation_index = 4, targetable = false,
            max_condition = 4000, disabled_below = 0.5, repair_complexity = 3,
            power_per_second = 50,
            position = { 0, 1, 0 }, radius = 0.25,
            source = { order = "trace", creation = "rule" },
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
            type = "phaser_system", name = "Phasers", creation_index = 5, targetable = false,
            max_condition = 8000, disabled_below = 0.5, repair_complexity = 7,
            power_per_second = 200,
            source = { condition = "estimate", properties = "estimate", order = "trace" },
            children = {
                {
                    name = "Ventral Phaser 1",
                    max_condition = 800, disabled_below = 0.75, repair_complexity = 7,
                    position = { -0.5, 1.35, -0.1 }, radius = 0.25,
                    weapon = { id = 1, max_damage = 300, max_damage_distance = 60, max_charge = 5,
                               min_firing_charge = 3.5, recharge_rate = 0.08, discharge_rate = 1,
                               forward = { -1, 0, 0 }, up = { 0, 0, 1 },
                               arc_width = { -1.221731, 0 },
                               arc_height = { -1.570796, -0.349066 } },
                },
                {
                    name = "Ventral Phaser 2",
                    max_condition = 800, disabled_below = 0.75, repair_complexity = 7,
                    position = { -0.6, 1.65, -0.1 }, radius = 0.25,
                    weapon = { id = 2, max_damage = 300, max_damage_distance = 60, max_charge = 5,
                               min_firing_charge = 3.5, recharge_rate = 0.08, discharge_rate = 1,
                               forward = { -0.838053, 0.545588, 0 }, up = { 0, 0, 1 },
                               arc_width = { -1.221731, 1.221731 },
                               arc_height = { -1.570796, -0.034907 } },
                },
                {
                    name = "Ventral Phaser 3",
                    max_condition = 800, disabled_below = 0.75, repair_complexity = 7,
                    position = { 0.6, 1.65, -0.1 }, radius = 0.25,
                    weapon = { id = 3, max_damage = 300, max_damage_distance = 60, max_charge = 5,
                               min_firing_charge = 3.5, recharge_rate = 0.08, discharge_rate = 1,
                               forward = { 0.838053, 0.545588, 0 }, up = { 0, 0, 1 },
                               arc_width = { -1.221731, 1.221731 },
                               arc_height = { -1.570796, -0.034907 } },
                },
                {
                    name = "Ventral Phaser 4",
                    max_condition = 800, disabled_below = 0.75, repair_complexity = 7,
                    position = { 0.5, 1.35, -0.1 }, radius = 0.25,
                    weapon = { id = 4, max_damage = 300, max_damage_distance = 60, max_charge = 5,
                               min_firing_charge = 3.5, recharge_rate = 0.08, discharge_rate = 1,
                               forward = { 1, 0, 0 }, up = { 0, 0, 1 }, arc_width = { 0, 1.221731 },
                               arc_height = { -1.570796, -0.349066 } },
                },
                {
                    name = "Dorsal Phaser 1",
                    max_condition = 800, disabled_below = 0.75, repair_complexity = 7,
                    position = { -0.5, 1.4, 0.02 }, radius = 0.25,
                    weapon = { id = 5, max_damage = 300, max_damage_distance = 60, max_charge = 5,
                               min_firing_charge = 3.5, recharge_rate = 0.08, discharge_rate = 1,
                               forward = { -1, 0, 0 }, up = { 0, 0, 1 },
                               arc_width = { -0.523599, 0.872665 },
                               arc_height = { -0.017453, 1.570796 } },
                },
                {
                    name = "Dorsal Phaser 2",
                    max_condition = 800, disabled_below = 0.75, repair_complexity = 7,
                    position = { 0, 1.35, 0.02 }, radius = 0.25, hit = { 0, 2.2082, 0.02 },
                    weapon = { id = 6, max_damage = 300, max_damage_distance = 60, max_charge = 5,
                               min_firing_charge = 3.5, recharge_rate = 0.08, discharge_rate = 1,
                               forward = { 0, 1, 0 }, up = { 0, 0, 1 },
                               arc_width = { -1.396263, 0.349066 },
                               arc_height = { -0.017453, 1.570796 } },
                },
                {
                    name = "Dorsal Phaser 3",
                    max_condition = 800, disabled_below = 0.75, repair_complexity = 7,
                    position = { 0, 1.35, 0.02 }, radius = 0.25, hit = { 0, 2.2082, 0.02 },
                    weapon = { id = 7, max_damage = 300, max_damage_distance = 60, max_charge = 5,
                               min_firing_charge = 3.5, recharge_rate = 0.08, discharge_rate = 1,
                               forward = { 0, 1, 0 }, up = { 0, 0, 1 },
                               arc_width = { -0.349066, 1.396263 },
                               arc_height = { -0.017453, 1.570796 } },
                },
                {
                    name = "Dorsal Phaser 4",
                    max_condition = 800, disabled_below = 0.75, repair_complexity = 7,
                    position = { 0.5, 1.4, 0.02 }, radius = 0.25,
                    weapon = { id = 8, max_damage = 300, max_damage_distance = 60, max_charge = 5,
                               min_firing_charge = 3.5, recharge_rate = 0.08, discharge_rate = 1,
                               forward = { 1, 0, 0 }, up = { 0, 0, 1 },
                               arc_width = { -0.872665, 0.523599 },
                               arc_height = { -0.017453, 1.570796 } },
                },
            },
        },
        {
            type = "warp", name = "Warp Engines", targetable = false,
            max_condition = 5000, disabled_below = 0.5, repair_complexity = 3, power_per_second = 0,
            position = { -0.53, 0.84, 0.1 }, radius = 0.25,
            source = { order = "trace" },
            children = {
                {
                    name = "Port Warp",
                    max_condition = 3500, disabled_below = 0.5, repair_complexity = 3,
                    source = { condition = "estimate", properties = "inherited" },
                },
                {
                    name = "Starboard Warp",
                    max_condition = 3500, disabled_below = 0.5, repair_complexity = 3,
                    source = { condition = "estimate", properties = "inherited" },
                },
            },
        },
        {
            type = "torpedo_system", name = "Torpedoes", targetable = false,
            max_condition = 5000, disabled_below = 0.5, repair_complexity = 3,
            power_per_second = 100,
            source = { condition = "estimate", properties = "estimate", order = "trace" },
            children = {
                {
                    name = "Forward Torp 1", creation_index = 13,
                    max_condition = 1600, disabled_below = 0.75, repair_complexity = 3,
                    position = { -0.13, 1.97, -0.18 }, radius = 0.2,
                    weapon = { id = 0, reload_delay = 40, immediate_delay = 0.25, max_ready = 1,
                               dumbfire = true, forward = { 0, 1, 0 } },
                },
                {
                    name = "Forward Torp 2", creation_index = 14,
                    max_condition = 1600, disabled_below = 0.75, repair_complexity = 3,
                    position = { 0.13, 1.97, -0.18 }, radius = 0.2,
                    weapon = { id = 1, reload_delay = 40, immediate_delay = 0.25, max_ready = 1,
                               dumbfire = true, forward = { 0, 1, 0 } },
                },
                {
                    name = "Aft Torp 1", creation_index = 15,
                    max_condition = 1600, disabled_below = 0.75, repair_complexity = 3,
                    position = { 0, 0.42, -0.1 }, radius = 0.2,
                    weapon = { id = 4, reload_delay = 40, immediate_delay = 0.25, max_ready = 1,
                               dumbfire = true, forward = { 0, -1, 0 } },
                },
                {
                    name = "Forward Torp 3", creation_index = 16,
                    max_condition = 1600, disabled_below = 0.75, repair_complexity = 3,
                    position = { -0.16, -0.3, 0.38 }, radius = 0.2,
                    weapon = { id = 2, reload_delay = 40, immediate_delay = 0.25, max_ready = 1,
                               dumbfire = true, forward = { 0, 1, 0 } },
                },
                {
                    name = "Forward Torp 4", creation_index = 17,
                    max_condition = 1600, disabled_below = 0.75, repair_complexity = 3,
                    position = { 0.16, -0.3, 0.38 }, radius = 0.2,
                    weapon = { id = 3, reload_delay = 40, immediate_delay = 0.25, max_ready = 1,
                               dumbfire = true, forward = { 0, 1, 0 } },
                },
                {
                    name = "Aft Torp 2", creation_index = 18,
                    max_condition = 1600, disabled_below = 0.75, repair_complexity = 3,
                    position = { 0, -1.1, 0.37 }, radius = 0.2,
                    weapon = { id = 5, reload_delay = 40, immediate_delay = 0.25, max_ready = 1,
                               dumbfire = true, forward = { 0, -1, 0 } },
                },
            },
        },
        {
            type = "repair", name = "Engineering", targetable = false,
            max_condition = 5000, disabled_below = 0.1, repair_complexity = 4, power_per_second = 1,
            position = { 0, 0.8, -0.1 }, radius = 0.25,
            source = { order = "trace" },
        },
        {
            type = "tractor_system", name = "Tractors", targetable = false,
            max_condition = 3000, disabled_below = 0.5, repair_complexity = 7,
            power_per_second = 600, power_mode = "main_battery",
            source = { condition = "estimate", properties = "estimate", order = "trace" },
            children = {
                {
                    name = "Forward Tractor",
                    max_condition = 1500, disabled_below = 0.75, repair_complexity = 7,
                    position = { 0, 2.45, -0.1 }, radius = 0.2,
                    weapon = { id = 1, max_damage = 60, max_damage_distance = 100, max_charge = 5,
                               min_firing_charge = 3, recharge_rate = 0.3, discharge_rate = 1,
                               forward = { 0, 1, 0 }, up = { 0, 0, 1 },
                               arc_width = { -0.872665, 0.872665 },
                               arc_height = { -0.872665, 0.872665 } },
                },
                {
                    name = "Aft Tractor",
                    max_condition = 1500, disabled_below = 0.75, repair_complexity = 7,
                    position = { 0, -0.9, 0.28 }, radius = 0.15,
                    weapon = { id = 1, max_damage = 60, max_damage_distance = 100, max_charge = 5,
                               min_firing_charge = 3, recharge_rate = 0.3, discharge_rate = 1,
                               forward = { 0, -1, 0 }, up = { 0, 0, 1 },
                               arc_width = { -0.698132, 0.698132 },
                               arc_height = { -0.698132, 0.174533 } },
                },
            },
        },
        {
            type = "hull", name = "Bridge", critical = true,
            max_condition = 8000, disabled_below = 0.75, repair_complexity = 4,
            position = { 0, 1.3, 0.1 }, radius = 0.3,
            source = { order = "trace" },
        },
    },
}
