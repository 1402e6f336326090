"""Exceptions and warnings: what the library's statuses become."""
from __future__ import annotations

__all__ = ["DataError", "EquipoiseError", "EquipoiseWarning", "InfeasibleError", "UsageError"]

_USAGE, _DATA, _IO, _INFEASIBLE, _MEMORY = 2, 3, 4, 5, 6


class EquipoiseWarning(UserWarning):
    """A remark of the library about data, a rule or a draw."""


class EquipoiseError(Exception):
    """Something could not be done.

    Attributes: ``message``; ``hint``, the remedy where it is known; ``file``, ``line`` and ``column`` (1-based)
    where the data came from a file, else ``None``.
    """

    def __init__(self, message: str, hint: str = "", file: str = "", line: int = 0, column: int = 0) -> None:
        super().__init__(message, hint, file, line, column)
        self.message = message
        self.hint = hint or None
        self.file = file or None
        self.line = line or None
        self.column = column or None

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.file, self.line, self.column) if part is not None)
        text = f"{place}: {self.message}" if place else self.message
        return f"{text}\nhint: {self.hint}" if self.hint else text


class UsageError(EquipoiseError, ValueError):
    """An option or argument makes no sense."""


class DataError(EquipoiseError, ValueError):
    """The data cannot be used; the message says where."""


class InfeasibleError(EquipoiseError):
    """No rule (or cohort) as asked for; the message names the best that can be reached."""


def exception_for(status: int, message: str, hint: str, file: str, line: int, column: int) -> BaseException:
    """The exception of a failed call; the extension raises it. Frames have no file, so their source says nothing."""
    file = "" if file == "arrow" else file
    known = {_USAGE: UsageError, _DATA: DataError, _INFEASIBLE: InfeasibleError}
    if status in known:
        return known[status](message, hint, file, line, column)
    error = EquipoiseError(message, hint, file, line, column)
    if status == _IO:
        return OSError(str(error))
    return MemoryError(str(error)) if status == _MEMORY else error
