"""The baselines against those that everyone knows: scikit-learn, imbalanced-learn, SciPy (M4, M10)."""
import json

import numpy as np
import pandas as pd
import pytest
from imblearn.over_sampling import SMOTE
from scipy.optimize import minimize
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import equipoise
import reading

NUMBERS, TEXTS = ["age", "household", "distance", "score"], ["region", "education", "occupation", "language"]


def model_of(rule, path):
    rule.save(path)
    return json.loads(path.read_text())


def learn(method, frame, groups, path, **parameters):
    rule = equipoise.BalancedFilter(1.0, method, sdc="none", random_state=1, **parameters).fit(frame, groups)
    return rule, model_of(rule, path)


@pytest.mark.parametrize("columns", [NUMBERS, NUMBERS + TEXTS])
def test_logistic_regression(columns, features, groups, tmp_path):
    """Log-loss on the training rows to 1e-4, with scikit-learn's own penalty."""
    frame = features[columns]
    _, model = learn("qp-logit", frame, groups, tmp_path / "logit.model")
    ours = reading.scores(model, frame)
    chances = np.exp(ours - ours.max(axis=1, keepdims=True))
    chances /= chances.sum(axis=1, keepdims=True)
    texts = [name for name in columns if name in TEXTS]
    design = StandardScaler().fit_transform(frame[NUMBERS])
    if texts:
        design = np.hstack([design, OneHotEncoder(sparse_output=False).fit_transform(frame[texts])])
    theirs = LogisticRegression(C=1.0, solver="newton-cholesky", tol=1e-9).fit(design, groups)
    names = [group["value"] for group in model["sensitive"]["groups"]]
    assert names == list(theirs.classes_)
    assert log_loss(groups, chances, labels=names) == pytest.approx(log_loss(groups, theirs.predict_proba(design)), abs=1e-4)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_classification_trees(seed, features, groups, tmp_path):
    """Accuracy within half a point, on the training rows and on others."""
    frame = features[NUMBERS]
    train, test, train_groups, test_groups = train_test_split(frame, groups, test_size=0.4, random_state=seed)
    _, model = learn("qp-cart", train, train_groups, tmp_path / "cart.model")
    names = np.array([group["value"] for group in model["sensitive"]["groups"]])
    theirs = DecisionTreeClassifier(max_depth=10, min_samples_leaf=5, random_state=0).fit(train, train_groups)
    for rows, labels in ((train, train_groups), (test, test_groups)):
        ours = (names[reading.leaves(model, rows)] == labels.to_numpy()).mean()
        assert ours == pytest.approx(theirs.score(rows, labels), abs=0.005)


def test_predicted_leaves_are_those_of_the_library(features, groups, tmp_path):
    """The second reader and the library agree on the acceptance of every row, so the tests above see the real rule."""
    for method in ("qp-logit", "qp-cart"):
        rule, model = learn(method, features, groups, tmp_path / "rule.model")
        assert model["rule"]["noise"] == 0
        accept = np.array([leaf["accept"] for leaf in model["rule"]["leaves"]])
        assert np.allclose(rule.selection_probability(features), accept[reading.leaves(model, features)], atol=1e-15)


@pytest.mark.parametrize("kind", ["logit", "cart"])
def test_naive_and_projected_acceptance(kind, features, groups, tmp_path):
    """Naive: equally many from each predicted group. QP: the projection of the target onto the hull, as SciPy finds it."""
    naive, model = learn(f"naive-{kind}", features, groups, tmp_path / "naive.model")
    leaf = reading.leaves(model, features)
    table = pd.crosstab(leaf, groups).to_numpy(dtype=float)
    shares = table / table.sum(axis=1, keepdims=True)
    assert naive.train_["composition"] == pytest.approx(shares.mean(axis=0), abs=1e-6)
    projected, _ = learn(f"qp-{kind}", features, groups, tmp_path / "qp.model")
    assert projected.train_["imbalance"] == pytest.approx(distance_to_hull(shares, np.full(4, 0.25)), abs=1e-5)
    assert projected.train_["imbalance"] <= naive.train_["imbalance"] + 1e-9


def distance_to_hull(rows, target):
    count = len(rows)
    square = lambda q: ((q @ rows - target) ** 2).sum()
    slope = lambda q: 2 * rows @ (q @ rows - target)
    best = min((minimize(square, start, jac=slope, method="SLSQP", bounds=[(0, 1)] * count, options={"ftol": 1e-15, "maxiter": 1000},
                         constraints={"type": "eq", "fun": lambda q: q.sum() - 1, "jac": lambda q: np.ones(count)})
                for start in (np.full(count, 1 / count), *np.eye(count))), key=lambda found: found.fun)
    return np.sqrt(best.fun)


@pytest.mark.parametrize("column", ["language", "education", "occupation"])
def test_hull_of_an_existing_column(column, features, groups):
    rule = equipoise.BalancedFilter(1.0, proxy=column, sdc="none", random_state=1).fit(features, groups)
    shares = pd.crosstab(features[column], groups, normalize="index").to_numpy()
    assert rule.train_["imbalance"] == pytest.approx(distance_to_hull(shares, np.full(4, 0.25)), abs=1e-6)


def test_smote(features, groups, tmp_path):
    """What the comparison takes SMOTE's cohort to be is what imbalanced-learn makes: all predicted classes of one size, new
    rows between neighbours of a class, and so the composition of naive acceptance."""
    frame = features[NUMBERS]
    naive, model = learn("naive-cart", frame, groups, tmp_path / "naive.model")
    leaf, X = reading.leaves(model, frame), StandardScaler().fit_transform(frame)
    grown, classes = SMOTE(random_state=1, k_neighbors=5).fit_resample(X, leaf)
    counts = np.bincount(classes)
    assert set(counts[counts > 0]) == {np.bincount(leaf).max()}
    weight = np.zeros(len(X))
    rng = np.random.default_rng(1)
    for own in np.unique(leaf):
        members, made = np.flatnonzero(leaf == own), np.flatnonzero(classes[len(X):] == own) + len(X)
        weight[members] += 1
        looked_at = rng.choice(made, min(len(made), 60), replace=False)
        parents = [parent_of(grown[row], X[members]) for row in looked_at]
        assert all(parent is not None for parent in parents)
        if len(made) > 0:
            weight[members] += len(made) / len(members)
    composition = [weight[groups == value].sum() / weight.sum() for value in naive.groups_]
    assert naive.train_["composition"] == pytest.approx(composition, abs=1e-6)


def parent_of(row, members):
    """A row on a segment between two members: the end nearer to it, or None."""
    steps = members - row
    lengths = np.linalg.norm(steps, axis=1)
    near = np.argsort(lengths)[:200]
    if lengths[near[0]] < 1e-9:
        return near[0]
    directions = steps[near] / lengths[near, None]
    return near[0] if (directions @ directions.T).min() < -1 + 1e-9 else None


def test_limit(features, groups):
    """The limit of M3 is the distance from the target to the box within the simplex, as SciPy finds it."""
    rates = groups.value_counts(normalize=True).sort_index().to_numpy()
    for budget in (0.05, 0.2, 0.4):
        rule = equipoise.BalancedFilter(budget, sdc="none", random_state=1).fit(features, groups)
        bounds = [(max(0, rate - budget), min(1, rate + budget)) for rate in rates]
        best = minimize(lambda a: ((a - 0.25) ** 2).sum(), rates, bounds=bounds, method="SLSQP", options={"ftol": 1e-15},
                        constraints={"type": "eq", "fun": lambda a: a.sum() - 1})
        assert rule.limit_["imbalance"] == pytest.approx(np.sqrt(best.fun), abs=1e-5)
        assert rule.train_["imbalance"] >= rule.limit_["imbalance"] - 1e-6
