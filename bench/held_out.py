#!/usr/bin/env python3
"""Held-out figures of `equipoise learn` beside those of a NumPy program, on the same random splits.

usage: bench/held_out.py PROTOTYPE [--build build] [--data data] [--splits 20] [--first 0] [--only adult] [-- OPTION ...]

PROTOTYPE is a Python file with adult(), marketing(), communities(), cross_fitted_scores() and direct(); it needs what it
needs (NumPy, pandas, CVXOPT). Half of the rows to learn from, three tenths to measure; the NumPy program at the yields below,
`learn` as it comes or with the options after --. Means and standard errors of imbalance, disclosure and yield; last the
difference in imbalance, split by split."""
import argparse, concurrent.futures, json, os, pathlib, subprocess, sys, tempfile

os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")
import numpy
from program import load

POINTS = {"adult": ((0.2, 0.03), (0.5, 0.03), (1.0, 0.01)), "communities": ((0.3, 0.2), (0.6, 0.2)),
          "marketing": ((0.1, 0.03), (1.0, 0.03))}  # budget, yield
COLUMNS = {"adult": ("race", "income"), "communities": ("race", "violent_crimes"), "marketing": ("job", "y")}


def arguments():
    own, more = sys.argv[1:], []
    if "--" in own:
        own, more = own[:own.index("--")], own[own.index("--") + 1:]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("prototype")
    parser.add_argument("--build", type=pathlib.Path, default="build")
    parser.add_argument("--data", type=pathlib.Path, default="data")
    parser.add_argument("--splits", type=int, default=20)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--only", choices=POINTS)
    options = parser.parse_args(own)
    options.more = more
    return options


def figures_of(accepted, cells, groups):
    member = numpy.eye(groups)[cells]
    rate = member.mean(0)
    inside, outside = accepted @ member / accepted.sum(), (1 - accepted) @ member / (1 - accepted).sum()
    disclosure = max(abs(inside - rate).max(), abs(outside - rate).max())
    return numpy.linalg.norm(inside - 1 / groups), disclosure, accepted.mean()


def run(command, allowed=(0,)):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in allowed:
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def learn_and_audit(options, name, budget, table, rest, folder):
    sensitive, label = COLUMNS[name]
    model = folder / f"{name}.model"
    run([options.build / "equipoise", "learn", table, "--sensitive", sensitive, "--ignore", label, "--max-disclosure",
         str(budget), "--threads", "1", "--json", "-o", model, *options.more])
    found = run([options.build / "equipoise", "audit", "--model", model, rest, "--sensitive", sensitive, "--json"], (0, 1))
    return [found[figure]["measured"] for figure in ("imbalance", "disclosure", "yield")]


def write_rows(head, lines, rows, path):
    with open(path, "w", encoding="utf-8") as target:
        target.writelines([head, *(lines[i] for i in rows)])


def try_split(options, name, seed):
    """One row a point: their three figures and ours."""
    other = load(options.prototype)
    features, cells = getattr(other, name)()
    head, *lines = open(options.data / f"{name}.csv", encoding="utf-8")
    if len(lines) != len(cells):
        sys.exit(f"{name}: {len(lines)} rows here, {len(cells)} there")
    groups, found = cells.max() + 1, []
    order = numpy.random.default_rng(seed).permutation(len(cells))
    train, test = order[:len(cells) // 2], order[len(cells) // 2:len(cells) // 2 + int(0.3 * len(cells))]
    scores, unseen = other.cross_fitted_scores(features[train], cells[train], groups, features[test])
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        write_rows(head, lines, train, folder / "train.csv")
        write_rows(head, lines, test, folder / "test.csv")
        for budget, share in POINTS[name]:
            _, accepted, _ = other.direct(scores, unseen, cells[train], groups, numpy.ones(groups) / groups, budget, share)
            ours = learn_and_audit(options, name, budget, folder / "train.csv", folder / "test.csv", folder)
            found.append([*figures_of(accepted, cells[test], groups), *ours])
    return found


def main():
    options = arguments()
    print("data, budget: imbalance / disclosure / yield there; here; imbalance here less there")
    with concurrent.futures.ProcessPoolExecutor() as pool:
        for name in [options.only] if options.only else POINTS:
            seeds = range(options.first, options.first + options.splits)
            found = numpy.array(list(pool.map(try_split, [options] * len(seeds), [name] * len(seeds), seeds)))
            for place, (budget, _) in enumerate(POINTS[name]):
                part = found[:, place]
                mean, gain = part.mean(0), part[:, 3] - part[:, 0]
                error = gain.std(ddof=1) / len(gain) ** 0.5
                print(f"{name} {budget:g}: " + "; ".join(f"{m[0]:.3f} / {m[1]:.3f} / {100 * m[2]:.2g} %"
                                                          for m in (mean[:3], mean[3:]))
                      + f"; {gain.mean():+.4f} ± {error:.4f}", flush=True)


if __name__ == "__main__":
    main()
