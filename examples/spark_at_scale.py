"""Spark at scale: the rule leaves as SQL and runs where the records are.

The model is learned here from a small labelled sample; the cluster runs one statement and needs no package of ours. With
pyspark at hand the statement runs in a local session and is compared with the library, record by record; without it the
same rule runs in DuckDB.

    python examples/spark_at_scale.py
"""
import importlib.util
import pathlib
import shutil
import tempfile

import pandas as pd

import equipoise


def accepted_by_spark(rule: equipoise.BalancedFilter, path: pathlib.Path, key: equipoise.Key) -> list[str]:
    from pyspark.sql import SparkSession

    session = SparkSession.builder.master("local[2]").appName("equipoise").getOrCreate()
    # Cells stay text, as they are in the file: the statement reads them as the library does.
    session.read.csv(str(path), header=True).createOrReplaceTempView("applicants")
    statement = rule.to_sql("spark", id="record", table="applicants", key=key)
    return [row["record"] for row in session.sql(statement).select("record").collect()]


def accepted_by_duckdb(rule: equipoise.BalancedFilter, path: pathlib.Path, key: equipoise.Key) -> list[str]:
    import duckdb

    connection = duckdb.connect()
    connection.read_csv(str(path), all_varchar=True).create_view("applicants")
    return [row[0] for row in connection.sql(rule.to_sql("duckdb", id="record", table="applicants", key=key))
            .project("record").fetchall()]


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        sample, pool = folder / "sample.csv", folder / "pool.csv"
        equipoise.write_population(sample, 5000, seed=1)
        equipoise.write_population(pool, 20000, seed=2, with_group=False)
        people = pd.read_csv(sample)
        rule = equipoise.BalancedFilter(0.2, random_state=1).fit(people.drop(columns=["record", "group", "admitted"]),
                                                                 people["group"])
        key = equipoise.Key.new()
        here = pd.read_csv(pool)
        expected = here["record"][rule.select(here, ids="record", key=key)].tolist()
        spark = importlib.util.find_spec("pyspark") is not None and shutil.which("java") is not None
        found = (accepted_by_spark if spark else accepted_by_duckdb)(rule, pool, key)
        print(f"{'Spark' if spark else 'DuckDB'} accepted {len(found)} of {len(here)} records; the library {len(expected)}")
        assert sorted(found) == sorted(expected)
        print(rule.to_sql("spark", id="record", table="applicants", form="view", name="cohort", key=key)[:400] + " …")


if __name__ == "__main__":
    main()
