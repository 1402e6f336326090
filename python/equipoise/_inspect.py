"""What each column is, before anything is learned."""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Optional, Union

from . import _core
from ._balanced_filter import BalancedFilter, _target_file
from ._choices import Kind
from ._frames import Names, Records
from ._progress import Progress, watching
from ._results import Result
from ._studies import table_of

__all__ = ["Inspection", "inspect"]


class Inspection(Result):
    """Columns, worst first: kind, what each discloses by itself, whether a rule would use it."""

    def rows(self) -> list[dict[str, Any]]:
        """One entry per column."""
        return [dict(column) for column in self["columns"]]

    @property
    def used(self) -> list[str]:
        """The columns that a rule would use."""
        return [column["name"] for column in self["columns"] if column["used"]]


def inspect(X: Any, sensitive: Any = None, *, sensitive_features: Any = None, sample_weight: Any = None, keep: Optional[Names] = None,
            kinds: Optional[Mapping[str, Kind]] = None, max_disclosure: float = 0.2, min_group: int = 0,
            progress: Union[bool, Progress] = False, **parameters: Any) -> Inspection:
    """Looks at every row of `X` and says of each column what it holds, what it discloses about the groups by itself, and
    whether a rule would use it.

    The sensitive attribute may be left out; nothing is said about disclosure then. Columns in `keep` are used though they
    would be left out, and `kinds` says what columns are: "number", "levels", "date",
    "day-first", "month-first" or "identifier". Further parameters are those of
    :class:`BalancedFilter`. Notices come as warnings.
    """
    settings = BalancedFilter(max_disclosure, keep=keep, kinds=kinds, min_group=min_group, **parameters)
    records = Records(X)
    (attribute, names), table = table_of(settings, records, sensitive, sensitive_features, sample_weight, required=False)
    options = settings._options(attribute, sample_weight is not None)
    with _target_file(settings.target if attribute else "uniform", names) as target, watching(progress) as callback:
        return Inspection(_core.inspect(table, {**options, "target": target}, callback), records.kind)
