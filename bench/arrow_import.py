#!/usr/bin/env python3
"""What importing a frame costs: CPU seconds, least of several runs, from pandas, categories, Polars and pyarrow.

Two versions of the package are compared by runs of this program in turn, each with its own PYTHONPATH.

    arrow_import.py PEOPLE.csv [RUNS]"""
import resource
import sys

import pandas as pd

import polars
import pyarrow

import equipoise
from equipoise._frames import Records


def cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def spent(work) -> float:
    before = cpu()
    work()
    return cpu() - before


def main() -> None:
    people, runs = pd.read_csv(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 5
    names = list(people)
    texts = [name for name in people if people[name].dtype.kind not in "if" and name != "record"]
    frames = {"pandas": people, "categories": people.astype(dict.fromkeys(texts, "category")),
              "polars": polars.from_pandas(people), "pyarrow": pyarrow.Table.from_pandas(people, preserve_index=False)}
    least = {kind: min(spent(lambda: Records(frame).table(names)) for _ in range(runs)) for kind, frame in frames.items()}
    print(equipoise.__version__, equipoise.__file__, *(f"{kind} {seconds:.3f}" for kind, seconds in least.items()))


main()
