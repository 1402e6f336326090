"""What the tests share: a population, its features and groups, the program, and the five kinds of frames."""
import os
import pathlib
import subprocess

import numpy as np
import pandas as pd
import pytest

import equipoise

ROOT = pathlib.Path(__file__).parents[2]
KEY = "00112233445566778899aabbccddeeff0123456789abcdef0fedcba987654321"


@pytest.fixture(scope="session")
def population(tmp_path_factory):
    """The population of the demonstration as text: a CSV file and the frame that it holds."""
    path = tmp_path_factory.mktemp("population") / "people.csv"
    equipoise.write_population(path, 6000)
    return path, pd.read_csv(path)


@pytest.fixture(scope="session")
def people(population):
    return population[1]


@pytest.fixture(scope="session")
def features(people):
    return people.drop(columns=["record", "group", "admitted"])


@pytest.fixture(scope="session")
def groups(people):
    return people["group"]


def learner(**options):
    """With linear scores, which are quick: most tests ask how a rule is used, not which one it is."""
    return equipoise.BalancedFilter(oracle="linear", random_state=1, **options)


@pytest.fixture(scope="session")
def rule(features, groups):
    return learner().fit(features, groups)


@pytest.fixture(scope="session")
def numeric(features):
    """Numbers alone, as arrays hold them."""
    return features.select_dtypes("number").to_numpy(dtype=np.float64)


@pytest.fixture(scope="session")
def program():
    """Runs the program and returns what it wrote."""
    path = pathlib.Path(os.environ.get("EQUIPOISE_PROGRAM", ROOT / "build" / "equipoise"))
    if not path.exists():
        pytest.skip("the program is not built")

    def run(*arguments):
        return subprocess.run([path, *map(str, arguments)], check=True, capture_output=True, text=True).stdout

    return run


def in_kind(kind, frame):
    """A pandas frame as a frame of another kind."""
    import duckdb
    import polars
    import pyarrow

    if kind == "pandas":
        return frame
    if kind == "polars":
        return polars.from_pandas(frame)
    table = pyarrow.Table.from_pandas(frame, preserve_index=False)
    return table if kind == "pyarrow" else duckdb.from_arrow(table)
