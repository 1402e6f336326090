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
    equipoise.merge_files([tmp_path / f"{place}.part" for place in range(3)], tmp_path / "merged.csv", key=KEY)
    records = [set(pd.read_csv(tmp_path / name)["record"]) for name in ("whole.csv", "merged.csv")]
    assert records[0] == records[1]


def test_commitments(population, rule, tmp_path):
    path, _ = population
    with pytest.raises(equipoise.UsageError, match="randomness"):
        rule.commit(path, tmp_path / "commitment", key=KEY, id="record", size=50)
    rule.commit(path, tmp_path / "commitment", key=KEY, id="record", size=50, alternates=10, log=tmp_path / "draws.log",
                randomness="three dice", randomness_form="numbers:3", randomness_time="9000-01-01")
    draw = {"key": KEY, "randomness": "3 17 22"}
    with pytest.raises(equipoise.DataError, match="not known before"):
        rule.select_committed(tmp_path / "commitment", path, tmp_path / "panel.csv", **draw)
    (tmp_path / "draws.log").unlink()
    rule.commit(path, tmp_path / "commitment", key=KEY, id="record", size=50, alternates=10, log=tmp_path / "draws.log",
                randomness="three dice", randomness_form="numbers:3")
    rule.select_committed(tmp_path / "commitment", path, tmp_path / "panel.csv", alternates_file=tmp_path / "next.csv", **draw)
    check = lambda **more: rule.verify(tmp_path / "commitment", path, tmp_path / "panel.csv", **{**draw, **more})
    assert check(alternates_file=tmp_path / "next.csv")["pass"]
    assert check(randomness="022,17,3")["pass"] and not check(randomness="3 17 23")["pass"]
    panel = pd.read_csv(tmp_path / "panel.csv")
    panel[["record"]].head(4).to_csv(tmp_path / "declined.csv", index=False)
    rule.replace(tmp_path / "commitment", path, tmp_path / "panel.csv", declined=[tmp_path / "declined.csv"], **draw)
    after = pd.read_csv(tmp_path / "panel.csv")
    assert set(after["record"]) >= set(panel["record"][4:]) and len(after) == 50
    assert check()["pass"] and check(declined=[tmp_path / "declined.csv"])["pass"]
    rule.publish(tmp_path / "commitment", path, tmp_path / "page.html", tickets=tmp_path / "tickets.csv", **draw)
    tickets = pd.read_csv(tmp_path / "tickets.csv")
    page = (tmp_path / "page.html").read_text()
    assert all(ticket in page for ticket in tickets["ticket"]) and KEY not in page
    assert check(page=tmp_path / "page.html")["pass"]
    (tmp_path / "forged.html").write_text(page.replace("Check", "Trust", 1))
    assert "not the page" in check(page=tmp_path / "forged.html")["difference"]
    after.iloc[:-1].to_csv(tmp_path / "panel.csv", index=False)
    assert not check()["pass"] and check()["difference"]


def test_conditions(population, rule, tmp_path):
    path, people = population
    pool = people.drop(columns=["group", "admitted"], errors="ignore").copy()
    pool["home"] = [f"{i // 2} High St." if i % 4 < 2 else f"{i // 2} high st" for i in range(len(pool))]
    pool["part"] = np.where(np.arange(len(pool)) % 3 == 0, "north", "south")
    pool.to_csv(tmp_path / "pool.csv", index=False)
    (tmp_path / "quotas.csv").write_text("feature,value,min,max\npart,north,30,30\npart,south,30,30\n")
    draw = {"size": 60, "id": "record", "key": KEY}
    rule.select_file(tmp_path / "pool.csv", tmp_path / "first.csv", one_per=["home"], quotas=tmp_path / "quotas.csv", **draw)
    first = pd.read_csv(tmp_path / "first.csv")
    assert first["home"].str.lower().str.strip(".").is_unique
    assert (first["part"] == "north").sum() == 30
    rule.select_file(tmp_path / "pool.csv", tmp_path / "second.csv", avoid=tmp_path / "first.csv", **draw)
    assert not set(first["record"]) & set(pd.read_csv(tmp_path / "second.csv")["record"])


def test_nobody_forgets_the_key(population, rule, tmp_path):
    path, people = population
    with pytest.raises(equipoise.UsageError, match="key"):
        rule.select(people, "record")
    with pytest.raises(equipoise.UsageError, match="key"):
        rule.filter_file(path, tmp_path / "out.csv", id="record")
    with pytest.raises(equipoise.UsageError, match="id"):
        rule.filter_file(path, tmp_path / "out.csv", key=KEY)
    with pytest.raises(equipoise.UsageError, match="weak"):
        rule.select(people, "record", "0" * 64)


def test_plan(rule):
    plan = rule.plan(200)
    assert plan["candidates_low"] < plan["candidates"] < plan["candidates_high"]
    assert plan["candidates"] == pytest.approx(200 / plan["yield"], rel=0.02)
    panel = rule.plan(150, alternates=60, response=0.1, drop_out=0.2)
    assert panel["invitations"] == pytest.approx(210 / panel["yield"] / 0.1, rel=0.02)
    assert 30 < panel["alternates_needed"] < 60


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
