#!/usr/bin/env python3
"""Held-out figures of publishable rules: balance, yield, and the largest shift of any cell on unseen rows.

usage: bench/publishable.py TABLE SENSITIVE BUDGET [--ignore A,B] [--text A,B] [--first 0] [--splits 20] [--build build] [-- OPTION ...]

Every split is random: half of the rows to learn from, three tenths to measure on. The rule is read from the model file and
applied here, not by the program. A cell is a combination of answers to the questions of the file, also of those that a record's
path does not meet; cells of fewer than 30 unseen rows are not counted. A run is within the budget when no group's share in any
counted cell is further than the budget from its share among the unseen rows, as measured. --text names columns of codes, which
are no quantities; what follows -- goes to `equipoise learn`."""
import collections, concurrent.futures, csv, json, math, pathlib, random, subprocess, sys, tempfile

from splits import arguments, read

FEWEST = 30


def code(feature, cell):
    if cell in ("", "?", "NA"):
        return -1
    if feature["kind"] == "bins":
        return sum(cut <= float(cell) for cut in feature["cuts"])
    return feature["levels"].index(cell) if cell in feature["levels"] else -2


def answers(model, record):
    """what the record answers to every question of the file"""
    found = []
    for score in model["rule"]["scores"]:
        value = score["intercept"] + sum(terms[code(feature, record[feature["column"]])]
                                         for feature, terms in zip(model["features"], score["terms"]))
        found.append(value < -0.5)
    return tuple(found)


def chance(rule, answered):
    at = {"leaf": 0} if not rule["nodes"] else {"node": 0}
    while "node" in at:
        node = rule["nodes"][at["node"]]
        at = node["yes" if answered[node["components"][0]["score"]] else "no"]
    return rule["leaves"][at["leaf"]]["accept"]


def measure(model, head, rows, sensitive, budget):
    groups = {group["value"]: group["target"] for group in model["sensitive"]["groups"]}
    column, cells = head.index(sensitive), collections.defaultdict(collections.Counter)
    for row in rows:
        cells[answers(model, dict(zip(head, row)))][row[column]] += 1
    everybody = collections.Counter(row[column] for row in rows)
    cohort = collections.Counter()
    for answered, counts in cells.items():
        for value, count in counts.items():
            cohort[value] += chance(model["rule"], answered) * count
    accepted = sum(cohort.values())
    imbalance = math.sqrt(sum((cohort[value] / accepted - target) ** 2 for value, target in groups.items()))
    shift = max([abs(counts[value] / sum(counts.values()) - everybody[value] / len(rows))
                 for counts in cells.values() if sum(counts.values()) >= FEWEST for value in groups])
    return imbalance, shift, accepted / len(rows), len(model["rule"]["scores"]), shift <= budget


def try_split(options, head, rows, seed):
    order = list(rows)
    random.Random(seed).shuffle(order)
    half = len(order) // 2
    with tempfile.TemporaryDirectory() as folder:
        table, path = pathlib.Path(folder, "train.csv"), pathlib.Path(folder, "model")
        with open(table, "w", newline="", encoding="utf-8") as target:
            csv.writer(target, lineterminator="\n").writerows([head] + order[:half])
        command = [options.build / "equipoise", "learn", table, "--sensitive", options.sensitive, "--publishable",
                   "--max-disclosure", str(options.budget), "--threads", "1", "--json", "-o", path, *options.more]
        if options.ignore:
            command += ["--ignore", options.ignore]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            sys.exit(done.stderr)
        said, model = json.loads(done.stdout), json.loads(path.read_text(encoding="utf-8"))
    found = measure(model, head, order[half:half + int(0.3 * len(order))], options.sensitive, options.budget)
    return *found, said["cross_validated"]["imbalance"], said["seconds"]["learn"]


def main():
    options = arguments(__doc__)
    head, rows = read(options)
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        seeds = range(options.first, options.first + options.splits)
        runs = list(pool.map(lambda seed: try_split(options, head, rows, seed), seeds))
    mean = [sum(column) / len(runs) for column in zip(*runs)]
    error = math.sqrt(sum((run[0] - mean[0]) ** 2 for run in runs) / max(1, len(runs) - 1) / len(runs))
    print(f"{pathlib.Path(options.table).stem} {options.budget}: imbalance {mean[0]:.4f} ± {error:.4f} (learning said {mean[5]:.4f}), "
          f"largest shift of a cell {mean[1]:.3f} (worst {max(run[1] for run in runs):.3f}), yield {100 * mean[2]:.1f} %, "
          f"questions {mean[3]:.1f}, every cell within the budget in {sum(run[4] for run in runs)} of {len(runs)}, {mean[6]:.1f} s")


main()
