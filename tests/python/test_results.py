"""Result objects: mappings, frames, plots, pages."""
import html.parser

import matplotlib
import numpy as np
import pandas as pd
import pytest

import equipoise
from conftest import in_kind

matplotlib.use("Agg")


@pytest.fixture(scope="module")
def frontier(features, groups):
    return equipoise.frontier(features, groups, budgets=[0.05, 0.2, 0.4], yields=[0.05, 0.2], random_state=1)


def parses(text):
    html.parser.HTMLParser().feed(text)
    return "<" in text


def test_learned(rule, tmp_path):
    report = rule.report_
    assert report["train"] == rule.train_ and set(report) >= {"groups", "limit", "model_id"}
    assert report.to_frame()["value"].tolist() == rule.groups_
    assert rule.base_rates_.sum() == pytest.approx(1, abs=0.005)  # counts are rounded to 5
    assert rule.train_["imbalance"] >= rule.limit_["imbalance"] - 1e-6
    report.save(tmp_path / "page.html")
    assert parses((tmp_path / "page.html").read_text())
    assert parses(report._repr_html_()) and "disclosure" in str(report)


def test_every_figure_of_learning_has_an_attribute(rule, features, groups):
    report = rule.report_
    assert rule.in_sample_ == rule.train_ and rule.cross_fitted_ == report["cross_fitted"] != rule.train_
    assert rule.bound_["confidence"] == 0.95 and rule.cross_fitted_["disclosure"] < rule.bound_["disclosure"] <= 0.2 + 1e-6
    assert 0 <= rule.reach_["imbalance"] < rule.cross_validated_["imbalance"] and rule.reach_["standard_error"] > 0
    assert rule.limit_["at_yield"] >= rule.limit_["imbalance"] - 1e-9
    tree = equipoise.BalancedFilter(method="tree", max_leaves=4, random_state=1).fit(features, groups)
    assert tree.cross_fitted_ is None and tree.bound_ == {"disclosure": None, "confidence": None}


def test_confidence_is_the_methods_own_another_or_off(rule, features, groups, tmp_path):
    def learned(confidence):
        return equipoise.BalancedFilter(confidence=confidence, random_state=1, min_yield=0.1).fit(features, groups)

    usual, same, less, off, zero = (learned(given) for given in (None, 0.95, 0.8, "off", 0))
    assert usual.model_id_ == same.model_id_ and off.model_id_ == zero.model_id_
    assert usual.bound_["disclosure"] <= 0.2 + 1e-6 < off.bound_["disclosure"]
    assert usual.cross_fitted_["disclosure"] < less.cross_fitted_["disclosure"] < off.cross_fitted_["disclosure"]
    assert less.bound_["confidence"] == 0.8
    for made, said in ((usual, 0.95), (off, "off")):
        made.save(tmp_path / "rule.model")
        again = equipoise.BalancedFilter.load(tmp_path / "rule.model")
        assert again.confidence == said
        again.set_params(min_yield=0.1, random_state=1).fit(features, groups)
        assert again.model_id_ == made.model_id_
    with pytest.raises(ValueError, match="confidence"):
        learned("of")


def test_audit_agrees_with_counting(rule, features, groups):
    """Expected composition from the probabilities, by hand."""
    features, groups = features[1:], groups[1:]
    audit = rule.audit(features, groups, sdc="none")
    chances = rule.selection_probability(features)
    composition = np.array([chances[groups == value].sum() for value in rule.groups_]) / chances.sum()
    assert audit["imbalance"]["measured"] == pytest.approx(np.linalg.norm(composition - 0.25), abs=2e-3)
    assert audit["yield"]["measured"] == pytest.approx(chances.mean(), abs=2e-3)
    assert rule.score(features, groups) == -audit["imbalance"]["measured"]
    assert isinstance(audit.passed, bool)
    assert len(audit.to_frame()) == 4


def test_audit_of_rules_together_agrees_with_counting(rule, features, groups, tmp_path):
    """Every pattern of outcomes, each rule drawing for itself."""
    other = equipoise.BalancedFilter(0.1, min_yield=0.3, random_state=1).fit(features.drop(columns="language"), groups)
    other.save(tmp_path / "other.model")
    joint = rule.audit(features[1:], groups[1:], further=[other])["joint"]
    assert joint == rule.audit(features[1:], groups[1:], further=[str(tmp_path / "other.model")])["joint"]
    assert [model["model_id"] for model in joint["models"]] == [rule.model_id_, other.model_id_]
    one, two = rule.selection_probability(features), other.selection_probability(features)
    base = groups.value_counts(normalize=True)
    shifts = [max(abs(chance[groups == value].sum() / chance.sum() - base[value]) for value in base.index)
              for chance in (one * two, one * (1 - two), (1 - one) * two, (1 - one) * (1 - two))]
    assert joint["disclosure"] == pytest.approx(max(shifts), abs=5e-3)
    assert "joint" not in rule.audit(features[1:], groups[1:])


def test_audit_without_labels_looks_at_drift_alone(rule, features):
    drift = rule.drift(features)
    assert drift["command"] == "drift" and drift["moved"] is False and "disclosure" not in drift
    with pytest.raises(ValueError):
        rule.audit(features)


def test_rows_learned_from_are_refused(rule, features, groups):
    with pytest.raises(equipoise.DataError, match="learned from"):
        rule.audit(features, groups)
    assert rule.score(features, groups) == -rule.cross_validated_["imbalance"]


def test_audit_of_a_column(features, groups):
    audit = equipoise.audit(features, groups, proxy="language", max_disclosure=0.1)
    assert not audit.passed
    by_hand = pd.crosstab(features["language"], groups, normalize="index") - groups.value_counts(normalize=True)
    assert audit["disclosure"]["measured"] == pytest.approx(by_hand.abs().max().max(), abs=5e-3)


def test_frontier(frontier, features, groups):
    frame = frontier.to_frame()
    assert len(frame) == 6 and set(frame) >= {"max_disclosure", "min_yield", "imbalance", "limit"}
    best = frame.groupby("max_disclosure")["train_imbalance"].min()
    assert best.is_monotonic_decreasing
    chosen = frontier.filter(0)
    assert chosen.max_disclosure == frame["max_disclosure"][0]
    assert chosen.selection_probability(features).shape == (len(features),)
    assert frontier.filter().model_id_ == frontier.filter(frontier.knee).model_id_


def test_frames_of_results_follow_the_caller(features, groups):
    result = equipoise.frontier(in_kind("polars", features), groups, budgets=[0.2], yields=[0.2])
    assert type(result.to_frame()).__module__.startswith("polars")
    assert isinstance(result.to_frame("pandas"), pd.DataFrame)


def shown(axes):
    """How many points each series has."""
    return {line.get_gid(): len(line.get_xdata()) for line in axes.lines if line.get_gid()}


def covered(axes):
    """Whether the legend or a word lies over the axes, or over the other."""
    axes.figure.canvas.draw()
    boxes = [thing.get_window_extent().padded(-1) for thing in (axes.patch, axes.get_legend(), *axes.texts)]
    return any(one.overlaps(other) for place, one in enumerate(boxes) for other in boxes[:place])


def test_withheld_groups_are_not_drawn_as_nothing():
    groups = [{"attribute": "group", "value": name, "base_rate": share, "cohort": cohort, "target": 0.25}
              for name, share, cohort in (("Amber", 0.7, 0.4), ("Birch", None, None), ("Cedar", 0.3, 0.3))]
    axes = equipoise._plots.shares_of_groups(groups, None)
    assert shown(axes) == {"base_rate": 2, "cohort": 2, "target": 3}
    assert [text.get_text() for text in axes.texts] == ["withheld"] and axes.texts[0].xy[1] == 1
    assert not covered(axes)


def test_labels_and_legends_cover_nothing(frontier):
    names = [f"a rather long name of group {place}" for place in range(12)]
    axes = equipoise._plots.shares_of_groups([{"value": name, "base_rate": 0.1, "cohort": 0.1, "target": 0.1} for name in names], None)
    axes.figure.canvas.draw()
    boxes = [label.get_window_extent() for label in axes.get_yticklabels()]
    assert all(one.y0 >= other.y1 - 1 for one, other in zip(boxes, boxes[1:]))
    assert all(label.get_text().endswith("…") for label in axes.get_yticklabels())
    assert axes.get_window_extent().width > axes.figure.bbox.width / 2
    assert not covered(axes) and not covered(frontier.plot())
    assert any("limit" in line.get_label() for line in frontier.plot().lines)


def test_plots(frontier, rule, features, groups):
    assert frontier.plot().get_xlabel() == "budget (max_disclosure)"
    assert shown(rule.report_.plot()) == {"base_rate": 4, "cohort": 4, "target": 4}
    assert shown(rule.audit(features[1:], groups[1:]).plot()) == {"base_rate": 4, "cohort": 4, "target": 4}
    assert parses(frontier._repr_html_()) and "data:image/svg" in frontier._repr_html_()


def test_every_result_shows_itself_in_notebooks(frontier, rule, features, groups):
    compared = equipoise.compare(features, groups, seeds=2, budgets=[0.2], methods=["direct"], random_state=1)
    for result in (rule.report_, rule.audit(features[1:], groups[1:]), frontier, compared):
        shown = result._repr_html_()
        assert parses(shown) and "data:image/svg" in shown and "<pre>" in shown, type(result)
        assert len(result.to_frame()) == len(result.rows()) > 0
