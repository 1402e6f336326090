"""Exact cohorts, commitments, plans and SQL: the same decisions wherever they are made."""
import duckdb
import numpy as np
import pandas as pd
import pytest

import equipoise
from conftest import KEY


def test_exact_size_and_alternates(population, rule, tmp_path):
    path, people = population
    counts = rule.select_file(path, tmp_path / "panel.csv", size=100, alternates=20, alternates_file=tmp_path / "next.csv",
                              remaining=tmp_path / "rest.csv", id="record", key=KEY)
    panel, following, rest = (pd.read_csv(tmp_path / name)["record"].tolist() for name in ("panel.csv", "next.csv", "rest.csv"))
    assert counts["selected"] == len(panel) == 100 and len(following) == 20
    assert sorted(panel + following + rest) == sorted(people["record"])
    larger = tmp_path / "larger.csv"
    rule.select_file(path, larger, size=120, id="record", key=KEY)
    assert set(pd.read_csv(larger)["record"]) == set(panel + following)


def test_parts_merge_into_the_global_answer(population, rule, tmp_path):
    path, people = population
    rule.select_file(path, tmp_path / "whole.csv", size=80, id="record", key=KEY)
    header, *lines = path.read_text().splitlines(keepends=True)
    for place in range(3):
        (tmp_path / f"{place}.csv").write_text(header + "".join(lines[place::3]))
        rule.select_file(tmp_path / f"{place}.csv", parts=tmp_path / f"{place}.part", size=80, id="record", key=KEY)
    equipoise.merge_files([tmp_path / f"{place}.part" for place in range(3)], tmp_path / "merged.csv")
    records = [set(pd.read_csv(tmp_path / name)["record"]) for name in ("whole.csv", "merged.csv")]
    assert records[0] == records[1]


def test_commitments(population, rule, tmp_path):
    path, _ = population
    rule.commit(path, tmp_path / "commitment", key=KEY)
    rule.select_file(path, tmp_path / "panel.csv", size=50, id="record", key=KEY)
    check = lambda **changed: rule.verify(tmp_path / "commitment", path, tmp_path / "panel.csv",
                                          **{"key": KEY, "size": 50, "id": "record", **changed})
    assert check()["pass"]
    lines = (tmp_path / "panel.csv").read_text().splitlines(keepends=True)
    (tmp_path / "panel.csv").write_text("".join(lines[:-1]))
    assert not check()["pass"] and check()["difference"]


def test_public_randomness_goes_into_the_draw(population, rule, tmp_path):
    path, people = population
    rule.filter_file(path, tmp_path / "accepted.csv", id="record", key=KEY, randomness="3 17 22")
    mixed = rule.select(people, "record", equipoise.Key(KEY).mixed("3 17 22"))
    assert pd.read_csv(tmp_path / "accepted.csv")["record"].tolist() == people["record"][mixed].tolist()
    assert not np.array_equal(mixed, rule.select(people, "record", KEY))


def test_plan(rule):
    plan = rule.plan(200)
    assert plan["candidates_low"] < plan["candidates"] < plan["candidates_high"]
    assert plan["candidates"] == pytest.approx(200 / plan["yield"], rel=0.02)


def test_sql_decides_alike(population, rule):
    path, people = population
    statement = rule.to_sql("duckdb", id="record", table="people", key=KEY)
    connection = duckdb.connect()
    connection.register("people", people)
    accepted = connection.sql(statement).df()["record"].tolist()
    assert sorted(accepted) == sorted(people["record"][rule.select(people, "record", KEY)])


@pytest.mark.parametrize("dialect", ["postgresql", "duckdb", "sqlite", "clickhouse", "spark", "bigquery", "c", "json"])
def test_every_dialect(rule, dialect):
    text = rule.to_sql(dialect)
    assert rule.model_id_ in text
    assert KEY not in text and (dialect in ("c", "json") or KEY in rule.to_sql(dialect, key=KEY))


def test_unknown_dialects_are_refused(rule):
    with pytest.raises(equipoise.UsageError, match="fortran"):
        rule.to_sql("fortran")


def test_compare(features, groups, people):
    found = equipoise.compare(features, groups, label=people["admitted"], seeds=2, budgets=[0.1, 0.5],
                              methods=["direct", "qp-logit"], random_state=1)
    frame = found.to_frame()
    assert len(frame) == 4 and set(frame["method"]) == {"direct", "qp-logit"}
    assert (frame["test_imbalance_low"] <= frame["test_imbalance_mean"]).all()
    assert found["methods"][0]["downstream"]
    assert len(found.plot().lines) == 2
    again = equipoise.compare(features, groups, label=people["admitted"], seeds=2, budgets=[0.1, 0.5],
                              methods=["direct", "qp-logit"], random_state=1, n_jobs=1)
    assert np.array_equal(again.to_frame().drop(columns=["seconds", "method", "oracle", "solver"]),
                          frame.drop(columns=["seconds", "method", "oracle", "solver"]))
