"""What a learned rule does with files and engines: draws, exact cohorts, commitments, SQL."""
from __future__ import annotations

import json
import os
import warnings
from collections.abc import Sequence
from typing import Any, Optional

from . import _core
from ._errors import EquipoiseWarning, UsageError
from ._keys import Key, KeyLike
from ._progress import watching
from ._results import Path

__all__ = ["FileDraws", "merge_files"]


class FileDraws:
    """The part of BalancedFilter that works on CSV files; records pass without becoming Python objects."""

    _model: Any
    verbose: Any

    def _check_fitted(self) -> None:
        raise NotImplementedError

    def _key_for(self, key: Optional[KeyLike]) -> Key:
        raise NotImplementedError

    def _threads(self) -> int:
        raise NotImplementedError

    def _draw_options(self, id: Optional[str], randomness: Optional[str], excel_safe: bool = False) -> dict[str, Any]:
        self._check_fitted()
        return {"id": id, "randomness": randomness, "excel_safe": excel_safe, "threads": self._threads(),
                "text_columns": [id] if id is not None else []}

    def filter_file(self, input: Path, output: Path, *, id: Optional[str] = None, key: Optional[KeyLike] = None,
                    randomness: Optional[str] = None, append: bool = False, excel_safe: bool = False) -> dict[str, Any]:
        """Passes the accepted records of a CSV file on, bytes unchanged, in constant memory; returns the counts."""
        options = {**self._draw_options(id, randomness, excel_safe), "append": append}
        with watching(self.verbose) as progress:
            return figures(_core.filter_file(self._model, self._key_for(key).digits, os.fspath(input), os.fspath(output),
                                             options, progress))

    def select_file(self, input: Path, selected: Optional[Path] = None, *, size: int, alternates: int = 0,
                    alternates_file: Optional[Path] = None, remaining: Optional[Path] = None, parts: Optional[Path] = None,
                    id: Optional[str] = None, key: Optional[KeyLike] = None, randomness: Optional[str] = None,
                    excel_safe: bool = False) -> dict[str, Any]:
        """A cohort of exactly `size` records of a CSV file, with ranked alternates; returns the counts.

        On one of several machines name `parts` instead of `selected`: a partial result for :func:`merge_files`.
        """
        if (selected is None) == (parts is None):
            raise UsageError("either selected or parts says where the records go")
        options = {**self._draw_options(id, randomness, excel_safe), "size": size, "alternates": alternates,
                   "selected": _path(selected), "alternates_file": _path(alternates_file),
                   "remaining": _path(remaining), "parts": _path(parts)}
        with watching(self.verbose) as progress:
            return figures(_core.select_file(self._model, self._key_for(key).digits, os.fspath(input), options, progress))

    def commit(self, input: Path, output: Path, *, key: KeyLike, randomness: Optional[str] = None,
               log: Optional[Path] = None) -> dict[str, Any]:
        """Writes what is published before a draw: digests of rule and input, a commitment to the key.

        `randomness` announces public randomness that nobody can predict; its value then goes into the draw.
        """
        self._check_fitted()
        return figures(_core.commit(self._model, Key.of(key).digits, os.fspath(input), randomness, _path(log),
                                    os.fspath(output)))

    def verify(self, commitment: Path, input: Path, result: Path, *, key: KeyLike, size: int = 0, alternates: int = 0,
               id: Optional[str] = None, randomness: Optional[str] = None) -> dict[str, Any]:
        """Whether `result` is the draw committed to: "pass", and what differs. `size` is 0 after filter_file."""
        options = {**self._draw_options(id, randomness), "size": size, "alternates": alternates}
        return figures(_core.verify(self._model, Key.of(key).digits, os.fspath(commitment), os.fspath(input),
                                    os.fspath(result), options))

    def plan(self, size: int, confidence: float = 0.95) -> dict[str, Any]:
        """How many candidates a cohort of `size` needs, and how many labels a certificate."""
        self._check_fitted()
        return figures(_core.plan(self._model, size, confidence))

    def to_sql(self, dialect: str, *, id: str = "id", table: str = "records", form: str = "statement",
               name: Optional[str] = None, size: Optional[int] = None, key: Optional[KeyLike] = None) -> str:
        """The rule as SQL with the same decisions, for the engine that holds the data.

        `dialect` is one of ``equipoise.choices("dialect")``;
        `form` "statement", "view", "function", "predicate" or "part"; `size` asks for the cohort of exact size. The key is a
        placeholder unless it is given.
        """
        self._check_fitted()
        options = {"dialect": dialect, "id": id, "table": table, "form": form, "name": name, "size": size}
        return _core.export(self._model, options, Key.of(key).digits if key is not None else None)


def merge_files(parts: Sequence[Path], selected: Path, *, alternates_file: Optional[Path] = None,
                remaining: Optional[Path] = None) -> dict[str, Any]:
    """Joins ``select_file(parts=…)`` results of several machines into the exact global cohort."""
    options = {"inputs": [os.fspath(part) for part in parts], "selected": os.fspath(selected),
               "alternates_file": _path(alternates_file), "remaining": _path(remaining)}
    return figures(_core.merge_files(options))


def figures(report: Any) -> dict[str, Any]:
    """The figures of a report; its remarks become warnings at the caller's line."""
    found: dict[str, Any] = json.loads(_core.report_json(report))
    for text in found.get("warnings", ()):
        warnings.warn(text, EquipoiseWarning, stacklevel=3)
    return found


def _path(path: Optional[Path]) -> Optional[str]:
    return None if path is None else os.fspath(path)
