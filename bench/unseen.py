#!/usr/bin/env python3
"""Figures of learned rules on unseen rows: imbalance, disclosure and yield, means over random splits.

usage: bench/unseen.py TABLE SENSITIVE BUDGET [--ignore A,B] [--text A,B] [--first 0] [--splits 20] [--build build] [--untriaged] [-- OPTION ...]

Every split is random: half of the rows to learn from, three tenths to audit. The budget holds in expectation (--confidence off).
--text names columns of codes, which are no quantities; what follows -- goes to `equipoise learn`. One split after the other.
--untriaged learns every split a second time, with the columns that triage leaves out, and prints the differences split by split:
imbalance on unseen rows, and processor time of learning."""
import collections, csv, json, math, pathlib, random, resource, subprocess, sys, tempfile

from splits import arguments, read


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode not in (0, 1):  # 1: an audit that is not within the budget
        sys.exit(done.stderr)
    return json.loads(done.stdout)


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def learn_and_audit(options, train, test, model, more):
    began = processor_seconds()
    said = run(options.build / "equipoise", "learn", train, "--sensitive", options.sensitive, "--max-disclosure",
               options.budget, "--confidence", "off", "--json", "-o", model, *more, *options.more)
    ended = processor_seconds()
    audit = run(options.build / "equipoise", "audit", "--model", model, test, "--sdc", "none", "--json")
    figures = [audit[name]["measured"] for name in ("imbalance", "disclosure", "yield")]
    return *figures, said["cross_validated"]["imbalance"], said["seconds"]["learn"], said["oracle"], ended - began


def left_out(options, train, ignore):
    looked = run(options.build / "equipoise", "inspect", train, "--sensitive", options.sensitive, *ignore, "--json")
    return [column["name"] for column in looked["columns"]
            if not column["used"] and column["reason"] not in ("ignored", "sensitive attribute")]


def try_split(options, head, rows, seed):
    """The figures of one split; with --untriaged those without triage too, and the names of the columns."""
    order = list(rows)
    random.Random(seed).shuffle(order)
    half = len(order) // 2
    with tempfile.TemporaryDirectory() as folder:
        train, test, model = (pathlib.Path(folder, name) for name in ("train.csv", "test.csv", "model"))
        for path, part in ((train, order[:half]), (test, order[half:half + int(0.3 * len(order))])):
            with open(path, "w", newline="", encoding="utf-8") as target:
                csv.writer(target, lineterminator="\n").writerows([head] + part)
        ignore = ["--ignore", options.ignore] if options.ignore else []
        if not options.untriaged:
            return learn_and_audit(options, train, test, model, ignore), None, []
        names = left_out(options, train, ignore)
        keep = [*ignore, "--keep", ",".join(names)] if names else ignore
        ways = [ignore, keep] if seed % 2 else [keep, ignore]  # neither always has the warmer machine
        found = [learn_and_audit(options, train, test, model, way) for way in ways]
        return *(found if seed % 2 else found[::-1]), names


def mean_and_error(values):
    mean = sum(values) / len(values)
    return mean, math.sqrt(sum((value - mean) ** 2 for value in values) / max(1, len(values) - 1) / len(values))


def compare(runs):
    """What triage changed, split by split."""
    names = collections.Counter(name for _, _, left in runs for name in left)
    imbalance = mean_and_error([one[0] - other[0] for one, other, _ in runs])
    disclosure = mean_and_error([one[1] - other[1] for one, other, _ in runs])
    seconds = mean_and_error([one[6] / other[6] - 1 for one, other, _ in runs])
    print("  left out by triage: " + (", ".join(f"{name} ({count} of {len(runs)})" for name, count in names.items()) or "nothing"))
    print(f"  with triage less without: imbalance {imbalance[0]:+.4f} ± {imbalance[1]:.4f}, disclosure {disclosure[0]:+.4f} ± "
          f"{disclosure[1]:.4f}, processor time {100 * seconds[0]:+.1f} % ± {100 * seconds[1]:.1f}", flush=True)


def main():
    options = arguments(__doc__, lambda parser: parser.add_argument("--untriaged", action="store_true"))
    head, rows = read(options)
    runs = [try_split(options, head, rows, seed) for seed in range(options.first, options.first + options.splits)]
    figures = [one[0] for one in runs]
    mean = [sum(column) / len(runs) for column in list(zip(*figures))[:5]]
    error = mean_and_error([one[0] for one in figures])[1]
    oracles = ", ".join(f"{count} {name}" for name, count in collections.Counter(one[5] for one in figures).items())
    print(f"{pathlib.Path(options.table).stem} {options.budget}: imbalance {mean[0]:.4f} ± {error:.4f} (learning said {mean[3]:.4f}), "
          f"disclosure {mean[1]:.3f}, yield {100 * mean[2]:.2f} %, {oracles}, {mean[4]:.1f} s", flush=True)
    if options.untriaged:
        compare(runs)


main()
