"""Frames of every kind go in, the caller's kind comes out, and none makes a difference."""
import sys

import numpy as np
import pandas as pd
import pytest

import equipoise
from conftest import KEY, in_kind, learner

KINDS = ["pandas", "polars", "pyarrow", "duckdb"]
TYPES = {"pandas": "pandas.DataFrame", "polars": "polars.dataframe.frame.DataFrame", "pyarrow": "pyarrow.lib.Table",
         "duckdb": "DuckDBPyRelation"}


@pytest.mark.parametrize("kind", KINDS)
def test_every_frame_learns_the_same_rule(kind, features, groups, rule):
    other = learner().fit(in_kind(kind, features), groups)
    assert other.model_id_ == rule.model_id_
    assert list(other.feature_names_in_) == list(features.columns)


@pytest.mark.parametrize("kind", KINDS)
def test_every_frame_is_decided_alike(kind, features, people, rule):
    frame = in_kind(kind, features)
    expected = rule.select(features, people["record"], KEY)
    assert np.array_equal(rule.select(frame, people["record"].to_numpy(), KEY), expected)
    assert np.array_equal(rule.selection_probability(frame), rule.selection_probability(features))


@pytest.mark.parametrize("kind", KINDS)
def test_the_kind_comes_back(kind, features, groups, people):
    resampler = learner()
    frame, label = in_kind(kind, features), people["admitted"]
    X, y = resampler.fit_resample(frame, label, sensitive_features=groups)
    assert TYPES[kind].split(".")[-1] in type(X).__name__
    back = X.to_pandas() if kind in ("polars", "pyarrow") else X.df() if kind == "duckdb" else X
    expected = features.iloc[resampler.sample_indices_].reset_index(drop=True)
    assert back.reset_index(drop=True)["income"].equals(expected["income"])
    assert back.reset_index(drop=True)["region"].astype(str).tolist() == expected["region"].tolist()


def test_numpy_arrays_agree_with_frames_of_numbers(numeric, groups):
    names = [f"x{place}" for place in range(numeric.shape[1])]
    array = learner().fit(numeric, groups)
    frame = learner().fit(pd.DataFrame(numeric, columns=names), groups)
    assert array.model_id_ == frame.model_id_
    assert not hasattr(array, "feature_names_in_") and array.n_features_in_ == numeric.shape[1]
    X, y = array.fit_resample(numeric, groups.to_numpy())
    assert isinstance(X, np.ndarray) and np.array_equal(X, numeric[array.sample_indices_], equal_nan=True)


def test_arrays_of_objects_agree_with_mixed_frames(features, groups):
    names = [f"x{place}" for place in range(features.shape[1])]
    mixed = learner().fit(features.to_numpy(dtype=object), groups)
    frame = learner().fit(features.set_axis(names, axis=1), groups)
    assert mixed.train_ == frame.train_


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.int32, np.uint8, np.int8, np.uint16])
def test_numbers_of_any_width(dtype, groups):
    values = np.random.default_rng(0).integers(0, 100, (len(groups), 3))
    wide = learner().fit(values.astype(np.float64), groups)
    assert learner().fit(values.astype(dtype), groups).model_id_ == wide.model_id_


def test_dicts_and_dictionaries_of_arrow(features, groups, rule):
    columns = {name: features[name].to_numpy() for name in features}
    assert learner().fit(columns, groups).train_ == rule.train_
    coded = features.astype({"region": "category", "occupation": "category"})
    assert learner().fit(coded, groups).train_ == rule.train_


TEXTS = ["region", "education", "occupation", "language", "referral"]


def coded_frames(features):
    """The same texts behind the dictionaries that each kind of frame has."""
    import polars
    import pyarrow

    table = pyarrow.Table.from_pandas(features, preserve_index=False)
    plain = polars.from_pandas(features)
    yield "category", features.astype(dict.fromkeys(TEXTS, "category"))
    yield "reordered category", features.assign(region=pd.Categorical(features["region"], sorted(set(features["region"]))[::-1]))
    yield "Categorical", plain.with_columns(polars.col(TEXTS).cast(polars.Categorical))
    yield "Enum", plain.with_columns(polars.col(name).cast(polars.Enum(plain[name].drop_nulls().unique().to_list())) for name in TEXTS)
    yield "dictionary", pyarrow.table({name: table[name].dictionary_encode() if name in TEXTS else table[name] for name in table.column_names})
    yield "view", pyarrow.table({name: table[name].cast(pyarrow.string_view()) if name in TEXTS else table[name] for name in table.column_names})
    yield "32-bit offsets", pyarrow.table({name: table[name].cast(pyarrow.string()) if name in TEXTS else table[name] for name in table.column_names})


def test_dictionaries_make_no_difference(features, groups, people, rule):
    expected, ids = rule.select(features, people["record"], KEY), people["record"].to_numpy(dtype=object)
    for name, frame in coded_frames(features):
        assert np.array_equal(rule.select(frame, ids, KEY), expected), name
        assert np.array_equal(rule.selection_probability(frame), rule.selection_probability(features)), name
        assert learner().fit(frame, groups).train_ == rule.train_, name


@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.uint64, np.int16, np.float64])
def test_whole_ids_are_drawn_as_their_digits(dtype, features, rule):
    numbers = np.arange(len(features)) - (500 if np.dtype(dtype).kind != "u" else 0)
    expected = rule.select(features, numbers.astype(str), KEY)
    assert np.array_equal(rule.select(features, numbers.astype(dtype), KEY), expected)
    assert np.array_equal(rule.select(features.assign(number=numbers.astype(dtype)), "number", KEY), expected)


def test_pandas_without_pyarrow(features, groups, rule, monkeypatch):
    monkeypatch.setattr("equipoise._frames.importlib.util.find_spec", lambda name: None)
    other = learner().fit(features, groups)
    assert other.train_ == rule.train_


def test_an_index_is_no_feature(features, groups, rule):
    shuffled = features.set_index(np.arange(len(features)) * 7 + 3)
    assert learner().fit(shuffled, groups).model_id_ == rule.model_id_


def test_chunks_of_a_stream_make_no_difference(features, groups, rule):
    import pyarrow

    table = pyarrow.Table.from_pandas(features, preserve_index=False)
    pieces = pyarrow.concat_tables([table.slice(0, 17), table.slice(17, 2500), table.slice(2517)])
    assert learner().fit(pieces, groups).model_id_ == rule.model_id_
    reader = pyarrow.RecordBatchReader.from_batches(table.schema, pieces.to_batches())
    assert learner().fit(reader, groups).model_id_ == rule.model_id_


@pytest.mark.parametrize("kind", KINDS)
def test_columns_that_the_rule_does_not_read_pass(kind, features, groups, people, rule):
    """Other columns may be there, of any type and in any order, as with the program."""
    whole = people.assign(when=pd.Timestamp("2024-05-01"), **{'odd "name"': 1})[people.columns[::-1].tolist() + ["when", 'odd "name"']]
    frame = in_kind(kind, whole)
    assert np.array_equal(rule.select(frame, "record", KEY), rule.select(features, people["record"], KEY))
    with pytest.raises(equipoise.DataError, match="learned from"):  # whatever else stands beside
        rule.audit(frame, "group")


def test_lazy_frames_are_collected(features, groups, rule):
    assert learner().fit(in_kind("polars", features).lazy(), groups).model_id_ == rule.model_id_


@pytest.mark.parametrize("kind", KINDS)
def test_sensitive_column_by_name(kind, features, groups, rule):
    whole = in_kind(kind, features.assign(group=groups))
    other = learner().fit(whole, sensitive_features="group")
    assert other.train_ == rule.train_ and "group" not in other.feature_names_in_
    assert np.array_equal(other.selection_probability(whole), rule.selection_probability(features))


def test_sensitive_attribute_of_any_kind(features, groups, rule):
    polars, pyarrow = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    for given in (groups.to_numpy(), groups.tolist(), polars.Series("group", groups.tolist()), groups.to_frame(),
                  polars.DataFrame({"group": groups.tolist()}), pyarrow.table({"group": groups.tolist()}),
                  pyarrow.array(groups.tolist()), {"group": groups}, groups.astype("category")):
        assert learner().fit(features, given).train_ == rule.train_


def test_several_attributes(features, groups, people):
    both = people[["group", "admitted"]]
    margins = learner().fit(features, both)
    assert ("group", "Dune") in margins.groups_ and ("admitted", "yes") in margins.groups_
    combined = learner(intersect=True).fit(features, both)
    assert len(combined.groups_) == 8
    report = margins.audit(features[1:], both[1:])
    assert {row["attribute"] for row in report["groups"]} == {"group", "admitted"}


@pytest.mark.parametrize("dtype", ["object", "str", "string[pyarrow]", "large_string[pyarrow]"])
def test_text_in_slices_and_chunks(dtype, features, groups, people):
    """Text that pandas keeps in pieces of longer arrays, with and without missing cells."""
    plain = learner().fit(features[500:4000], groups[500:4000].to_numpy(dtype=object))
    halves = pd.concat([groups[:2000].astype(dtype), groups[2000:].astype(dtype)])
    assert learner().fit(features[500:4000], halves[500:4000]).train_ == plain.train_
    ids = pd.concat([people["record"][:2000].astype(dtype), people["record"][2000:].astype(dtype)])
    expected = plain.select(features, people["record"].to_numpy(dtype=object), KEY)
    assert np.array_equal(plain.select(features[1500:2500], ids[1500:2500], KEY), expected[1500:2500])
    partial = halves.where(np.arange(len(halves)) % 5 > 0)[500:4000]
    fitted = learner().fit(features[500:4000], partial)
    assert fitted.report_["rows_unlabelled"] == partial.isna().sum()


def test_rows_without_a_group_are_left_out(features, groups):
    partial = groups.where(np.arange(len(groups)) % 3 > 0)
    fitted = learner().fit(features, partial)
    assert fitted.report_["rows_unlabelled"] == (np.arange(len(groups)) % 3 == 0).sum()


def test_weights_count_as_repetition(features, groups):
    twice = np.repeat(np.arange(len(features)), np.where(groups == "Dune", 2, 1))
    weighted = learner().fit(features, groups, sample_weight=np.where(groups == "Dune", 2, 1))
    repeated = learner().fit(features.iloc[twice], groups.iloc[twice])
    assert np.allclose(weighted.base_rates_, repeated.base_rates_, atol=0.002)  # counts are rounded to 5


def test_target_shares(features, groups, tmp_path):
    shares = {"Amber": 0.4, "Birch": 0.3, "Cedar": 0.2, "Dune": 0.1}
    fitted = learner(target=shares).fit(features, groups)
    assert dict(zip(fitted.groups_, fitted.targets_)) == pytest.approx(shares)
    file = tmp_path / "target.csv"
    file.write_text("attribute,value,share\n" + "".join(f"group,{name},{share}\n" for name, share in shares.items()))
    assert learner(target=file).fit(features, groups).train_ == fitted.train_


def test_different_numbers_of_rows_are_refused(features, groups, numeric):
    for X in (features, numeric, in_kind("polars", features)):
        with pytest.raises(ValueError, match="rows"):
            equipoise.BalancedFilter().fit(X, groups[:-1])
        with pytest.raises(ValueError, match="rows"):
            equipoise.BalancedFilter().fit(X, pd.concat([groups, groups]))


def test_references_are_given_back(numeric, groups):
    before = sys.getrefcount(numeric)
    for _ in range(10):
        learner().fit(numeric[:300], groups[:300])
    assert sys.getrefcount(numeric) <= before + 1
