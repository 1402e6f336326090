"""Values in NumPy arrays and lists as columns that the extension hands over: (name, Arrow format, buffers)."""
from __future__ import annotations

import numbers
import sys
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

Column = tuple[str, str, tuple[Any, ...]]

_FORMATS = {"i1": "c", "u1": "C", "i2": "s", "u2": "S", "i4": "i", "u4": "I", "i8": "l", "u8": "L", "f2": "e", "f4": "f",
            "f8": "g"}
_BEYOND_DOUBLE = 2**53


def column(name: str, values: Any) -> Column:
    """One column. Numbers and booleans stay what they are; anything else becomes text; missing cells stay missing."""
    array = values.to_numpy() if hasattr(values, "to_numpy") else np.asarray(values)
    if array.ndim != 1:
        raise ValueError(f"column {name!r} must be 1-dimensional, not {array.ndim}-dimensional")
    if array.dtype.kind == "c":
        raise ValueError(f"Complex data not supported (column {name!r})")
    if array.dtype.kind == "O":
        return _objects(name, array)
    if array.dtype.kind == "b":
        return name, "b", (np.packbits(array, bitorder="little"),)
    if array.dtype.kind in "iuf":
        return _numbers(name, array)
    if array.dtype.kind == "S":
        array = np.char.decode(array, "utf-8")
    if array.dtype.kind not in "UT":
        raise TypeError(f"column {name!r} has the type {array.dtype}, which cannot be used")
    return _texts(name, array.tolist())


def _numbers(name: str, array: npt.NDArray[Any]) -> Column:
    if array.dtype.itemsize > 8:
        array = array.astype(np.float64)
    array = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("="))
    return name, _FORMATS[f"{array.dtype.kind}{array.dtype.itemsize}"], (array,)


def _is_missing(value: Any) -> bool:
    return value is None or value != value or type(value).__name__ in ("NAType", "NaTType")


def _is_number(value: Any) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, (bool, np.bool_))


def _is_double(value: Any) -> bool:
    return not isinstance(value, numbers.Integral) or abs(int(value)) < _BEYOND_DOUBLE


def _objects(name: str, array: npt.NDArray[Any]) -> Column:
    """Mixed cells: numbers when all are, else text."""
    cells = [None if _is_missing(value) else value for value in array.tolist()]
    present = [value for value in cells if value is not None]
    for value in present:
        if not isinstance(value, (str, bytes, bool, np.bool_, numbers.Real)):
            raise TypeError(f"argument must be a string or a number, not {type(value).__name__!r} (column {name!r})")
    if all(_is_number(value) and _is_double(value) for value in present):
        return _numbers(name, np.array([np.nan if value is None else float(value) for value in cells], dtype=np.float64))
    return _texts(name, cells)


def _text(value: Any) -> str:
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    return value.decode("utf-8") if isinstance(value, bytes) else str(value)


def _texts(name: str, cells: Iterable[Any]) -> Column:
    encoded = [b"" if value is None else _text(value).encode("utf-8") for value in cells]
    offsets = np.zeros(len(encoded) + 1, dtype=np.int64)
    np.cumsum([len(cell) for cell in encoded], out=offsets[1:])
    return name, "U", (offsets, b"".join(encoded))


def arrow_column(name: str, values: Any) -> Column:
    """The same through pyarrow where that is loaded, which turns long lists of text into buffers much faster."""
    pyarrow: Any = sys.modules.get("pyarrow")
    kind = getattr(getattr(values, "dtype", None), "kind", None)
    if pyarrow is None or kind not in ("O", "U"):
        return column(name, values)
    try:
        array = pyarrow.array(values, pyarrow.large_string(), from_pandas=True)
    except (pyarrow.ArrowException, TypeError, ValueError):
        return column(name, values)
    if isinstance(array, pyarrow.ChunkedArray):
        array = pyarrow.concat_arrays(array.chunks) if array.num_chunks != 1 else array.chunk(0)
    array = array.fill_null("")
    _, offsets, data = array.buffers()
    ends = np.frombuffer(offsets, dtype=np.int64)[array.offset : array.offset + len(array) + 1]
    return name, "U", (ends, data if data is not None else b"")
