"""Values in NumPy arrays and lists as columns that the extension hands over: (name, Arrow format, buffers).

A cell is spelled as a file has it: dates as 2024-05-31, moments as 2024-05-31 08:30:00 (of UTC, with a Z, where they have
a zone), durations as seconds, truth as true and false.
"""
from __future__ import annotations

import datetime
import decimal
import numbers
import sys
import uuid
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

Column = tuple[str, str, tuple[Any, ...]]

_FORMATS = {"i1": "c", "u1": "C", "i2": "s", "u2": "S", "i4": "i", "u4": "I", "i8": "l", "u8": "L", "f2": "e", "f4": "f",
            "f8": "g"}
_BEYOND_DOUBLE = 2**53
_SPELLED = (str, bytes, bool, np.bool_, uuid.UUID, datetime.date, datetime.time)  # a datetime is a date
_BY_NAME = ("Interval", "Period")  # of pandas: what they print


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
    if array.dtype.kind == "m":
        return _numbers(name, np.where(np.isnat(array), np.nan, array / np.timedelta64(1, "s")))
    if array.dtype.kind == "M":
        return _texts(name, _moments(array))
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


def _moments(array: npt.NDArray[Any]) -> list[Any]:
    if np.datetime_data(array.dtype)[0] in ("Y", "M", "W", "D"):
        return [None if missing else text for text, missing in zip(np.datetime_as_string(array, unit="D"), np.isnat(array))]
    texts = np.datetime_as_string(array.astype("M8[ns]"), unit="ns")
    return [None if missing else _trimmed(text.replace("T", " ")) for text, missing in zip(texts.tolist(), np.isnat(array))]


def _trimmed(text: str) -> str:
    """Without the zeros at the end of a fraction."""
    return text.rstrip("0").rstrip(".") if "." in text else text


def is_missing(value: Any) -> bool:
    """None, NaN, NaT and pandas' NA."""
    return value is None or type(value).__name__ in ("NAType", "NaTType") or bool(value != value)


def _is_number(value: Any) -> bool:
    return isinstance(value, (numbers.Real, decimal.Decimal)) and not isinstance(value, (bool, np.bool_))


def _is_double(value: Any) -> bool:
    return bool(value % 1 != 0 or abs(value) < _BEYOND_DOUBLE)


def _objects(name: str, array: npt.NDArray[Any]) -> Column:
    """Mixed cells: numbers when all are, else text."""
    cells = [None if is_missing(value) else value for value in array.tolist()]
    cells = [value.total_seconds() if isinstance(value, datetime.timedelta) else value for value in cells]
    present = [value for value in cells if value is not None]
    for value in present:
        if not (isinstance(value, _SPELLED) or _is_number(value) or type(value).__name__ in _BY_NAME):
            raise TypeError(f"argument must be a string or a number, not {type(value).__name__!r} (column {name!r})")
    if all(_is_number(value) and _is_double(value) for value in present):
        return _numbers(name, np.array([np.nan if value is None else float(value) for value in cells], dtype=np.float64))
    return _texts(name, cells)


def spelled(value: Any) -> str:
    """One cell as the text that a file would have."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, datetime.datetime):
        zoned = value.tzinfo is not None
        value = value.astimezone(datetime.timezone.utc).replace(tzinfo=None) if zoned else value
        return _trimmed(value.isoformat(sep=" ")) + ("Z" if zoned else "")
    if isinstance(value, (datetime.date, datetime.time)):
        return _trimmed(value.isoformat())
    if isinstance(value, (float, np.floating)):
        number = float(value)
        return str(int(number)) if number % 1 == 0 and abs(number) < _BEYOND_DOUBLE else repr(number)
    return value.decode("utf-8") if isinstance(value, bytes) else str(value)


def _texts(name: str, cells: Iterable[Any]) -> Column:
    encoded = [b"" if value is None else spelled(value).encode("utf-8") for value in cells]
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
