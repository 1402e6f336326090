#!/usr/bin/env python3
"""Figures of learned rules on unseen rows: imbalance, disclosure and yield, means over random splits.

usage: bench/unseen.py TABLE SENSITIVE BUDGET [--ignore A,B] [--text A,B] [--first 0] [--splits 20] [--build build] [-- OPTION ...]

Every split is random: half of the rows to learn from, three tenths to audit. The budget holds in expectation (--confidence off).
--text names columns of codes, which are no quantities; what follows -- goes to `equipoise learn`. One split after the other."""
import collections, csv, json, math, pathlib, random, subprocess, sys, tempfile

from splits import arguments, read


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode not in (0, 1):  # 1: an audit that is not within the budget
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def try_split(options, head, rows, seed):
    order = list(rows)
    random.Random(seed).shuffle(order)
    half = len(order) // 2
    with tempfile.TemporaryDirectory() as folder:
        train, test, model = (pathlib.Path(folder, name) for name in ("train.csv", "test.csv", "model"))
        for path, part in ((train, order[:half]), (test, order[half:half + int(0.3 * len(order))])):
            with open(path, "w", newline="", encoding="utf-8") as target:
                csv.writer(target, lineterminator="\n").writerows([head] + part)
        ignore = ["--ignore", options.ignore] if options.ignore else []
        said = run(options.build / "equipoise", "learn", train, "--sensitive", options.sensitive, "--max-disclosure",
                   options.budget, "--confidence", "off", "--json", "-o", model, *ignore, *options.more)
        audit = run(options.build / "equipoise", "audit", "--model", model, test, "--sdc", "none", "--json")
    figures = [audit[name]["measured"] for name in ("imbalance", "disclosure", "yield")]
    return *figures, said["cross_validated"]["imbalance"], said["seconds"]["learn"], said["oracle"]


def main():
    options = arguments(__doc__)
    head, rows = read(options)
    runs = [try_split(options, head, rows, seed) for seed in range(options.first, options.first + options.splits)]
    mean = [sum(column) / len(runs) for column in list(zip(*runs))[:5]]
    error = math.sqrt(sum((one[0] - mean[0]) ** 2 for one in runs) / max(1, len(runs) - 1) / len(runs))
    oracles = ", ".join(f"{count} {name}" for name, count in collections.Counter(one[5] for one in runs).items())
    print(f"{pathlib.Path(options.table).stem} {options.budget}: imbalance {mean[0]:.4f} ± {error:.4f} (learning said {mean[3]:.4f}), "
          f"disclosure {mean[1]:.3f}, yield {100 * mean[2]:.2f} %, {oracles}, {mean[4]:.1f} s", flush=True)


main()
