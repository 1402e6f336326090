"""What benches of unseen rows share: their arguments, and the table with its columns of codes made text."""
import argparse, csv, pathlib, sys


def arguments(description, add=lambda parser: None):
    own, more = sys.argv[1:], []
    if "--" in own:
        own, more = own[:own.index("--")], own[own.index("--") + 1:]
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table")
    parser.add_argument("sensitive")
    parser.add_argument("budget", type=float)
    parser.add_argument("--ignore", default="")
    parser.add_argument("--text", default="")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--splits", type=int, default=20)
    parser.add_argument("--build", type=pathlib.Path, default=pathlib.Path("build"))
    add(parser)
    options = parser.parse_args(own)
    options.more = more
    return options


def read(options):
    with open(options.table, newline="", encoding="utf-8") as source:
        first = source.readline()
        source.seek(0)
        head, *rows = csv.reader(source, delimiter=";" if ";" in first else ",")
    text = {head.index(name) for name in options.text.split(",") if name}
    return head, [["c" * (i in text) + cell for i, cell in enumerate(row)] for row in rows]
