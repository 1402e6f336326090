"""Curating a stream: batches arrive, accepted records go on, and drift is watched without labels.

The rule is learned from a labelled sample. Each record is decided when it arrives, and again in the same way whenever it
comes back. Its drift says when the population has moved so far that the rule should be learned anew.

    python examples/curate_stream.py
"""
import pathlib
import tempfile

import pandas as pd
import polars as pl

import equipoise


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        equipoise.write_population(folder / "sample.csv", 5000, seed=1)
        equipoise.write_population(folder / "stream.csv", 30000, seed=2, with_group=False)
        sample, stream = pd.read_csv(folder / "sample.csv"), pl.read_csv(folder / "stream.csv", null_values="")

    features = [column for column in sample if column not in ("record", "group", "admitted")]
    rule = equipoise.BalancedFilter(max_disclosure=0.15, random_state=1).fit(sample[features], sample["group"])
    key = equipoise.Key.new()

    kept = []
    for batch in stream.iter_slices(10000):
        accepted = batch.filter(rule.select(batch, ids="record", key=key))
        kept.append(accepted)
        drift = rule.drift(batch)["drift"]
        print(f"{accepted.height:5} of {batch.height} kept, stability index {drift['psi']:.4f}, p = {drift['p_value']:.2f}")

    # Asking again changes nothing: the whole stream at once gives the same records.
    cohort = pl.concat(kept)
    again = stream.filter(rule.select(stream, ids="record", key=key))
    assert cohort["record"].to_list() == again["record"].to_list()

    # A population that has moved is noticed.
    older = stream.with_columns(pl.col("age") + 15)
    drift = rule.drift(older)["drift"]
    print(f"everyone 15 years older: stability index {drift['psi']:.3f}, p = {drift['p_value']:.2g}; {drift['advice']}")


if __name__ == "__main__":
    main()
