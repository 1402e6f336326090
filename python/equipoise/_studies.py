"""Studies: what any rule could reach on these data, and audits of columns that decided before."""
from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Optional, Union

from . import _core
from ._balanced_filter import WEIGHT, BalancedFilter, _target_file
from ._frames import Records
from ._progress import Progress, watching
from ._results import Audit, Frontier, Path

__all__ = ["audit", "frontier", "write_population"]

Watched = Union[bool, Progress]


def frontier(X: Any, sensitive: Any = None, *, sensitive_features: Any = None, sample_weight: Any = None,
             budgets: Optional[Sequence[float]] = None, yields: Optional[Sequence[float]] = None,
             progress: Watched = False, **parameters: Any) -> Frontier:
    """Learns rules for many budgets and yields and says what each reaches on unseen rows, beside the limit.

    `X`, the sensitive attribute and further parameters are those of :class:`BalancedFilter`.
    """
    options = {"budgets": _reals(budgets), "yields": _reals(yields)}
    return Frontier(*_study(_core.frontier, X, sensitive, sensitive_features, sample_weight, options, progress, parameters))


def _study(call: Any, X: Any, sensitive: Any, sensitive_features: Any, sample_weight: Any, options: dict[str, Any],
           progress: Watched, parameters: dict[str, Any]) -> tuple[Any, str]:
    settings = BalancedFilter(**parameters)
    records = Records(X)
    names = records.names if records.names is not None else [f"x{place}" for place in range(records.width)]
    attribute, _, table = settings._labelled(records, names, sensitive, sensitive_features, sample_weight)
    learning = settings._options(attribute, sample_weight is not None)
    with _target_file(settings.target, attribute) as target, watching(progress) as callback:
        return call(table, {**learning, "target": target, **options}, callback), records.kind


def _reals(values: Optional[Sequence[float]]) -> Optional[list[float]]:
    return None if values is None else [float(value) for value in values]


def audit(X: Any, sensitive: Any = None, *, proxy: str, sensitive_features: Any = None, sample_weight: Any = None,
          max_disclosure: Optional[float] = None, confidence: float = 0.95, progress: Watched = False) -> Audit:
    """Audits a column of `X` that is used to decide about people: what its values disclose about the groups.

    Rules of equipoise are audited by :meth:`BalancedFilter.audit`.
    """
    records = Records(X)
    names = records.names if records.names is not None else [f"x{place}" for place in range(records.width)]
    attribute, _, table = BalancedFilter()._labelled(records, names, sensitive, sensitive_features, sample_weight)
    options = {"sensitive": attribute, "weight": WEIGHT if sample_weight is not None else None, "proxy": proxy,
               "max_disclosure": max_disclosure, "confidence": confidence}
    with watching(progress) as callback:
        return Audit(_core.audit(None, table, options, callback), records.kind)


def write_population(path: Path, rows: int, *, seed: int = 1, with_group: bool = True) -> None:
    """Writes the synthetic population of the demonstration as CSV: a record number, eleven columns, group, label."""
    _core.population_write(os.fspath(path), rows, seed, with_group)
