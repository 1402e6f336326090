"""Exceptions and warnings: what the library's statuses become."""
from __future__ import annotations

import re
from typing import Union

__all__ = ["DataError", "EquipoiseError", "EquipoiseWarning", "InfeasibleError", "UsageError"]

_FRAME = "arrow"  # what the library calls the source of records that come from a frame
_NAMED_COLUMN = re.compile(r'column "(.*)"')
_USAGE, _DATA, _IO, _INFEASIBLE, _MEMORY = 2, 3, 4, 5, 6


class EquipoiseWarning(UserWarning):
    """A remark of the library about data, a rule or a draw."""


class EquipoiseError(Exception):
    """Something could not be done.

    Attributes: ``message``; ``hint``, the remedy where it is known; where the data came from a file ``file``, ``line``
    and ``column`` (1-based); where they came from a frame ``row`` (1-based, as in the message) and ``column``, its
    name. What is not known is ``None``.
    """

    def __init__(self, message: str, hint: str = "", file: str = "", line: int = 0, column: int = 0) -> None:
        super().__init__(message, hint, file, line, column)
        framed = file == _FRAME
        named = _NAMED_COLUMN.search(message) if framed else None
        self.message = message
        self.hint = hint or None
        self.file = None if framed else file or None
        self.line = None if framed else line or None
        self.row = line or None if framed else None
        self.column: Union[int, str, None] = named[1] if named else None if framed else column or None

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.file, self.line, self.column) if part is not None)
        text = f"{place}: {self.message}" if self.file is not None else self.message
        return f"{text}\nhint: {self.hint}" if self.hint else text


class UsageError(EquipoiseError, ValueError):
    """An option or argument makes no sense."""


class DataError(EquipoiseError, ValueError):
    """The data cannot be used; the message says where."""


class InfeasibleError(EquipoiseError):
    """No rule (or cohort) as asked for; the message names the best that can be reached."""


def exception_for(status: int, message: str, hint: str, file: str, line: int, column: int) -> BaseException:
    """The exception of a failed call; the extension raises it."""
    known = {_USAGE: UsageError, _DATA: DataError, _INFEASIBLE: InfeasibleError}
    if status in known:
        return known[status](message, hint, file, line, column)
    error = EquipoiseError(message, hint, file, line, column)
    if status == _IO:
        return OSError(str(error))
    return MemoryError(str(error)) if status == _MEMORY else error
