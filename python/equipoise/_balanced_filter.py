"""BalancedFilter: a rule that accepts a balanced cohort, learned and used as scikit-learn estimators are."""
from __future__ import annotations

import contextlib
import csv
import hashlib
import json
import os
import sys
import tempfile
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Optional, Union

import numpy as np
import numpy.typing as npt

from . import _core
from ._choices import Kind, Method, Oracle, Output, Prefer, Sdc, Solver
from ._columns import Column, column, is_missing
from ._errors import DataError, EquipoiseError, EquipoiseWarning, UsageError, remark
from ._files import FileDraws, needed, remarks
from ._frames import Beside, Names, Records, frame_from, listed, listed_kinds, reading, take
from ._keys import Key, KeyLike
from ._labels import Label, columns_of, matched, read_labels, sensitive_names, sources
from ._pack import Pack
from ._progress import watching
from ._requests import request_resampling, with_resampling
from ._results import Audit, Learned, Path

if TYPE_CHECKING:  # scikit-learn has no types; ours say the same
    from ._without_sklearn import BaseEstimator, NotFittedError
else:
    try:
        from sklearn.base import BaseEstimator
        from sklearn.exceptions import NotFittedError
    except ImportError:
        from ._without_sklearn import BaseEstimator, NotFittedError

_UNCHANGED = "$UNCHANGED$"  # scikit-learn's own word
WEIGHT = "equipoise_weight"
ID = "equipoise_id"
CLUSTER = "equipoise_cluster"
_LEARN_PARAMETERS = ("max_disclosure", "method", "oracle", "min_yield", "solver", "max_imbalance", "spread", "confidence",
                     "strict", "relaxed", "intersect", "min_leaf", "max_height", "max_leaves", "proxy", "sdc", "multiple",
                     "max_ratio", "min_chance", "max_distortion", "prefer", "min_group", "sdc_threshold", "sdc_base",
                     "check_release")
_COLUMN_LISTS = ("features", "ignore", "keep", "protect")


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
    proxy : only learn the acceptance, for this existing column; no rule is searched for
    confidence : with which the budget holds in the population that the rows came from; None: the method's own, 0.95
        for "direct"; "off" (or 0): the budget holds in expectation
    solver, max_imbalance, spread, strict, relaxed, intersect, min_leaf, max_height, max_leaves :
        as the options of ``equipoise learn``
    multiple : what stands between several groups in one label, as "|" in "Black|Hispanic"; None: a label is one group
    max_ratio : beside the budget: the share of every group stays between its base rate divided by this and times it, among
        the accepted and among the rejected
    min_chance : chance of acceptance that everybody has, as a share of the yield, 0 to 1
    protect, max_distortion : columns of which the accepted keep the mean or the shares of levels within every group, and
        by how many standard deviations these may move
    prefer : what matters more where the yield is chosen: "balance", which None means too, or "yield"
    features, ignore : columns of X that the rule may use, and columns that are left out; None: every usable column
    keep : columns that are used although they would be left out; ``equipoise.inspect`` says which those are
    kinds : what columns hold, whatever they look like: a mapping to "number", "levels", "date", "day-first",
        "month-first" or "identifier"
    missing : texts that mark a missing cell, beside empty ones; None: "?" and "NA"
    min_group : groups of fewer labelled people are pooled as "other"; left out where all of them are still too few
    sdc : disclosure control of the figures about the sample: "default", "strict" or "none"
    sdc_threshold, sdc_base : counts below the first are not shown, and figures are no finer than the second; None: as `sdc`
        has it
    check_release : also attack a publishable rule with the rows it was learned from; learns two more rules
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

    n_features_in_: int
    feature_names_in_: npt.NDArray[Any]
    groups_: list[Any]
    base_rates_: npt.NDArray[np.float64]
    targets_: npt.NDArray[np.float64]
    sample_indices_: npt.NDArray[np.intp]

    def __init__(self, max_disclosure: float = 0.2, method: Method = "direct", oracle: Optional[Oracle] = None,
                 min_yield: Optional[float] = None, target: Any = "uniform", random_state: Any = None, *,
                 solver: Optional[Solver] = None, max_imbalance: Optional[float] = None, spread: Optional[float] = None,
                 confidence: Union[None, float, str] = None, strict: bool = False, relaxed: bool = False,
                 intersect: bool = False,
                 min_leaf: Optional[int] = None, max_height: Optional[int] = None, max_leaves: Optional[int] = None,
                 proxy: Optional[str] = None, sdc: Sdc = "default", n_jobs: Optional[int] = None, verbose: Union[bool, int] = False,
                 multiple: Optional[str] = None, max_ratio: Optional[float] = None, min_chance: Optional[float] = None,
                 protect: Optional[Names] = None, max_distortion: Optional[float] = None, prefer: Optional[Prefer] = None,
                 features: Optional[Names] = None, ignore: Optional[Names] = None, keep: Optional[Names] = None,
                 kinds: Optional[Mapping[str, Kind]] = None, missing: Optional[Names] = None, min_group: int = 0, sdc_threshold: Optional[int] = None,
                 sdc_base: Optional[int] = None, check_release: bool = False) -> None:
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
        self.sdc = sdc
        self.n_jobs = n_jobs
        self.verbose = verbose
        self.multiple = multiple
        self.max_ratio = max_ratio
        self.min_chance = min_chance
        self.protect = protect
        self.max_distortion = max_distortion
        self.prefer = prefer
        self.features = features
        self.ignore = ignore
        self.keep = keep
        self.kinds = kinds
        self.missing = missing
        self.min_group = min_group
        self.sdc_threshold = sdc_threshold
        self.sdc_base = sdc_base
        self.check_release = check_release

    # ---- learning ----------------------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None, *, sensitive_features: Any = None, sample_weight: Any = None) -> BalancedFilter:
        """Learns the rule from features `X` and the sensitive attribute: `sensitive_features`, or else `y`.

        The attribute is an array, a list, a series, a frame with one column per attribute, a mapping from names to values, or
        the name (a tuple or list of names) of columns of `X`, which are then not features. Where people tick all groups that
        apply, the mapping holds a frame (or names of columns of `X`) with a column of 0 and 1 for each group:
        ``{"race": ticks}``. Rows without a value are left out. `sample_weight` holds design weights.
        """
        records = Records(X)
        labels = self._labels(records, y, sensitive_features)
        sensitive, attributes = sensitive_names(labels)
        names = _feature_names(records)
        table = self._labelled(records, names, labels, sample_weight, self._read_as(sources(labels)))
        options = self._options(sensitive, sample_weight is not None)
        if records.names is None and options["features"] is None:  # an array of chosen features: none is left out because of what it looks like
            options["features"] = listed([name for name in names if name not in (options["ignore"] or "").split(",")])
        with _target_file(self.target, attributes) as target, watching(self.verbose) as progress:
            model, report = _core.learn(table, {**options, "target": target}, progress)
        self._take_over(model, options["seed"])
        self._y_is_label = y is not None and sensitive_features is not None
        self._note_features(records, [name for name in names if name not in sources(labels)])
        self._note_report(Learned(report, records.kind))
        return self

    def _take_over(self, model: Any, seed: Optional[int]) -> None:
        self._model = model
        self._description: dict[str, Any] = json.loads(_core.model_text(model))
        self._key: Optional[Key] = None
        self._seed = seed
        self._y_is_label = False

    def _labels(self, records: Records, y: Any, sensitive_features: Any) -> list[Label]:
        given = sensitive_features if sensitive_features is not None else y
        if given is None:
            raise ValueError(f"This {type(self).__name__} estimator requires y to be passed, but the target y is None. "
                             "Pass the sensitive attribute as y or as sensitive_features.")
        return read_labels(given, records)

    def _labelled(self, records: Records, names: list[str], labels: Sequence[Label], sample_weight: Any,
                  reading: dict[str, Any], more: Optional[Beside] = None) -> Any:
        """The table of the records with their labels and weights."""
        extra, rows = columns_of(labels)
        if more is not None and more.rows >= 0:
            extra, rows = [*extra, *more.columns], _same_rows(rows, more.rows, f'"{more.name}"')
        if sample_weight is not None:
            weights = np.asarray(sample_weight, dtype=np.float64).reshape(-1)
            if len(weights) > 0 and not weights.any():
                raise ValueError("all sample weights are zero")
            extra = [*extra, column(WEIGHT, weights)]
            rows = _same_rows(rows, len(weights), "the weights")
        if rows == 1:
            raise ValueError("no rule can be learned from one sample (n_samples=1)")
        return records.table(names, extra, rows, reading)

    def _read_as(self, sensitive: Sequence[str]) -> dict[str, Any]:
        return reading(sensitive, self.kinds, self.missing)

    def _options(self, sensitive: Sequence[str], weighted: bool) -> dict[str, Any]:
        options = {name: getattr(self, name) for name in _LEARN_PARAMETERS}
        options.update({name: listed(getattr(self, name)) for name in _COLUMN_LISTS})
        return {**options, "kinds": listed_kinds(self.kinds), "confidence": _confidence(self.confidence), "sensitive": list(sensitive),
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

    def selection_probability(self, X: Any, *, allow_shift: Names = ()) -> npt.NDArray[np.float64]:
        """The chance with which each row is accepted: design weights are one over it. It reveals more than the outcome.

        `allow_shift` as in ``select``.
        """
        records = self._read(Records(X))
        handed = records.handed_over(self._names_for(records), in_order=False)
        chances, met = _core.probabilities(self._model_allowing(allow_shift), *handed, self._threads())
        remark(remarks(met))
        return np.frombuffer(chances, dtype=np.float64)

    def select(self, X: Any, ids: Any = None, key: Optional[KeyLike] = None, *, permanent: bool = False,
               allow_shift: Names = ()) -> npt.NDArray[np.bool_]:
        """Who is accepted, as a boolean mask.

        The outcome depends on the key, the rule and the record's id alone, so it is the same in any order, on any
        machine, and with ``equipoise filter``. `ids` are the ids, or the name of a column of `X`; without ids the
        features stand in for them, and equal rows share one outcome. `key` is a Key, its digits or its file, and has to
        be given: with a fresh key each time, asking again would tell more each time. `permanent` draws by key and id
        alone, so that draws stay the same when the rule is learned again. A column in which most cells have become missing
        or unseen is refused unless it is among `allow_shift`.
        """
        records = Records(X)
        if ids is None:
            warnings.warn("no ids: records are drawn by their features, so whoever changes a record gets a fresh draw",
                          EquipoiseWarning, stacklevel=2)
        accepted, met = self._decide(records, ids, needed(key), permanent, allow_shift)
        remark(remarks(met))
        return accepted

    def _decide(self, records: Records, ids: Any, key: Key, permanent: bool = False,
                allow_shift: Names = ()) -> tuple[npt.NDArray[np.bool_], dict[str, int]]:
        self._check_fitted()
        name, extra, rows = records.beside(ids, ID)
        records = self._read(records, *([] if name is None or extra else [name]))
        handed = records.handed_over(self._names_for(records), extra, rows, in_order=False)
        accepted, met = _core.decide(self._model_allowing(allow_shift), *handed, name, key.digits, permanent, self._threads())
        return np.frombuffer(accepted, dtype=np.bool_), met

    def _unlabelled(self, records: Records) -> Any:
        records = self._read(records)
        return records.table(self._names_for(records), reading=self._reading())

    def _read(self, records: Records, *more: str) -> Records:
        """The records with what the rule looks at, and other columns that are wanted."""
        self._check_fitted()
        return records.only([*self._columns_read(), *more])

    def _columns_read(self) -> list[str]:
        """The columns that the rule looks at."""
        return [feature["column"] for feature in self._description["features"]]

    def _reading(self, text: Sequence[str] = ()) -> dict[str, Any]:
        """What cells mean to the rule: numbers, texts and marks of missing cells as in the rows that it was learned from."""
        features = self._description["features"]
        texts = [feature["column"] for feature in features if feature["kind"] == "levels" or "date" in feature]
        numbers = [feature["column"] for feature in features if feature["kind"] != "levels" and "date" not in feature]
        return {"text_columns": [*texts, *text], "number_columns": numbers, "missing": self._description["input"]["missing"]}

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
        accepted, met = self._decide(records, np.arange(rows), self._key_for(key))
        remark(remarks(met))
        self.sample_indices_ = np.flatnonzero(accepted)
        kept = take(records.frame if records.kind == "polars" else X, self.sample_indices_)
        return self._dressed(kept), (None if isinstance(y, str) else take(y, self.sample_indices_))

    def set_output(self, *, transform: Optional[Output] = None) -> BalancedFilter:
        """The kind of frame that ``fit_resample`` returns: "pandas", "polars", or "default" for the caller's own.

        Without it, ``sklearn.set_config(transform_output=…)`` decides.
        """
        if transform not in (None, "default", "pandas", "polars"):
            raise ValueError(f'output must be "default", "pandas" or "polars", not "{transform}"')
        if transform is not None:
            self._sklearn_output_config = {"transform": transform}  # the name that scikit-learn's clone copies
        return self

    def _dressed(self, frame: Any) -> Any:
        wanted = getattr(self, "_sklearn_output_config", {}).get("transform") or _global_output()
        records = Records(frame) if wanted != "default" and len(frame) > 0 else None
        if records is None or records.kind == wanted:
            return frame
        names = _feature_names(records)
        values = [frame[:, place] if records.names is None else records.values_of(name) for place, name in enumerate(names)]
        cells = [[None if is_missing(cell) else cell for cell in array] if array.dtype.kind == "O" else array for array in values]
        return frame_from(dict(zip(names, cells)), wanted)

    def set_fit_resample_request(self, *, sensitive_features: Union[bool, str, None] = _UNCHANGED,
                                 sample_weight: Union[bool, str, None] = _UNCHANGED,
                                 key: Union[bool, str, None] = _UNCHANGED) -> BalancedFilter:
        """Which metadata ``fit_resample`` gets in a pipeline of imbalanced-learn, as scikit-learn's other requests."""
        asked = {"sensitive_features": sensitive_features, "sample_weight": sample_weight, "key": key}
        request_resampling(self, {name: wish for name, wish in asked.items() if wish != _UNCHANGED})
        return self

    def _get_metadata_request(self) -> Any:
        """imbalanced-learn teaches scikit-learn about ``fit_resample`` when it is imported, maybe after our own requests."""
        if hasattr(self, "_metadata_request"):
            with_resampling(self._metadata_request, type(self))
        return super()._get_metadata_request()  # type: ignore[misc]

    # ---- looking at it -----------------------------------------------------------------------------------------------

    def audit(self, X: Any, sensitive: Any = None, *, sensitive_features: Any = None, sample_weight: Any = None,
              max_disclosure: Optional[float] = None, confidence: float = 0.95, require_certificate: bool = False,
              attempt: int = 1, releases: int = 1, attempt_log: Optional[Path] = None,
              certificate: Optional[Path] = None, signing_key: Optional[Path] = None, anytime: bool = False,
              sdc: Sdc = "default", further: Sequence[Union[BalancedFilter, Path]] = (), about: Any = None,
              cluster: Any = None, multiple: Optional[str] = None, held_by: Optional[str] = None,
              delete_by: Optional[str] = None, permanent: bool = False, quotas: Optional[Path] = None,
              size: Optional[int] = None, sdc_threshold: Optional[int] = None, sdc_base: Optional[int] = None,
              pack: Optional[Path] = None) -> Audit:
        """Measures and certifies the rule on labelled records that learning has not seen.

        Attributes, groups and budget are those of the rule. Labels are matched with its attributes by name, labels without a
        name by their values; those of another attribute raise. Without labels, and for the records that the rule was learned
        from, there is no audit but an error; see ``drift``. With `further` rules (filters or model files), also what the outcomes of all of them together tell;
        `permanent` says that they share their draws. `about` takes the labels of another attribute instead, for figures without a
        certificate, with `multiple` between several groups in one label. `cluster` (values, or a column of `X`) says which rows are of
        one person. `quotas` (a table feature,value,min,max of columns of `X`) and `size`: what rule and quotas tell together.
        `held_by` and `delete_by` (2027-03-31) are stated in the certificate. `pack` names a new folder for everything that is handed
        on: report, figures, certificate and answers for a data-protection review. The others are options of ``equipoise audit``.
        """
        self._check_fitted()
        handed_on = Pack(pack, certificate, attempt_log) if pack is not None else None
        if handed_on is not None:
            certificate, attempt_log = handed_on.certificate, handed_on.attempt_log
        others = [other if isinstance(other, BalancedFilter) else BalancedFilter.load(other) for other in further]
        records = Records(X)
        named, labels = self._audited(records, sensitive, sensitive_features, about)
        clusters = records.beside(cluster, CLUSTER)
        columns = sources(labels)
        if quotas is None:  # else any column may be one of theirs
            read = [name for one in (self, *others) for name in one._columns_read()]
            records = records.only([*dict.fromkeys([*read, *columns, *([] if clusters.name is None else [clusters.name])])])
        table = self._labelled(records, self._names_for(records), labels, sample_weight, self._reading(columns), clusters)
        options = {**named, "cluster": clusters.name, "multiple": multiple, "held_by": held_by, "delete_by": delete_by,
                   "permanent": permanent, "quotas": None if quotas is None else os.fspath(quotas), "size": size,
                   "sdc_threshold": sdc_threshold, "sdc_base": sdc_base,
                   "weight": WEIGHT if sample_weight is not None else None,
                   "max_disclosure": max_disclosure, "confidence": confidence, "require_certificate": require_certificate,
                   "attempt": attempt, "releases": releases, "threads": self._threads(), "anytime": anytime, "sdc": sdc,
                   "further": [other._model for other in others] or None,
                   "attempt_log": os.fspath(attempt_log) if attempt_log is not None else None,
                   "certificate": os.fspath(certificate) if certificate is not None else None,
                   "signing_key": os.fspath(signing_key) if signing_key is not None else None}
        with watching(self.verbose) as progress:
            report = _core.audit(self._model, table, options, progress)
        if handed_on is not None:
            handed_on.fill(report, {**options, "pack": str(pack)})
        return Audit(report, records.kind)

    def _audited(self, records: Records, sensitive: Any, sensitive_features: Any,
                 about: Any) -> tuple[dict[str, Any], list[Label]]:
        """Which labels are audited, and the option that says so: those of the rule's attributes, or of others."""
        if about is not None:
            if sensitive is not None or sensitive_features is not None:
                raise UsageError("about is another attribute than the rule's: pass its labels alone")
            labels = read_labels(about, records)
            return {"about": sensitive_names(labels)[0]}, labels
        described = self._description["sensitive"]
        labels = matched(self._labels(records, sensitive, sensitive_features), described, records)
        return {"sensitive": [f"{one}={other}" for one, other in zip(described["columns"], sources(labels))]}, labels

    def drift(self, X: Any, *, sdc: Sdc = "default") -> dict[str, Any]:
        """Whether the population has moved since the rule was learned ("moved"); no labels needed."""
        self._check_fitted()
        table = self._unlabelled(Records(X))
        found = dict(json.loads(_core.report_json(_core.drift(self._model, table, sdc, self._threads()))))
        remark(found.get("warnings", ()))
        return found

    def score(self, X: Any, y: Any = None, *, sensitive_features: Any = None, sample_weight: Any = None) -> float:
        """Minus the imbalance measured on labelled rows, so that more is better.

        On the rows that the rule was learned from it is the cross-validated imbalance: they cannot audit it. Labels are matched
        as in ``audit``. Where `y` was the label and not the group when the rule was fitted, it is not scored as the group.
        """
        self._check_fitted()
        if self._y_is_label and sensitive_features is None and getattr(y, "name", None) not in self._description["sensitive"]["columns"]:
            raise UsageError("y was the label when the rule was fitted, so it cannot be scored as the group",
                             "pass sensitive_features; where scikit-learn calls score, enable metadata routing and "
                             "set_score_request(sensitive_features=True)")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", EquipoiseWarning)  # remarks about the certificate, which is not asked for
            try:
                audit = self.audit(X, y, sensitive_features=sensitive_features, sample_weight=sample_weight, sdc="none")
            except DataError as error:
                if "learned from these records" not in str(error) or not hasattr(self, "cross_validated_"):
                    raise
                measured = self.cross_validated_["imbalance"]
            else:
                measured = audit["imbalance"]["measured"]
        return -float(measured) if measured is not None else float("nan")  # withheld

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
                   strict=origin["strict"], intersect=described["sensitive"]["intersect"],
                   multiple=described["sensitive"].get("multiple"))
        limits = origin.get("limits", {})
        made.set_params(**{name: limits[name] or None for name in ("max_ratio", "min_chance", "max_distortion") if name in limits},
                        protect=limits["protect"].split(",") if limits.get("protect") else None,
                        min_group=described["sensitive"].get("pooled", 0), missing=described["input"]["missing"].split(","))
        made._take_over(model, int(origin["seed"]))
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
            state.pop("_description", None)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        if "_model" in state:
            state["_description"] = json.loads(state["_model"])
            state["_model"] = _core.model_parse(state["_model"])
        super().__setstate__(state)

    # ---- conventions -------------------------------------------------------------------------------------------------

    def _check_fitted(self) -> None:
        if not hasattr(self, "_model"):
            raise NotFittedError(f"This {type(self).__name__} instance is not fitted yet. Call 'fit' first.")

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_model")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.target_tags.required = True
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags


# ---- arguments -------------------------------------------------------------------------------------------------------


def _feature_names(records: Records) -> list[str]:
    return records.names if records.names is not None else [f"x{place}" for place in range(records.width)]


def _same_rows(rows: int, others: int, what: str) -> int:
    if rows not in (-1, others):
        raise ValueError(f"the sensitive attribute has {rows} rows, {what} {others}")
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
        try:
            yield file.name
        except EquipoiseError as error:
            raise _about_target(error, file.name) from None


def _about_target(error: EquipoiseError, path: str) -> EquipoiseError:
    """The mapping is at fault, not a file that nobody has seen."""
    if error.file != path and path not in error.message:
        return error
    message = error.message.replace(f'"{path}"', "target").replace(path, "target")
    return type(error)(message if "target" in message else f"target: {message}", error.hint or "")


def _global_output() -> str:
    """What ``sklearn.set_config`` says about frames."""
    sklearn: Any = sys.modules.get("sklearn")
    return str(sklearn.get_config().get("transform_output", "default")) if sklearn is not None else "default"
