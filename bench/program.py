#!/usr/bin/env python3
"""The direct program, its scores given, timed against a NumPy program on a half of Adult: least CPU time, interleaved.

usage: bench/program.py PROTOTYPE [--build build] [--data data] [--rounds 4]

PROTOTYPE is a Python file with adult(), cross_fitted_scores() and direct(); it needs what it needs (NumPy, pandas, CVXOPT).
Both learn from the first half of NumPy's permutation; one thread for both."""
import argparse, importlib.util, os, pathlib, re, subprocess, tempfile, time

os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")
import numpy
from sweep import write_half

POINTS = ((0.2, 0.03), (0.5, 0.03), (1.0, 0.01))  # budget, yield, as in program.c


def load(path):
    spec = importlib.util.spec_from_file_location("prototype", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("prototype")
    parser.add_argument("--build", type=pathlib.Path, default="build")
    parser.add_argument("--data", type=pathlib.Path, default="data")
    parser.add_argument("--rounds", type=int, default=4)
    options = parser.parse_args()
    other = load(options.prototype)
    features, cells = other.adult()
    groups = cells.max() + 1
    half = numpy.random.default_rng(0).permutation(len(cells))[:len(cells) // 2]
    scores, few = other.cross_fitted_scores(features[half], cells[half], groups, features[half[:10]])
    theirs, ours = dict.fromkeys(POINTS, 1e9), dict.fromkeys(POINTS, 1e9)
    with tempfile.TemporaryDirectory() as folder:
        table = pathlib.Path(folder) / "half.csv"
        write_half(options.data / "adult.csv", 0, table)
        for _ in range(options.rounds):
            for point in POINTS:
                start = time.process_time()
                other.direct(scores, few, cells[half], groups, numpy.ones(groups) / groups, *point)
                theirs[point] = min(theirs[point], 1e3 * (time.process_time() - start))
            text = subprocess.run([options.build / "bench/bench-program", table, "race", "income"], check=True,
                                  capture_output=True, text=True).stdout
            for budget, share, found in re.findall(r"budget (\S+) yield (\S+): +(\S+) ms", text):
                point = float(budget), float(share)
                ours[point] = min(ours[point], float(found))
    for point in POINTS:
        print(f"budget {point[0]}, yield {point[1]:g}: {theirs[point]:.1f} ms, {ours[point]:.2f} ms, "
              f"ratio {theirs[point] / ours[point]:.0f}", flush=True)


if __name__ == "__main__":
    main()
