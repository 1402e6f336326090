"""What a learned rule does with files and engines: draws, exact cohorts, commitments, SQL."""
from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any, Optional

from . import _core
from ._choices import Dialect, Form
from ._errors import UsageError, remark
from ._frames import Names, listed
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

    def _threads(self) -> int:
        raise NotImplementedError

    def _model_allowing(self, allow_shift: Names) -> Any:
        """The model, for records in which these columns may hold hardly anything that it knows."""
        self._check_fitted()
        columns = listed(allow_shift)
        return self._model if columns is None else _core.model_allowing(self._model, columns)

    def _draw_options(self, id: Optional[str], by_content: bool, permanent: bool, excel_safe: bool, missing: Optional[Names],
                      decimal: Optional[str], delimiter: Optional[str]) -> dict[str, Any]:
        self._check_fitted()
        return {"id": id, "by_content": by_content, "permanent": permanent, "excel_safe": excel_safe,
                "threads": self._threads(), "text_columns": [id] if id is not None else [],
                "missing": listed(missing), "decimal": decimal, "delimiter": delimiter}

    def filter_file(self, input: Path, output: Path, *, key: Optional[KeyLike] = None, id: Optional[str] = None,
                    by_content: bool = False, permanent: bool = False, append: bool = False,
                    excel_safe: bool = False, allow_shift: Names = (), missing: Optional[Names] = None,
                    decimal: Optional[str] = None, delimiter: Optional[str] = None) -> dict[str, Any]:
        """Passes the accepted records of a CSV file on, bytes unchanged, in constant memory; returns the counts.

        `id` names a record in its draw; `by_content` draws by the rule's columns instead, and then a record that is changed gets a new draw.
        `permanent` and `allow_shift` as in ``select``. `missing` (marks of missing cells) and `decimal` are the rule's own unless
        given, and the `delimiter` is found in the header.
        """
        options = {**self._draw_options(id, by_content, permanent, excel_safe, missing, decimal, delimiter), "append": append}
        with watching(self.verbose) as progress:
            return figures(_core.filter_file(self._model_allowing(allow_shift), needed(key).digits, os.fspath(input), os.fspath(output),
                                             options, progress))

    def select_file(self, input: Path, selected: Optional[Path] = None, *, size: int, alternates: int = 0,
                    key: Optional[KeyLike] = None, id: Optional[str] = None, by_content: bool = False,
                    permanent: bool = False, one_per: Sequence[str] = (), quotas: Optional[Path] = None,
                    avoid: Optional[Path] = None, alternates_file: Optional[Path] = None,
                    remaining: Optional[Path] = None, parts: Optional[Path] = None, excel_safe: bool = False,
                    allow_shift: Names = (), missing: Optional[Names] = None, decimal: Optional[str] = None,
                    delimiter: Optional[str] = None) -> dict[str, Any]:
        """A cohort of exactly `size` records of a CSV file, with ranked alternates; returns the counts.

        `one_per` are columns that together name a household, `quotas` a table feature,value,min,max, `avoid` a file
        with the ids of earlier cohorts. On one of several machines name `parts` instead of `selected`: a partial
        result for :func:`merge_files`. The others as in ``filter_file``.
        """
        if (selected is None) == (parts is None):
            raise UsageError("either selected or parts says where the records go")
        options = {**self._draw_options(id, by_content, permanent, excel_safe, missing, decimal, delimiter),
                   "size": size, "alternates": alternates, "one_per": listed(one_per), "quotas": _path(quotas), "avoid": _path(avoid),
                   "selected": _path(selected), "alternates_file": _path(alternates_file),
                   "remaining": _path(remaining), "parts": _path(parts)}
        with watching(self.verbose) as progress:
            return figures(_core.select_file(self._model_allowing(allow_shift), needed(key).digits, os.fspath(input), options, progress))

    def commit(self, input: Path, output: Path, *, key: KeyLike, id: str, size: int, alternates: int = 0,
               randomness: Optional[str] = None, no_randomness: bool = False, randomness_form: Optional[str] = None,
               randomness_time: Optional[str] = None, one_per: Sequence[str] = (), quotas: Optional[Path] = None,
               avoid: Optional[Path] = None, permanent: bool = False, log: Optional[Path] = None,
               missing: Optional[Names] = None, decimal: Optional[str] = None,
               delimiter: Optional[str] = None) -> dict[str, Any]:
        """Writes what is published before a draw: everything that it depends on.

        `randomness` announces public randomness that nobody can predict; its value then goes into the draw. Without it
        `no_randomness` has to be said, and everybody reads that the organiser could have tried keys.
        """
        options = {**self._draw_options(id, False, permanent, False, missing, decimal, delimiter),
                   "size": size, "alternates": alternates, "one_per": listed(one_per), "quotas": _path(quotas), "avoid": _path(avoid),
                   "randomness": randomness, "no_randomness": no_randomness, "randomness_form": randomness_form,
                   "randomness_time": randomness_time, "log": _path(log), "output": os.fspath(output)}
        return figures(_core.commit(self._model, Key.of(key).digits, os.fspath(input), options, None))

    def _draw(self, call: Any, input: Path, key: KeyLike, commitment: Path, randomness: Optional[str],
              declined: Sequence[Path], **more: Any) -> dict[str, Any]:
        self._check_fitted()
        options = {"commitment": os.fspath(commitment), "randomness": randomness, "threads": self._threads(),
                   "declined": [os.fspath(path) for path in declined],
                   **{name: _path(path) for name, path in more.items()}}
        with watching(self.verbose) as progress:
            return figures(call(self._model, Key.of(key).digits, os.fspath(input), options, progress))

    def select_committed(self, commitment: Path, input: Path, selected: Path, *, key: KeyLike,
                         randomness: Optional[str] = None, alternates_file: Optional[Path] = None,
                         remaining: Optional[Path] = None, avoid: Optional[Path] = None,
                         log: Optional[Path] = None) -> dict[str, Any]:
        """The draw as it was committed to; whatever differs from the commitment is refused."""
        return self._draw(_core.select_committed, input, key, commitment, randomness, (), selected=selected,
                          alternates_file=alternates_file, remaining=remaining, avoid=avoid, log=log)

    def replace(self, commitment: Path, input: Path, selected: Path, *, key: KeyLike, declined: Sequence[Path],
                randomness: Optional[str] = None, alternates_file: Optional[Path] = None,
                avoid: Optional[Path] = None, log: Optional[Path] = None) -> dict[str, Any]:
        """The panel after those who declined have left and the next in rank have taken their seats."""
        return self._draw(_core.replace, input, key, commitment, randomness, declined, selected=selected,
                          alternates_file=alternates_file, avoid=avoid, log=log)

    def verify(self, commitment: Path, input: Path, result: Path, *, key: KeyLike, randomness: Optional[str] = None,
               alternates_file: Optional[Path] = None, declined: Sequence[Path] = (), avoid: Optional[Path] = None,
               page: Optional[Path] = None, log: Optional[Path] = None) -> dict[str, Any]:
        """Whether `result` holds the people of the draw committed to, and `page` is its page: "pass", and what differs."""
        return self._draw(_core.verify, input, key, commitment, randomness, declined, selected=result,
                          alternates_file=alternates_file, avoid=avoid, page=page, log=log)

    def publish(self, commitment: Path, input: Path, page: Path, *, key: KeyLike, randomness: Optional[str] = None,
                declined: Sequence[Path] = (), tickets: Optional[Path] = None, avoid: Optional[Path] = None,
                log: Optional[Path] = None) -> dict[str, Any]:
        """One HTML page on which anybody recomputes the draw, without anybody's data; `tickets` says whose is whose."""
        return self._draw(_core.publish, input, key, commitment, randomness, declined, page=page, tickets=tickets,
                          avoid=avoid, log=log)

    def verify_certificate(self, certificate: Path, records: Optional[Path] = None, *,
                           signer: Optional[Path] = None) -> dict[str, Any]:
        """Whether the certificate of an audit is unchanged and about this rule: "pass", and what differs.

        With `signer` (the file with the public half of a key, see ``create_signing_key``) it must be signed by that key; with
        a file of the labelled `records`, every figure is computed again. Without either nothing vouches for the figures.
        """
        self._check_fitted()
        return figures(_core.certificate_check(self._model, os.fspath(certificate), _path(records), _path(signer)))

    def plan(self, size: int, confidence: float = 0.95, *, alternates: int = 0, response: float = 1,
             drop_out: float = 0) -> dict[str, Any]:
        """How many candidates and invitations a cohort of `size` needs, and how many labels a certificate."""
        self._check_fitted()
        return figures(_core.plan(self._model, size, alternates, response, drop_out, confidence))

    def to_sql(self, dialect: Dialect, *, id: str = "id", table: str = "records", form: Form = "statement",
               name: Optional[str] = None, size: Optional[int] = None, key: Optional[KeyLike] = None,
               permanent: bool = False) -> str:
        """The rule as SQL with the same decisions, for the engine that holds the data.

        `dialect` is one of ``equipoise.choices("dialect")``;
        `form` "statement", "select" (the same without its semicolon, to stand within another query, a dbt model say), "view",
        "function", "predicate", "part" or "counts" (cells that the model does not know, by column); `size` asks for the cohort of exact size. The key is a
        placeholder unless it is given.
        """
        self._check_fitted()
        options = {"dialect": dialect, "id": id, "table": table, "form": form, "name": name, "size": size,
                   "permanent": permanent}
        return _core.export(self._model, options, Key.of(key).digits if key is not None else None)


def needed(key: Optional[KeyLike]) -> Key:
    """The key of a draw, which must be given: a new draw each time would reveal more each time."""
    if key is None:
        raise UsageError("no key given: the key makes a draw repeatable, and asking again harmless (equipoise.Key.create)")
    return Key.of(key)


def merge_files(parts: Sequence[Path], selected: Path, *, key: KeyLike, alternates_file: Optional[Path] = None,
                remaining: Optional[Path] = None) -> dict[str, Any]:
    """Joins ``select_file(parts=…)`` results of several machines into the exact global cohort."""
    options = {"inputs": [os.fspath(part) for part in parts], "selected": os.fspath(selected),
               "alternates_file": _path(alternates_file), "remaining": _path(remaining)}
    return figures(_core.merge_files(Key.of(key).digits, options))


def figures(report: Any) -> dict[str, Any]:
    """The figures of a report; its remarks become warnings at the caller's line."""
    found: dict[str, Any] = json.loads(_core.report_json(report))
    remark([*found.get("warnings", ()), *remarks(found)], stacklevel=3)
    return found


def remarks(counts: Mapping[str, Any]) -> list[str]:
    """What the program says about the records that it read, beside how many it accepted."""
    said = []
    for count, one, many, columns in ((counts.get("missing_cells", 0), "cell is missing", "cells are missing", "missing_columns"),
                                      (counts.get("unseen_levels", 0), "cell holds a value that training never saw",
                                       "cells hold a value that training never saw", "unseen_columns"),
                                      (counts.get("repeated_ids", counts.get("duplicate_ids", 0)),
                                       "record repeats an id; it has the outcome of the first",
                                       "records repeat an id; they have the outcome of the first", "")):
        if count > 0:
            named = f"; most of them in: {counts[columns]}" if counts.get(columns) else ""
            said.append(f"{count:,} {one if count == 1 else many}{named}")
    return said


def _path(path: Optional[Path]) -> Optional[str]:
    return None if path is None else os.fspath(path)
