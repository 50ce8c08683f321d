"""tools/mutation/schemata.py -- rewrites C files so that every mutant is a choice at run time.

    a < b      becomes  (SB_MUTANT(7) ? (a <= b) : (a < b))
    count++;   becomes  { if (!SB_MUTANT(8)) count++; }

For: tools/mutants. An alternative holds the original text of what is inside it: one mutant is active at a time.
"""
import dataclasses
import hashlib

from mutation.points import find_points

NUMBERS_PER_FILE = 4096


@dataclasses.dataclass
class Mutant:
    number: int
    path: str      # src/x/y.c
    line: int
    key: str       # stable while its line of the source and its function stay
    folder: str


def readable(text):
    """On one line, in UTF-8: files are read as bytes, because clang counts bytes."""
    return " ".join(text.encode("latin-1").decode("utf-8").split())


def numbered(path, text, points, first):
    """Gives every alternative its number and its key."""
    used, mutants = {}, []
    number = first
    for point in points:
        start = text.rfind("\n", 0, point.start) + 1
        end = text.find("\n", point.start)
        words = readable(text[start:end])
        point.numbers = []
        for change, _ in point.alternatives:
            change = readable(change)
            key = f"{path} {point.function}: {change}" if change.startswith("deleted: ") else \
                f"{path} {point.function}: {words} [{change}]"
            used[key] = used.get(key, 0) + 1
            if used[key] > 1:
                key += f" #{used[key]}"
            mutants.append(Mutant(number, path, text.count("\n", 0, point.start) + 1, key, path.split("/")[1]))
            point.numbers.append(number)
            number += 1
    if number - first >= NUMBERS_PER_FILE:
        raise RuntimeError(f"{path}: more than {NUMBERS_PER_FILE} mutants")
    return mutants


def render(text, points, start, end):
    """The text from `start` to `end`, with all `points` in it as choices. `points` is consumed."""
    out, at = [], start
    while points and points[0].end <= end:
        point = points.pop(0)
        if point.start < at:
            raise RuntimeError(f"points overlap: {text[point.start:point.end]!r}")
        out.append(text[at:point.start])
        inside = render(text, points, point.start, point.end)
        if point.is_statement:
            out.append(f"{{ if (!SB_MUTANT({point.numbers[0]})) {inside} }}")
        else:
            choices = "".join(f"SB_MUTANT({n}) ? {changed} : "
                              for n, (_, changed) in zip(point.numbers, point.alternatives))
            out.append(f"({choices}({inside}))")
        at = point.end
    out.append(text[at:end])
    return "".join(out)


def mutate_file(root, path, flags, first):
    """The rewritten text of a file and its mutants, numbered from `first`."""
    text, points = find_points(root / path, flags)
    mutants = numbered(path, text, points, first)
    return render(text, points, 0, len(text)), mutants


def digest(*parts):
    sha = hashlib.sha256()
    for part in parts:
        sha.update(part if isinstance(part, bytes) else str(part).encode())
    return sha.hexdigest()[:16]
