"""Groups that overlap, and numbers that are marked as categories."""
import json, warnings

import numpy as np
import pytest

import equipoise

pd = pytest.importorskip("pandas")


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
