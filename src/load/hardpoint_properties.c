/* src/load/hardpoint_properties.c -- tables of property classes, calls and constants.
 *
 * For:      hardpoint_properties.h. A call that a server should understand is a new row in
 *           `setters`.
 * Tests:    tests/load/hardpoint_script_test.c
 */
#include "load/hardpoint_properties.h"

#include "base/text.h"

#include <starbase/hardpoint.h>

#define POWERED_PART (SB_SETS_PART | SB_SETS_POWERED)
#define ENERGY_PART  (SB_SETS_PART | SB_SETS_WEAPON | SB_SETS_ENERGY)

/* clang-format off */
static const sb_property_class classes[] = {
    { "Hull",                SB_SUBSYSTEM_HULL,    SB_SETS_PART },
    { "Shield",              SB_SUBSYSTEM_SHIELD,  POWERED_PART | SB_SETS_SHIELD },
    { "Sensor",              SB_SUBSYSTEM_SENSOR,  POWERED_PART | SB_SETS_SENSOR },
    { "Power",               SB_SUBSYSTEM_POWER,   SB_SETS_PART | SB_SETS_REACTOR },
    { "ImpulseEngine",       SB_SUBSYSTEM_IMPULSE, POWERED_PART | SB_SETS_IMPULSE },
    { "WarpEngine",          SB_SUBSYSTEM_WARP,    POWERED_PART },
    { "RepairSubsystem",     SB_SUBSYSTEM_REPAIR,  POWERED_PART | SB_SETS_REPAIR },
    { "CloakingSubsystem",   SB_SUBSYSTEM_CLOAK,   POWERED_PART | SB_SETS_CLOAK },
    { "WeaponSystem",        SB_PROPERTY_WEAPON_TYPE, POWERED_PART | SB_SETS_SYSTEM },
    { "TorpedoSystem",       SB_SUBSYSTEM_TORPEDO_SYSTEM, POWERED_PART | SB_SETS_SYSTEM },
    { "Phaser",              SB_SUBSYSTEM_PHASER_BANK, ENERGY_PART | SB_SETS_BANK },
    { "PulseWeapon",         SB_SUBSYSTEM_PULSE_WEAPON, ENERGY_PART | SB_SETS_CANNON },
    { "TractorBeam",         SB_SUBSYSTEM_TRACTOR_PROJECTOR, ENERGY_PART },
    { "TorpedoTube",         SB_SUBSYSTEM_TORPEDO_TUBE,
                             SB_SETS_PART | SB_SETS_WEAPON | SB_SETS_TUBE },
    { "Engine",              SB_SUBSYSTEM_ENGINE, SB_SETS_PART | SB_SETS_ENGINE },
    { "Ship",                SB_PROPERTY_OF_SHIP, SB_SETS_SHIP },
    { "PositionOrientation", SB_PROPERTY_WITHOUT_PART, 0 },
    { "ObjectEmitter",       SB_PROPERTY_WITHOUT_PART, 0 },
    { "EngineGlow",          SB_PROPERTY_WITHOUT_PART, 0 },
};

#define NUMBER(name, figure, groups) { name, SB_SETTER_NUMBERS, figure, 1, groups }
#define SILENT(name) { name, SB_SETTER_WITHOUT_EFFECT, 0, 0, 0 }
static const sb_property_setter setters[] = {
    NUMBER("SetMaxCondition",          SB_SCRIPT_MAX_CONDITION, SB_SETS_PART),
    NUMBER("SetCritical",              SB_SCRIPT_CRITICAL, SB_SETS_PART),
    NUMBER("SetTargetable",            SB_SCRIPT_TARGETABLE, SB_SETS_PART),
    NUMBER("SetPrimary",               SB_SCRIPT_PRIMARY, SB_SETS_PART),
    { "SetPosition", SB_SETTER_POINT,  SB_SCRIPT_POSITION, 3, SB_SETS_PART },
    NUMBER("SetRepairComplexity",      SB_SCRIPT_REPAIR_COMPLEXITY, SB_SETS_PART),
    NUMBER("SetDisabledPercentage",    SB_SCRIPT_DISABLED_BELOW, SB_SETS_PART),
    NUMBER("SetRadius",                SB_SCRIPT_RADIUS, SB_SETS_PART),
    NUMBER("SetNormalPowerPerSecond",  SB_SCRIPT_POWER_PER_SECOND, SB_SETS_POWERED),
    NUMBER("SetMaxAccel",              SB_SCRIPT_MAX_ACCEL, SB_SETS_IMPULSE),
    NUMBER("SetMaxAngularAccel",       SB_SCRIPT_MAX_ANGULAR_ACCEL, SB_SETS_IMPULSE),
    NUMBER("SetMaxAngularVelocity",    SB_SCRIPT_MAX_ANGULAR_VELOCITY, SB_SETS_IMPULSE),
    NUMBER("SetMaxSpeed",              SB_SCRIPT_MAX_SPEED, SB_SETS_IMPULSE),
    NUMBER("SetMainBatteryLimit",      SB_SCRIPT_MAIN_BATTERY, SB_SETS_REACTOR),
    NUMBER("SetBackupBatteryLimit",    SB_SCRIPT_BACKUP_BATTERY, SB_SETS_REACTOR),
    NUMBER("SetMainConduitCapacity",   SB_SCRIPT_MAIN_CONDUIT, SB_SETS_REACTOR),
    NUMBER("SetBackupConduitCapacity", SB_SCRIPT_BACKUP_CONDUIT, SB_SETS_REACTOR),
    NUMBER("SetPowerOutput",           SB_SCRIPT_OUTPUT, SB_SETS_REACTOR),
    NUMBER("SetMaxRepairPoints",       SB_SCRIPT_REPAIR_POINTS, SB_SETS_REPAIR),
    NUMBER("SetNumRepairTeams",        SB_SCRIPT_REPAIR_TEAMS, SB_SETS_REPAIR),
    NUMBER("SetBaseSensorRange",       SB_SCRIPT_SENSOR_RANGE, SB_SETS_SENSOR),
    { "SetMaxShields", SB_SETTER_FACING, SB_SCRIPT_SHIELD_MAX, SB_FACINGS, SB_SETS_SHIELD },
    { "SetShieldChargePerSecond", SB_SETTER_FACING, SB_SCRIPT_SHIELD_RATE, SB_FACINGS,
      SB_SETS_SHIELD },
    NUMBER("SetCloakStrength",         SB_SCRIPT_CLOAK_STRENGTH, SB_SETS_CLOAK),
    NUMBER("SetWeaponSystemType",      SB_SCRIPT_SYSTEM_TYPE, SB_SETS_SYSTEM),
    NUMBER("SetSingleFire",            SB_SCRIPT_SINGLE_FIRE, SB_SETS_SYSTEM),
    NUMBER("SetAimedWeapon",           SB_SCRIPT_AIMED, SB_SETS_SYSTEM),
    NUMBER("SetNumAmmoTypes",          SB_SCRIPT_AMMO_TYPES, SB_SETS_SYSTEM),
    { "SetMaxTorpedoes", SB_SETTER_TORPEDO_COUNT, 0, 0, SB_SETS_SYSTEM },
    { "SetTorpedoScript", SB_SETTER_TORPEDO_SCRIPT, 0, 0, SB_SETS_SYSTEM },
    NUMBER("SetEngineType",            SB_SCRIPT_ENGINE_TYPE, SB_SETS_ENGINE),
    NUMBER("SetDumbfire",              SB_SCRIPT_DUMBFIRE, SB_SETS_WEAPON),
    NUMBER("SetWeaponID",              SB_SCRIPT_WEAPON_ID, SB_SETS_WEAPON),
    NUMBER("SetDamageRadiusFactor",    SB_SCRIPT_DAMAGE_RADIUS_FACTOR, SB_SETS_WEAPON),
    NUMBER("SetMaxCharge",             SB_SCRIPT_MAX_CHARGE, SB_SETS_ENERGY),
    NUMBER("SetMaxDamage",             SB_SCRIPT_MAX_DAMAGE, SB_SETS_ENERGY),
    NUMBER("SetMaxDamageDistance",     SB_SCRIPT_MAX_DAMAGE_DISTANCE, SB_SETS_ENERGY),
    NUMBER("SetMinFiringCharge",       SB_SCRIPT_MIN_FIRING_CHARGE, SB_SETS_ENERGY),
    NUMBER("SetNormalDischargeRate",   SB_SCRIPT_DISCHARGE_RATE, SB_SETS_ENERGY),
    NUMBER("SetRechargeRate",          SB_SCRIPT_RECHARGE_RATE, SB_SETS_ENERGY),
    { "SetOrientation", SB_SETTER_ORIENTATION, SB_SCRIPT_FORWARD, 9, SB_SETS_ENERGY },
    { "SetArcWidthAngles", SB_SETTER_NUMBERS, SB_SCRIPT_ARC_WIDTH, 2, SB_SETS_ENERGY },
    { "SetArcHeightAngles", SB_SETTER_NUMBERS, SB_SCRIPT_ARC_HEIGHT, 2, SB_SETS_ENERGY },
    NUMBER("SetWidth",                 SB_SCRIPT_STRIP_WIDTH, SB_SETS_BANK),
    NUMBER("SetLength",                SB_SCRIPT_STRIP_LENGTH, SB_SETS_BANK),
    NUMBER("SetCooldownTime",          SB_SCRIPT_COOLDOWN, SB_SETS_CANNON),
    { "SetModuleName", SB_SETTER_MODULE, 0, 0, SB_SETS_CANNON },
    { "SetDirection", SB_SETTER_POINT, SB_SCRIPT_FORWARD, 3, SB_SETS_TUBE },
    { "SetRight", SB_SETTER_POINT,     SB_SCRIPT_RIGHT, 3, SB_SETS_TUBE },
    NUMBER("SetImmediateDelay",        SB_SCRIPT_IMMEDIATE_DELAY, SB_SETS_TUBE),
    NUMBER("SetReloadDelay",           SB_SCRIPT_RELOAD_DELAY, SB_SETS_TUBE),
    NUMBER("SetMaxReady",              SB_SCRIPT_MAX_READY, SB_SETS_TUBE),
    NUMBER("SetMass",                  SB_SCRIPT_MASS, SB_SETS_SHIP),
    NUMBER("SetRotationalInertia",     SB_SCRIPT_INERTIA, SB_SETS_SHIP),
    { "SetShipName", SB_SETTER_NAME, 0, 0, SB_SETS_SHIP },
    SILENT("SetPosition2D"), SILENT("SetGroups"), SILENT("SetFireSound"),
    SILENT("SetIconNum"), SILENT("SetIconPositionX"), SILENT("SetIconPositionY"),
    SILENT("SetIconAboveShip"), SILENT("SetIndicatorIconNum"),
    SILENT("SetIndicatorIconPositionX"), SILENT("SetIndicatorIconPositionY"),
    SILENT("SetEngineSound"), SILENT("SetMaxProbes"), SILENT("SetShieldGlowColor"),
    SILENT("SetShieldGlowDecay"), SILENT("SetFiringChainString"),
    SILENT("SetPhaserTextureStart"), SILENT("SetPhaserTextureEnd"), SILENT("SetPhaserWidth"),
    SILENT("SetTextureStart"), SILENT("SetTextureEnd"), SILENT("SetTractorBeamWidth"),
    SILENT("SetOuterShellColor"), SILENT("SetInnerShellColor"), SILENT("SetOuterCoreColor"),
    SILENT("SetInnerCoreColor"), SILENT("SetNumSides"), SILENT("SetMainRadius"),
    SILENT("SetTaperRadius"), SILENT("SetCoreScale"), SILENT("SetTaperRatio"),
    SILENT("SetTaperMinLength"), SILENT("SetTaperMaxLength"),
    SILENT("SetLengthTextureTilePerUnit"), SILENT("SetPerimeterTile"),
    SILENT("SetTextureSpeed"), SILENT("SetTextureName"), SILENT("SetGenus"),
    SILENT("SetSpecies"), SILENT("SetModelFilename"), SILENT("SetDamageResolution"),
    SILENT("SetAffiliation"), SILENT("SetStationary"), SILENT("SetAIString"),
    SILENT("SetDeathExplosionSound"),
};

static const struct {
    const char *name;
    double      value;
} constants[] = {
    { "EP_IMPULSE", SB_ENGINE_IMPULSE }, { "EP_WARP", SB_ENGINE_WARP },
    { "WST_UNKNOWN", 0 }, { "WST_PHASER", 1 }, { "WST_TORPEDO", 2 }, { "WST_PULSE", 3 },
    { "WST_TRACTOR", 4 },
    { "FRONT_SHIELDS", 0 }, { "REAR_SHIELDS", 1 }, { "TOP_SHIELDS", 2 }, { "BOTTOM_SHIELDS", 3 },
    { "LEFT_SHIELDS", 4 }, { "RIGHT_SHIELDS", 5 },
};
/* clang-format on */

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

const sb_property_class *sb_property_class_find(sb_span name)
{
    for (size_t i = 0; i < COUNT_OF(classes); i++)
        if (sb_text_equals(name, classes[i].name)) return &classes[i];
    return NULL;
}

const sb_property_setter *sb_property_setter_find(const sb_property_class *property, sb_span name)
{
    for (size_t i = 0; i < COUNT_OF(setters); i++) {
        const sb_property_setter *s = &setters[i];
        if ((!s->groups || (s->groups & property->setters)) && sb_text_equals(name, s->name))
            return s;
    }
    return NULL;
}

const char *sb_property_figure_name(const sb_property_class *property, sb_script_figure figure)
{
    for (size_t i = 0; i < COUNT_OF(setters); i++) {
        const sb_property_setter *s = &setters[i];
        bool                      understood = !property || (s->groups & property->setters);
        if (understood && figure >= s->figure && figure < s->figure + s->count) return s->name;
    }
    return "a call";
}

bool sb_property_constant_find(sb_span name, double *out)
{
    for (size_t i = 0; i < COUNT_OF(constants); i++) {
        if (!sb_text_equals(name, constants[i].name)) continue;
        *out = constants[i].value;
        return true;
    }
    return false;
}
