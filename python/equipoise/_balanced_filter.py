"""BalancedFilter: a rule that accepts a balanced cohort, learned and used as scikit-learn estimators are."""
from __future__ import annotations

import contextlib
import csv
import hashlib
import json
import os
import tempfile
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Optional, Union

import numpy as np
import numpy.typing as npt

from . import _core
from ._columns import Column, arrow_column, column
from ._errors import EquipoiseWarning
from ._files import FileDraws
from ._frames import Records, attributes, frame_from, take
from ._keys import Key, KeyLike
from ._progress import watching
from ._results import Audit, Learned, Path

try:
    from sklearn.base import BaseEstimator
    from sklearn.exceptions import NotFittedError
except ImportError:
    from ._without_sklearn import BaseEstimator, NotFittedError

WEIGHT = "equipoise_weight"
ID = "equipoise_id"
_LEARN_PARAMETERS = ("max_disclosure", "method", "oracle", "min_yield", "solver", "max_imbalance", "spread", "confidence",
                     "strict", "relaxed", "intersect", "min_leaf", "max_height", "max_leaves", "proxy")


class BalancedFilter(FileDraws, BaseEstimator):  # type: ignore[misc,unused-ignore]
    """Learns from a labelled sample which records to accept so that the cohort is balanced over the groups of a
    sensitive attribute, while the outcome says little about anyone's group.

    Parameters
    ----------
    max_disclosure : the budget: how far the share of a group may move once an outcome is known, 0 to 1
    method : how the rule is learned; ``equipoise.choices("method")`` lists the names with a line about each
    oracle : what a split looks at, ``equipoise.choices("oracle")``; None: the method's own
    min_yield : least share of accepted records; None: chosen by cross-validation
    target : "uniform", a mapping from group to share (of attributes to such mappings, when there are several), or
        a CSV file with the columns attribute, value, share
    random_state : seed of folds and random splits, and with it the key of draws that are given none; None: the
        library's own seed, and a fresh secret key
    proxy : learn the acceptance for this existing column; no rule is searched for
    confidence : with which the budget holds in the population that the rows came from; None: the method's own, 0.95
        for "direct"; "off" (or 0): the budget holds in expectation
    solver, max_imbalance, spread, strict, relaxed, intersect, min_leaf, max_height, max_leaves :
        as the options of ``equipoise learn``
    n_jobs : threads; None or -1: all cores. The result is the same for any number.
    verbose : true for a progress bar

    Attributes
    ----------
    groups_ : values of the sensitive attribute; (attribute, value) pairs when there are several attributes
    base_rates_, targets_ : their shares in the sample, and those aimed at
    train_, in_sample_ : dict with "disclosure", "imbalance", "yield" of the rule on its own rows
    cross_fitted_ : the same with scores that have not seen the row; None where the method has none
    cross_validated_ : of rules learned without the rows that they are measured on
    bound_ : dict with "disclosure", which the rule keeps in the population with the "confidence" beside it; both None
        where nothing is promised
    reach_ : dict with "imbalance", cross-validated, that the columns allow at any budget, and its "standard_error"
    limit_ : dict with "imbalance", which no rule within the budget can beat, "at_yield", the same for rules of this
        yield, and "disclosure_for_balance"
    report_ : everything that learning found, with ``to_frame()``, ``plot()`` and ``save(page)``
    n_features_in_, feature_names_in_ : as in scikit-learn
    sample_indices_ : rows that ``fit_resample`` kept
    """

    def __init__(self, max_disclosure: float = 0.2, method: str = "direct", oracle: Optional[str] = None,
                 min_yield: Optional[float] = None, target: Any = "uniform", random_state: Any = None, *,
                 solver: Optional[str] = None, max_imbalance: Optional[float] = None, spread: Optional[float] = None,
                 confidence: Union[None, float, str] = None, strict: bool = False, relaxed: bool = False,
                 intersect: bool = False,
                 min_leaf: Optional[int] = None, max_height: Optional[int] = None, max_leaves: Optional[int] = None,
                 proxy: Optional[str] = None, n_jobs: Optional[int] = None, verbose: Union[bool, int] = False) -> None:
        self.max_disclosure = max_disclosure
        self.method = method
        self.oracle = oracle
        self.min_yield = min_yield
        self.target = target
        self.random_state = random_state
        self.solver = solver
        self.max_imbalance = max_imbalance
        self.spread = spread
        self.confidence = confidence
        self.strict = strict
        self.relaxed = relaxed
        self.intersect = intersect
        self.min_leaf = min_leaf
        self.max_height = max_height
        self.max_leaves = max_leaves
        self.proxy = proxy
        self.n_jobs = n_jobs
        self.verbose = verbose

    # ---- learning ----------------------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None, *, sensitive_features: Any = None, sample_weight: Any = None) -> BalancedFilter:
        """Learns the rule from features `X` and the sensitive attribute: `sensitive_features`, or else `y`.

        The attribute is an array, a series, a frame with one column an attribute, or the name (a tuple of names) of
        columns of `X`, which then are no features. Rows without a value are left out. `sample_weight` holds design
        weights.
        """
        records = Records(X)
        sensitive, names, table = self._labelled(records, _feature_names(records), y, sensitive_features, sample_weight)
        features = [name for name in names if name not in sensitive]
        options = self._options(sensitive, sample_weight is not None)
        with _target_file(self.target, sensitive) as target, watching(self.verbose) as progress:
            model, report = _core.learn(table, {**options, "target": target}, progress)
        self._model = model
        self._key: Optional[Key] = None
        self._seed = options["seed"]
        self._note_features(records, features)
        self._note_report(Learned(report, records.kind))
        return self

    def _labelled(self, records: Records, names: list[str], y: Any, sensitive_features: Any,
                  sample_weight: Any, more: Sequence[Column] = ()) -> tuple[list[str], list[str], Any]:
        given = sensitive_features if sensitive_features is not None else y
        if given is None:
            raise ValueError(f"This {type(self).__name__} estimator requires y to be passed, but the target y is None. "
                             "Pass the sensitive attribute as y or as sensitive_features.")
        sensitive, extra, rows = attributes(given, records.names)
        extra = [*extra, *more]
        if sample_weight is not None:
            weights = np.asarray(sample_weight, dtype=np.float64).reshape(-1)
            if len(weights) > 0 and not weights.any():
                raise ValueError("all sample weights are zero")
            extra = [*extra, column(WEIGHT, weights)]
            rows = _same_rows(rows, len(weights))
        if rows == 1:
            raise ValueError("no rule can be learned from one sample (n_samples=1)")
        return sensitive, names, records.table(names, extra, rows, text=sensitive)

    def _options(self, sensitive: Sequence[str], weighted: bool) -> dict[str, Any]:
        options = {name: getattr(self, name) for name in _LEARN_PARAMETERS}
        return {**options, "confidence": _confidence(self.confidence), "sensitive": list(sensitive),
                "weight": WEIGHT if weighted else None, "seed": _seed(self.random_state), "threads": self._threads()}

    def _threads(self) -> int:
        return self.n_jobs if self.n_jobs is not None and self.n_jobs > 0 else 0

    def _note_features(self, records: Records, features: list[str]) -> None:
        self.n_features_in_ = len(features)
        if records.names is not None:
            self.feature_names_in_ = np.asarray(features, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _note_report(self, report: Learned) -> None:
        self.report_ = report
        self._note_groups(report["groups"])
        self.base_rates_ = np.array([group["base_rate"] for group in report["groups"]])
        self.train_: dict[str, Any] = report["train"]
        self.cross_validated_: dict[str, Any] = report["cross_validated"]
        self.in_sample_: dict[str, Any] = report["in_sample"]
        self.cross_fitted_: Optional[dict[str, Any]] = report.get("cross_fitted")
        self.bound_: dict[str, Any] = report["bound"]
        self.reach_: dict[str, Any] = report["reach"]
        self.limit_: dict[str, Any] = report["limit"]

    def _note_groups(self, groups: list[dict[str, Any]]) -> None:
        several = len({group["attribute"] for group in groups}) > 1
        self.groups_ = ([(group["attribute"], group["value"]) for group in groups] if several
                        else [group["value"] for group in groups])
        self.targets_ = np.array([group["target"] for group in groups])

    # ---- deciding ----------------------------------------------------------------------------------------------------

    def selection_probability(self, X: Any) -> npt.NDArray[np.float64]:
        """The chance with which each row is accepted: design weights are one over it. It reveals more than the outcome."""
        table = self._unlabelled(Records(X))
        chances = np.empty(_core.table_rows(table), dtype=np.float64)
        _core.probabilities(self._model, table, chances)
        return chances

    def select(self, X: Any, ids: Any = None, key: Optional[KeyLike] = None) -> npt.NDArray[np.bool_]:
        """Who is accepted, as a boolean mask.

        The outcome depends on the key, the rule and the record's id alone, so it is the same in any order, on any
        machine, and with ``equipoise filter``. `ids` are the ids, or the name of a column of `X`; without ids the
        features stand in for them, and equal rows share one outcome. `key` is a Key, its digits or its file; without
        one the filter uses a key of its own.
        """
        records = Records(X)
        if ids is None:
            warnings.warn("no ids: records are drawn by their features, so whoever changes a record gets a fresh draw",
                          EquipoiseWarning, stacklevel=2)
        return self._decide(records, ids, key)

    def _decide(self, records: Records, ids: Any, key: Optional[KeyLike]) -> npt.NDArray[np.bool_]:
        self._check_fitted()
        digits = self._key_for(key).digits
        if ids is None:
            table = self._unlabelled(records)
            accepted = np.empty(_core.table_rows(table), dtype=np.bool_)
            _core.decide(self._model, table, None, digits, self._threads(), accepted)
            return accepted
        name, extra = (ids, []) if isinstance(ids, str) else (ID, [arrow_column(ID, ids)])
        records = self._read(records, name)
        handed = records.handed_over(self._names_for(records), extra, len(ids) if extra else -1, in_order=False)
        return np.frombuffer(_core.decide_stream(self._model, *handed, name, digits, self._threads()), dtype=np.bool_)

    def _unlabelled(self, records: Records) -> Any:
        records = self._read(records)
        return records.table(self._names_for(records))

    def _read(self, records: Records, *more: str) -> Records:
        """The records with what the rule looks at, and other columns that are wanted."""
        self._check_fitted()
        return records.only([*self._columns_read(), *more])

    def _columns_read(self) -> list[str]:
        """The columns that the rule looks at."""
        return [feature["column"] for feature in json.loads(_core.model_text(self._model))["features"]]

    def _names_for(self, records: Records) -> list[str]:
        """The columns under the names that the rule knows; arrays have them by position."""
        if records.names is not None:
            return records.names
        if hasattr(self, "feature_names_in_") and records.width == self.n_features_in_:
            warnings.warn(f"X does not have valid feature names, but {type(self).__name__} was fitted with feature names",
                          UserWarning, stacklevel=4)
            return list(self.feature_names_in_)
        if records.width != self.n_features_in_:
            raise ValueError(f"X has {records.width} features, but {type(self).__name__} is expecting "
                             f"{self.n_features_in_} features as input.")
        return _feature_names(records)

    def _key_for(self, key: Optional[KeyLike]) -> Key:
        if key is not None:
            return Key.of(key)
        if self._key is None:
            seeded = self.random_state is not None
            self._key = Key(hashlib.sha256(f"equipoise {self._seed}".encode()).hexdigest()) if seeded else Key.new()
        return self._key

    # ---- resampling --------------------------------------------------------------------------------------------------

    def fit_resample(self, X: Any, y: Any = None, *, sensitive_features: Any = None, sample_weight: Any = None,
                     key: Optional[KeyLike] = None) -> tuple[Any, Any]:
        """Fits, and keeps the accepted rows of `X` and `y` in their own kind of frame (imbalanced-learn's interface).

        The rows balance `sensitive_features`, or else `y`. Each row is drawn by its number; ``sample_indices_`` are
        the rows kept.
        """
        self.fit(X, y, sensitive_features=sensitive_features, sample_weight=sample_weight)
        records = Records(X)
        rows = len(y) if y is not None and not isinstance(y, str) else _core.table_rows(self._unlabelled(records))
        accepted = self._decide(records, np.arange(rows), key)
        self.sample_indices_ = np.flatnonzero(accepted)
        kept = take(records.frame if records.kind == "polars" else X, self.sample_indices_)
        return self._dressed(kept), (None if isinstance(y, str) else take(y, self.sample_indices_))

    def set_output(self, *, transform: Optional[str] = None) -> BalancedFilter:
        """The kind of frame that ``fit_resample`` returns: "pandas", "polars", or "default" for the caller's own."""
        if transform not in (None, "default", "pandas", "polars"):
            raise ValueError(f'output must be "default", "pandas" or "polars", not "{transform}"')
        if transform is not None:
            self._output = transform
        return self

    def _dressed(self, frame: Any) -> Any:
        wanted = getattr(self, "_output", "default")
        records = Records(frame) if wanted != "default" and len(frame) > 0 else None
        if records is None or records.kind == wanted:
            return frame
        names = _feature_names(records)
        values = [frame[:, place] if records.kind == "numpy" else np.asarray(frame[name]) for place, name in enumerate(names)]
        return frame_from(dict(zip(names, values)), wanted)

    # ---- looking at it -----------------------------------------------------------------------------------------------

    def audit(self, X: Any, sensitive: Any = None, *, sensitive_features: Any = None, sample_weight: Any = None,
              max_disclosure: Optional[float] = None, confidence: float = 0.95, require_certificate: bool = False,
              attempt: int = 1, releases: int = 1, attempt_log: Optional[Path] = None,
              certificate: Optional[Path] = None,
              further: Sequence[Union[BalancedFilter, Path]] = ()) -> Audit:
        """Measures and certifies the rule on labelled records that learning has not seen; without labels, drift only.

        With `further` rules (filters or model files), also what the outcomes of all of them together tell.
        """
        self._check_fitted()
        others = [other if isinstance(other, BalancedFilter) else BalancedFilter.load(other) for other in further]
        given = sensitive_features if sensitive_features is not None else sensitive
        labels = [given] if isinstance(given, str) else list(given) if isinstance(given, tuple) else []
        read = [name for one in (self, *others) for name in one._columns_read()]
        records = Records(X).only([*dict.fromkeys(read), *labels])
        names = self._names_for(records)
        labelled = given is not None
        attribute: list[str] = []
        table = None
        if labelled:
            attribute, _, table = self._labelled(records, names, sensitive, sensitive_features, sample_weight)
        options = {"sensitive": attribute or None, "weight": WEIGHT if labelled and sample_weight is not None else None,
                   "max_disclosure": max_disclosure, "confidence": confidence, "require_certificate": require_certificate,
                   "attempt": attempt, "releases": releases, "threads": self._threads(),
                   "further": [other._model for other in others] or None,
                   "attempt_log": os.fspath(attempt_log) if attempt_log is not None else None,
                   "certificate": os.fspath(certificate) if certificate is not None else None}
        table = table if table is not None else records.table(names)
        with watching(self.verbose) as progress:
            return Audit(_core.audit(self._model, table, options, progress), records.kind)

    def score(self, X: Any, y: Any = None, *, sensitive_features: Any = None, sample_weight: Any = None) -> float:
        """Minus the imbalance measured on labelled rows, so that more is better."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", EquipoiseWarning)
            audit = self.audit(X, y, sensitive_features=sensitive_features, sample_weight=sample_weight)
        measured = audit["imbalance"]["measured"]
        return -float(measured) if measured is not None else float("nan")

    def explain(self) -> str:
        """The rule in plain words."""
        self._check_fitted()
        return _core.model_explain(self._model)

    @property
    def model_id_(self) -> str:
        """The id that goes into every draw."""
        self._check_fitted()
        return _core.model_id(self._model)

    # ---- files -------------------------------------------------------------------------------------------------------

    def save(self, path: Path) -> None:
        """Writes the model file, which the program and the library read as well."""
        self._check_fitted()
        _core.model_save(self._model, os.fspath(path))

    @classmethod
    def load(cls, path: Path) -> BalancedFilter:
        """The filter of a model file. What only the learning report knows (base rates, figures) is not there."""
        return cls._from_model(_core.model_load(os.fspath(path)))

    @classmethod
    def _from_model(cls, model: Any) -> BalancedFilter:
        described = json.loads(_core.model_text(model))
        origin, features = described["provenance"], described["features"]
        made = cls(max_disclosure=origin["max_disclosure"], method=origin["method"], oracle=origin["oracle"],
                   solver=origin["solver"], spread=origin["spread"],
                   confidence="off" if origin["confidence"] is None else origin["confidence"],
                   strict=origin["strict"], intersect=described["sensitive"]["intersect"])
        made._model, made._key, made._seed = model, None, int(origin["seed"])
        made._note_groups(described["sensitive"]["groups"])
        made.feature_names_in_ = np.asarray(list(dict.fromkeys(f["column"] for f in features)), dtype=object)
        made.n_features_in_ = len(made.feature_names_in_)
        return made

    def __getstate__(self) -> dict[str, Any]:
        """The rule travels as its own text; the key stays behind, as keys belong in key files."""
        state = dict(super().__getstate__())
        if "_model" in state:
            state["_model"] = _core.model_text(state["_model"])
            state["_key"] = None
            state.pop("report_", None)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        if "_model" in state:
            state["_model"] = _core.model_parse(state["_model"])
        super().__setstate__(state)

    # ---- conventions -------------------------------------------------------------------------------------------------

    def _check_fitted(self) -> None:
        if not hasattr(self, "_model"):
            raise NotFittedError(f"This {type(self).__name__} instance is not fitted yet. Call 'fit' first.")

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_model")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags


# ---- arguments -------------------------------------------------------------------------------------------------------


def _feature_names(records: Records) -> list[str]:
    return records.names if records.names is not None else [f"x{place}" for place in range(records.width)]


def _same_rows(rows: int, others: int) -> int:
    if rows not in (-1, others):
        raise ValueError(f"the sensitive attribute has {rows} rows, the weights {others}")
    return others


def _confidence(given: Union[None, float, str]) -> Optional[float]:
    """As the library takes it: 0 is "off"."""
    if isinstance(given, str):
        if given != "off":
            raise ValueError(f'confidence must be a number, "off" or None, not "{given}"')
        return 0.0
    return given


def _seed(random_state: Any) -> Optional[int]:
    if random_state is None:
        return None
    if isinstance(random_state, (int, np.integer)):
        return int(random_state)
    return int(random_state.randint(np.iinfo(np.int32).max) if hasattr(random_state, "randint")
               else random_state.integers(2**63))


@contextlib.contextmanager
def _target_file(target: Any, sensitive: Sequence[str]) -> Iterator[str]:
    """The library reads target shares from a file; a mapping is written to one for the time of the call."""
    if not isinstance(target, Mapping):
        yield os.fspath(target)
        return
    nested = any(isinstance(shares, Mapping) for shares in target.values())
    by_attribute = target if nested else {sensitive[0]: target}
    with tempfile.NamedTemporaryFile("w", suffix=".csv", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["attribute", "value", "share"])
        for attribute, shares in by_attribute.items():
            writer.writerows([attribute, value, repr(float(share))] for value, share in shares.items())
        file.flush()
        yield file.name
