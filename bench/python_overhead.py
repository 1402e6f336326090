#!/usr/bin/env python3
"""What Python costs: fit and select against the program on the same rows, in CPU seconds, least of interleaved runs.

The program's side is `learn` without the reading that it reports, and the whole of `filter`, whose parsing and deciding
are one pass; so `select`, which has a frame to import where `filter` has a file to parse, is set against it whole, and its
deciding alone is shown beside.   python_overhead.py PROGRAM [ROWS [RUNS]]"""
import json
import pathlib
import resource
import subprocess
import sys
import tempfile
import warnings

import pandas as pd

import equipoise
from equipoise._columns import arrow_column
from equipoise._frames import Records

KEY = "0" * 64


def cpu(who: int) -> float:
    used = resource.getrusage(who)
    return used.ru_utime + used.ru_stime


def here(work) -> float:
    before = cpu(resource.RUSAGE_SELF)
    work()
    return cpu(resource.RUSAGE_SELF) - before


def program(*command) -> tuple[float, str]:
    before = cpu(resource.RUSAGE_CHILDREN)
    done = subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True)
    return cpu(resource.RUSAGE_CHILDREN) - before, done.stdout


def reading_of(executable: str, path: pathlib.Path) -> float:
    """CPU time until learning begins: `learn` refuses a method that gives no rule once the file is read and encoded. So
    encoding, which Python pays for as well, is counted against it."""
    before = cpu(resource.RUSAGE_CHILDREN)
    subprocess.run([executable, "learn", path, "-s", "group", "--method", "smote", "-o", path.with_suffix(".none"), "--quiet"],
                   capture_output=True)
    return cpu(resource.RUSAGE_CHILDREN) - before


def main(executable: str, rows: int, runs: int) -> None:
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        path, key = folder / "people.csv", folder / "key"
        equipoise.write_population(path, rows)
        key.write_text(KEY)
        key.chmod(0o600)
        people = pd.read_csv(path)
        features, rule = people.drop(columns=["record", "group", "admitted"]), equipoise.BalancedFilter(random_state=1)
        least = {what: float("inf") for what in ("learn", "reading", "fit", "filter", "select", "import")}
        for _ in range(runs):
            spent, _ = program(executable, "learn", path, "-s", "group", "--ignore", "record,admitted", "--quiet", "-o",
                               folder / "rule.model")
            least["learn"] = min(least["learn"], spent)
            least["reading"] = min(least["reading"], reading_of(executable, path))
            least["fit"] = min(least["fit"], here(lambda: rule.fit(features, people["group"])))
            spent, _ = program(executable, "filter", "-m", folder / "rule.model", "-k", key, "--id", "record", "--quiet", "-o",
                               folder / "out.csv", path)
            least["filter"] = min(least["filter"], spent)
            least["select"] = min(least["select"], here(lambda: rule.select(features, people["record"], KEY)))
            least["import"] = min(least["import"], here(lambda: rule._unlabelled(
                Records(features), [arrow_column("id", people["record"])], rows, id="id")))
    learned = least["learn"] - least["reading"]
    print(json.dumps({"rows": rows, **{what: round(value, 3) for what, value in least.items()}}))
    print(f"fit: {least['fit']:.2f} s, learn without reading {learned:.2f} s, ratio {least['fit'] / learned:.3f}")
    print(f"select: {least['select']:.2f} s, of that {least['select'] - least['import']:.2f} s deciding, "
          f"filter with parsing {least['filter']:.2f} s, ratio {least['select'] / least['filter']:.3f}")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 10**6, int(sys.argv[3]) if len(sys.argv) > 3 else 3)
