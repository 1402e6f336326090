"""Never to disagree in silence: labels, keys, ids, frames of every type, errors in Python's words, interruption."""
import copy
import datetime
import decimal
import errno
import pickle
import re
import subprocess
import sys
import textwrap
import typing
import uuid
import warnings

import numpy as np
import pandas as pd
import polars
import pyarrow
import pytest
import sklearn
from sklearn.base import clone
from sklearn.model_selection import cross_validate

import equipoise
from conftest import KEY
from equipoise import _choices, _errors


def quick(**parameters):
    return equipoise.BalancedFilter(random_state=1, min_yield=0.2, oracle="linear", **parameters)


@pytest.fixture(scope="module")
def swift(features, groups):
    """A rule that is learned in a moment."""
    return quick().fit(features, groups)


# ---- 1: labels are those of the rule's attribute ----------------------------------------------------------------------


def test_labels_without_a_name_are_matched_by_their_values(swift, features, groups):
    named = swift.score(features[1:], groups[1:])
    assert swift.score(features[1:], groups[1:].to_numpy()) == named == swift.score(features[1:], groups[1:].tolist())
    unnamed = quick().fit(features, groups.to_numpy())
    assert unnamed.score(features[1:], groups[1:]) == named


def test_targets_count_for_labels_without_a_name(features, groups):
    shares = {"Amber": 0.55, "Birch": 0.2, "Cedar": 0.15, "Dune": 0.1}
    fitted = quick(target=shares).fit(features, groups)
    assert fitted.score(features[1:], groups[1:].to_numpy()) == fitted.score(features[1:], groups[1:]) > -0.2


def test_another_attribute_raises(swift, features, people, groups):
    for labels in (people["admitted"], people["admitted"].to_numpy(), groups.rename("ethnicity")):
        with pytest.raises(equipoise.UsageError, match='"group"'):
            swift.audit(features[1:], labels[1:])
        with pytest.raises(equipoise.UsageError, match='"group"'):
            swift.score(features[1:], labels[1:])
    renamed = groups[1:].rename("ethnicity")
    assert swift.score(features[1:], {"group": renamed}) == swift.score(features[1:], groups[1:])
    assert swift.score(features[1:].assign(ethnicity=renamed), {"group": "ethnicity"}) == swift.score(features[1:], groups[1:])


def test_several_attributes_in_any_order(features, people):
    both = people[["group", "admitted"]]
    fitted = quick().fit(features, both)
    assert fitted.score(features[1:], both[1:][["admitted", "group"]]) == fitted.score(features[1:], both[1:])
    with pytest.raises(equipoise.UsageError, match="2 attributes, not 1"):
        fitted.audit(features[1:], people["group"][1:])


def test_cross_validation_without_routing_does_not_score_the_label(features, people, groups):
    """y is the label there, and nothing tells `score` the group: no figure at all."""
    small, label, group = features[:1500], people["admitted"][:1500], groups[:1500]
    with pytest.raises(equipoise.UsageError, match="label"):
        cross_validate(quick(), small, label, params={"sensitive_features": group}, cv=2, error_score="raise")
    coded = (label == "yes").astype(int)
    with pytest.raises(equipoise.UsageError, match="label"):
        quick().fit(small, coded, sensitive_features=(group == "Amber").astype(int)).score(small[1:], coded[1:])
    with sklearn.config_context(enable_metadata_routing=True):
        routed = quick().set_fit_request(sensitive_features=True).set_score_request(sensitive_features=True)
        scores = cross_validate(routed, small, label, params={"sensitive_features": group}, cv=2, error_score="raise")
    assert (scores["test_score"] < 0).all()


# ---- 2: nobody is drawn anew in silence --------------------------------------------------------------------------------


def test_copies_and_loaded_rules_need_the_key(swift, people, tmp_path):
    swift.save(tmp_path / "rule.model")
    for rule in (equipoise.BalancedFilter.load(tmp_path / "rule.model"), pickle.loads(pickle.dumps(swift)), copy.deepcopy(swift)):
        with pytest.raises(equipoise.UsageError, match="no key"):
            rule.select(people, "record")
        assert np.array_equal(rule.select(people, "record", KEY), swift.select(people, "record", KEY))


def test_what_the_program_says_is_a_warning(swift, people, features):
    with pytest.warns(equipoise.EquipoiseWarning, match="2 records repeat an id"):
        swift.select(people.assign(record=people["record"].where(~people.index.isin([5, 900]), people["record"][1])), "record", KEY)
    with pytest.warns(equipoise.EquipoiseWarning, match=r"1 cell holds a value that training never saw; most of them in: region \(1\)"):
        swift.select(people.assign(region=people["region"].where(people.index != 3, "Atlantis")), "record", KEY)
    with pytest.warns(equipoise.EquipoiseWarning, match=r"cells are missing; most of them in: \w+ \(\d+\)"):
        swift.selection_probability(features)


def test_files_say_the_same(swift, people, tmp_path):
    people.assign(record=people["record"].where(people.index != 5, people["record"][1])).to_csv(tmp_path / "p.csv", index=False)
    with pytest.warns(equipoise.EquipoiseWarning, match="1 record repeats an id"):
        swift.filter_file(tmp_path / "p.csv", tmp_path / "out.csv", id="record", key=KEY)


# ---- 3: requests of pipelines ------------------------------------------------------------------------------------------


def test_requests_do_not_hang_on_the_order_of_imports():
    code = """if True:
        import sklearn
        sklearn.set_config(enable_metadata_routing=True)
        import equipoise
        assert hasattr(equipoise.BalancedFilter, "set_fit_resample_request")
        rule = equipoise.BalancedFilter().set_score_request(sensitive_features=True)
        rule.set_fit_resample_request(sensitive_features=True)
        from imblearn.pipeline import make_pipeline
        from sklearn.linear_model import LogisticRegression
        from sklearn.base import clone
        print(clone(rule).get_metadata_routing().fit_resample.requests["sensitive_features"])
        make_pipeline(rule, LogisticRegression()).get_metadata_routing()
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "True\n", done.stderr


# ---- 5: one reading, of every type --------------------------------------------------------------------------------------


def decisions(rule, frame, ids, labels):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", equipoise.EquipoiseWarning)
        return (rule.select(frame, ids, KEY), rule.select(frame, key=KEY), rule.selection_probability(frame), rule.drift(frame)["moved"],
                rule.score(frame, labels))


def same(left, right):
    return all(np.array_equal(one, other) for one, other in zip(left, right))


def test_every_method_reads_a_frame_alike(swift, features, people, groups):
    """Numbers that come as text, or as decimals, are numbers to all of them, as in a file."""
    frame, ids, labels = features[1:], people["record"][1:], groups[1:]
    expected = decisions(swift, frame, ids, labels)
    texts = frame.assign(age=frame["age"].astype(str), score=frame["score"].map(repr, na_action="ignore").replace("nan", None))
    assert same(decisions(swift, texts, ids, labels), expected)
    exact = frame.assign(age=[decimal.Decimal(int(age)) for age in frame["age"]])
    assert same(decisions(swift, exact, ids, labels), expected)
    assert same(decisions(swift, polars.from_pandas(exact), ids.to_numpy(dtype=object), labels), expected)
    with pytest.raises(equipoise.DataError, match="must hold a number") as caught:
        swift.score(frame.assign(age="young"), labels)
    assert "--" not in str(caught.value)


def test_types_that_users_meet(features, groups):
    rows = len(features)
    small, labels = features[["age", "region"]], groups
    born = [datetime.date(1990, 1, 1) + datetime.timedelta(days=int(day)) for day in np.arange(rows) % 40]
    for name, values in {
        "decimals": [decimal.Decimal(row % 50) / 4 for row in range(rows)], "dates": born,
        "moments": pd.date_range("2024-01-01", periods=rows, freq="h"),
        "zones": pd.date_range("2024-01-01", periods=rows, freq="h", tz="Europe/Paris"),
        "durations": pd.to_timedelta(np.arange(rows), unit="min"), "periods": pd.period_range("2000", periods=rows, freq="h"),
        "intervals": pd.cut(features["age"], 5), "whole categories": pd.Categorical(features["age"] % 7),
        "missing categories": pd.Categorical((features["age"] % 7).where(features.index > 9)),
    }.items():
        for frame in (small.assign(more=values), polars.from_pandas(small.assign(more=pd.Series(values, index=features.index)))
                      if name not in ("intervals", "periods") else None):
            if frame is None:
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", equipoise.EquipoiseWarning)
                rule = quick().fit(frame, labels)
                assert np.isfinite(rule.selection_probability(frame)).all(), name
                assert np.array_equal(rule.select(frame, np.arange(rows), KEY), rule.select(frame[:], np.arange(rows), KEY)), name


def test_nested_columns_are_refused_by_name(swift, features, groups):
    nested = features.assign(friends=[[1, 2]] * len(features))
    for frame in (nested, polars.from_pandas(nested)):
        with pytest.raises(equipoise.DataError, match='column "friends" holds lists, which cannot be used'):
            quick().fit(frame, groups)
    table = pyarrow.Table.from_pandas(features, preserve_index=False).append_column(
        "home", pyarrow.array([{"street": "x"}] * len(features)))
    with pytest.raises(equipoise.DataError, match='column "home" holds structs'):
        quick().fit(table, groups)


def test_ids_of_any_type(swift, features):
    """Drawn as their text is, whoever holds them."""
    ids = [uuid.UUID(int=3**40 + row) for row in range(len(features))]
    expected = swift.select(features, np.array([str(one) for one in ids]), KEY)
    assert np.array_equal(swift.select(features, ids, KEY), expected)
    assert np.array_equal(swift.select(features.assign(own=ids), "own", KEY), expected)
    table = pyarrow.Table.from_pandas(features, preserve_index=False)
    typed = table.append_column("own", pyarrow.array([one.bytes for one in ids], pyarrow.uuid()))
    assert np.array_equal(swift.select(typed, "own", KEY), expected)
    days = pd.date_range("2024-01-01 08:30", periods=len(features), freq="90min")
    moments = swift.select(features, days.strftime("%Y-%m-%d %H:%M:%S").to_numpy(dtype=object), KEY)
    assert np.array_equal(swift.select(features.assign(when=days), "when", KEY), moments)
    assert np.array_equal(swift.select(features, days.to_numpy(), KEY), moments)
    assert np.array_equal(swift.select(polars.from_pandas(features).with_columns(when=polars.Series(days)), "when", KEY), moments)


def test_runs_and_dictionaries_of_any_index(swift, features, people):
    expected = swift.select(features, people["record"], KEY)
    table = pyarrow.Table.from_pandas(features, preserve_index=False)
    place = table.column_names.index("region")
    region = table["region"].combine_chunks()
    runs = pyarrow.compute.run_end_encode(region)
    forms = [runs, *(region.dictionary_encode().cast(pyarrow.dictionary(index, pyarrow.large_string()))
                     for index in (pyarrow.int8(), pyarrow.uint16(), pyarrow.int64()))]
    for form in forms:
        assert np.array_equal(swift.select(table.set_column(place, "region", form), people["record"].to_numpy(dtype=object), KEY), expected)


def test_columns_may_have_numbers_for_names(features, groups, people):
    whole = features.set_axis(range(features.shape[1]), axis=1)
    rule = quick().fit(whole, groups)
    assert rule.selection_probability(whole).shape == (len(whole),)
    assert np.array_equal(rule.select(whole.assign(record=people["record"]), "record", KEY), rule.select(whole, people["record"], KEY))
    whole[99] = groups
    assert quick().fit(whole, sensitive_features=99).groups_ == rule.groups_
    kept, _ = quick().set_output(transform="polars").fit_resample(whole, groups)
    assert isinstance(kept, polars.DataFrame)


def test_sensitive_features_of_any_form(swift, features, groups):
    joined = features.assign(group=groups)
    for X, given in ((features, groups.tolist()), (features, groups.to_numpy()[:, None]), (features, groups.to_frame()),
                     (joined, "group"), (joined, ["group"]), (joined, ("group",))):
        assert quick().fit(X, sensitive_features=given).train_ == swift.train_


def test_mistakes_are_named_in_pythons_words(features, groups, swift, people, tmp_path):
    with pytest.raises(equipoise.DataError) as caught:
        quick(target={"Amber": 0.5, "Nobody": 0.5}).fit(features, groups)
    assert "target" in str(caught.value) and "/tmp" not in str(caught.value) and ".csv" not in str(caught.value)
    with pytest.raises(equipoise.DataError, match="^X has more rows than the values given with it"):
        quick().fit(features, groups[:-1])
    with pytest.raises(equipoise.UsageError, match="no column 'gruop' in X"):
        quick().fit(features, sensitive_features="gruop")
    with pytest.raises(equipoise.UsageError) as caught:
        people.to_csv(tmp_path / "p.csv", index=False)
        swift.filter_file(tmp_path / "p.csv", tmp_path / "out.csv", key=KEY)
    assert "id=" in str(caught.value) and "--" not in str(caught.value)


def test_no_hint_of_the_library_names_options():
    """Every literal of the sources that names an option, as an exception would say it."""
    import pathlib

    sources = pathlib.Path(__file__).parents[2] / "src"
    found = [text for path in sources.rglob("*.c") if "report" not in path.parts
             for text in re.findall(r'"((?:[^"\\]|\\.)*--[a-z](?:[^"\\]|\\.)*)"', path.read_text(encoding="utf-8"))]
    assert len(found) > 20
    for text in found:
        assert not re.search(r"--[a-z]", _errors.in_pythons_words(text.replace('\\"', '"'))), text


# ---- 6: conventions ----------------------------------------------------------------------------------------------------


def test_clones_and_global_settings_keep_the_output(features, groups):
    copied = clone(quick().set_output(transform="polars"))
    assert isinstance(copied.fit_resample(features, groups)[0], polars.DataFrame)
    with sklearn.config_context(transform_output="polars"):
        assert isinstance(quick().fit_resample(features, groups)[0], polars.DataFrame)
        assert isinstance(quick().set_output(transform="default").fit_resample(features, groups)[0], pd.DataFrame)


def test_system_errors_have_numbers(tmp_path):
    with pytest.raises(FileNotFoundError) as caught:
        equipoise.BalancedFilter.load(tmp_path / "nothing.model")
    assert caught.value.errno == errno.ENOENT and caught.value.filename == str(tmp_path / "nothing.model")
    with pytest.raises(IsADirectoryError):
        equipoise.Key.read(tmp_path)


def test_keys_are_given_as_paths_too(swift, people, tmp_path):
    key = equipoise.Key.create(tmp_path / "k")
    expected = swift.select(people, "record", key)
    assert np.array_equal(swift.select(people, "record", tmp_path / "k"), expected)
    assert np.array_equal(swift.select(people, "record", str(tmp_path / "k")), expected)
    with pytest.raises(equipoise.UsageError, match="neither 64 hexadecimal digits nor a file"):
        swift.select(people, "record", str(tmp_path / "no"))


@pytest.mark.parametrize("option", ["method", "oracle", "solver", "prefer", "dialect"])
def test_literal_types_are_what_the_library_takes(option):
    assert list(typing.get_args(getattr(_choices, option.capitalize()))) == list(equipoise.choices(option))


def test_every_long_method_can_be_interrupted():
    """Ctrl-C while 300,000 rows are worked on: processor time per core until Python goes on, as the machine may be busy."""
    code = textwrap.dedent("""
        import os, signal, threading, time, warnings
        import numpy as np, pandas as pd, equipoise
        warnings.simplefilter("ignore")
        rows, rng = 300_000, np.random.default_rng(0)
        X = pd.DataFrame({f"x{place}": rng.normal(size=rows) for place in range(10)})
        X["level"] = np.array(["Alder", "Brook", "Cliff"], dtype=object)[rng.integers(0, 3, rows)]
        groups, ids, key = rng.integers(0, 4, rows), np.arange(rows), equipoise.Key.new()
        rule = equipoise.BalancedFilter(random_state=1, min_yield=0.2).fit(X[:2000], groups[:2000])

        def seconds(work, after=0.4):
            sent, stop = [], threading.Event()
            def interrupt():
                begun = time.process_time()
                while time.process_time() - begun < after:
                    time.sleep(0.02)
                while not stop.is_set():
                    sent.append(time.process_time())
                    os.kill(os.getpid(), signal.SIGINT)
                    stop.wait(30)
            thread = threading.Thread(target=interrupt)
            try:
                thread.start()
                while True:
                    work()
            except KeyboardInterrupt:
                ended = time.process_time()
            stop.set()
            thread.join()
            return (ended - sent[0]) / os.cpu_count()

        fit = lambda: equipoise.BalancedFilter(random_state=1).fit(X, groups)
        for after in (1.5, 3.5, 6):  # scores, their cross-fits, programs
            print(f"fit after {after}", round(seconds(fit, after), 2), flush=True)
        cart = lambda: equipoise.BalancedFilter(method="qp-cart").fit(X, groups)
        for after in (2, 8):  # the tree, its measuring
            print(f"qp-cart after {after}", round(seconds(cart, after), 2), flush=True)
        for name, work in {"fit": fit,
                           "tree": lambda: equipoise.BalancedFilter(method="tree").fit(X, groups),
                           "select": lambda: rule.select(X, ids, key), "by content": lambda: rule.select(X, key=key),
                           "selection_probability": lambda: rule.selection_probability(X), "drift": lambda: rule.drift(X),
                           "audit": lambda: rule.audit(X, groups), "score": lambda: rule.score(X, groups),
                           "frontier": lambda: equipoise.frontier(X, groups),
                           "plan_labels": lambda: equipoise.plan_labels(X, groups, imbalance=0.1)}.items():
            print(name, round(seconds(work), 2), flush=True)
    """)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    taken = dict(line.rsplit(" ", 1) for line in done.stdout.splitlines())
    assert len(taken) == 15
    assert {name: seconds for name, seconds in taken.items() if float(seconds) > 2} == {}


# ---- 8: small groups ----------------------------------------------------------------------------------------------------


def test_groups_of_one_record_are_refused_and_named(numeric):
    with pytest.raises(equipoise.DataError, match="only one|single|1 record"):
        quick().fit(np.nan_to_num(numeric[:30]), ["a"] * 29 + ["b"])
