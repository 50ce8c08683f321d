#!/usr/bin/env python3
"""tests/apps/description_test.py -- `starbase messages --json` is enough to decode every vector.

Usage: description_test.py PROGRAM [CAPTURE]. A decoder made from the JSON lines alone (generated.py)
decodes the vectors of vectors/ to the stated values and refuses those that must be refused; the
lines have the form of docs/message.schema.json. The last line is "N passed, N failed".
"""
import csv
import json
import pathlib
import re
import subprocess
import sys

import generated
import schema
from checks import check, finish

PROGRAM = sys.argv[1]
ROOT = pathlib.Path(__file__).resolve().parents[2]
SPECIAL = {"bytes", "opcode", "message", "groups"}


def describe():
    out = subprocess.run([PROGRAM, "messages", "--json"], capture_output=True, text=True, check=True)
    return [json.loads(line) for line in out.stdout.splitlines()]


def ship_lists():
    lists = {}
    for row in csv.DictReader(open(ROOT / "docs/facts/ships-serialization.csv")):
        lists.setdefault(int(row["species"]), []).append(
            {"name": row["name"], "@format": row["format"], "@type": int(row["type_id"], 16),
             "@children": int(row["children"] or 0)})
    return lists


def read_vector(path):
    keys, key = {}, None
    for line in path.read_text().splitlines():
        if line.startswith((" ", "\t")) and key:
            keys[key] += "\n" + line.strip()
        elif ":" in line and not line.startswith("#"):
            key, value = line.split(":", 1)
            keys[key] = value.strip()
    return keys


def find(values, path):
    """The value at entries[0].condition.code; None: absent."""
    found = values
    parts = re.findall(r"[^.\[\]]+|\[\d+\]", path)
    while parts:
        part = parts.pop(0)
        if part == "count" and isinstance(found, list):
            return len(found)
        if part == "code" and isinstance(found, list):
            return bytes(found)
        if part == "magnitude" and parts == ["code"]:
            return found["magnitude.code"]
        if part.startswith("["):
            index = int(part[1:-1])
            found = found[index] if index < len(found) else None
        else:
            found = found.get(part) if isinstance(found, dict) else None
        if found is None:
            return None
    if isinstance(found, dict) and "value" in found:
        return found["value"]
    return found


def near(text, value):
    """Numbers agree to the digits written; others are equal."""
    wanted = float(int(text, 0)) if re.fullmatch(r"-?(0x[0-9A-Fa-f]+|\d+)", text) else float(text)
    if "." not in text and "e" not in text.lower():
        return abs(wanted - value) <= 1e-6 * max(1, abs(wanted))
    digits = len(text.split("e")[0].split(".")[1]) if "." in text else 0
    return abs(wanted - value) <= 0.51 * 10 ** -digits * max(1, abs(wanted))


def agrees(text, value):
    if text == "none":
        return value is None
    if value is None:
        return False
    if text.startswith('"'):
        raw = value.encode() if isinstance(value, str) else value
        plain = re.sub(r"\\(x([0-9A-Fa-f]{2})|.)",
                       lambda m: chr(int(m[2], 16)) if m[2] else m[1], text[1:-1])
        return isinstance(raw, bytes) and raw.decode("latin-1") == plain
    if text in ("true", "false"):
        return bool(value) == (text == "true")
    if isinstance(value, bytes):
        return value == bytes.fromhex(text)
    numbers = value if isinstance(value, list) else [value]
    words = text.split(",")
    return len(words) == len(numbers) and all(near(w.strip(), v) for w, v in zip(words, numbers))


def check_values(path, keys, message):
    off_wire = {f["name"] for f in message.description["fields"] if not f["on_wire"]}
    for line in keys["expect"].split("\n"):
        if " = " not in line:
            continue
        name, text = line.split(" = ", 1)
        if name in SPECIAL or name.endswith((".offset", ".subsystem", "oddity")):
            continue
        value = find(message.values, name)
        if text == "none" and value == 0 and name in off_wire:
            continue  # a rare form that is not there
        check("the generated decoder finds the stated value", agrees(text, value),
              (path.name, name, text, value))


def vectors(decoder):
    seen, skipped = set(), 0
    for path in sorted((ROOT / "vectors").glob("*/*.vec")):
        keys = read_vector(path)
        if keys.get("layer") != "message":
            continue
        if keys.get("shields") == "documented":
            skipped += 1  # a layout of one project's server, not of the game (spec 03 §4.2)
            continue
        data = bytes.fromhex(keys["hex"])
        species = int(keys["species"]) if "species" in keys else None
        try:
            message = decoder.decode(data, species)
        except (generated.Refused, IndexError) as reason:
            check("only refused vectors are refused", "refuse" in keys, (path.name, reason))
            continue
        seen.add(data[0])
        check("refused vectors are refused", "refuse" not in keys, path.name)
        if "expect" in keys:
            check_values(path, keys, message)
    check("vectors of nearly all messages were decoded", len(seen) >= 48, len(seen))
    check("few vectors were skipped", skipped <= 5, skipped)


def form(descriptions):
    rules = json.loads((ROOT / "docs/message.schema.json").read_text())
    for description in descriptions:
        problems = schema.validate(rules, description)
        check("each line has the form of the schema", not problems,
              (description["name"], problems[:3]))
    broken = dict(descriptions[0])
    broken.pop("relay")
    check("the schema refuses a line without a key", schema.validate(rules, broken))
    check("and an unknown key", schema.validate(rules, {**descriptions[0], "x": 1}))
    check("and an unknown kind", schema.validate(
        rules, {**descriptions[0], "fields": [{**descriptions[0]["fields"][0], "kind": "u64"}]}))


def content(descriptions):
    by_name = {d["name"]: d for d in descriptions}
    chat = by_name["CHAT"]
    check("a message has its table row", (chat["opcode"], chat["direction"], chat["delivery"],
          chat["relay"], chat["spec"]) == (44, "both", "reliable", "all", "09 §4"), chat)
    check("and its fields", [(f["name"], f["kind"]) for f in chat["fields"]] ==
          [("sender", "i32"), ("text", "lstr16")], chat["fields"])
    fields = {f["name"]: f for f in by_name["StateUpdate"]["fields"]}
    check("a field has its published name", fields["flags"]["published"] == "dirty flags")
    check("its unit", fields["speed"]["unit"] == "game units/s", fields["speed"])
    check("its condition", fields["speed"]["when"] ==
          [[{"field": "flags", "op": "has", "values": [16]}]], fields["speed"])
    check("its bounds", (fields["position"]["min"], fields["position"]["max"]) == (-1e7, 1e7))
    check("irregular messages say so", by_name["StateUpdate"]["irregular"])
    check("regular ones do not", chat["irregular"] is None)
    one = subprocess.run([PROGRAM, "messages", "--json", "chat"], capture_output=True, text=True)
    check("a name selects its line", json.loads(one.stdout) == chat, one.stdout)


descriptions = describe()
form(descriptions)
content(descriptions)
vectors(generated.Decoder(descriptions, ship_lists()))
finish()
