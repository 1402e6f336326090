#!/usr/bin/env python3
"""What Python costs: fit and select against the program on the same rows, in CPU seconds, least of interleaved runs.

The program's side is without parsing: `learn` without the reading of its file, `filter` without what bench-parse spends on
cutting the same file into records and reading its numbers and ids. What is left of `filter` looks up levels and bins,
scores, draws, and writes the accepted records. `select` gets frames of four kinds, ids in a column.

    python_overhead.py PROGRAM [ROWS [RUNS]]"""
import json
import pathlib
import resource
import subprocess
import sys
import tempfile
import warnings

import pandas as pd

import polars
import pyarrow

import equipoise

KEY = "00112233445566778899aabbccddeeff0123456789abcdef0fedcba987654321"


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
    """CPU time until learning begins: `learn` refuses a method that gives no rule once the file is read."""
    before = cpu(resource.RUSAGE_CHILDREN)
    subprocess.run([executable, "learn", path, "-s", "group", "--method", "smote", "-o", path.with_suffix(".none"), "--quiet"],
                   capture_output=True)
    return cpu(resource.RUSAGE_CHILDREN) - before


def parsing_of(executable: str, folder: pathlib.Path) -> float:
    bench = pathlib.Path(executable).parent / "bench" / "bench-parse"
    return float(program(bench, folder / "rule.model", folder / "people.csv", "record", 1)[1])


def measure_fit(executable: str, folder: pathlib.Path, people: pd.DataFrame, runs: int) -> dict[str, float]:
    path, features = folder / "people.csv", people.drop(columns=["record", "group", "admitted"])
    least = dict.fromkeys(("learn", "reading", "fit"), float("inf"))
    for _ in range(runs):
        spent = {"learn": program(executable, "learn", path, "-s", "group", "--ignore", "record,admitted", "--quiet", "-o",
                                  folder / "rule.model")[0],
                 "reading": reading_of(executable, path),
                 "fit": here(lambda: equipoise.BalancedFilter(random_state=1).fit(features, people["group"]))}
        least = {what: min(least[what], spent[what]) for what in least}
    return least


def measure_select(executable: str, folder: pathlib.Path, people: pd.DataFrame, runs: int) -> dict[str, float]:
    rule, key = equipoise.BalancedFilter.load(folder / "rule.model"), folder / "key"
    key.write_text(KEY)
    key.chmod(0o600)
    texts = [name for name in people if people[name].dtype.kind not in "if" and name != "record"]
    frames = {"pandas": people, "categories": people.astype(dict.fromkeys(texts, "category")),
              "polars": polars.from_pandas(people), "pyarrow": pyarrow.Table.from_pandas(people, preserve_index=False)}
    least = dict.fromkeys(("filter", "parsing", *frames), float("inf"))
    for _ in range(runs):
        spent = {"filter": program(executable, "filter", "-m", folder / "rule.model", "-k", key, "--id", "record", "--quiet",
                                   "-o", folder / "out.csv", folder / "people.csv")[0],
                 "parsing": parsing_of(executable, folder)}
        spent |= {kind: here(lambda: rule.select(frame, "record", KEY)) for kind, frame in frames.items()}
        least = {what: min(least[what], spent[what]) for what in least}
    return least


def main(executable: str, rows: int, runs: int) -> None:
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory(dir="/dev/shm") as name:
        folder = pathlib.Path(name)
        equipoise.write_population(folder / "people.csv", rows)
        people = pd.read_csv(folder / "people.csv")
        fit, select = measure_fit(executable, folder, people, runs), measure_select(executable, folder, people, 10 * runs)
    learned, decided = fit["learn"] - fit["reading"], select["filter"] - select["parsing"]
    print(json.dumps({"rows": rows, **{what: round(value, 3) for what, value in {**fit, **select}.items()}}))
    print(f"fit: {fit['fit']:.2f} s, learn without reading {learned:.2f} s, ratio {fit['fit'] / learned:.2f}")
    for kind in list(select)[2:]:
        print(f"select from {kind}: {select[kind]:.3f} s, filter without parsing {decided:.3f} s, "
              f"ratio {select[kind] / decided:.2f}")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 10**6, int(sys.argv[3]) if len(sys.argv) > 3 else 3)
