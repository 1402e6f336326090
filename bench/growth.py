#!/usr/bin/env python3
"""Ten times the rows: how the time of a whole `equipoise learn` grows, and its memory beside the encoded data.

usage: bench/growth.py [--build build] [--rows 100000] [--most 1000000] [--rounds 3] [--methods tree:prc,tree:linear]

Records of bench-people, 6 numbers and 8 texts; reading the file is part of it. Least CPU time of the rounds, which
interleave sizes and methods; one thread. Trees have 4 leaves whatever the size: other rows would give other trees.
Encoded data: 8 bytes a number, 4 a text. The files lie in a temporary folder (TMPDIR) and are removed at the end."""
import argparse, os, pathlib, subprocess, sys, tempfile

ENCODED = 6 * 8 + 8 * 4  # bytes a row


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default="build")
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--most", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--methods", default="tree:prc,tree:linear")
    return parser.parse_args()


def write_people(build, folder, rows):
    path = folder / f"people-{rows}.csv"
    with open(path, "wb") as target:
        subprocess.run([build / "bench/bench-people", str(rows)], stdout=target, check=True)
    return path


def learn(build, folder, path, method):
    """CPU seconds and the most memory in bytes of one run."""
    method, _, oracle = method.partition(":")
    command = [build / "equipoise", "learn", path, "--sensitive", "group", "--max-disclosure", "0.3", "--method", method,
               "--threads", "1", "--max-leaves", "4", "--quiet", "-o", folder / "people.model"]
    command += ["--oracle", oracle] if oracle else []
    child = subprocess.Popen(command)
    _, status, usage = os.wait4(child.pid, 0)
    if status != 0:
        sys.exit(f"learning failed: {' '.join(map(str, command))}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def main():
    options = arguments()
    sizes, size = [], options.rows
    while size <= options.most:
        sizes.append(size)
        size *= 10
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        files = {rows: write_people(options.build, folder, rows) for rows in sizes}
        best = {}
        for _ in range(options.rounds):
            for method in options.methods.split(","):
                for rows, path in files.items():
                    seconds, memory = learn(options.build, folder, path, method)
                    best[method, rows] = min((seconds, memory), best.get((method, rows), (seconds, memory)))
    print("| method | rows | CPU s | times the row above | memory, MB | encoded data, MB | ratio |\n|---|---|---|---|---|---|---|")
    for method in options.methods.split(","):
        for rows in sizes:
            seconds, memory = best[method, rows]
            growth = f"{seconds / best[method, rows // 10][0]:.1f}" if rows > sizes[0] else ""
            print(f"| {method} | {rows:,} | {seconds:.2f} | {growth} | {memory / 1e6:,.0f} | {rows * ENCODED / 1e6:,.0f} | "
                  f"{memory / (rows * ENCODED):.1f} |")


main()
