#!/usr/bin/env python3
"""The files of a folder are those of the commands that the page showed:   tests/ui/repeat.py PROGRAM FOLDER

Runs every command that was shown, as it was shown, in an empty folder that holds only what the user brought (records, tables,
keys), and compares all files.  What holds the clock or fresh randomness (logs, certificates, times) is compared without it."""
import json, os, pathlib, re, shutil, subprocess, sys, tempfile

ORDER = "inspect frontier learn signing-key audit plan commit select replace verify publish export show".split()
BROUGHT = re.compile(r"(labelled|later|pool|target|quotas|declined-.*)\.csv|.*\.key(\.pub)?")
CLOCK = re.compile(rb'[0-9a-f]{32,}|\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?Z|"signature": ?"[^"]*"|<tr><th scope="row">time</th><td>[^<]*</td></tr>')


def shown(folder):
    for action in ORDER:
        path = folder / ".equipoise" / f"{action}.json"
        if path.exists() and action not in ("signing-key",):
            yield action, json.loads(path.read_text())["command"]


def main(program, folder):
    folder, same, masked, wrong = pathlib.Path(folder), [], [], []
    with tempfile.TemporaryDirectory() as scratch:
        again, tools = pathlib.Path(scratch, "again"), pathlib.Path(scratch, "tools")
        again.mkdir(), tools.mkdir()
        os.symlink(os.path.abspath(program), tools / "equipoise")
        for path in folder.iterdir():
            if BROUGHT.fullmatch(path.name):
                shutil.copy2(path, again)
        for action, command in shown(folder):
            done = subprocess.run(command, shell=True, cwd=again, env={**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"},
                                  capture_output=True, text=True)
            if done.returncode not in (0, 1):
                wrong.append(f"{command}: {done.stderr.strip()}")
        made = {path.name for path in folder.iterdir() if path.is_file() and path.name != "equipoise-project.json"}
        for name in sorted(made | {path.name for path in again.iterdir()}):
            if not (folder / name).exists() or not (again / name).exists():
                wrong.append(f"{name} is in one folder only")
                continue
            left, right = (folder / name).read_bytes(), (again / name).read_bytes()
            if left == right:
                same.append(name)
            elif CLOCK.sub(b"", left) == CLOCK.sub(b"", right):
                masked.append(name)
            else:
                wrong.append(f"{name} differs")
    print(f"{len(same)} files equal byte for byte: {' '.join(same)}")
    print(f"{len(masked)} equal but for the clock and fresh randomness: {' '.join(masked)}")
    print("\n".join(wrong))
    needed = {"panel.model", "panel.csv", "alternates.csv", "panel-2.csv", "tickets.csv"}
    sys.exit(bool(wrong) or not needed <= {*same})


main(*sys.argv[1:3])
