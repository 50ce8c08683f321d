/* tests/load/hardpoint_script_test.c -- statements of hardpoint scripts: read, left out, refused.
 */
#include "load/hardpoint_script.h"

#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static sb_data                   data;
static sb_hardpoint_script       script;
static const sb_script_property *list[SB_SCRIPT_PROPERTIES_MAX];
static size_t                    count;

#define MANAGER "App.g_kModelPropertyManager."
#define HULL    "Hull = App.HullProperty_Create(\"Hull\")\n" MANAGER "RegisterLocalTemplate(Hull)\n"
#define LOAD    "def LoadPropertySet(pObj):\n"
#define ADD(name)                                                                                  \
    "\tprop = " MANAGER "FindByName(\"" name "\", App.TGModelPropertyManager.LOCAL_TEMPLATES)\n"   \
    "\tif (prop != None):\n\t\tpObj.AddToSet(\"Scene Root\", prop)\n"

static void start(void)
{
    sb_data_free(&data);
    data = (sb_data){ 0 };
    CHECK_EQ(sb_hardpoint_script_init(&script, &data), SB_OK);
}

static sb_result add_script(const char *name, const char *text)
{
    sb_data_source source = { .name = name, .text = text, .size = strlen(text) };
    return sb_hardpoint_script_read(&script, source);
}

static void read_script(const char *text)
{
    start();
    sb_result result = add_script("tug.py", text);
    CHECK_TEXT(data.error, "");
    CHECK_EQ(result, SB_OK);
    count = sb_hardpoint_script_list(&script, list);
}

static void check_refused(const char *text, size_t size, const char *error)
{
    start();
    sb_data_source source = { .name = "tug.py", .text = text, .size = size };
    sb_result      result = sb_hardpoint_script_read(&script, source);
    CHECK_TEXT(data.error, error);
    CHECK_EQ(result, SB_BAD_VALUE);
}

static void check_note(size_t at, const char *subject, const char *reason, uint32_t line,
                       unsigned times)
{
    CHECK(at < script.note_count);
    CHECK_TEXT(script.notes[at].subject, subject);
    CHECK_TEXT(script.notes[at].reason, reason);
    CHECK_EQ(script.notes[at].line, line);
    CHECK_EQ(script.notes[at].count, times);
}

static void check_figure(const sb_script_property *p, sb_script_figure figure, float value)
{
    CHECK(p->figures[figure] == value);
}

/* ---- properties ---- */

TEST(a_property_is_created_set_registered_and_added)
{
    read_script("import App\n" HULL "Hull.SetMaxCondition(4000.000000)\n"
                "Hull.SetPosition(1, -2.5, 0.25)\n" LOAD "\t\"Sets up the ship.\"\n" ADD("Hull"));
    CHECK_EQ(count, 1);
    CHECK_TEXT(list[0]->name, "Hull");
    CHECK_TEXT(list[0]->class->name, "Hull");
    CHECK_EQ(list[0]->line, 2);
    check_figure(list[0], SB_SCRIPT_MAX_CONDITION, 4000);
    check_figure(list[0], SB_SCRIPT_POSITION + 1, -2.5f);
    CHECK(isnan(list[0]->figures[SB_SCRIPT_RADIUS]));
    CHECK_EQ(script.note_count, 0);
}

TEST(the_order_is_that_of_adding_not_of_creating)
{
    read_script(LOAD ADD("B") ADD("C") ADD("A") /* also before the properties exist */
                "A = App.HullProperty_Create('A')\nB = App.HullProperty_Create('B')\n"
                "C = App.HullProperty_Create('C')\n" MANAGER "RegisterLocalTemplate(A)\n" MANAGER
                "RegisterLocalTemplate(B);" MANAGER "RegisterLocalTemplate(C)\n");
    CHECK_EQ(count, 3);
    CHECK_TEXT(list[0]->name, "B");
    CHECK_TEXT(list[1]->name, "C");
    CHECK_TEXT(list[2]->name, "A");
}

TEST(points_numbers_and_constants_reach_the_figures)
{
    read_script("T = App.TorpedoTubeProperty_Create('T')\nD = App.TGPoint3()\n"
                "D.SetXYZ(0.0, 1.0, 0.0)\nT.SetDirection(D)\nD.SetXYZ(1, 0, 0)\nT.SetRight(D)\n"
                "half = 2\nT.SetMaxReady(half)\nT.SetReloadDelay(3 * 10.0 + half)\n"
                "S = App.ShieldProperty_Create('S')\nS.SetMaxShields(S.LEFT_SHIELDS, 70)\n"
                "S.SetShieldChargePerSecond(5, 7)\n"
                "E = App.EngineProperty_Create('E')\nE.SetEngineType(E.EP_WARP)\n"
                "P = App.PhaserProperty_Create('P')\nU = App.TGPoint3()\nU.SetXYZ(0, 0, 1)\n"
                "P.SetOrientation(D, U, U)\nP.SetArcWidthAngles(-1.5, 0.5)\n");
    const sb_script_property *p = script.properties;
    CHECK_EQ(script.property_count, 4);
    check_figure(&p[0], SB_SCRIPT_FORWARD, 0); /* the point was changed after it was used */
    check_figure(&p[0], SB_SCRIPT_FORWARD + 1, 1);
    check_figure(&p[0], SB_SCRIPT_RIGHT, 1);
    check_figure(&p[0], SB_SCRIPT_MAX_READY, 2);
    check_figure(&p[0], SB_SCRIPT_RELOAD_DELAY, 32);
    check_figure(&p[1], SB_SCRIPT_SHIELD_MAX + 4, 70);
    CHECK(isnan(p[1].figures[SB_SCRIPT_SHIELD_MAX + 3]));
    check_figure(&p[1], SB_SCRIPT_SHIELD_RATE + 5, 7);
    check_figure(&p[2], SB_SCRIPT_ENGINE_TYPE, 1);
    check_figure(&p[3], SB_SCRIPT_FORWARD, 1);
    check_figure(&p[3], SB_SCRIPT_UP + 2, 1);
    check_figure(&p[3], SB_SCRIPT_RIGHT + 2, 1);
    check_figure(&p[3], SB_SCRIPT_ARC_WIDTH, -1.5f);
    check_figure(&p[3], SB_SCRIPT_ARC_WIDTH + 1, 0.5f);
    CHECK_EQ(script.note_count, 0);
}

TEST(a_facing_or_slot_that_does_not_exist_sets_nothing)
{
    static const char reason[] = "has an argument whose value only the game knows";
    read_script("S = App.ShieldProperty_Create('S')\nS.SetMaxShields(6, 70)\n"
                "S.SetMaxShields(-1, 70)\nS.SetMaxShields(0.5, 70)\n"
                "T = App.TorpedoSystemProperty_Create('T')\nT.SetMaxTorpedoes(256, 1)\n");
    for (int i = 0; i < SB_SCRIPT_FIGURE_COUNT; i++) CHECK(isnan(script.properties[0].figures[i]));
    check_note(0, "SetMaxShields", reason, 2, 3);
    check_note(1, "SetMaxTorpedoes", reason, 6, 1);
    CHECK_EQ(script.torpedo_count, 0);
}

TEST(torpedo_types_are_kept_by_slot)
{
    read_script("T = App.TorpedoSystemProperty_Create('T')\nT.SetMaxTorpedoes(1, 60)\n"
                "T.SetTorpedoScript(1, \"Tactical.Projectiles.Dart\")\nT.SetMaxTorpedoes(0, 5)\n"
                "T.SetMaxTorpedoes(0, 8)\nT.SetNumAmmoTypes(2)\n");
    CHECK_EQ(script.torpedo_count, 2);
    CHECK_EQ(script.torpedoes[0].slot, 1);
    CHECK(script.torpedoes[0].count == 60);
    CHECK_TEXT(script.torpedoes[0].script, "Tactical.Projectiles.Dart");
    CHECK(script.torpedoes[1].count == 8);
    CHECK(script.torpedoes[1].script == NULL);
    check_figure(&script.properties[0], SB_SCRIPT_AMMO_TYPES, 2);
}

TEST(numbers_beyond_a_float_become_the_largest)
{
    read_script("S = App.ShipProperty_Create('S')\nS.SetMass(9.37e+025)\n"
                "S.SetRotationalInertia(-1e+050)\n");
    CHECK(script.properties[0].figures[SB_SCRIPT_MASS] > 9e25f);
    CHECK(isfinite(script.properties[0].figures[SB_SCRIPT_INERTIA]));
}

TEST(names_are_unescaped_and_become_utf8)
{
    read_script("A = App.HullProperty_Create(\"a\\\"b\\\\c\\q\")\n"
                "B = App.HullProperty_Create(\"caf\xE9\")\n");
    CHECK_TEXT(script.properties[0].name, "a\"b\\c\\q");
    CHECK_TEXT(script.properties[1].name, "caf\xC3\xA9");
}

/* ---- blocks ---- */

TEST(conditions_about_templates_and_the_editor_need_no_note)
{
    read_script(HULL "if not ('g_bIsModelPropertyEditor' in dir(App)):\n\tHull.SetRadius(1)\n"
                     "if ('g_bIsModelPropertyEditor' in dir(App)):\n\tHull.SetRadius(2)\n" LOAD
                     "\tprop = " MANAGER "FindByName('Hull', 1)\n"
                     "\tif prop: pObj.AddToSet('Scene Root', prop)\n");
    CHECK_EQ(count, 1);
    check_figure(list[0], SB_SCRIPT_RADIUS, 1);
    CHECK_EQ(script.note_count, 0);
}

TEST(branches_loops_and_functions_that_are_not_followed_are_noted)
{
    read_script(HULL "if App.Difficulty() == 2:\n  Hull.SetRadius(1)\nelse:\n  Hull.SetRadius(2)\n"
                     "for i in range(3):\n  Hull.SetRadius(3)\n"
                     "def Helper(x):\n  Hull.SetRadius(4)\n  return\n"
                     "class Other:\n  pass\ntry:\n  Hull.SetMaxCondition(9)\nexcept:\n  pass\n");
    check_figure(&script.properties[0], SB_SCRIPT_RADIUS, 1);
    check_figure(&script.properties[0], SB_SCRIPT_MAX_CONDITION, 9);
    check_note(0, "if", "has a condition that is not evaluated; its branch is read", 3, 1);
    check_note(1, "else", "begins a branch that is not read", 5, 1);
    check_note(2, "for", "begins a block that is not followed; write its calls one by one", 7, 1);
    check_note(3, "Helper", "is a function that is not read; only LoadPropertySet is", 9, 1);
    check_note(4, "class", "begins a block that is not followed; write its calls one by one", 12,
               1);
    check_note(5, "except", "begins a branch that is not read", 16, 1);
    check_note(6, "Hull", "is registered, but LoadPropertySet does not add it; left out", 1, 1);
    CHECK_EQ(script.note_count, 7);
}

TEST(a_later_load_function_replaces_an_earlier_one)
{
    read_script(HULL "B = App.HullProperty_Create('B')\n" MANAGER
                     "RegisterLocalTemplate(B)\n" LOAD ADD("Hull") LOAD ADD("B"));
    CHECK_EQ(count, 1);
    CHECK_TEXT(list[0]->name, "B");
}

TEST(adding_counts_only_inside_the_load_function)
{
    read_script(HULL "pObj.AddToSet('Scene Root', Hull)\n" LOAD
                     "\tpObj.AddToSet('Scene Root', Hull)\nx = 1\n"
                     "pObj.AddToSet('Scene Root', Hull)\n");
    CHECK_EQ(count, 1);
    check_note(0, "AddToSet", "is called outside of LoadPropertySet", 3, 2);
    CHECK_EQ(script.note_count, 1);
}

/* ---- notes ---- */

TEST(calls_that_are_not_understood_are_named_once_with_a_count)
{
    read_script(HULL "Hull.SetShine(1)\nHull.SetShine(2)\nHull.SetMaxSpeed(3)\n"
                     "Hull.SetPosition2D(1, 2)\nHull.SetRadius(Tune(5))\nHull.SetCritical()\n"
                     "Other.SetRadius(1)\nFoo(2)\nx + 1\nimport Mods\n@wrong\n" LOAD ADD("Hull"));
    check_note(0, "SetShine", "is not understood", 3, 2);
    check_note(1, "SetMaxSpeed", "is not understood", 5, 1); /* not of a hull */
    check_note(2, "SetPosition2D", sb_script_without_effect, 6, 1);
    check_note(3, "Tune", "is not understood", 7, 1);
    check_note(4, "SetRadius", "has an argument whose value only the game knows", 7, 1);
    check_note(5, "SetCritical", "has an argument whose value only the game knows", 8, 1);
    check_note(6, "SetRadius", "is not understood", 9, 1);
    check_note(7, "Foo", "is not understood", 10, 1);
    check_note(8, "Mods", "is imported; what it does is not known", 12, 1);
    check_note(9, "@", "begins a statement that is not read", 13, 1);
    CHECK_EQ(script.note_count, 10);
}

TEST(properties_that_do_not_fit_together_are_noted)
{
    read_script(HULL "Again = App.HullProperty_Create('Hull')\nAgain.SetRadius(2)\n" MANAGER
                     "RegisterLocalTemplate(Again)\n" MANAGER "RegisterLocalTemplate(5)\n"
                     "X = App.WidgetProperty_Create('X')\nX.SetAnything(1)\n"
                     "Y = App.HullProperty_Create(5)\n"
                     "V = App.ObjectEmitterProperty_Create('V')\nV.SetAnything(1)\n" MANAGER
                     "RegisterLocalTemplate(V)\n" LOAD ADD("Hull") ADD("Hull")
                         ADD("Ghost") "\tpObj.AddToSet('Scene Root', 5)\n");
    CHECK_EQ(count, 1);
    check_figure(list[0], SB_SCRIPT_RADIUS, 2);
    check_note(0, "Hull", "is registered twice; the last one counts", 5, 1);
    check_note(1, "RegisterLocalTemplate", "is called with something that is no property", 6, 1);
    check_note(2, "WidgetProperty_Create", "is a class of properties that is not known; left out",
               7, 1);
    check_note(3, "HullProperty_Create", "needs a name in quotes", 9, 1);
    check_note(4, "AddToSet", "is called with something that is no property", 23, 1);
    check_note(5, "Hull", "is added twice; only the first time counts", 19, 1);
    check_note(6, "Ghost", "is added, but no registered property has this name", 22, 1);
    CHECK_EQ(script.note_count, 7);
}

TEST(notes_beyond_their_number_are_counted)
{
    static char text[16 * (SB_SCRIPT_NOTES_MAX + 5)];
    text[0] = '\0';
    for (int i = 0; i < SB_SCRIPT_NOTES_MAX + 3; i++) {
        size_t size = strlen(text);
        snprintf(text + size, sizeof text - size, "f%d()\n", i);
    }
    read_script(text);
    CHECK_EQ(script.note_count, SB_SCRIPT_NOTES_MAX);
    CHECK_EQ(script.notes_lost, 3);
}

/* ---- scripts that build on others ---- */

static const char child_text[] =
    "ParentPropertyScript = \"ships.Hardpoints.barge\"\n"
    "if not ('g_bIsModelPropertyEditor' in dir(App)):\n"
    "\tParentModule = __import__(\"ships.Hardpoints.barge\", globals(), locals(), ['*'])\n"
    "\treload(ParentModule)\n"
    "Hull = App.HullProperty_Create(\"Hull\")\nHull.SetRadius(9)\n" MANAGER
    "RegisterLocalTemplate(Hull)\nB = App.HullProperty_Create(\"B\")\n" MANAGER
    "RegisterLocalTemplate(B)\n" LOAD "\tif not ('g_bIsModelPropertyEditor' in dir(App)):\n"
    "\t\tParentModule.LoadPropertySet(pObj)\n" ADD("Hull") ADD("B");

TEST(a_script_names_the_one_it_builds_on)
{
    read_script(child_text);
    CHECK_TEXT(script.parent, "barge");
    CHECK_EQ(script.parent_line, 3);
    CHECK(!script.is_parent_read);
    CHECK_EQ(script.note_count, 0);
}

TEST(a_script_adds_the_parts_of_its_parent_with_its_own_figures)
{
    start();
    CHECK_EQ(add_script("barge.py", "A = App.HullProperty_Create('A')\n" MANAGER
                                    "RegisterLocalTemplate(A)\n" HULL
                                    "Hull.SetRadius(4)\n" LOAD ADD("A") ADD("Hull")),
             SB_OK);
    CHECK_EQ(add_script("tug.py", child_text), SB_OK);
    count = sb_hardpoint_script_list(&script, list);
    CHECK_EQ(count, 3);
    CHECK_TEXT(list[0]->name, "A");
    CHECK_TEXT(list[0]->file, "barge.py");
    CHECK_TEXT(list[1]->name, "Hull"); /* at the parent's place */
    check_figure(list[1], SB_SCRIPT_RADIUS, 9);
    CHECK_TEXT(list[2]->name, "B");
    CHECK(script.is_parent_read);
    CHECK_EQ(script.note_count, 0);
}

/* ---- refused ---- */

TEST(a_script_that_is_no_python_is_refused_with_its_line)
{
    check_refused("a = 1\nb = (", 11, "tug.py: line 2: a bracket is not closed");
    check_refused("a = 'x\n", 7, "tug.py: line 1: a text has no closing quote");
    check_refused("a\0b", 3, "tug.py: is not a text; name the .py, not the compiled .pyc");
}

TEST(a_script_is_bounded)
{
    size_t size = SB_DATA_FILE_BYTES_MAX + 1;
    char  *text = malloc(size + 64);
    CHECK(text != NULL);
    memset(text, ' ', size);
    check_refused(text, size, "tug.py: is longer than 1 MiB");
    for (int i = 0; i <= SB_SCRIPT_PROPERTIES_MAX; i++)
        memcpy(text + 29 * (size_t)i, "App.HullProperty_Create('H')\n", 29);
    check_refused(text, 29 * (SB_SCRIPT_PROPERTIES_MAX + 1),
                  "tug.py: line 513: creates more properties than a ship can have (512)");
    size_t at = (size_t)sprintf(text, "%s", HULL LOAD);
    for (int i = 0; i <= SB_SCRIPT_PROPERTIES_MAX; i++)
        at += (size_t)sprintf(text + at, " p.AddToSet('S', Hull)\n");
    check_refused(text, at, "tug.py: line 516: adds more properties than a ship can have (512)");
    free(text);
}
