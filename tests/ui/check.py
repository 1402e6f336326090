#!/usr/bin/env python3
"""The page in real browsers:   tests/ui/check.py BUILD TOOLS [PICTURES] [-- FILE SENSITIVE IGNORED]

The five rooms by mouse and by keyboard, wide and narrow, light and dark, without a network where the system can take it
away; then every shown command once more, by hand, and all files compared.  TOOLS holds node_modules.  FILE is a labelled
table; the made-up population of the demonstration when not given."""
import csv, ctypes, fcntl, os, pathlib, random, shutil, socket, struct, subprocess, sys, tempfile
from served import Served, population

HERE = pathlib.Path(__file__).resolve().parent
JOURNEYS = [("mouse", 1280, "light"), ("keyboard", 1280, "dark"), ("mouse", 390, "dark"), ("keyboard", 390, "light")]


def cut_off():
    """A network of our own with nothing in it but this machine; False where that is not allowed."""
    new_user, new_network = 0x10000000, 0x40000000
    unshare = ctypes.CDLL(None).unshare
    if unshare(new_network) != 0 and unshare(new_user | new_network) != 0:
        return False
    with socket.socket() as any_socket:
        request = struct.pack("16sh", b"lo", 0x1 | 0x40)  # up and running
        fcntl.ioctl(any_socket, 0x8914, request)
    try:
        socket.create_connection(("192.0.2.1", 80), timeout=2)
    except OSError:
        return True
    raise AssertionError("the network is still there")


def prepare(program, folder, source):
    """labelled.csv, later.csv and pool.csv; gives the sensitive column, those to leave out, and the id."""
    if source is None:
        population(program, folder, 20000)
        os.rename(folder / "labelled-later.csv", folder / "later.csv")
        os.rename(folder / "candidates.csv", folder / "pool.csv")
        os.remove(folder / "truth.csv")
        return "group", "admitted", "record"
    path, sensitive, ignored = source
    with open(path, newline="") as file:
        head, *rows = csv.reader(file)
    if "record" not in head:
        head, rows = ["record", *head], [[str(i), *row] for i, row in enumerate(rows)]
    random.Random(0).shuffle(rows)
    half, end = len(rows) // 2, len(rows) * 8 // 10
    left_out = {head.index(name) for name in [sensitive, *ignored.split(",")] if name in head}
    for name, part in (("labelled", rows[:half]), ("later", rows[half:end])):
        with open(folder / f"{name}.csv", "w", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([head, *part])
    with open(folder / "pool.csv", "w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(
            [cell for i, cell in enumerate(row) if i not in left_out] for row in [head, *rows[end:]])
    return sensitive, ignored, "record"


def run(words, **more):
    print("$", " ".join(str(word)[-60:] for word in words[:3]), flush=True)
    subprocess.run([str(word) for word in words], check=True, timeout=1200, **more)


def main(arguments):
    source = None
    if "--" in arguments:
        at = arguments.index("--")
        arguments, source = arguments[:at], arguments[at + 1:]
    program, tools, pictures = os.path.abspath(arguments[0]) + "/equipoise", arguments[1], arguments[2:3]
    if pictures:
        pictures = [os.path.abspath(pictures[0])]
        os.makedirs(pictures[0], exist_ok=True)
    print("without a network" if cut_off() else "a network of our own is not allowed here: run with the one there is")
    with tempfile.TemporaryDirectory() as scratch:
        first = pathlib.Path(scratch, "files")
        first.mkdir()
        words = prepare(program, first, source)
        for hand, width, scheme in JOURNEYS:
            folder = pathlib.Path(scratch, f"{hand}-{width}")
            shutil.copytree(first, folder)
            with Served(program, folder) as ui:
                link = f"http://127.0.0.1:{ui.port}/?token={ui.token}"
                run(["node", HERE / "rooms.mjs", link, folder, hand, width, scheme, *words, *pictures], cwd=tools)
            run([HERE / "repeat.py", program, folder])
        if shutil.which("firefox-esr"):
            folder = pathlib.Path(scratch, "firefox")
            shutil.copytree(first, folder)
            with Served(program, folder) as ui:
                run([HERE / "firefox.py", f"http://127.0.0.1:{ui.port}/?token={ui.token}", folder, *words, *pictures])
        else:
            print("firefox-esr is not here: not run in Firefox")


main(sys.argv[1:])
