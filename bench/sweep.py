#!/usr/bin/env python3
"""Sweeps of 11 budgets with the paper's proxy, timed against a NumPy program: same rows, least CPU time, interleaved.

usage: bench/sweep.py PROTOTYPE [--build build] [--data data] [--rounds 5] [--seeds 0,1,2,3]

PROTOTYPE is called as `PROTOTYPE sweep NAME --seed N` by this Python, which needs what it needs (NumPy, SciPy, pandas); it
prints a line a budget and ends with its processor time. The tables are those of `make data`; the training half of a seed is
the first half of NumPy's permutation. Reading and encoding the table is outside of both times. One thread for both. A seed
that PROTOTYPE cannot finish is left out; imbalances below 0.05, where both stop, count as 0.05."""
import argparse, csv, os, pathlib, re, subprocess, sys, tempfile

import numpy

DATA = {"adult": ("race", "income"), "marketing": ("job", "y")}
STOP = 0.05
ALONE = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("prototype")
    parser.add_argument("--build", type=pathlib.Path, default="build")
    parser.add_argument("--data", type=pathlib.Path, default="data")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seeds", default="0,1,2,3")
    return parser.parse_args()


def write_half(table, seed, path):
    with open(table, newline="") as source:
        head, *rows = csv.reader(source)
    order = numpy.random.default_rng(seed).permutation(len(rows))
    with open(path, "w", newline="") as target:
        csv.writer(target, lineterminator="\n").writerows([head] + [rows[i] for i in order[:len(rows) // 2]])


class Sweep:
    """What one program prints: imbalance at each budget, least CPU time of its runs."""
    def __init__(self, command):
        self.command, self.seconds, self.imbalances = command, float("inf"), {}

    def run(self):
        done = subprocess.run(self.command, env=ALONE, capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip().splitlines()[-1])
        found = re.findall(r"budget (\S+): train imbalance (\S+)", done.stdout)
        self.imbalances = {budget: max(STOP, float(imbalance)) for budget, imbalance in found}
        self.seconds = min(self.seconds, float(re.search(r"(\S+) CPU s", done.stdout).group(1)))


def compare(name, seed, options, folder):
    sensitive, label = DATA[name]
    half = folder / f"{name}-{seed}.csv"
    write_half(options.data / f"{name}.csv", seed, half)
    other = Sweep([sys.executable, options.prototype, "sweep", name, "--seed", str(seed)])
    ours = Sweep([options.build / "bench/bench-sweep", half, sensitive, label, "5"])
    for _ in range(options.rounds):
        other.run()
        ours.run()
    worse = max(ours.imbalances[b] - other.imbalances[b] for b in other.imbalances)
    better = max(other.imbalances[b] - ours.imbalances[b] for b in other.imbalances)
    print(f"| {name} | {seed} | {other.seconds:.2f} | {ours.seconds:.4f} | {other.seconds / ours.seconds:.1f} | "
          f"{better:.4f} | {max(0, worse):.4f} |", flush=True)


def main():
    options = arguments()
    print("| data | seed | NumPy, CPU s | equipoise, CPU s | ratio | imbalance lower by up to | higher by up to |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name in DATA:
            for seed in options.seeds.split(","):
                try:
                    compare(name, int(seed), options, pathlib.Path(folder))
                except RuntimeError as failure:
                    print(f"| {name} | {seed} | {failure} |", flush=True)


if __name__ == "__main__":
    main()
