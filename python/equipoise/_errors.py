"""Exceptions and warnings: what the library's statuses become."""
from __future__ import annotations

import re
import warnings
from collections.abc import Iterable
from typing import Optional, Union

__all__ = ["DataError", "EquipoiseError", "EquipoiseWarning", "InfeasibleError", "UsageError"]

_FRAME = "arrow"  # what the library calls the source of records that come from a frame
_NAMED_COLUMN = re.compile(r'column "(.*)"')
_USAGE, _DATA, _IO, _INFEASIBLE, _MEMORY = 2, 3, 4, 5, 6
_QUOTED = re.compile(r'"(.+)"')

# What the library says to people at a command line, in the words of this package; the first that fits.
_PYTHONS_WORDS = [(re.compile(pattern), words) for pattern, words in (
    (r'"?--sensitive ([^ =]+)=COLUMN"? names another column; "--about COLUMN" looks at another attribute',
     r'pass the labels of \1 as sensitive_features'),
    (r'^the Arrow stream gave no batch: (?=X has )', ''),
    (r'; "audit --model A --model B …" measures', r'; audit(further=[…]) measures'),
    (r'; prefer --id\b', '; prefer ids'),
    (r'with decimal commas, use a semicolon-separated file and --decimal ,', 'turn decimal commas into points'),
    (r'; other marks for missing cells: --missing', '; make other marks missing cells'),
    (r'if it means a missing cell, add it with --missing; if the column is text, name it with --text',
     'if it means a missing cell, make it one; if the column is text, turn it into text'),
    (r'if it means a missing cell, add it with --missing', 'if it means a missing cell, make it one'),
    (r'read it as text: --text ("[^"]*")', r'turn column \1 into text'),
    (r'(?:name fewer columns|name those to learn from) with --features', 'keep fewer columns in X'),
    (r'does not hold without --cluster COLUMN', 'does not hold for them'),
    (r'"?equipoise key new --signing FILE"?', 'equipoise key new'),
    (r'"?equipoise select --parts FILE"?', 'select_file(parts=…)'),
    (r'--id COL(?:UMN)?\b', 'id='),
    (r'--as "?(\w+)=([\w-]+)"?', r'kinds={"\1": "\2"}'),
    (r'--min-group (\d+)', r'min_group=\1'),
    (r'--method ([\w-]+)', r'method="\1"'),
    (r'--confidence (\S+?)(?=[,.;`]|\s|$)', r'confidence=\1'),
    (r'--size (\d+|M)\b', r'size=\1'),
    (r'--alternates (\d+)\b', r'alternates=\1'),
    (r'--([a-z]+(?:-[a-z]+)*)(?: [A-Z]+\b)?', lambda found: found[1].replace("-", "_") + "="),
)]


def in_pythons_words(text: str) -> str:
    """A message of the library without options of the command line."""
    for pattern, words in _PYTHONS_WORDS:
        text = pattern.sub(words, text)
    return text


def remark(texts: Iterable[str], stacklevel: int = 2) -> None:
    """Remarks of the library as warnings at the caller's line."""
    for text in texts:
        warnings.warn(in_pythons_words(text), EquipoiseWarning, stacklevel=stacklevel + 1)


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
        message, hint = in_pythons_words(message), in_pythons_words(hint)
        framed = file == _FRAME
        named = _NAMED_COLUMN.search(message) if framed else None
        self.message: str = message
        self.hint: Optional[str] = hint or None
        self.file: Optional[str] = None if framed else file or None
        self.line: Optional[int] = None if framed else line or None
        self.row: Optional[int] = line or None if framed else None
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


def exception_for(status: int, message: str, hint: str, file: str, line: int, column: int, system: int = 0) -> BaseException:
    """The exception of a failed call; the extension raises it."""
    known = {_USAGE: UsageError, _DATA: DataError, _INFEASIBLE: InfeasibleError}
    if status in known:
        return known[status](message, hint, file, line, column)
    error = EquipoiseError(message, hint, file, line, column)
    if status == _IO:
        return _system_error(error, system)
    return MemoryError(str(error)) if status == _MEMORY else error


def _system_error(error: EquipoiseError, system: int) -> OSError:
    """With errno, and as FileNotFoundError, PermissionError and so on, where the system said why."""
    if system == 0:
        return OSError(str(error))
    named: Optional[re.Match[str]] = _QUOTED.search(error.message)
    text = str(error) if named is None else error.message.split(": ")[-1]
    return OSError(system, text, named[1]) if named is not None else OSError(system, text)
