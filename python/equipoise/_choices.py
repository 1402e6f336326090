"""The names that options take, for type checkers; ``equipoise.choices`` has them with a line about each."""
from typing import Literal

Method = Literal["direct", "publishable", "tree", "paper", "qp-logit", "qp-cart", "naive-logit", "naive-cart", "smote"]
Oracle = Literal["linear", "prc", "prc-weights", "stump", "boost", "auto"]
Solver = Literal["exact", "game"]
Dialect = Literal["postgresql", "duckdb", "sqlite", "clickhouse", "spark", "bigquery", "c", "json"]
Form = Literal["statement", "select", "view", "function", "predicate", "part", "counts"]
Prefer = Literal["balance", "yield"]
Kind = Literal["number", "levels", "date", "day-first", "month-first", "identifier"]
Sdc = Literal["default", "strict", "none"]
Output = Literal["default", "pandas", "polars"]
FrameKind = Literal["pandas", "polars", "pyarrow"]
