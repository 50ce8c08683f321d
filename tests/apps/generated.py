"""tests/apps/generated.py -- a decoder that knows only the lines of `starbase messages --json`.

For: description_test.py, as the proof that a binding can be generated from the description alone.
The meaning of the kinds and of names with @ is that of docs/message-schema.md; `lists` are the
subsystem lists of ships, rows of docs/facts/ships-serialization.csv.
"""
import struct

SCALARS = {"u8": "<B", "s8": "<b", "u16": "<H", "u32": "<I", "i32": "<i", "id": "<I", "flags": "<B",
           "ratio": "<B", "percent": "<B", "level": "<B", "switch": "<b", "cf16": "<H", "f32": "<f"}
DIVISORS = {"ratio": 255, "percent": 100, "level": 204}
BASE, FACTOR = struct.unpack("<ff", struct.pack("<ff", 0.001, 1 / 4095))
LIMITS = [0] + [BASE * 10 ** i for i in range(8)]
INFINITE = float("inf")


class Refused(Exception):
    """The bytes are not such a message."""


def cf16(code):
    step, part = code >> 12 & 7, code & 0xFFF
    value = (LIMITS[step + 1] - LIMITS[step]) * part * FACTOR + LIMITS[step]
    value = struct.unpack("<f", struct.pack("<f", value))[0]
    return -value if code & 0x8000 else value


def direction(codes, magnitude=1.0):
    return [(-1.0 if c == -128 else c / 127) * magnitude for c in codes]


class Message:
    """One decoded message: `values` by name, `offsets` of the first byte of each field."""

    def __init__(self, description, data, ship):
        self.description, self.data, self.ship, self.at = description, data, ship, 1
        self.group, self.group_left, self.strict, self.depth = 0, 0, False, 0
        self.facts = {"@list": len(ship)}
        self.values = {}
        self.read_fields(description["fields"], self.values)
        if description["exact"] and self.left():
            raise Refused("trailing bytes")
        if description["max_bytes"] and self.at > description["max_bytes"]:
            raise Refused("too long")
        if self.left():
            self.values["trailing"] = self.data[self.at:]

    def left(self):
        return len(self.data) - self.at

    def take(self, count):
        if count > self.left():
            raise Refused(f"ends at {self.at}")
        self.at += count
        return self.data[self.at - count:self.at]

    def number(self, form):
        return struct.unpack(form, self.take(struct.calcsize(form)))[0]

    def real(self):
        value = self.number("<f")
        if not abs(value) < INFINITE:
            raise Refused("not finite")
        return value

    def bit(self):
        if not self.group_left:
            self.group = self.number("<B")
            count = self.group >> 5
            if count > 5 or self.strict and not count:
                raise Refused("group byte")
            self.group_left = max(count, 1)
        value, self.group = self.group & 1, self.group >> 1
        self.group_left -= 1
        return value

    # ---- conditions ----

    def fact(self, name, scope):
        if name == "@rest":
            return self.left()
        if name == "@next":
            return self.data[self.at] if self.left() else None
        if name == "@terminator":
            size = struct.unpack_from("<I", self.data, self.at)[0] if self.left() >= 4 else 0
            return self.data[self.at + 3 + size] if 0 < size <= self.left() - 4 else 0
        if name == "@missing_ids":
            k, n = (self.data[self.at], self.left() - 1) if self.left() else (0, 0)
            return int(n % 4 == 0 and 4 * k <= n < 8 * k)
        if name == "@list" and scope.get("start_index", 0) >= len(self.ship):
            return 0
        if name.startswith("@"):
            return self.facts.get(name)
        value = scope.get(name)
        return value["code"] if isinstance(value, dict) else value

    def clause(self, clause, scope):
        value, among = self.fact(clause["field"], scope), False
        if clause["field"] == "k" or clause["field"].startswith("@missing"):
            value = scope.setdefault("@missing_ids", value) if clause["field"] != "k" else value
        for wanted in clause["values"]:
            if isinstance(wanted, list):
                among |= value is not None and wanted[0] <= value <= wanted[1]
            elif clause["op"] == "has":
                among |= value is not None and value & wanted == wanted
            elif clause["op"] == "lacks":
                among |= value is not None and value & wanted != 0
            else:
                among |= value == wanted
        return among if clause["op"] in ("is", "has") else not among

    def holds(self, when, scope):
        return when is None or any(all(self.clause(c, scope) for c in some) for some in when)

    # ---- fields ----

    def read_fields(self, fields, scope):
        for field in fields:
            if not field["on_wire"]:
                scope[field["name"]] = int(self.holds(field["when"], scope))
            elif self.holds(field["when"], scope):
                scope[field["name"]] = self.read(field, scope)
        scope.pop("@missing_ids", None)
        return scope

    def read(self, field, scope):
        kind = field["kind"]
        if kind == "list":
            return self.read_list(field, scope)
        if kind == "group":
            return self.read_group(field)
        if kind == "bit":
            return self.bit()
        value = self.plain(kind, field, scope)
        if field["max"] is not None:
            self.check(field, value)
        return value

    def read_group(self, field):
        self.depth += field["same_as"] is not None
        if field["max"] is not None and self.depth > field["max"]:
            raise Refused("nested too deep")
        values = self.read_fields(self.fields_of(field), {})
        self.depth -= field["same_as"] is not None
        return values

    def fields_of(self, field):
        if field["same_as"] is None:
            return field["fields"]
        return next(f for f in self.description["fields"] if f["name"] == field["same_as"])["fields"]

    def check(self, field, value):
        if isinstance(value, bytes):
            value = len(value)
        if isinstance(value, dict):
            value = value["value"]
        for v in value if isinstance(value, list) else [value]:
            if field["kind"] not in ("switch", "ratios") and not field["min"] <= v <= field["max"]:
                raise Refused(f"{field['name']} is out of bounds")

    def plain(self, kind, field, scope):
        if kind == "f32":
            return self.real()
        if kind in ("vec3", "position", "quat"):
            return [self.real() for _ in range(4 if kind == "quat" else 3)]
        if kind in DIVISORS:
            code = self.number("<B")
            return {"code": code, "value": code / DIVISORS[kind]}
        if kind == "switch":
            code = self.number("<b")
            return {"code": code, "value": abs(code) / 100}
        if kind == "cf16":
            code = self.number("<H")
            return {"code": code, "value": cf16(code)}
        if kind in SCALARS:
            return self.number(SCALARS[kind])
        if kind == "ratios":
            return list(self.take(self.count(field, scope)))
        if kind in ("lstr8", "lstr16", "lstr32", "lstr32z"):
            return self.text(kind)
        if kind == "bytes":
            return self.take(self.left())
        return self.vector(kind)

    def text(self, kind):
        size = self.number({"lstr8": "<B", "lstr16": "<H"}.get(kind, "<I"))
        text = self.take(size)
        if kind != "lstr32z":
            return text
        if not text or text[-1]:
            raise Refused("no NUL")
        return text[:-1]

    def vector(self, kind):
        codes = [self.number("<b") for _ in range(3)]
        if kind == "cv3":
            return {"code": codes, "value": direction(codes)}
        magnitude = code = None
        if kind == "cv4":
            code = self.number("<H")
            magnitude = cf16(code)
        elif kind == "cv4f":
            magnitude = self.real()
        elif kind == "cv4b":
            code = self.number("<B")
            magnitude = code / 255
        else:
            raise KeyError(kind)
        return {"code": codes, "value": direction(codes, magnitude), "magnitude": magnitude,
                "magnitude.code": code}

    # ---- lists ----

    def count(self, field, scope):
        count = field["count"]
        return count if isinstance(count, int) else self.fact(count, scope)

    def read_list(self, field, scope):
        if field["name"] == "entries" and "start_index" in scope:
            return self.entries(field, scope["start_index"], len(self.ship), False)
        if field["name"] == "snapshot":
            return self.entries(field, 0, len(self.ship), True)
        items = []
        if field["count"] == "@rest":
            size = 2 if field["name"] == "pairs" else 4
            while self.left() >= size and len(items) < (40 if size == 2 else 510):
                items.append(self.read(field["item"], scope))
            return items
        count = self.count(field, scope)
        if field["max"] is not None and count > field["max"]:
            raise Refused("too many items")
        for _ in range(count):
            items.append(self.read(field["item"], scope))
        return items

    def entries(self, field, start, most, all_of_them):
        """The entries of a StateUpdate or of a snapshot, along the ship's list."""
        items = []
        while len(items) < most and (all_of_them or self.left()):
            row = self.ship[(start + len(items)) % len(self.ship)]
            mark = self.at, self.group, self.group_left
            self.strict = not all_of_them
            self.facts.update(row)
            try:
                item = self.read(field["item"], {})
            except Refused:
                if all_of_them:
                    raise
                self.at, self.group, self.group_left = mark
                break
            items.append({**item, "subsystem": row["name"]})
        return items


class Decoder:
    """Decodes any message of a description."""

    def __init__(self, descriptions, lists):
        self.descriptions = {op: d for d in descriptions
                             for op in range(d["opcode"], d["last_opcode"] + 1)}
        self.lists = lists

    def decode(self, data, species=None):
        description = self.descriptions[data[0]]
        if description["status"] == "unused":
            raise Refused("unused opcode")
        ship = self.lists.get(species, [])
        if description["name"].endswith("ObjectCreate"):
            return self.decode_object(description, data)
        return Message(description, data, ship)

    def decode_object(self, description, data):
        """The species is inside the message; a snapshot that does not fill it stays opaque."""
        known = {f["value"] for f in description["fields"]
                 if f["name"] == "class_id" for f in f["names"]}
        bare = Message(description, data, [])
        if bare.values["class_id"] not in known:
            raise Refused("unknown class")
        ship = self.lists.get(bare.values.get("species"), [])
        if bare.values["class_id"] != 0x8008 or not ship:
            return bare
        try:
            whole = Message(description, data, ship)
        except Refused:
            return bare
        return bare if "trailing" in whole.values else whole
