"""Frames of any kind: which columns they have, how the library reads them, how rows are taken from them.

Whatever speaks the Arrow PyCapsule protocol is handed over without copies; NumPy arrays, lists and dicts of columns,
and pandas without pyarrow, go over as the buffers of their columns.
"""
from __future__ import annotations

import importlib.util
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Optional, Union

import numpy as np
import numpy.typing as npt

from . import _core
from ._columns import Column, arrow_column, column
from ._errors import UsageError

Table = Any  # a capsule of the extension
Names = Union[str, Sequence[str]]  # of columns; a text is one name


def listed(names: Optional[Names]) -> Optional[str]:
    """Names of columns as the library takes them, or None."""
    given = [str(name) for name in ((names,) if isinstance(names, (str, int)) else names or ())]
    for name in given:
        if "," in name:
            raise UsageError(f'the column "{name}" has a comma in its name, and names are told apart by commas', "rename it")
    return ",".join(given) or None


def listed_kinds(kinds: Optional[Mapping[str, str]]) -> Optional[str]:
    """What columns hold, as the library takes it."""
    return listed([f"{name}={kind}" for name, kind in (kinds or {}).items()])


def reading(text: Sequence[str], kinds: Optional[Mapping[str, str]] = None, missing: Optional[Names] = None) -> dict[str, Any]:
    """How columns are read: those of `text`, and levels, as text; numbers also where they are spelled as text."""
    called = {kind: [str(name) for name, said in (kinds or {}).items() if said == kind] for kind in ("levels", "number")}
    return {"text_columns": [*text, *called["levels"]], "number_columns": called["number"], "missing": listed(missing)}


def kind_of(frame: Any) -> str:
    """"pandas", "polars", "pyarrow", "duckdb", "arrow" (anything else that speaks it), "dict" or "numpy"."""
    package = type(frame).__module__.split(".")[0]
    if package in ("_duckdb", "duckdb"):
        return "duckdb"
    if package in ("pandas", "polars", "pyarrow"):
        return package
    if hasattr(frame, "__arrow_c_stream__"):
        return "arrow"
    return "dict" if isinstance(frame, dict) else "numpy"


def duckdb_table(relation: Any) -> Any:
    """A relation as a pyarrow table, under the name that its version has for it."""
    return relation.to_arrow_table() if hasattr(relation, "to_arrow_table") else relation.fetch_arrow_table()


def is_series(values: Any) -> bool:
    return kind_of(values) in ("pandas", "polars") and getattr(values, "ndim", 1 if "Series" in type(values).__name__ else 2) == 1


class Beside(NamedTuple):
    """Something said about the rows: the name of its column, and where X has none of that name, the column."""

    name: Optional[str]
    columns: list[Column] = []
    rows: int = -1


class Records:
    """A frame of features as the library sees it."""

    def __init__(self, frame: Any) -> None:
        self.kind = kind_of(frame)
        if self.kind == "polars" and type(frame).__name__ == "LazyFrame":
            frame = frame.collect()
        if self.kind == "numpy":
            frame = _matrix(frame)
        self.frame = frame
        self.names = _names(frame, self.kind)
        self.width = frame.shape[1] if self.kind == "numpy" else len(self.names or ())
        if self.width == 0:
            rows = frame.shape[0] if hasattr(frame, "shape") else 0
            raise ValueError(f"Found array with 0 feature(s) (shape=({rows}, 0)) while a minimum of 1 is required.")

    def table(self, names: Sequence[str], extra: Sequence[Column] = (), rows: int = -1,
              reading: Optional[dict[str, Any]] = None) -> Table:
        """The features under `names` and the extra columns, as a table of the library.

        `reading` says what cells mean: "text_columns", "number_columns" and the marks of "missing" cells.
        """
        return _core.table(*self.handed_over(names, extra, rows), reading or {})

    def column_named(self, given: Any) -> str:
        """The name of a column of X, which may be a whole number there."""
        if self.names is None:
            raise UsageError(f"no column {given!r} in X: it is an array, whose columns have no names")
        if str(given) not in self.names:
            raise UsageError(f"no column {given!r} in X")
        return str(given)

    def beside(self, given: Any, name: str) -> Beside:
        """Values for the rows, or the name of a column of X."""
        if given is None or isinstance(given, (str, int)):
            return Beside(None if given is None else self.column_named(given))
        values = given if hasattr(given, "dtype") else np.asarray(given)
        return Beside(name, [arrow_column(name, values)], len(values))

    def values_of(self, name: str) -> npt.NDArray[Any]:
        """The values of a named column."""
        place = (self.names or []).index(name)
        if self.kind == "pandas":
            return np.asarray(self.frame.iloc[:, place])
        if self.kind == "dict":
            return np.asarray(list(self.frame.values())[place])
        frame = duckdb_table(self.frame) if self.kind == "duckdb" else self.frame
        return np.asarray(frame[name])

    def rows(self, otherwise: int) -> int:
        """How many rows there are, where the frame says so."""
        return self._rows() if self.kind == "dict" or hasattr(self.frame, "__len__") else otherwise

    def handed_over(self, names: Sequence[str], extra: Sequence[Column] = (), rows: int = -1,
                    in_order: bool = True) -> tuple[Any, list[Column], int]:
        """The features and the extra columns as the extension takes them: a stream, or None, columns beside it, and how
        many rows those have. Where the order of the columns does not matter, pandas' numbers go over as they lie."""
        if self.kind == "pandas" and not in_order:
            stream, columns = _pandas_halves(self.frame, names)
        else:
            stream, columns = self._stream(names), []
        if stream is None and not columns:
            columns = self._columns(names)
        if not columns:
            return stream, list(extra), max(rows, 0)
        count = self._rows()
        if extra and rows != count:
            raise ValueError(f"X has {count} rows, the values given with it {rows}")
        return stream, [*columns, *extra], count

    def only(self, wanted: Sequence[str]) -> Records:
        """The wanted columns, so that others, whatever they hold, are not looked at. Arrays stay whole."""
        if self.names is None or self.kind == "arrow":
            return self
        kept = [name for name in self.names if name in set(wanted)]
        if len(kept) == len(self.names) or not kept:
            return self
        places = [self.names.index(name) for name in kept]
        if self.kind == "pandas":
            return Records(self.frame.iloc[:, places])
        if self.kind == "dict":
            return Records({name: values for name, values in self.frame.items() if str(name) in kept})
        if self.kind == "duckdb":
            return Records(self.frame.project(", ".join('"' + name.replace('"', '""') + '"' for name in kept)))
        return Records(self.frame.select(kept)) if hasattr(self.frame, "select") else self

    def _rows(self) -> int:
        if self.kind == "dict":
            lengths = {len(values) for values in self.frame.values()}
            if len(lengths) != 1:
                raise ValueError("the columns do not all have the same length")
            return lengths.pop()
        return len(self.frame)

    def _stream(self, names: Sequence[str]) -> Any:
        if self.kind in ("numpy", "dict"):
            return None
        if self.kind == "pandas":
            return _pandas_stream(self.frame, names)
        if hasattr(self.frame, "__arrow_c_stream__"):
            return self.frame.__arrow_c_stream__()
        if self.kind == "duckdb":
            return duckdb_table(self.frame).__arrow_c_stream__()
        raise TypeError(f"{type(self.frame).__name__} cannot be used as a frame")

    def _columns(self, names: Sequence[str]) -> list[Column]:
        if self.kind == "dict":
            return [column(name, values) for name, values in zip(names, self.frame.values())]
        if self.kind == "pandas":
            return [column(name, self.frame.iloc[:, place]) for place, name in enumerate(names)]
        return [column(name, self.frame[:, place]) for place, name in enumerate(names)]


def _matrix(values: Any) -> npt.NDArray[Any]:
    if type(values).__module__.startswith("scipy.sparse"):
        raise TypeError("Sparse data was passed, but dense data is required. Use '.toarray()' to convert it.")
    array = np.asarray(values)
    if array.ndim != 2:
        raise ValueError(f"Expected 2D array, got {array.ndim}D array instead. Reshape your data with array.reshape(-1, 1) "
                         "if it has a single feature, or array.reshape(1, -1) if it is a single record.")
    if array.dtype.kind == "c":
        raise ValueError("Complex data not supported")
    if array.shape[0] == 0:
        raise ValueError(f"Found array with 0 sample(s) (shape={array.shape}) while a minimum of 1 is required.")
    return array


def _names(frame: Any, kind: str) -> Optional[list[str]]:
    """The names of the columns, or None for arrays."""
    if kind == "numpy":
        return None
    if kind == "dict":
        return [str(name) for name in frame]
    if hasattr(frame, "column_names"):
        return list(frame.column_names)
    if hasattr(frame, "columns"):
        return [str(name) for name in frame.columns]
    if hasattr(getattr(frame, "schema", None), "names"):
        return list(frame.schema.names)
    raise TypeError(f"{type(frame).__name__} does not say which columns it has")


def _pandas_stream(frame: Any, names: Sequence[str]) -> Any:
    """Through pyarrow, without the index; None when pyarrow is missing or cannot represent a column."""
    if importlib.util.find_spec("pyarrow") is None:
        return None
    import pyarrow

    frame = _without_ranges(frame)
    try:
        whole = {place for place, dtype in enumerate(frame.dtypes) if str(dtype) == "category" and _all_present(frame.iloc[:, place])}
        others = [place for place in range(len(names)) if place not in whole]
        plain = pyarrow.Table.from_pandas(frame.iloc[:, others], preserve_index=False).columns if others else []
        columns = {**dict(zip(others, plain)), **{place: _categories(frame.iloc[:, place]) for place in whole}}
    except (pyarrow.ArrowException, TypeError, ValueError):
        return None
    return pyarrow.Table.from_arrays([columns[place] for place in range(len(names))], names=list(names)).__arrow_c_stream__()


def _is_range(dtype: Any) -> bool:
    """Intervals and periods, for which Arrow has numbers and structs."""
    return str(dtype).startswith(("interval", "period"))


def _without_ranges(frame: Any) -> Any:
    """Intervals and periods as the texts that they print, also where they are categories."""
    dtypes = list(frame.dtypes)
    ranges = [place for place, dtype in enumerate(dtypes) if _is_range(dtype) or _is_range(_categories_of(dtype))]
    if not ranges:
        return frame
    frame = frame.set_axis(range(len(dtypes)), axis=1)
    for place in ranges:
        series = frame[place]
        if _is_range(dtypes[place]):
            frame[place] = series.astype(object).where(series.notna()).map(str, na_action="ignore")
        else:
            frame[place] = series.cat.rename_categories([str(category) for category in series.cat.categories])
    return frame


def _categories_of(dtype: Any) -> Any:
    return getattr(getattr(dtype, "categories", None), "dtype", None)


def _all_present(categorical: Any) -> bool:
    return bool(len(categorical) > 0 and categorical.array.codes.min() >= 0)


def _categories(categorical: Any) -> Any:
    """Codes and categories as they lie; pyarrow's own way looks every code up twice."""
    import pyarrow

    return pyarrow.DictionaryArray.from_arrays(pyarrow.array(categorical.array.codes),
                                               pyarrow.array(categorical.array.categories), safe=False)


def _pandas_halves(frame: Any, names: Sequence[str]) -> tuple[Any, list[Column]]:
    """Columns of plain numbers as buffers, the others as a stream; only buffers, or neither, without pyarrow."""
    plain = [isinstance(dtype, np.dtype) and dtype.kind in "iuf" for dtype in frame.dtypes]
    others = [place for place, numbers in enumerate(plain) if not numbers]
    stream = _pandas_stream(frame.iloc[:, others], [names[place] for place in others]) if others else None
    if others and stream is None:
        return None, []
    return stream, [column(names[place], frame.iloc[:, place]) for place, numbers in enumerate(plain) if numbers]


# ---- rows out --------------------------------------------------------------------------------------------------------


def take(values: Any, rows: npt.NDArray[np.intp]) -> Any:
    """The given rows of a frame, a series or a list, in its own kind."""
    if values is None:
        return None
    kind = kind_of(values)
    if kind == "pandas":
        return values.iloc[rows]
    if kind == "polars":
        return (values.collect() if type(values).__name__ == "LazyFrame" else values)[rows]
    if kind == "pyarrow":
        return values.take(rows)
    if kind == "duckdb":
        return _duckdb_take(values, rows)
    if kind == "arrow":
        import pyarrow

        return pyarrow.table(values).take(rows)
    if kind == "dict":
        return {name: np.asarray(value)[rows] for name, value in values.items()}
    return [values[row] for row in rows] if isinstance(values, list) else np.asarray(values)[rows]


def _duckdb_take(relation: Any, rows: npt.NDArray[np.intp]) -> Any:
    """A relation over the chosen rows, in the order in which the relation gave them."""
    import duckdb

    return duckdb.from_arrow(duckdb_table(relation).take(rows))


def frame_from(columns: dict[str, Any], kind: str) -> Any:
    """A new frame of a kind: pandas unless the caller's own kind is another one that is at hand."""
    if kind == "polars":
        import polars

        return polars.DataFrame(columns)
    if kind in ("pyarrow", "duckdb"):
        import pyarrow

        return pyarrow.table(columns)
    try:
        import pandas
    except ImportError:
        return columns
    return pandas.DataFrame(columns)
