"""tools/mutation/suites.py -- the tests of a mutated build: which mutants each reaches, and running some of them.

For: tools/mutants. Limits are of processor time, so that a busy machine kills no mutant.
"""
import array
import concurrent.futures
import dataclasses
import json
import os
import resource
import select
import signal
import subprocess
import time

from mutation.schemata import digest

SLACK_S, FACTOR = 1, 6  # a run may use FACTOR times what it used without a mutant, and SLACK_S more
WALL = 20               # ... and WALL times that by the clock, in case a mutant waits for something
BATCH_S = (0.3, 1.5, 6)


@dataclasses.dataclass
class Test:
    suite: str
    file: str
    name: str
    arguments: list
    seconds: float = 0.0

    @property
    def key(self):
        return f"{self.suite} {self.name}"


def environment(**more):
    return {**os.environ, "ASAN_OPTIONS": "detect_leaks=0:abort_on_error=1", "UBSAN_OPTIONS": "halt_on_error=1",
            "TEST_TIMEOUT_S": "0", **more}


def start(command, seconds, **env):
    limit = int(seconds) + 1

    def in_child():
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 1))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, preexec_fn=in_child,
                            env=environment(**env), start_new_session=True)


class Suites:
    def __init__(self, build, work, tests_root, jobs, longest):
        self.build, self.work, self.root, self.jobs, self.longest = build, work, tests_root, jobs, longest
        self.tests, self.reached = [], {}

    def program(self, suite):
        return str(self.build / suite)

    def list_tests(self, suites, programs):
        for suite in suites:
            out = subprocess.run([self.program(suite), "--list"], capture_output=True, text=True, check=True,
                                 env=environment()).stdout
            for line in out.splitlines():
                file, name = line.rsplit(" ", 1)
                self.tests.append(Test(suite, file[file.index("tests/"):], name, [name]))
        for program in programs:
            suite, *arguments = program.split()
            self.tests.append(Test(suite, suite, " ".join(arguments), arguments))

    # ---- what reaches what ----

    def record(self, source_state, wanted, say):
        """Runs every test once without a mutant: its time, and which of the `wanted` mutants it reaches. A test
        that takes longer than `longest` seconds reaches nothing: it would take too long for every mutant."""
        shared = [p for p in sorted((self.root / "tests").rglob("*.[ch]")) if not p.name.endswith("_test.c")]
        shared += sorted((self.root / "sim").rglob("*.[ch]"))
        state = digest(source_state, *(p.read_bytes() for p in shared))
        folder = self.work / "reached"
        folder.mkdir(parents=True, exist_ok=True)
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            tasks = [pool.submit(self.record_one, t, state, folder) for t in self.tests]
            for i, (test, task) in enumerate(zip(self.tests, tasks)):
                for number in task.result():
                    if number in wanted:
                        self.reached.setdefault(number, []).append(test)
                say(f"what tests reach: {i + 1} of {len(self.tests)}")

    def record_one(self, test, state, folder):
        path = self.root / test.file
        text = path.read_bytes() if path.is_file() else b""
        base = folder / digest(state, test.key, test.arguments, text)
        numbers, facts = base.with_suffix(".bin"), base.with_suffix(".json")
        slow = facts.with_suffix(".slow")
        if not facts.exists() and slow.exists() and json.loads(slow.read_text()) >= self.longest:
            return []
        if not facts.exists():
            out = base.with_suffix(".new")
            process = start([self.program(test.suite), *test.arguments], self.longest, SB_MUTANT_RECORD=str(out))
            text = process.stdout.read()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = status
            used = usage.ru_utime + usage.ru_stime
            if status != 0 and used >= self.longest:
                slow.write_text(json.dumps(self.longest))
                return []
            if status != 0:
                raise SystemExit(f"{test.key} fails without a mutant\n{text.decode(errors='replace')[-2000:]}")
            out.rename(numbers)
            facts.write_text(json.dumps(used))
        test.seconds = json.loads(facts.read_text())
        return array.array("I", numbers.read_bytes())

    # ---- running ----

    def in_order(self, mutant, killer, budget):
        """Tests that reach the mutant: its killer of an earlier run, those of its file, of its folder, the rest;
        short ones first. Those beyond the budget of seconds are left out."""
        stem = os.path.splitext(os.path.basename(mutant.path))[0]

        def rank(test):
            folder = test.file.startswith(f"tests/{mutant.folder}/")
            own = folder and os.path.basename(test.file).startswith(stem)
            return (test.key != killer, not own, not folder, test.seconds)

        chosen, used = [], 0.0
        for test in sorted(self.reached.get(mutant.number, []), key=rank):
            used += test.seconds
            if used > budget and chosen:
                break
            chosen.append(test)
        return chosen

    def batches(self, tests, killer):
        """Groups of tests of one program; the first ones are short."""
        tests = list(tests)
        if tests and tests[0].key == killer:
            yield [tests.pop(0)]
        count = 0
        while tests:
            limit, suite = BATCH_S[min(count, len(BATCH_S) - 1)], tests[0].suite
            batch, used = [tests.pop(0)], 0.0
            while tests and tests[0].suite == suite and used + tests[0].seconds <= limit and len(batch) < 400:
                used += tests[0].seconds
                batch.append(tests.pop(0))
            count += 1
            yield batch

    def run_batch(self, batch, number):
        """Name of the test that fails with the mutant; None: all pass."""
        allowed = FACTOR * sum(t.seconds for t in batch) + SLACK_S
        arguments = [a for t in batch for a in t.arguments]
        process = start([self.program(batch[0].suite), "-v", *arguments] if len(arguments) == len(batch)
                        and batch[0].file != batch[0].suite else [self.program(batch[0].suite), *arguments],
                        allowed, SB_MUTANT=str(number))
        failed, rest = self.first_failure(process, time.monotonic() + allowed * WALL)
        if failed is None and process.wait() != 0:
            failed = self.after_last_passed(batch, rest)
        else:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()
        process.stdout.close()
        return failed

    def first_failure(self, process, deadline):
        """Reads until a line says FAILED or the output ends; returns the name of the failed test and all text."""
        text = b""
        while True:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([process.stdout], [], [], left)[0]:
                return "timeout", text
            data = os.read(process.stdout.fileno(), 65536)
            if not data:
                return None, text
            text += data
            at = text.find(b": FAILED ")
            if at >= 0 and b"\n" in text[at:]:
                return text[at + 9:text.index(b"\n", at)].decode(), text

    def after_last_passed(self, batch, text):
        """The test that was running when the program crashed or ran out of time."""
        passed = {line[3:] for line in text.decode(errors="replace").splitlines() if line.startswith("ok ")}
        for test in batch:
            if test.name not in passed:
                return test.name
        return batch[-1].name

    def kill(self, mutant, killer, budget):
        """(verdict, test) of one mutant: killed, survived or unreached."""
        tests = self.in_order(mutant, killer, budget)
        if not tests:
            return "unreached", ""
        for batch in self.batches(tests, killer):
            failed = self.run_batch(batch, mutant.number)
            if failed is not None:
                return "killed", f"{batch[0].suite} {failed}"
        return "survived", f"{len(tests)} tests"
