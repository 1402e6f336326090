"""Studies: what any rule could reach on these data, and audits of columns that decided before."""
from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Optional, Union

from . import _core
from ._balanced_filter import CLUSTER, WEIGHT, BalancedFilter, _feature_names, _target_file
from ._choices import Sdc
from ._files import figures
from ._frames import Beside, Records
from ._labels import sensitive_names, sources
from ._progress import Progress, watching
from ._results import Audit, Comparison, Frontier, Path

__all__ = ["audit", "compare", "frontier", "plan_labels", "write_population"]

Watched = Union[bool, Progress]


def frontier(X: Any, sensitive: Any = None, *, sensitive_features: Any = None, sample_weight: Any = None,
             budgets: Optional[Sequence[float]] = None, yields: Optional[Sequence[float]] = None,
             labels: bool = False, progress: Watched = False, **parameters: Any) -> Frontier:
    """Learns rules for many budgets and yields and says what each reaches on unseen rows, beside the limit.

    With `labels`, also what more labels would bring at the knee, which takes longer. `X`, the sensitive attribute and further
    parameters are those of :class:`BalancedFilter`.
    """
    options = {"budgets": _reals(budgets), "yields": _reals(yields), "labels": labels}
    return Frontier(*_study(_core.frontier, X, sensitive, sensitive_features, sample_weight, options, progress, parameters))


def compare(X: Any, sensitive: Any = None, *, sensitive_features: Any = None, sample_weight: Any = None, label: Any = None,
            seeds: int = 20, methods: Optional[Sequence[str]] = None, budgets: Optional[Sequence[float]] = None,
            resume: Optional[Path] = None, progress: Watched = False, **parameters: Any) -> Comparison:
    """Learns with every method at every budget on random halves of the rows and measures on others.

    `label` (an array, or the name of a column of `X`) adds the effect on a model trained on the cohort; `resume` names
    a file in which finished parts are kept for a later run.
    """
    options = {"budgets": _reals(budgets), "seeds": seeds, "methods": ",".join(methods) if methods is not None else None,
               "resume": os.fspath(resume) if resume is not None else None}
    return Comparison(*_study(_core.compare, X, sensitive, sensitive_features, sample_weight, options, progress,
                              parameters, label))


def plan_labels(X: Any, sensitive: Any = None, *, imbalance: float, sensitive_features: Any = None, sample_weight: Any = None,
                confidence: float = 0.95, progress: Watched = False, **parameters: Any) -> dict[str, Any]:
    """How many labelled records an `imbalance` on unseen rows needs, from rules learned from parts of these.

    The learning curve and the intervals come with it, which hold with the `confidence`. `X`, the sensitive attribute and further
    parameters are those of :class:`BalancedFilter`, whose own `confidence` plays no part here. How many people a cohort needs,
    and how many labels a certificate, says :meth:`BalancedFilter.plan`.
    """
    def learn(table: Any, options: dict[str, Any], callback: Any) -> Any:
        return _core.plan_labels(table, options, imbalance, confidence, callback)

    return figures(_study(learn, X, sensitive, sensitive_features, sample_weight, {}, progress, parameters)[0])


def _study(call: Any, X: Any, sensitive: Any, sensitive_features: Any, sample_weight: Any, options: dict[str, Any],
           progress: Watched, parameters: dict[str, Any], label: Any = None) -> tuple[Any, str]:
    settings = BalancedFilter(**parameters)
    records = Records(X)
    predicted = records.beside(label, str(getattr(label, "name", None) or "label"))
    (attribute, names), table = table_of(settings, records, sensitive, sensitive_features, sample_weight, predicted)
    learning = settings._options(attribute, sample_weight is not None)
    if predicted.name is not None:
        learning["label"] = predicted.name
    with _target_file(settings.target, names) as target, watching(progress) as callback:
        return call(table, {**learning, "target": target, **options}, callback), records.kind


def table_of(settings: BalancedFilter, records: Records, sensitive: Any, sensitive_features: Any, sample_weight: Any,
             more: Optional[Beside] = None, required: bool = True) -> tuple[tuple[list[str], list[str]], Any]:
    """The sensitive attributes as they are asked for and by name, and a table of the library with their labels."""
    given = required or sensitive is not None or sensitive_features is not None
    labels = settings._labels(records, sensitive, sensitive_features) if given else []
    return sensitive_names(labels), settings._labelled(records, _feature_names(records), labels, sample_weight,
                                                       settings._read_as(sources(labels)), more)


def _reals(values: Optional[Sequence[float]]) -> Optional[list[float]]:
    return None if values is None else [float(value) for value in values]


def audit(X: Any, sensitive: Any = None, *, proxy: str, sensitive_features: Any = None, sample_weight: Any = None,
          max_disclosure: Optional[float] = None, confidence: float = 0.95, cluster: Any = None,
          multiple: Optional[str] = None, releases: int = 1, attempt: int = 1, sdc: Sdc = "default",
          sdc_threshold: Optional[int] = None, sdc_base: Optional[int] = None, progress: Watched = False) -> Audit:
    """Audits a column of `X` that is used to decide about people: what its values disclose about the groups.

    Rules of equipoise are audited by :meth:`BalancedFilter.audit`, which says what the options are.
    """
    records = Records(X)
    clusters = records.beside(cluster, CLUSTER)
    (attribute, _), table = table_of(BalancedFilter(), records, sensitive, sensitive_features, sample_weight, clusters)
    options = {"sensitive": attribute, "weight": WEIGHT if sample_weight is not None else None, "proxy": proxy,
               "max_disclosure": max_disclosure, "confidence": confidence, "cluster": clusters.name, "multiple": multiple,
               "releases": releases, "attempt": attempt, "sdc": sdc, "sdc_threshold": sdc_threshold, "sdc_base": sdc_base}
    with watching(progress) as callback:
        return Audit(_core.audit(None, table, options, callback), records.kind)


def write_population(path: Path, rows: int, *, seed: int = 1, with_group: bool = True) -> None:
    """Writes the synthetic population of the demonstration as CSV: a record number, eleven columns, group, label."""
    _core.population_write(os.fspath(path), rows, seed, with_group)
