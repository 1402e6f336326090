"""What each column is, before anything is learned."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Optional, Union

from . import _core
from ._frames import Records
from ._labels import columns_of, read_labels, sensitive_names, sources
from ._progress import Progress, watching
from ._results import Result

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


def inspect(X: Any, sensitive: Any = None, *, keep: Sequence[str] = (), kinds: Optional[Mapping[str, str]] = None,
            max_disclosure: Optional[float] = None, min_group: int = 0,
            progress: Union[bool, Progress] = False, multiple: Optional[str] = None) -> Inspection:
    """Looks at every row of `X` and says of each column what it holds, what it discloses about the groups by itself, and
    whether a rule would use it.

    `sensitive` (a column of `X`, or values, or a mapping, as `fit` takes it) may be left out; nothing is said about disclosure
    then. `multiple` is what stands between several groups in one label. Columns in `keep` are used though they would be left
    out, and `kinds` says what columns are: "number", "levels" or "identifier". Notices come as warnings.
    """
    records = Records(X)
    names = records.names if records.names is not None else [f"x{place}" for place in range(records.width)]
    labels = read_labels(sensitive, records) if sensitive is not None else []
    text = [*sources(labels), *(name for name, kind in (kinds or {}).items() if kind == "levels")]
    table = records.table(names, *columns_of(labels), {"text_columns": text})
    options = {"sensitive": sensitive_names(labels)[0], "multiple": multiple, "keep": ",".join(keep) or None,
               "max_disclosure": max_disclosure, "min_group": min_group,
               "kinds": ",".join(f"{name}={kind}" for name, kind in (kinds or {}).items()) or None}
    with watching(progress) as callback:
        return Inspection(_core.inspect(table, options, callback), records.kind)
