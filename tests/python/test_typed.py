"""Typed values mean what the text of the same value in a file means: to inspect, to a rule that decides, and to an audit."""
import datetime, decimal, json, os, subprocess, zoneinfo

import numpy as np
import pytest

import equipoise

pd = pytest.importorskip("pandas")
pa = pytest.importorskip("pyarrow")
PROGRAM = os.environ.get("EQUIPOISE_PROGRAM", "equipoise")
KEPT = "joined,seen,local"  # however little they tell
BERLIN = zoneinfo.ZoneInfo("Europe/Berlin")

pytestmark = pytest.mark.filterwarnings("ignore::equipoise.EquipoiseWarning")


def values(rows, seed):
    """Python's own values, one list for each column; None where a cell is missing."""
    dice = np.random.default_rng(seed)
    late, day = dice.random(rows) < 0.5, datetime.date(2024, 5, 30)
    columns = {
        "flag": [bool(dice.random() < (0.7 if one else 0.3)) for one in late],
        "fee": [decimal.Decimal(int(dice.integers(40, 400)) + 100 * int(one)) / 4 for one in late],
        "joined": [day + datetime.timedelta(days=int(dice.integers(0, 4)) + 4 * int(one)) for one in late],
        "seen": [datetime.datetime(2024, 5, 31, int(dice.integers(0, 3)), 30, tzinfo=BERLIN) for _ in late],
        "local": [datetime.datetime(2024, 5, 31, int(dice.integers(20, 24)), 30) for _ in late],
        "code": [int(dice.choice([10, 20, 30])) for _ in late],
    }
    for cells in columns.values():
        for row in np.flatnonzero(dice.random(rows) < 0.02):
            cells[row] = None
    return columns, [str(dice.choice(["a", "b"], p=[0.8, 0.2] if one else [0.4, 0.6])) for one in late]


def texts(columns):
    """The same as a file has them."""
    spell = {"flag": lambda value: str(value).lower(), "fee": lambda value: f"{value:.2f}", "joined": str, "code": str, "local": str,
             "seen": lambda value: f"{value.astimezone(datetime.timezone.utc):%Y-%m-%d %H:%M:%S}Z"}
    return pd.DataFrame({name: ["" if cell is None else spell[name](cell) for cell in cells] for name, cells in columns.items()})


def objects(columns):
    return pd.DataFrame({name: pd.Series(cells, dtype=object) for name, cells in columns.items()}).astype({"code": "category"})


def pandas(columns):
    frame = pd.DataFrame({"flag": pd.array(columns["flag"], dtype="boolean"), "code": pd.Categorical(columns["code"])})
    frame["fee"] = pd.array(columns["fee"], dtype=pd.ArrowDtype(pa.decimal128(9, 2)))
    frame["joined"] = pd.array(columns["joined"], dtype=pd.ArrowDtype(pa.date32()))
    frame["seen"] = pd.to_datetime(pd.Series(columns["seen"]), utc=True).dt.tz_convert("America/New_York")
    frame["local"] = pd.to_datetime(pd.Series(columns["local"]))
    return frame[list(columns)]


def arrow(columns):
    kinds = {"flag": pa.bool_(), "fee": pa.decimal128(9, 2), "joined": pa.date32(), "seen": pa.timestamp("us", "Europe/Berlin"),
             "local": pa.timestamp("ms"), "code": pa.int64()}
    table = pa.table({name: pa.array(cells, kinds[name]) for name, cells in columns.items()})
    return table.set_column(table.schema.get_field_index("code"), "code", table["code"].dictionary_encode())


def polars(columns):
    import polars as pl
    kinds = {"flag": pl.Boolean, "fee": pl.Decimal(9, 2), "joined": pl.Date, "seen": pl.Datetime("ms", "Europe/Berlin"),
             "local": pl.Datetime("us"), "code": pl.Categorical}
    return pl.DataFrame({**columns, "code": [None if cell is None else str(cell) for cell in columns["code"]]}, schema=kinds)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("typed")
    for name, rows, seed in (("labelled", 1200, 1), ("later", 1500, 2)):
        columns, groups = values(rows, seed)
        texts(columns).assign(group=groups, record=[f"r{row}" for row in range(rows)]).to_csv(place / f"{name}.csv", index=False)
    said(place, "learn", "labelled.csv", "-s", "group", "--text", "code", "--keep", KEPT, "--ignore", "record", "--oracle", "linear",
         "--min-yield", "0.1", "-o", "rule.model")
    said(place, "key", "new", "key")
    return place


def said(place, *words):
    return subprocess.run([PROGRAM, *words], cwd=place, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("kind", [objects, pandas, arrow, polars])
def test_a_value_means_its_text(kind, folder):
    if kind is polars:
        pytest.importorskip("polars")
    looked = json.loads(said(folder, "inspect", "labelled.csv", "-s", "group", "--text", "code", "--keep", KEPT, "--ignore", "record",
                             "--json"))
    columns, groups = values(1200, 1)
    found = equipoise.inspect(kind(columns), {"group": groups}, keep=KEPT.split(","))
    assert found["columns"] == [column for column in looked["columns"] if column["name"] != "record"]
    assert {column["name"]: column["kind"] for column in found["columns"]} == {
        "flag": "truth value", "fee": "number", "joined": "date", "seen": "time", "local": "time", "code": "levels", "group": "levels"}
    rule = equipoise.BalancedFilter.load(folder / "rule.model")
    assert set(rule._columns_read()) == set(columns)
    columns, groups = values(1500, 2)
    ids = [f"r{row}" for row in range(1500)]
    accepted = said(folder, "filter", "-m", "rule.model", "--id", "record", "-k", "key", "later.csv").splitlines()[1:]
    mask = rule.select(kind(columns), ids=ids, key=folder / "key")
    assert 50 < len(accepted) < 1000 and [ids[row] for row in np.flatnonzero(mask)] == [line.rsplit(",", 1)[1] for line in accepted]
    wanted = json.loads(said(folder, "audit", "-m", "rule.model", "later.csv", "--text", "code", "--sdc", "none",
                             "--max-disclosure", "1", "--json"))
    audit = rule.audit(kind(columns), {"group": groups}, sdc="none", max_disclosure=1)
    for figure in ("disclosure", "imbalance", "yield"):
        assert audit[figure] == wanted[figure]
