"""tools/mutation/tree.py -- makes the mutated copy of the project and builds its test programs, once for all mutants.

For: tools/mutants. Files are written only if their text changes, so that a second build is short.
"""
import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess

from mutation.schemata import NUMBERS_PER_FILE, Mutant, digest, mutate_file

HERE = pathlib.Path(__file__).resolve().parent
COPIED = ("src", "include", "tests", "sim", "data", "bench", "tools", "apps", "examples", "meson.build",
          "meson_options.txt")
FLAGS = ["-Iinclude", "-Isrc", "-D_GNU_SOURCE", '-DSB_VERSION="0"', "-std=c11"]
# Targets with mutated sources need the runtime as well.
RUNTIME_IN = ((b"core_sources = files(", b"core_sources = files('runtime.c', "),
              (b"'../tools/compile-data.c',", b"'../tools/compile-data.c', '../src/runtime.c',"))
# Sanitizers find reads behind an array, which would otherwise go unnoticed; `make test` uses them too.
SANITIZE = "-fsanitize=address,bounds,shift,signed-integer-overflow -fno-sanitize-recover=all"
# Forced inlining of so many choices would take minutes per file.
COMPILE = f"-O1 -w -Dalways_inline=unused {SANITIZE}"


def write_if_changed(path, data):
    if path.exists() and not path.is_symlink() and path.read_bytes() == data:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def files_below(root):
    for name in COPIED:
        top = root / name
        for path in [top] if top.is_file() else sorted(top.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                yield path


class Tree:
    def __init__(self, root, work, folders, jobs):
        self.root, self.work, self.folders, self.jobs = root, work, folders, jobs
        self.tree, self.build = work / "tree", work / "build"

    def sources(self):
        return [str(p.relative_to(self.root)) for f in self.folders
                for p in sorted((self.root / "src" / f).glob("*.[ch]")) if p.stem != "check"]  # only asserts

    # ---- mutate ----

    def mutate(self):
        """Writes the tree; returns all mutants. A file is parsed again only if it or its headers have changed."""
        shared = digest((HERE / "points.py").read_bytes(), (HERE / "schemata.py").read_bytes())
        mutants, rewritten = [], {}
        with concurrent.futures.ProcessPoolExecutor(self.jobs) as pool:
            tasks = [pool.submit(self.mutate_one, path, i, shared) for i, path in enumerate(self.sources())]
            for path, task in zip(self.sources(), tasks):
                text, found = task.result()
                rewritten[path] = text
                mutants += found
        self.copy(rewritten)
        return mutants

    def mutate_one(self, path, index, shared):
        os.chdir(self.root)
        expanded = subprocess.run(["clang", *FLAGS, "-x", "c", "-E", "-P", path], capture_output=True, check=True)
        state = digest(path, index, shared, pathlib.Path(path).read_bytes(), expanded.stdout)
        cache = self.work / "points" / f"{state}.json"
        if not cache.exists():
            text, mutants = mutate_file(pathlib.Path(), path, FLAGS, index * NUMBERS_PER_FILE + 1)
            cache.parent.mkdir(parents=True, exist_ok=True)
            cache.write_text(json.dumps([text, [vars(m) for m in mutants]]))
        text, mutants = json.loads(cache.read_text())
        return text, [Mutant(**m) for m in mutants]

    def copy(self, rewritten):
        kept = set()
        for path in files_below(self.root):
            name = str(path.relative_to(self.root))
            data = rewritten[name].encode("latin-1") if name in rewritten else path.read_bytes()
            if name.endswith("meson.build"):
                for before, after in RUNTIME_IN:
                    data = data.replace(before, after)
            write_if_changed(self.tree / name, data)
            kept.add(name)
        for name in ("runtime.c", "runtime.h"):
            write_if_changed(self.tree / "src" / name, (HERE / name).read_bytes())
            kept.add(f"src/{name}")
        for path in sorted(self.root.iterdir()):  # vectors, docs: what tests read
            link = self.tree / path.name
            if path.is_dir() and path.name not in COPIED and not path.name.startswith((".", "build")) \
                    and not link.is_symlink():
                link.symlink_to(path)
        for path in files_below(self.tree):
            if str(path.relative_to(self.tree)) not in kept:
                path.unlink()

    # ---- build ----

    def compile(self, targets):
        header = self.tree / "src/runtime.h"
        if not (self.build / "build.ninja").exists():
            shutil.rmtree(self.build, ignore_errors=True)
            self.call(["meson", "setup", str(self.build), str(self.tree), "-Dwerror=false",
                       "-Dwarning_level=0", "-Dbuildtype=plain", "-Ddefault_library=static", "-Db_lundef=false",
                       f"-Dc_args={COMPILE} -include {header}", f"-Dc_link_args={SANITIZE}"])
        self.call(["ninja", "-C", str(self.build), f"-j{self.jobs}", "-k0", *targets], shown=True)

    def call(self, command, shown=False):
        run = subprocess.run(command, stdout=None if shown and os.isatty(1) else subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True, check=False,
                             env={**os.environ, "CC": os.environ.get("CC", "gcc"),
                                                             "ASAN_OPTIONS": "detect_leaks=0"})
        if run.returncode != 0:
            raise SystemExit(f"{' '.join(command)} failed\n{(run.stdout or '')[-4000:]}")

    def tests_state(self):
        """Changes when the tests or the simulators change."""
        return digest(*(p.read_bytes() for d in ("tests", "sim") for p in sorted((self.root / d).rglob("*.[ch]"))))
