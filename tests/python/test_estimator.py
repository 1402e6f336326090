"""scikit-learn's conventions, imbalanced-learn's and fairlearn's."""
import pickle

import numpy as np
import pandas as pd
import pytest
from fairlearn.metrics import MetricFrame, selection_rate
from imblearn.pipeline import make_pipeline as make_resampling_pipeline
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import equipoise
from conftest import KEY

SINGLETON = "its y has a group of a single record, of which nothing can be said on unseen rows: that is refused"
REFUSED = {name: SINGLETON for name in (
    "check_dont_overwrite_parameters", "check_f_contiguous_array_estimator", "check_methods_sample_order_invariance",
    "check_methods_subset_invariance", "check_dict_unchanged", "check_fit2d_predict1d")}


@parametrize_with_checks([equipoise.BalancedFilter(), equipoise.BalancedFilter(min_group=2)],
                         expected_failed_checks=lambda estimator: {} if estimator.min_group else REFUSED)
def test_scikit_learn_finds_nothing(estimator, check):
    check(estimator)


def test_refused_checks_pass_when_the_groups_are_large_enough(numeric, groups):
    """The properties of the checks above, on a sample that can be learned from."""
    rule = equipoise.BalancedFilter(oracle="linear", random_state=0)
    before = dict(rule.__dict__)
    rule.fit(numeric, groups)
    assert {name: value for name, value in rule.__dict__.items() if name in before} == before
    assert all(name.endswith("_") or name.startswith("_") for name in set(rule.__dict__) - set(before))
    state = dict(rule.__dict__)
    chances = rule.selection_probability(numeric)
    order = np.random.default_rng(1).permutation(len(numeric))
    assert np.array_equal(rule.selection_probability(numeric[order]), chances[order])
    assert np.array_equal(rule.selection_probability(numeric[:100]), chances[:100])
    assert np.array_equal(rule.selection_probability(np.asfortranarray(numeric)), chances)
    assert rule.__dict__ == state
    with pytest.raises(ValueError, match="reshape"):
        rule.selection_probability(numeric[0])


def test_clone_copies_parameters_alone(rule):
    copy = clone(rule)
    assert copy.get_params() == rule.get_params()
    assert not hasattr(copy, "train_")


def test_pipeline_and_output_of_frames(features, groups):
    numbers = features[["age", "household", "distance", "score"]]
    pipe = make_pipeline(StandardScaler(), equipoise.BalancedFilter(oracle="linear", random_state=0)).set_output(transform="pandas")
    pipe.fit(numbers, groups)
    assert list(pipe[-1].feature_names_in_) == list(numbers.columns)
    assert -1 < pipe.score(numbers, groups) < 0


def test_grid_search_ranks_budgets(numeric, groups):
    search = GridSearchCV(equipoise.BalancedFilter(oracle="linear", random_state=0), {"max_disclosure": [0.01, 0.3]}, cv=2)
    search.fit(numeric, groups)
    assert search.best_params_ == {"max_disclosure": 0.3}
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


def test_pickle_goes_through_the_text_of_the_model(rule, features):
    bytes_ = pickle.dumps(rule)
    assert b"equipoise-model" in bytes_
    copy = pickle.loads(bytes_)
    assert copy.model_id_ == rule.model_id_
    assert copy.train_ == rule.train_
    assert np.array_equal(copy.selection_probability(features), rule.selection_probability(features))
    ids = np.arange(len(features))
    assert np.array_equal(copy.select(features, ids, KEY), rule.select(features, ids, KEY))


def test_secret_keys_are_not_pickled(features, groups):
    fitted = equipoise.BalancedFilter().fit(features, groups)
    fitted.fit_resample(features, groups)
    assert fitted._key.digits.encode() not in pickle.dumps(fitted)


def test_fit_resample_keeps_rows_and_label(features, groups, people):
    rule = equipoise.BalancedFilter(oracle="linear", random_state=3)
    X, y = rule.fit_resample(features, people["admitted"], sensitive_features=groups)
    assert 0 < len(rule.sample_indices_) < len(features)
    pd.testing.assert_frame_equal(X, features.iloc[rule.sample_indices_])
    pd.testing.assert_series_equal(y, people["admitted"].iloc[rule.sample_indices_])
    distance = lambda values: np.linalg.norm(values.value_counts(normalize=True).reindex(rule.groups_).fillna(0) - 0.25)
    assert distance(groups.iloc[rule.sample_indices_]) < 0.7 * distance(groups)


def test_fit_resample_inside_a_pipeline(numeric, people, groups):
    numbers = StandardScaler().fit_transform(np.nan_to_num(numeric))
    pipe = make_resampling_pipeline(equipoise.BalancedFilter(oracle="linear", random_state=0), LogisticRegression())
    pipe.fit(numbers, groups)
    assert pipe[-1].coef_.shape == (4, numbers.shape[1])
    assert pipe.predict(numbers).shape == (len(numbers),)
    assert len(pipe[0].sample_indices_) < len(numbers)


def test_set_output_of_fit_resample(numeric, groups):
    import polars

    X, _ = equipoise.BalancedFilter(oracle="linear", random_state=0).set_output(transform="polars").fit_resample(numeric, groups)
    assert isinstance(X, polars.DataFrame) and X.columns == ["x0", "x1", "x2", "x3", "x4", "x5"]
    X, _ = equipoise.BalancedFilter(oracle="linear", random_state=0).set_output(transform="pandas").fit_resample(numeric, groups)
    assert isinstance(X, pd.DataFrame)


def test_fairlearn_reads_the_outcome(rule, features, groups, people):
    accepted = rule.select(features, people["record"], KEY)
    frame = MetricFrame(metrics=selection_rate, y_true=accepted, y_pred=accepted, sensitive_features=groups)
    assert frame.by_group["Dune"] > frame.by_group["Amber"]
    assert frame.overall == pytest.approx(accepted.mean())


def test_fairlearn_style_of_fitting(features, groups, people):
    first = equipoise.BalancedFilter(oracle="linear", random_state=1).fit(features, groups)
    second = equipoise.BalancedFilter(oracle="linear", random_state=1).fit(features, people["admitted"], sensitive_features=groups)
    assert first.model_id_ == second.model_id_


def test_seeds_repeat_and_threads_do_not_matter(features, groups):
    fit = lambda **parameters: equipoise.BalancedFilter(**parameters).fit(features, groups).model_id_
    assert fit(random_state=5) == fit(random_state=5, n_jobs=1)
    assert fit(random_state=np.random.RandomState(5)) == fit(random_state=np.random.RandomState(5))
