#!/usr/bin/env python3
"""tests/apps/completion_test.py -- `starbase completion`: scripts that the shells accept and use.

Usage: completion_test.py PROGRAM [CAPTURE]. The last line is "N passed, N failed". Shells that are
not installed are named and left out.
"""
import os
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time

from checks import check, finish

PROGRAM = os.path.abspath(sys.argv[1])
OPTION = re.compile(r"^ {2,6}(?:-[a-zA-Z0-9], )?(--[a-z0-9-]+)", re.M)


def starbase(*arguments):
    result = subprocess.run([PROGRAM, *arguments], stdin=subprocess.DEVNULL, capture_output=True,
                            timeout=60)
    return result.returncode, result.stdout.decode(), result.stderr.decode()


def commands():
    text = starbase("help")[1].split("Commands:\n", 1)[1].split("\n\n", 1)[0]
    return {line.split()[0] for line in text.splitlines()}


def options(*words):
    return set(OPTION.findall(starbase(*words, "--help")[1].split("\nOptions:\n")[-1]))


def has(shell):
    if shutil.which(shell):
        return True
    print(f"skipped: {shell} is not installed")
    return False


def write_script(place, shell):
    code, out, err = starbase("completion", shell)
    check("the script is printed", code == 0 and err == "" and len(out) > 1000, (shell, err))
    path = os.path.join(place, shell)
    with open(path, "w", encoding="utf-8") as file:
        file.write(out)
    if shutil.which(shell):
        result = subprocess.run([shell, "-n", path], capture_output=True, text=True, timeout=60)
        check("the shell accepts the script", result.returncode == 0 and result.stderr == "",
              (shell, result.stderr))
    return path


# ---- bash ----

def bash_offers(script, *words):
    """What the function of the script offers for the last word."""
    line = " ".join(f"'{word}'" for word in words)
    code = (f"source {script}; COMP_WORDS=(starbase {line}); COMP_CWORD={len(words)}; _starbase; "
            "printf '%s\\n' \"${COMPREPLY[@]}\"")
    result = subprocess.run(["bash", "--norc", "-c", code], capture_output=True, text=True,
                            timeout=60)
    check("the function says nothing", result.stderr == "", (words, result.stderr))
    return set(result.stdout.split())


def bash_functions(script):
    check("bash offers every command", bash_offers(script, "") == commands(), commands())
    check("a beginning is completed", bash_offers(script, "se") == {"serve"})
    for name in sorted(commands()):
        check("bash offers every option of every command",
              options(name) <= bash_offers(script, name, "-"), name)
    check("a part of a command has its own options", bash_offers(script, "ships", "im") >= {"import"} and
          options("ships", "import") <= bash_offers(script, "ships", "import", "-"))
    check("words of an option are offered", bash_offers(script, "serve", "--checksums", "")
          == {"off", "log", "strict", "learn"})
    check("also behind a sign", bash_offers(script, "serve", "--checksums", "=", "st") == {"strict"})
    check("nothing is offered for a number", bash_offers(script, "serve", "--port", "") == set())
    here = os.path.join(os.path.dirname(script), "fi")
    check("files are offered for a file", bash_offers(script, "serve", "-c", here)
          == {os.path.join(os.path.dirname(script), "fish")})
    check("help offers the commands", commands() <= bash_offers(script, "help", ""))


def read_until(screen, text, seconds=30):
    got, end = "", time.monotonic() + seconds
    while text not in got and time.monotonic() < end:
        if select.select([screen], [], [], 0.2)[0]:
            try:
                got += os.read(screen, 65536).decode(errors="replace")
            except OSError:
                break
    return got


def bash_on_a_terminal(script):
    """A person types two beginnings and presses Tab."""
    screen, theirs = pty.openpty()
    shell = subprocess.Popen(["bash", "--norc", "--noprofile", "-i"], stdin=theirs, stdout=theirs,
                             stderr=theirs, close_fds=True, start_new_session=True,
                             env={"PATH": os.environ["PATH"], "TERM": "dumb", "HISTFILE": "", "PS1": "> "})
    os.close(theirs)
    try:
        os.write(screen, f"bind 'set enable-bracketed-paste off'; source {script}; echo rea''dy\n".encode())
        check("the script is sourced", "ready" in read_until(screen, "\r\nready"))
        os.write(screen, b"echo starbase; starbase se\t")
        got = read_until(screen, "starbase serve ")
        check("Tab completes the command", "starbase serve " in got, got)
        os.write(screen, b"--por\t")
        got = read_until(screen, "--port ")
        check("Tab completes the option", "--port " in got, got)
    finally:
        shell.kill()
        shell.wait()
        os.close(screen)


# ---- fish ----

def fish_offers(script, line):
    result = subprocess.run(["fish", "--no-config", "-c", f"source {script}; complete -C '{line}'"],
                            capture_output=True, text=True, timeout=60)
    check("fish says nothing", result.stderr == "", (line, result.stderr))
    return {entry.split("\t")[0] for entry in result.stdout.splitlines()}


def fish_completions(script):
    check("fish offers every command", fish_offers(script, "starbase ") >= commands())
    for name in ("serve", "decode", "doctor"):
        check("fish offers every option", options(name) <= fish_offers(script, f"starbase {name} --"),
              name)
    check("fish knows parts of commands", options("ships", "import")
          <= fish_offers(script, "starbase ships import --"))
    check("fish offers words of an option", fish_offers(script, "starbase serve --checksums ")
          >= {"off", "log", "strict", "learn"})
    check("fish does not mix commands", "--checksums" not in fish_offers(script, "starbase query --"))


# ---- zsh ----

def zsh_completions(script):
    """zsh completes only at its prompt, so a zsh types for another one."""
    with open(script, encoding="utf-8") as file:
        text = file.read()
    for name in sorted(commands()):
        for option in options(name):
            check("the script for zsh has every option", f"{option}" in text, (name, option))
    driver = r"""
zmodload zsh/zpty
wait_for() {
    local got= piece=
    repeat 300; do
        while zpty -r -t z piece; do got+=$piece; done
        [[ $got == *$1* ]] && break
        sleep 0.1
    done
    print -r -- "$got"
}
zpty z "zsh -f -i"
zpty -w z "PS1='> '; autoload -Uz compinit; compinit -u -D; eval \"\$(sed '\$d' SCRIPT)\"; compdef _starbase starbase; LISTMAX=0; echo rea''dy"
wait_for $'\nready'
zpty -w -n z $'starbase serve --check-c\t'
wait_for --check-config
zpty -d z
""".replace("SCRIPT", script)
    try:
        result = subprocess.run(["zsh", "-f", "-c", driver], capture_output=True, text=True, timeout=60,
                                env={**os.environ, "TERM": "dumb"})
        got = result.stdout + result.stderr
    except subprocess.TimeoutExpired as late:
        got = f"no answer: {late.stdout}"
    check("Tab completes an option in zsh", "--check-config" in got, got)


def wrong_use():
    code, out, err = starbase("completion", "bahs")
    check("an unknown shell gets a suggestion", code == 2 and "did you mean `bash`?" in err, err)
    check("a shell must be named", starbase("completion")[0] == 2)


with tempfile.TemporaryDirectory() as place:
    scripts = {shell: write_script(place, shell) for shell in ("bash", "zsh", "fish")}
    if has("bash"):
        bash_functions(scripts["bash"])
        bash_on_a_terminal(scripts["bash"])
    if has("fish"):
        fish_completions(scripts["fish"])
    if has("zsh"):
        zsh_completions(scripts["zsh"])
    wrong_use()
finish()
