-- data/projectiles.lua -- torpedoes and bolts.
--
-- `type` is the byte in TorpedoFire and PulseFire, `name` its name in spec 08 §14.3 (13 is also
-- called PositronTorpedo2: spec 11 §8), `label` the text shown to players. Figures:
-- docs/facts/projectiles.csv, explained in spec 11 §1.4. A lifetime of 0 means not set (spec 10
-- §6.4).

return {
    {
        type = 1, name = "Disruptor", label = "Disruptor", kind = "bolt",
        damage = 400, launch_speed = 43, power_cost = 10, guidance_lifetime = 0,
        max_angular_accel = 0.125, lifetime = 8, damage_radius_factor = 0.15, source = "engine",
    },
    {
        type = 2, name = "PhotonTorpedo", label = "Photon", kind = "torpedo",
        damage = 500, launch_speed = 19, power_cost = 20, guidance_lifetime = 6,
        max_angular_accel = 0.15, lifetime = 0, damage_radius_factor = 0.13, source = "engine",
    },
    {
        type = 3, name = "QuantumTorpedo", label = "Quantum", kind = "torpedo",
        damage = 900, launch_speed = 22, power_cost = 30, guidance_lifetime = 6,
        max_angular_accel = 0.15, lifetime = 0, damage_radius_factor = 0.14, source = "engine",
    },
    {
        type = 4, name = "AntimatterTorpedo", label = "Antimatter", kind = "torpedo",
        damage = 440, launch_speed = 35, power_cost = 20, guidance_lifetime = 12,
        max_angular_accel = 0.7, lifetime = 0, damage_radius_factor = 0.12,
    },
    {
        type = 5, name = "CardassianTorpedo", label = "Photon", kind = "torpedo",
        damage = 600, launch_speed = 15, power_cost = 10, guidance_lifetime = 7,
        max_angular_accel = 0.3, lifetime = 0, damage_radius_factor = 0.15,
    },
    {
        type = 6, name = "KlingonTorpedo", label = "Adv. Photon", kind = "torpedo",
        damage = 1400, launch_speed = 10, power_cost = 40, guidance_lifetime = 7,
        max_angular_accel = 0.2, lifetime = 0, damage_radius_factor = 0.2, source = "engine",
    },
    {
        type = 7, name = "PositronTorpedo", label = "Positron", kind = "torpedo",
        damage = 2200, launch_speed = 3.8, power_cost = 10, guidance_lifetime = 40,
        max_angular_accel = 3, lifetime = 0, damage_radius_factor = 0.2, source = "engine",
    },
    {
        type = 8, name = "PulseDisruptor", label = "Disruptor", kind = "bolt",
        damage = 220, launch_speed = 55, power_cost = 10, guidance_lifetime = 0,
        max_angular_accel = 0.025, lifetime = 8, damage_radius_factor = 0.1, source = "engine",
    },
    {
        type = 9, name = "FusionBolt", label = "FusionBolt", kind = "bolt",
        damage = 300, launch_speed = 46, power_cost = 10, guidance_lifetime = 0,
        max_angular_accel = 0.025, lifetime = 8, damage_radius_factor = 0.08, source = "engine",
    },
    {
        type = 10, name = "CardassianDisruptor", label = "Cardassian Disruptor", kind = "bolt",
        damage = 350, launch_speed = 42, power_cost = 10, guidance_lifetime = 0,
        max_angular_accel = 0.125, lifetime = 10, damage_radius_factor = 0.09, source = "engine",
    },
    {
        type = 11, name = "KessokDisruptor", label = "Kessok Disruptor", kind = "bolt",
        damage = 2000, launch_speed = 27, power_cost = 30, guidance_lifetime = 0,
        max_angular_accel = 0.25, lifetime = 12, damage_radius_factor = 0.17, source = "engine",
    },
    {
        type = 12, name = "PhasedPlasma", label = "Phased", kind = "torpedo",
        damage = 1900, launch_speed = 12, power_cost = 40, guidance_lifetime = 10,
        max_angular_accel = 0.11, lifetime = 0, damage_radius_factor = 0.19,
    },
    {
        type = 13, name = "Positron2", label = "Positron", kind = "torpedo",
        damage = 2200, launch_speed = 5, power_cost = 10, guidance_lifetime = 40,
        max_angular_accel = 3, lifetime = 0, damage_radius_factor = 0.2,
    },
    {
        type = 14, name = "PhotonTorpedo2", label = "Photon", kind = "torpedo",
        damage = 550, launch_speed = 19, power_cost = 20, guidance_lifetime = 6,
        max_angular_accel = 0.15, lifetime = 0, damage_radius_factor = 0.13, source = "engine",
    },
    {
        type = 15, name = "RomulanCannon", label = "Disruptor", kind = "bolt",
        damage = 400, launch_speed = 43, power_cost = 10, guidance_lifetime = 0,
        max_angular_accel = 0.125, lifetime = 8, damage_radius_factor = 0.2, source = "engine",
    },
}
