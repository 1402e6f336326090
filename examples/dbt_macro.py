"""The rule as a dbt macro, run in DuckDB: the same decisions as `equipoise filter`, inside a model.

dbt wants a query without its semicolon and gives a relation and variables to macros. `form="select"` is that query; the
table and the key are left to the caller. Here Jinja renders the macro as dbt does, and DuckDB runs it.

    python examples/dbt_macro.py [FOLDER]

In a project: put macros/balanced_cohort.sql into macros/, and write a model

    {{ balanced_cohort(ref("applicants"), var("equipoise_key")) }}
"""
import pathlib
import sys

import duckdb
import jinja2
import pandas as pd

import equipoise


def macro(rule: equipoise.BalancedFilter) -> str:
    """The query with what dbt fills in: the relation, already quoted, and the key as a text."""
    query = rule.to_sql("duckdb", id="record", table="equipoise relation", form="select")
    comment, body = query.split("\n\n", 1) if "\n\n" in query else ("", query)
    lines = [line for line in (comment + "\n" + body).splitlines() if not line.startswith("--")]
    body = "\n".join(lines).replace('"equipoise relation"', "{{ relation }}").replace("$1", "'{{ key }}'")
    assert "{{ relation }}" in body and "{{ key }}" in body and ";" not in body
    return "{% macro balanced_cohort(relation, key) %}\n" + body.strip() + "\n{% endmacro %}\n"


def main(folder: pathlib.Path) -> None:
    equipoise.write_population(folder / "sample.csv", 4000, seed=1)
    equipoise.write_population(folder / "applicants.csv", 5000, seed=2, with_group=False)
    sample, applicants = pd.read_csv(folder / "sample.csv"), pd.read_csv(folder / "applicants.csv")
    rule = equipoise.BalancedFilter(max_disclosure=0.2, random_state=1)
    rule.fit(sample.drop(columns=["record", "group", "admitted"]), sample["group"])
    (folder / "macros").mkdir(exist_ok=True)
    (folder / "macros" / "balanced_cohort.sql").write_text(macro(rule), encoding="utf-8")

    key = equipoise.Key.new()
    model = '{% from "balanced_cohort.sql" import balanced_cohort %}\nWITH chosen AS ({{ balanced_cohort(relation, key) }})\nSELECT record FROM chosen'
    environment = jinja2.Environment(loader=jinja2.FileSystemLoader(folder / "macros"))
    query = environment.from_string(model).render(relation='"main"."applicants"', key=key.digits)

    connection = duckdb.connect()
    connection.register("frame", applicants)
    connection.execute('CREATE TABLE "main"."applicants" AS SELECT * FROM frame')
    accepted = sorted(connection.sql(query).df()["record"])
    assert accepted == sorted(applicants["record"][rule.select(applicants, ids="record", key=key)])
    print(f"dbt's query accepts {len(accepted)} of {len(applicants)}, the same as select")


main(pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path.cwd())
