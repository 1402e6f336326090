"""What a wheel must do wherever it is installed, with NumPy and nothing else: every library inside it is used once."""
import gzip
import os
import pathlib
import sys
import tempfile
import warnings

import numpy as np

import equipoise

warnings.simplefilter("ignore")
os.chdir(tempfile.mkdtemp())
equipoise.write_population("people.csv", rows=3000, seed=1)
header, *lines = pathlib.Path("people.csv").read_text().splitlines()
names = header.split(",")
columns = {name: np.array(cells, dtype=object) for name, cells in zip(names, zip(*(line.split(",") for line in lines)))}
numbers = {"age", "household", "distance", "score", "children", "commute"} & set(names)
X = {name: np.array([float(cell) if cell else np.nan for cell in values]) if name in numbers else values
     for name, values in columns.items() if name not in ("record", "group", "admitted")}

rule = equipoise.BalancedFilter(0.2, random_state=1).fit(X, columns["group"])             # liblbfgs is for the next one
equipoise.BalancedFilter(0.5, method="qp-logit", random_state=1).fit(X, columns["group"])
rule.save("rule.model")                                                                    # Jansson
key = "00112233445566778899aabbccddeeff0123456789abcdef0fedcba987654321"
pathlib.Path("panel.key").write_text(key)
os.chmod("panel.key", 0o600)
accepted = rule.select(X, columns["record"], key)                                          # Nettle
assert 0 < accepted.sum() < 3000
with gzip.open("people.csv.gz", "wt") as packed:                                           # zlib
    packed.write(pathlib.Path("people.csv").read_text())
counts = equipoise.BalancedFilter.load("rule.model").filter_file("people.csv.gz", "out.csv", id="record", key="panel.key")
assert counts["accepted"] == accepted.sum()
rule.report_.save("report.html")
print(f"equipoise {equipoise.__version__} with Python {sys.version.split()[0]}: model {rule.model_id_}, {accepted.sum()} of 3000 accepted")
