#!/usr/bin/env python3
"""tests/apps/import_test.py -- `starbase ships import`: from a hardpoint script to a server's ship.

Usage: import_test.py PROGRAM [CAPTURE]. The last line is "N passed, N failed".
"""
import json
import os
import subprocess
import sys
import tempfile

from checks import check, finish

PROGRAM = sys.argv[1]
EXAMPLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "mod",
                       "lancer.py")
CHILD = """import App
ParentPropertyScript = "ships.Hardpoints.Barge"
if not ('g_bIsModelPropertyEditor' in dir(App)):
\tParentModule = __import__("ships.Hardpoints.%s", globals(), locals(), ['*'])
\treload(ParentModule)
Extra = App.HullProperty_Create("Extra")
Extra.SetMaxCondition(70)
Extra.SetRepairComplexity(1)
Extra.SetDisabledPercentage(0)
App.g_kModelPropertyManager.RegisterLocalTemplate(Extra)
def LoadPropertySet(pObj):
\tif not ('g_bIsModelPropertyEditor' in dir(App)):
\t\tParentModule.LoadPropertySet(pObj)
\tprop = App.g_kModelPropertyManager.FindByName("Extra", App.TGModelPropertyManager.LOCAL_TEMPLATES)
\tif (prop != None):
\t\tpObj.AddToSet("Scene Root", prop)
"""


def run(*arguments):
    result = subprocess.run([PROGRAM, *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                            timeout=60)
    return result.returncode, result.stdout.decode(), result.stderr.decode()


def load(*arguments):
    return run("ships", "import", *arguments)


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w", newline="") as file:
        file.write(text)
    return path


def way_of_a_modder(folder):
    os.mkdir(os.path.join(folder, "ships"))
    table = os.path.join(folder, "ships", "lancer.lua")
    code, out, err = load(EXAMPLE, "--species", "120", "--projectile", "LancerTorpedo=21", "-o", table)
    check("the table is written to a file", code == 0 and out == "" and os.path.exists(table), err)
    check("the last line says what to do next",
          err.splitlines()[-1] == f"starbase ships import: wrote {table}; `starbase ships {table}` "
          "shows the ship", err)
    code, out, err = run("ships", "--data", folder, "lancer")
    check("starbase ships --data shows it", code == 0 and
          out.startswith("Lancer (lancer), species 120"), out + err)
    ship = json.loads(run("ships", "--data", folder, "lancer", "--json")[1])
    engines = [p for p in ship["parts"] if p["name"] == "Warp Engines"][0]["children"]
    check("its nacelles are children of the warp engines",
          [e["name"] for e in engines] == ["Port Nacelle", "Star Nacelle"] and
          [e["creation_index"] for e in engines] == [5, 6], engines)
    code, out, err = run("serve", "--data", folder, "--check-config")
    check("serve --check-config accepts the folder", code == 0, err)
    code, out, err = run("hash", table)
    check("starbase hash computes its hash", code == 0 and out.startswith("lancer "), out + err)
    code, out, err = load(EXAMPLE, "--species", "120", "-o", table)
    check("a file is not replaced unless asked", code == 1 and
          err.endswith(f"{table} exists; --force replaces it\n"), err)
    code, out, err = load(EXAMPLE, "--species", "121", "-o", table, "--force")
    check("--force replaces it", code == 0 and "species = 121," in open(table).read(), err)


def warnings(folder):
    code, out, err = load(EXAMPLE)
    lines = err.splitlines()
    check("without options the table goes to stdout", code == 0 and "\nreturn {\n" in out, err)
    check("looks and sounds are one warning with counts and lines", any(
        "these calls have no effect on a server:" in line for line in lines) and
        "SetPosition2D (22, line " in err, err)
    check("no line of it is wider than 100 columns",
          all(len(line) <= 100 for line in lines if line.startswith("    ")), err)
    check("a missing species is named", "give --species N" in err and "species = 0," in out, err)
    check("an unknown projectile is named", "LancerTorpedo is a projectile whose number" in err, err)
    text = open(EXAMPLE).read().replace("Hull.SetCritical(1)", "Hull.SetCritical(1)\nHull.SetShine(2)")
    path = write(folder, "odd.py", text.replace("\n", "\r\n"))
    code, out, err = load(path, "--species", "3")
    check("a call that is not understood is named with its line", code == 0 and
          f"warning: {path}:11: SetShine is not understood\n" in err, err)
    check("the key is the name of the file", 'key = "odd",' in out and 'name = "Lancer",' in out, out)
    code, out, _ = load(EXAMPLE, "--key", "pike", "--name", "The Pike", "--faction", "Free",
                        "--radius", "2.5", "--species", "7")
    check("options set key, name, faction, radius and species", all(
        text in out for text in ('key = "pike"', 'name = "The Pike"', 'faction = "Free"',
                                 "bound_radius = 2.5,", "species = 7,")), out)


def parents(folder):
    write(folder, "barge.py", open(EXAMPLE).read())
    child = write(folder, "child.py", CHILD % "Barge")
    code, out, err = load(child, "--species", "8")
    check("the script that another one builds on is found beside it", code == 0 and
          out.index('name = "Cloaking Device"') < out.index('name = "Extra"'), err)
    away = write(folder, "away.py", CHILD % "nowhere")
    code, out, err = load(away, "--species", "8")
    check("if it is not there, the error says what to do", code == 2 and out == "" and err ==
          f"starbase ships import: {away}:4: builds on the script nowhere.py, which is not beside it; "
          "name it with --parent FILE.py\n", err)
    code, out, err = load(away, "--species", "8", "--parent", EXAMPLE)
    check("--parent names it", code == 0 and 'name = "Extra"' in out, err)
    code, out, err = load(EXAMPLE, "--parent", child)
    check("--parent needs a script that builds on one", code == 2 and "builds on no other" in err, err)
    os.mkdir(os.path.join(folder, "below"))
    write(os.path.join(folder, "below"), "barge.py", open(EXAMPLE).read())
    code, out, err = load(write(folder, "evil.py", CHILD % "below/barge"))
    check("a parent outside of the folder is not looked for", code == 2 and out == "" and
          "which is not beside it" in err, err)
    code, out, err = load(write(folder, "self.py", CHILD % "self"))
    check("a script that builds on itself is refused", code == 2 and "more than 4" in err, err)


def refused(folder):
    for name, text, error in [
            ("empty.py", "", "adds no properties"),
            ("open.py", "a = (1,\n", "line 1: a bracket is not closed"),
            ("quote.py", "x = 1\na = 'b\n", "line 2: a text has no closing quote"),
            ("nul.py", "a\0b", "is not a text; name the .py, not the compiled .pyc"),
            ("long.py", " " * (1 << 20) + "x", "is longer than 1 MiB")]:
        path = write(folder, name, text)
        code, out, err = load(path)
        check(f"{name} is refused", code == 2 and out == "" and
              err.splitlines()[-1].startswith(f"starbase ships import: {path}: {error}"), err)
    path = write(folder, "function.py", open(EXAMPLE).read().replace("def Load", "def Lad"))
    code, out, err = load(path)
    check("a refused script has its warnings as well", code == 2 and out == "" and
          "LadPropertySet is a function that is not read" in err and "adds no properties" in err, err)
    two = open(EXAMPLE).read().replace("WST_TRACTOR", "WST_PULSE")
    code, out, err = load(write(folder, "two.py", two), "--species", "9")
    check("a list that cannot be linked is refused, and nothing is written", code == 2 and out == ""
          and "two entries are of the type pulse_system" in err, err)
    for arguments, error in [
            ([], "needs one hardpoint script"), (["a.py", "b.py"], "needs one hardpoint script"),
            (["a.py", "--species", "256"], "--species: `256` is no number from 1 to 255"),
            (["a.py", "--radius", "-1"], "--radius: `-1` is no number above 0"),
            (["a.py", "--projectile", "X"], "--projectile needs NAME=NUMBER"),
            (["a.py", "--key", ""], "a key or name has 1 to 63 bytes")]:
        code, out, err = load(*arguments)
        check(f"bad usage: {arguments}", code == 2 and error in err, err)
    code, out, err = load(os.path.join(folder, "missing.py"))
    check("a missing file is named", code == 2 and "No such file" in err, err)
    code, out, err = load(EXAMPLE, "-o", os.path.join(folder, "no", "x.lua"))
    check("a missing folder is named", code == 1 and "mkdir -p" in err, err)
    code, out, _ = load("--help")
    check("--help describes the command", code == 0 and
          out.startswith("Usage: starbase ships import [options] FILE.py\n"), out)
    check("the help of ships leads here", "starbase ships import" in run("ships", "--help")[1])


with tempfile.TemporaryDirectory() as folder:
    way_of_a_modder(folder)
    warnings(folder)
    parents(folder)
    refused(folder)
finish()
