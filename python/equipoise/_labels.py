"""Sensitive attributes: what people pass as labels, and which attribute of a rule each of them is.

Labels are matched by name; labels without a name by their values. What is neither an attribute of the rule nor holds its
groups raises: a figure about another attribute would be worse than none.
"""
from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple, Optional

import numpy as np

from ._columns import Column, arrow_column, is_missing, spelled
from ._errors import UsageError
from ._frames import Records, duckdb_table, is_series, kind_of

_UNNAMED = "sensitive"  # the attribute of labels without a name
_TIMES = " × "  # joins the values of combined groups


class Label(NamedTuple):
    """One attribute: its name, if it has one, and its values, unless they are a column of X.

    An attribute whose groups people tick has a label for each of its columns: `name` is that of the group, `ticked` that of
    the attribute."""

    name: Optional[str]
    values: Any
    column: Optional[str] = None
    ticked: Optional[str] = None

    @property
    def attribute(self) -> str:
        return self.name if self.name is not None else _UNNAMED

    @property
    def source(self) -> str:
        """The column of the table that holds it."""
        return self.column or self.attribute


def sources(labels: Sequence[Label]) -> list[str]:
    return [label.source for label in labels]


def sensitive_names(labels: Sequence[Label]) -> tuple[list[str], list[str]]:
    """The attributes as the library is asked for them ("race=black,asian" where they are ticked), and their names."""
    asked: list[str] = []
    names: list[str] = []
    for label in labels:
        if label.ticked is not None and names and names[-1] == label.ticked:
            asked[-1] += f",{label.source}"
            continue
        names.append(label.source if label.ticked is None else label.ticked)
        asked.append(label.source if label.ticked is None else f"{label.ticked}={label.source}")
    return asked, names


def read_labels(given: Any, records: Records) -> list[Label]:
    """Labels from an array, a list, a series, a frame, a mapping, or from names of columns of X."""
    if isinstance(given, (str, int)) and not isinstance(given, bool):
        name = records.column_named(given)
        return [Label(name, None, name)]
    if _are_names(given, records):
        return [Label(name, None, name) for name in map(records.column_named, given)]
    if isinstance(given, dict):
        return [label for name, values in given.items() for label in _of_mapping(str(name), values, records)]
    return _apart(_values(given), records)


def _apart(labels: list[Label], records: Records) -> list[Label]:
    for label in labels:
        if records.names is not None and label.name in records.names:
            raise UsageError(f'"{label.name}" is both a column of X and the sensitive attribute',
                             f'leave it out of X, or pass sensitive_features="{label.name}"')
    return labels


def _are_names(given: Any, records: Records) -> bool:
    """A list could be labels; it is taken for names when all of them are columns of X and there are fewer than rows."""
    if not isinstance(given, (tuple, list)) or not given or not all(isinstance(name, str) for name in given):
        return False
    if isinstance(given, tuple):
        return True
    return records.names is not None and set(given) <= set(records.names) and len(given) < records.rows(len(given) + 1)


def _of_mapping(name: str, values: Any, records: Records) -> list[Label]:
    if isinstance(values, str):
        return [Label(name, None, records.column_named(values))]
    if _are_names(values, records):
        return _ticks(name, [Label(column, None, column) for column in map(records.column_named, values)])
    if isinstance(values, dict):
        return _ticks(name, [label for group in values.items() for label in _of_mapping(str(group[0]), group[1], records)])
    if not is_series(values) and (kind_of(values) in ("pandas", "polars", "duckdb") or hasattr(values, "column_names")):
        return _ticks(name, _apart(_values(values), records))
    return [Label(name, values.to_numpy() if hasattr(values, "to_numpy") else np.asarray(values))]


def _ticks(attribute: str, labels: Sequence[Label]) -> list[Label]:
    """Columns of 0 and 1, one for each group of the attribute."""
    for name in (attribute, *(label.source for label in labels)):
        if "," in name or "=" in name:
            raise UsageError(f'groups are ticked in columns without "," and "=" in their names, and "{name}" has one')
    if len(labels) < 2:
        raise UsageError(f'"{attribute}" has a column for only one group', "give the values themselves, or a column for each group")
    return [label._replace(ticked=attribute) for label in labels]


def _values(given: Any) -> list[Label]:
    kind = kind_of(given)
    if is_series(given):
        named = isinstance(given.name, str) and given.name
        return [Label(given.name if named else None, given.to_numpy())]
    if kind == "pyarrow" and not hasattr(given, "column_names"):
        return [Label(None, np.asarray(given))]
    if kind == "pandas":
        return [Label(str(name), given.iloc[:, place].to_numpy()) for place, name in enumerate(given.columns)]
    if kind != "numpy":
        frame = duckdb_table(given) if kind == "duckdb" else given
        names = frame.column_names if hasattr(frame, "column_names") else frame.columns
        return [Label(str(name), np.asarray(frame[name])) for name in names]
    array = given if isinstance(given, np.ndarray) else _array_of(given)
    if array.ndim == 2 and array.shape[1] != 1:
        return [Label(f"{_UNNAMED}_{place + 1}", array[:, place]) for place in range(array.shape[1])]
    return [Label(None, array.reshape(-1))]


def _array_of(given: Any) -> Any:
    """A list as an array; mixed cells stay as they are, so that None is missing and 1 is not "1"."""
    array = np.asarray(given)
    if array.dtype.kind == "U" and isinstance(given, (list, tuple)) and not all(isinstance(value, str) for value in given):
        return np.array(given, dtype=object)
    return array


def columns_of(labels: Sequence[Label]) -> tuple[list[Column], int]:
    """The columns that stand beside X, and how many rows they have; -1 when there are none."""
    beside = [label for label in labels if label.column is None]
    return [arrow_column(label.attribute, label.values) for label in beside], (len(beside[0].values) if beside else -1)


# ---- which attribute of the rule ---------------------------------------------------------------------------------------


def matched(labels: Sequence[Label], described: dict[str, Any], records: Records) -> list[Label]:
    """The labels in the order of the rule's attributes, each under its attribute's name."""
    attributes: list[str] = described["columns"]
    if len(labels) != len(attributes):
        raise UsageError(f"the rule is about {_listed(attributes)}: {_counted(len(attributes))}, not {len(labels)}")
    by_name = {label.name: label for label in labels if label.name in attributes}
    others = iter([label for label in labels if label.name not in attributes])
    found = []
    for attribute in attributes:
        label = by_name.get(attribute)
        if label is None:
            label = next(others)
            _require_groups(label, attribute, described, records)
        found.append(label)
    return found


def _counted(count: int) -> str:
    return "one attribute" if count == 1 else f"{count} attributes"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(json.dumps(name, ensure_ascii=False) for name in names)


def _known_values(attribute: str, described: dict[str, Any]) -> set[str]:
    if not described["intersect"]:
        return {group["value"] for group in described["groups"] if group["attribute"] == attribute}
    place, count = described["columns"].index(attribute), len(described["columns"])
    parts = [group["value"].split(_TIMES) for group in described["groups"]]
    return {part[place] for part in parts if len(part) == count}


def _require_groups(label: Label, attribute: str, described: dict[str, Any], records: Records) -> None:
    """Labels without a name, or of a rule whose attribute has none, must hold the groups of the attribute."""
    numbered = attribute == _UNNAMED or attribute.startswith(f"{_UNNAMED}_")
    if label.name is not None and not numbered and not label.name.startswith(f"{_UNNAMED}_"):
        raise UsageError(f"the rule is about {_listed([attribute])}, and the labels are {_listed([label.name])}",
                         f'if they are the same attribute, pass sensitive_features={{"{attribute}": …}}')
    values = label.values if label.column is None else records.values_of(label.column)
    known = _known_values(attribute, described)
    separator = described.get("multiple")
    pooled = described.get("pooled", 0) > 0 and _mostly_known(values, known)  # the others are those of small groups
    for value in _distinct(values):
        parts = [spelled(value)] if separator is None else [part.strip(" ") for part in spelled(value).split(separator)]
        if not pooled and not {part for part in parts if part} <= known:
            raise UsageError(f"{spelled(value)!r} is none of the groups of {_listed([attribute])}: these labels are of another "
                             "attribute", "groups are " + ", ".join(sorted(known)[:8]) + (", …" if len(known) > 8 else ""))


def _mostly_known(values: Any, known: set[str]) -> bool:
    """Whether most labels are groups of the rule."""
    found = [spelled(value) in known for value in np.asarray(values).tolist() if not is_missing(value) and value != ""]
    return 2 * sum(found) > len(found)


def _distinct(values: Any) -> list[Any]:
    array = np.asarray(values)
    unique = np.unique(array) if array.dtype.kind in "iufbUSM" else dict.fromkeys(array.tolist())
    return [value for value in unique if not is_missing(value) and value != ""]
