"""tools/mutation/points.py -- finds what can be mutated in one C file, by clang's syntax tree.

For: tools/mutants. A point is a range of the text with alternatives, each of which is one mutant.

    conditions   < and <=, > and >=, == and !=, && and || exchanged; other conditions negated
    constants    integers, enumerators and macros of them plus and minus one (0 and 1: each other, and 2),
                 floats and units of time doubled (0: 1), true and false exchanged
                 not the < of a minimum, maximum or limit (a < b ? a : b): at the bound both values are equal
    statements   calls, assignments, increments, `continue`, `break` and bare `return` deleted

Not mutated, because a choice at run time is not allowed there: case labels, sizes of arrays, initialisers of
static variables, enumerators (their uses are mutated instead), static assertions. SB_ASSERT is not mutated:
it states what is true and changes nothing; neither are functions that only assert (sb_x_check).
"""
import json
import os
import re
import subprocess

EXCHANGED = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&"}
ASSERTIONS = {"SB_ASSERT", "assert"}
TRANSPARENT = {"SB_LIKELY", "SB_UNLIKELY", "SB_COUNT"}  # macros that use each argument once
SKIPPED = {"ConstantExpr", "StaticAssertDecl", "EnumDecl", "RecordDecl", "TypedefDecl", "OffsetOfExpr",
           "UnaryExprOrTypeTraitExpr", "StringLiteral", "PredefinedExpr"}
BODIES = {"IfStmt", "ForStmt", "WhileStmt", "DoStmt", "CaseStmt", "DefaultStmt", "LabelStmt", "CompoundStmt"}
UNITS = {"SB_SECOND", "SB_MS"}  # one microsecond more is not a mistake that matters
LOOPS = {"ForStmt", "WhileStmt", "DoStmt"}
DUMP_BYTES = 1 << 27
OBJECT_MACRO = re.compile(r"[A-Za-z_]\w*")


class Point:
    """A range of the text, its alternatives as (words for people, text), and the function it is in."""

    def __init__(self, start, end, is_statement, alternatives, function):
        self.start, self.end, self.is_statement = start, end, is_statement
        self.alternatives, self.function = alternatives, function


def dump(path, flags, *more):
    """clang's syntax tree as text; None if it has more than DUMP_BYTES. Without ccache, which may answer with the tree
    of another file."""
    command = ["clang", *flags, "-x", "c", "-w", "-fsyntax-only", "-Xclang", "-ast-dump=json", *more, str(path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          env={**os.environ, "CCACHE_DISABLE": "1"}) as process:
        text = process.stdout.read(DUMP_BYTES)
        if len(text) == DUMP_BYTES:
            process.kill()
            return None
    if process.returncode != 0:
        raise RuntimeError(f"clang cannot read {path}")
    return text.decode()


def functions_one_by_one(path, flags):
    """For a file whose tables fill gigabytes: asks for each function by its name."""
    names = re.findall(r"^\w[^;\n#=]*?(\w+)\([^;\n]*\)$", path.read_bytes().decode("latin-1"), re.MULTILINE)
    for name in dict.fromkeys(names):
        text = dump(path, flags, "-Xclang", f"-ast-dump-filter={name}") or ""
        at = 0
        while at < len(text.rstrip()):
            node, at = json.JSONDecoder().raw_decode(text, at)
            at += len(text[at:]) - len(text[at:].lstrip())
            if node.get("name") == name:
                yield node


def syntax_trees(path, flags):
    text = dump(path, flags)
    return [json.loads(text)] if text is not None else list(functions_one_by_one(path, flags))


def name_files(node, current):
    """clang names a file only where it differs from the location before: names it everywhere."""
    stack = [node]
    while stack:
        item = stack.pop()
        if isinstance(item, list):
            stack.extend(reversed(item))
        elif isinstance(item, dict):
            if "offset" in item:
                current = item.setdefault("file", current)
            stack.extend(v for k, v in reversed(item.items()) if k != "includedFrom" and isinstance(v, (dict, list)))


def closing_paren(text, start):
    depth = 0
    for i in range(start, len(text)):
        depth += (text[i] == "(") - (text[i] == ")")
        if depth == 0:
            return i + 1
    return len(text)


class Finder:
    def __init__(self, path, flags):
        self.path = str(path)
        self.text = path.read_bytes().decode("latin-1")
        self.points, self.function, self.seen, self.limits = [], "", set(), set()
        for tree in syntax_trees(path, flags):
            name_files(tree, self.path)
            for node in [tree] if tree["kind"] == "FunctionDecl" else tree.get("inner", []):
                if node.get("kind") == "FunctionDecl" and self.range_of(node):
                    self.visit_function(node)

    # ---- places ----

    def macro_at(self, offset):
        """Name of the macro whose use begins at `offset`, and the end of its use."""
        name = OBJECT_MACRO.match(self.text, offset)
        if not name:
            return "", offset
        after = re.compile(r"\s*\(").match(self.text, name.end())
        return name.group(), closing_paren(self.text, after.end() - 1) if after else name.end()

    def place(self, loc):
        """(start, end, macro) of a token in the file itself; None elsewhere."""
        if "expansionLoc" in loc:
            outer, inner = loc["expansionLoc"], loc["spellingLoc"]
            if outer["file"] != self.path:
                return None
            name, end = self.macro_at(outer["offset"])
            if not outer.get("isMacroArgExpansion"):
                return outer["offset"], end, name
            if name not in TRANSPARENT or inner["file"] != self.path:
                return None
            return inner["offset"], inner["offset"] + inner["tokLen"], ""
        if loc.get("file") != self.path or "offset" not in loc:
            return None
        return loc["offset"], loc["offset"] + loc["tokLen"], ""

    def range_of(self, node):
        span = node.get("range", {})
        if "begin" not in span or "end" not in span:
            return None
        first, last = self.place(span["begin"]), self.place(span["end"])
        if not first or not last or first[0] >= last[1]:
            return None
        return first[0], last[1]

    def macro_of(self, node):
        """Name of the macro that the whole of `node` comes from, or ""."""
        first = self.place(node.get("range", {}).get("begin", {}))
        return first[2] if first else ""

    def is_call(self, node):
        """True for the use of a macro with arguments."""
        start = self.place(node["range"]["begin"])[0]
        name, end = self.macro_at(start)
        return end > start + len(name)

    # ---- points ----

    def add(self, span, alternatives, is_statement=False):
        if span and alternatives and (span, is_statement) not in self.seen:
            self.seen.add((span, is_statement))
            self.points.append(Point(*span, is_statement, alternatives, self.function))

    def exchange_operator(self, node):
        left, right, whole = self.range_of(node["inner"][0]), self.range_of(node["inner"][1]), self.range_of(node)
        operator = node["opcode"]
        if not left or not right or not whole or left[1] > right[0] or whole != (left[0], right[1]):
            return
        if whole in self.limits:
            return
        gap = self.text[left[1]:right[0]]
        if gap.strip() != operator:
            return
        other = EXCHANGED[operator]
        changed = self.text[left[0]:left[1]] + gap.replace(operator, other) + self.text[right[0]:right[1]]
        self.add(whole, [(f"{operator} -> {other}", changed)])

    def negate(self, node):
        """A condition that is not itself an operator of conditions."""
        while node["kind"] in ("ImplicitCastExpr", "ParenExpr") and node.get("inner"):
            node = node["inner"][0]
        if node.get("opcode") in EXCHANGED or node.get("opcode") == "!" or node["kind"] == "IntegerLiteral":
            return
        if self.macro_of(node) in TRANSPARENT | ASSERTIONS:
            return
        span = self.range_of(node)
        if span:
            text = self.text[span[0]:span[1]]
            self.add(span, [(f"{text} -> !({text})", f"!({text})")])

    def change_constant(self, node):
        span = self.range_of(node)
        if not span:
            return
        text = self.text[span[0]:span[1]]
        if "(" in text:
            return
        if text in ("true", "false"):
            other = ["false" if text == "true" else "true"]
        elif text in UNITS:
            other = [f"{text} * 2"]
        elif node["kind"] == "FloatingLiteral":
            other = ["1.0f"] if float(node["value"]) == 0.0 else [f"{text} * 2"]
        elif node.get("value") == "0":
            other = [f"{text} + 1"]
        else:
            other = [f"{text} + 1", f"{text} - 1"]
        self.add(span, [(f"{text} -> {o}", f"({o})") for o in other])

    def delete(self, node):
        span = self.range_of(node)
        end = self.text.find(";", span[1]) if span else -1
        if end < 0 or self.text[span[1]:end].strip():
            return
        words = " ".join(self.text[span[0]:end + 1].split())
        self.add((span[0], end + 1), [(f"deleted: {words}", "")], True)

    # ---- minimum, maximum, limit ----

    def bare(self, node):
        """Text of an expression without parentheses and casts."""
        while node["kind"] in ("ImplicitCastExpr", "CStyleCastExpr", "ParenExpr") and node.get("inner"):
            node = node["inner"][0]
        span = self.range_of(node)
        return "".join(self.text[span[0]:span[1]].split()) if span else None

    def note_limit(self, node):
        """Notes the comparison in `a < b ? a : b` and in `if (a > b) a = b;`."""
        condition, rest = node["inner"][0], node["inner"][1:]
        if node["kind"] == "IfStmt":
            if len(rest) != 1 or rest[0].get("opcode") != "=":
                return
            rest = rest[0]["inner"]
        while condition["kind"] in ("ImplicitCastExpr", "ParenExpr"):
            condition = condition["inner"][0]
        if condition.get("opcode") not in ("<", "<=", ">", ">="):
            return
        compared = {self.bare(c) for c in condition["inner"]}
        if None not in compared and compared == {self.bare(c) for c in rest}:
            self.limits.add(self.range_of(condition))

    # ---- the tree ----

    def only_asserts(self, node):
        """A function called check_x or x_check that returns nothing and may change nothing."""
        if not re.search(r"(^|_)check(_|$)", node["name"]) or not node["type"]["qualType"].startswith("void "):
            return False
        parameters = [c["type"]["qualType"] for c in node["inner"] if c["kind"] == "ParmVarDecl"]
        return all("*" not in p or p.startswith("const ") for p in parameters)

    def visit_function(self, node):
        if self.only_asserts(node):
            return
        self.function = node["name"]
        for child in node.get("inner", []):
            if child["kind"] == "CompoundStmt" and not self.macro_of(child):
                self.visit(child, False)

    def is_deletable(self, node, in_loop):
        kind = node["kind"]
        if kind == "BreakStmt":
            return in_loop
        if kind == "ReturnStmt":
            return not node.get("inner")
        if kind == "CStyleCastExpr":  # (void)call();
            return node["inner"][0]["kind"] == "CallExpr"
        if kind == "BinaryOperator":
            return node["opcode"] == "="
        if kind == "UnaryOperator":
            return node["opcode"] in ("++", "--")
        if kind == "ParenExpr":
            return self.macro_of(node) in TRANSPARENT
        return kind in ("CallExpr", "CompoundAssignOperator", "ContinueStmt")

    def visit_statements(self, node, in_loop):
        """Statements below `node` that can be deleted. The clauses of a `for` are no statements."""
        children = [c for c in node.get("inner", []) if c.get("kind")]
        if node["kind"] in ("IfStmt", "CaseStmt", "WhileStmt"):
            children = children[1:]
        elif node["kind"] == "ForStmt":
            children = children[-1:]
        elif node["kind"] == "DoStmt":
            children = children[:1]
        for child in children:
            if self.is_deletable(child, in_loop):
                self.delete(child)

    def conditions_of(self, node):
        kind, inner = node["kind"], node.get("inner", [])
        if kind in ("IfStmt", "WhileStmt", "ConditionalOperator"):
            return inner[:1]
        if kind == "DoStmt":
            return inner[1:2]
        if kind == "ForStmt":
            return [c for c in inner[2:3] if c.get("kind")]
        if node.get("opcode") in ("&&", "||"):
            return inner
        if node.get("opcode") == "!":
            return inner
        if kind == "ReturnStmt" and inner and inner[0].get("type", {}).get("qualType") == "_Bool":
            return inner
        return []

    def is_skipped(self, node):
        kind = node.get("kind")
        if not kind or kind in SKIPPED or node.get("castKind") == "NullToPointer":
            return True
        if kind == "VarDecl" and node.get("storageClass") == "static":
            return True
        macro = self.macro_of(node)
        if macro and macro not in TRANSPARENT and self.is_call(node):  # SB_ASSERT, and macros of other shapes
            return True
        if kind == "InitListExpr":  # { 0 }: everything is zero
            span = self.range_of(node)
            return bool(span) and self.text[span[0]:span[1]].replace(" ", "") == "{0}"
        return False

    def is_constant(self, node):
        if node["kind"] == "DeclRefExpr":
            return node.get("referencedDecl", {}).get("kind") == "EnumConstantDecl"
        return node["kind"] in ("IntegerLiteral", "FloatingLiteral", "CharacterLiteral")

    def visit(self, node, in_loop):
        if self.is_skipped(node):
            return
        kind = node["kind"]
        if kind in ("IfStmt", "ConditionalOperator"):
            self.note_limit(node)
        in_loop = kind in LOOPS or (in_loop and kind != "SwitchStmt")
        if kind in BODIES:
            self.visit_statements(node, in_loop)
        for condition in self.conditions_of(node):
            self.negate(condition)
        if kind == "BinaryOperator" and node["opcode"] in EXCHANGED:
            self.exchange_operator(node)
        elif self.is_constant(node):
            self.change_constant(node)
        for child in node.get("inner", []):
            self.visit(child, in_loop)


def find_points(path, flags):
    """All points of a file, outer ones before those inside them."""
    finder = Finder(path, flags)
    return finder.text, sorted(finder.points, key=lambda p: (p.start, -p.end, not p.is_statement))
