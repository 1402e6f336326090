"""Groups that overlap, and numbers that are marked as categories."""
import json, os, subprocess, warnings

import numpy as np
import pytest

import equipoise

pd = pytest.importorskip("pandas")
PROGRAM = os.environ.get("EQUIPOISE_PROGRAM", "equipoise")


def people(rows, seed):
    random = np.random.default_rng(seed)
    kind = random.integers(0, 4, rows)
    chance = np.array([[0.8, 0.2], [0.6, 0.4], [0.45, 0.6], [0.3, 0.7]])[kind]
    ticks = random.random((rows, 2)) < chance
    labels = ["|".join(name for name, tick in zip("ab", row) if tick) or "none" for row in ticks]
    return pd.DataFrame({"kind": kind, "age": random.integers(20, 60, rows)}), pd.Series(labels, name="race")


@pytest.mark.parametrize("named", [True, False])
def test_labels_with_several_groups(named, tmp_path):
    features, labels = people(2000, 1)
    others, later = people(4000, 2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rule = equipoise.BalancedFilter(method="publishable", multiple="|", random_state=1)
        rule.fit(features, labels if named else labels.to_numpy())
        audit = rule.audit(others, later if named else later.to_numpy(), sdc="none")
    assert rule.groups_ == ["a", "b", "none"]
    found = {group["value"]: group["base_rate"] for group in audit["groups"]}
    assert found["a"] == pytest.approx(np.mean([("a" in label.split("|")) for label in later]), abs=1e-5)
    assert found["a"] + found["b"] + found["none"] > 1.1
    rule.save(tmp_path / "rule.model")
    assert equipoise.BalancedFilter.load(tmp_path / "rule.model").multiple == "|"
    with pytest.raises(equipoise.EquipoiseError), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rule.audit(others, later.str.replace("|", "+", regex=False))


def ticks_of(labels):
    return pd.DataFrame({group: [int(group in label.split("|")) for label in labels] for group in "ab"})


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("given", ["frame", "polars", "mapping", "columns"])
def test_a_column_of_ticks_for_each_group(given, tmp_path):
    """The same rule as the program learns from such a file, however the ticks are handed over."""
    (features, labels), (others, later) = people(2000, 1), people(4000, 2)
    settings = {"method": "publishable", "random_state": 1}

    def handed_over(frame, names):
        ticks = ticks_of(names)
        if given == "columns":
            return frame.join(ticks), {"race": ["a", "b"]}
        if given == "polars":
            return frame, {"race": pytest.importorskip("polars").DataFrame(ticks.to_dict("list"))}
        return frame, {"race": ticks if given == "frame" else {"a": ticks["a"], "b": ticks["b"].to_numpy() == 1}}

    frame, sensitive = handed_over(features, labels)
    rule = equipoise.BalancedFilter(**settings).fit(frame, sensitive_features=sensitive)
    features.join(ticks_of(labels)).to_csv(tmp_path / "ticks.csv", index=False)
    subprocess.run([PROGRAM, "learn", tmp_path / "ticks.csv", "-s", "race=a,b", "--method", "publishable", "--seed", "1", "-q",
                    "-o", tmp_path / "model"], check=True, stdout=subprocess.DEVNULL)
    wanted = json.loads((tmp_path / "model").read_text())
    assert rule.groups_ == ["a", "b"]
    assert rule.base_rates_ == pytest.approx([np.mean([g in l.split("|") for l in labels]) for g in "ab"], abs=0.005)
    assert rule._description["rule"] == wanted["rule"] and rule._description["sensitive"] == wanted["sensitive"]
    frame, sensitive = handed_over(others, later)
    audit = rule.audit(frame, sensitive_features=sensitive, sdc="none")
    shares = {group["value"]: group["base_rate"] for group in audit["groups"]}
    assert shares == pytest.approx({g: np.mean([g in l.split("|") for l in later]) for g in "ab"}, abs=1e-5)
    assert rule.score(frame, sensitive_features=sensitive) == -audit["imbalance"]["measured"]
    looked = equipoise.inspect(frame, sensitive, max_disclosure=0.1)
    assert {group["value"] for group in looked["groups"]} == {"a", "b"}
    assert "kind" in looked.used and {"a", "b"}.isdisjoint(looked.used)
    target = equipoise.BalancedFilter(**settings, target={"a": 0.5, "b": 0.5}).fit(frame, sensitive_features=sensitive)
    assert list(target.targets_) == [0.5, 0.5]


def test_ticks_that_cannot_be_meant():
    features, labels = people(200, 1)
    ticks = ticks_of(labels)
    for bad, message in ((ticks[["a"]], "only one group"), (ticks.rename(columns={"a": "a,c"}), "without"),
                         (ticks.rename(columns={"a": "age"}), "both a column of X")):
        with pytest.raises(equipoise.UsageError, match=message):
            equipoise.BalancedFilter().fit(features, sensitive_features={"race": bad})
    with pytest.raises(equipoise.EquipoiseError, match="0 and 1"):
        equipoise.BalancedFilter().fit(features, sensitive_features={"race": ticks + 1})


@pytest.mark.filterwarnings("ignore")
def test_inspect_reads_several_groups_in_a_label():
    features, labels = people(1000, 1)
    looked = equipoise.inspect(features.assign(race=labels), "race", multiple="|")
    assert [group["value"] for group in looked["groups"]] == ["a", "b", "none"]


def test_numbers_marked_as_categories_are_levels():
    features, labels = people(1000, 3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rule = equipoise.BalancedFilter(method="qp-logit", multiple="|", random_state=1)
        text = rule.fit(features.assign(kind=features["kind"].astype(str)), labels)._description
        again = rule.fit(features.assign(kind=features["kind"].astype("category")), labels)._description
    assert {f["column"]: f["kind"] for f in again["features"]}["kind"] == "levels"
    assert json.dumps(again["features"]) == json.dumps(text["features"])
    assert again["rule"] == text["rule"]
