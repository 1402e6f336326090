"""What each column is, before anything is learned: the same as the program says."""
import json, os, pathlib, subprocess, sys, warnings

import pandas
import pytest

import equipoise

DATA = pathlib.Path(__file__).resolve().parent.parent / "cli" / "data"
PROGRAM = os.environ.get("EQUIPOISE_PROGRAM", "equipoise")


@pytest.fixture(scope="module")
def exam(tmp_path_factory):
    path = tmp_path_factory.mktemp("inspect") / "exam.csv"
    with open(path, "w") as file:
        subprocess.run([sys.executable, DATA / "make-people", "exam"], stdout=file, check=True)
    return path


def test_columns_are_those_of_the_program(exam):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = equipoise.inspect(pandas.read_csv(exam), "race1")
    said = json.loads(subprocess.run([PROGRAM, "inspect", exam, "-s", "race1", "--json"], capture_output=True, check=True).stdout)
    for name in ("columns", "groups", "notices"):
        assert found[name] == said[name]
    assert found.used == [column["name"] for column in said["columns"] if column["used"]]
    assert {"race2", "black", "asian", "minority", "ethnic_code", "record"}.isdisjoint(found.used)
    assert list(found.to_frame()["name"]) == [column["name"] for column in said["columns"]]


def test_notices_are_warnings(exam):
    with pytest.warns(equipoise.EquipoiseWarning, match="tells who is in a group: race2"):
        equipoise.inspect(pandas.read_csv(exam), "race1")
    with pytest.warns(equipoise.EquipoiseWarning, match="tells who is in a group: race2"):
        equipoise.BalancedFilter(random_state=1).fit(pandas.read_csv(exam), "race1")


@pytest.mark.filterwarnings("ignore")
def test_columns_can_be_kept_and_called_something(exam):
    frame = pandas.read_csv(exam)
    assert "black" in equipoise.inspect(frame, "race1", keep=["black"]).used
    assert "school_tier" not in equipoise.inspect(frame, "race1", kinds={"school_tier": "identifier"}).used
    assert all(column["disclosure"] is None for column in equipoise.inspect(frame)["columns"])
    with pytest.raises(equipoise.DataError, match="no column"):
        equipoise.inspect(frame, "race1", keep=["nothing"])
