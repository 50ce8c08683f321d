#!/usr/bin/env python3
"""tests/apps/special_files_test.py -- devices, FIFOs and sockets in place of files.

A device may have no end and a FIFO no beginning, so every command must refuse them at once where it
wants a regular file. `decode` reads pipes on purpose. Usage: special_files_test.py PROGRAM [CAPTURE].
The last line is "N passed, N failed".
"""
import os
import socket
import subprocess
import sys
import tempfile

from checks import check, finish

PROGRAM = os.path.abspath(sys.argv[1])
CAPTURE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../samples/skirmish.pcap")
DEVICE = "is a device, no regular file: name a regular file"
PIPE = "is a pipe, no regular file: save its contents and name that file"
SOCKET = "is a socket, no regular file: name a regular file"
CONFIG = 78


def run(*arguments, **options):
    """Exit status and stderr; the status of a program that hangs is None."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith("STARBASE_")}
    try:
        result = subprocess.run([PROGRAM, *arguments], stdin=subprocess.DEVNULL, text=True,
                                capture_output=True, timeout=20, env=clean, **options)
    except subprocess.TimeoutExpired:
        return None, "hangs"
    return result.returncode, result.stderr


def refuses(sentence, words, status, *arguments):
    code, err = run(*arguments)
    check(sentence, code == status and words in err and len(err) < 500, (code, err[:500]))


def check_config(*arguments):
    return ("serve", "--check-config", *arguments)


def lua(place, text):
    path = os.path.join(place, "server.lua")
    with open(path, "w") as file:
        file.write(text)
    return path


with tempfile.TemporaryDirectory() as place:
    fifo, listening = os.path.join(place, "fifo"), os.path.join(place, "socket")
    os.mkfifo(fifo)
    server = socket.socket(socket.AF_UNIX)
    server.bind(listening)

    for path, words in ((fifo, PIPE), ("/dev/zero", DEVICE), ("/dev/null", DEVICE),
                        (listening, SOCKET), (place, "Is a directory")):
        refuses(f"{path} is no configuration", f"{path}: {words}", CONFIG,
                *check_config("--config", path))
        refuses(f"{path} is no masters file", f"masters_file: {path}: {words}", CONFIG,
                *check_config("--config", lua(place, f"masters_file = '{path}'")))
        refuses(f"{path} is no manifest", f"--manifest: {path}: {words}", CONFIG,
                *check_config("--manifest", path))
        refuses(f"{path} is no contract of the lab", words, 1, "lab", "contract", path)
        refuses(f"{path} is no file of definitions", words, 2, "decode", "--define", path, "00")
        refuses(f"{path} is no hardpoint script", words, 2, "ships", "import", path)
        if path != place:
            refuses(f"{path} is not replaced by a learned manifest", f"{path}: {words}", CONFIG,
                    *check_config("--learn", path))
    check("nothing was replaced", os.path.exists(fifo) and not os.path.isfile(fifo))

    data = os.path.join(place, "data")
    os.makedirs(os.path.join(data, "ships"))
    os.mkfifo(os.path.join(data, "ships", "akira.lua"))
    refuses("a FIFO is no ship", f"akira.lua: {PIPE}", CONFIG, *check_config("--data", data))
    send = os.path.join(place, "send")
    os.makedirs(send)
    os.mkfifo(os.path.join(send, "Mission1.pyc"))
    refuses("a FIFO is no file for clients", "is no regular file", CONFIG,
            *check_config("--set", f"send_files={send}"))

    with open(lua(place, "name = 'a'"), "a") as file:
        file.write(" " * 1100000)
    refuses("a configuration has 1 MiB at most", "is longer than a data file can be", CONFIG,
            *check_config("--config", file.name))

    writer = subprocess.Popen(["cp", CAPTURE, fifo])
    code, err = run("decode", fifo)
    writer.wait(20)
    check("decode reads a FIFO", code == 0 and err == "", (code, err))
    server.close()
finish()
