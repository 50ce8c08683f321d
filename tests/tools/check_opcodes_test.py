#!/usr/bin/env python3
"""tests/tools/check_opcodes_test.py -- tools/check-opcodes finds each way to write a bare opcode."""
import pathlib
import subprocess
import sys
import tempfile

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools/check-opcodes"
PLANTED = [
    "s->out = (sb_message){ .opcode = 0x16 };",
    "    [0x13] = handle_self_destruct,",
    "if (bytes.data[0] == 0x2A) return;",
    "    case 0x0D: return true;",
    "bool script = type->opcode >= 0x2B;",
    "if (m->opcode != 0x1C) return;",
    "if (id >= 0x2B) return;",
]
HARMLESS = [
    "s->out = (sb_message){ .opcode = SB_OP_CHAT };",
    "/* 0x13 ends a ship: case 0x13, .opcode = 0x13 */",
    "if (byte < 0x20 || byte == 0x7F) return false;",
]


def finds(folder, line):
    with tempfile.TemporaryDirectory() as root:
        path = pathlib.Path(root, folder, "x.c")
        path.parent.mkdir(parents=True)
        path.write_text(f"void f(void)\n{{\n{line}\n}}\n")
        run = subprocess.run([TOOL, root], capture_output=True, text=True)
        return run.returncode == 1 and f"{folder}/x.c:3:" in run.stdout


passed = failed = 0
for expected, lines in ((True, PLANTED), (False, HARMLESS)):
    for line in lines:
        for folder in ("src/server", "apps/serve", "sim"):
            if finds(folder, line) == expected:
                passed += 1
            else:
                failed += 1
                print(f"{folder}: {'not found' if expected else 'found'}: {line}")
print(f"{passed} passed, {failed} failed")
sys.exit(1 if failed else 0)
