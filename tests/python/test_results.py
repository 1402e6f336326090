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
    assert rule.base_rates_.sum() == pytest.approx(1)
    assert rule.train_["imbalance"] >= rule.limit_["imbalance"] - 1e-6
    report.save(tmp_path / "page.html")
    assert parses((tmp_path / "page.html").read_text())
    assert parses(report._repr_html_()) and "disclosure" in str(report)


def test_audit_agrees_with_counting(rule, features, groups):
    """Expected composition from the probabilities, by hand."""
    audit = rule.audit(features, groups)
    chances = rule.selection_probability(features)
    composition = np.array([chances[groups == value].sum() for value in rule.groups_]) / chances.sum()
    assert audit["imbalance"]["measured"] == pytest.approx(np.linalg.norm(composition - 0.25), abs=2e-3)
    assert audit["yield"]["measured"] == pytest.approx(chances.mean(), abs=2e-3)
    assert rule.score(features, groups) == -audit["imbalance"]["measured"]
    assert isinstance(audit.passed, bool)
    assert len(audit.to_frame()) == 4


def test_audit_without_labels_looks_at_drift_alone(rule, features):
    audit = rule.audit(features)
    assert "drift" in audit and "disclosure" not in audit


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


def test_plots(frontier, rule, features, groups):
    assert frontier.plot().get_xlabel() == "budget (max_disclosure)"
    assert len(rule.report_.plot().patches) == 12
    assert len(rule.audit(features, groups).plot().patches) == 12
    assert parses(frontier._repr_html_()) and "data:image/svg" in frontier._repr_html_()


def test_every_result_shows_itself_in_notebooks(frontier, rule, features, groups):
    compared = equipoise.compare(features, groups, seeds=2, budgets=[0.2], methods=["direct"], random_state=1)
    for result in (rule.report_, rule.audit(features, groups), frontier, compared):
        shown = result._repr_html_()
        assert parses(shown) and "data:image/svg" in shown and "<pre>" in shown, type(result)
        assert len(result.to_frame()) == len(result.rows()) > 0
