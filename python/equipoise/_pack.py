"""The folder that an officer hands on about an audit."""
from __future__ import annotations

import os
import pathlib
from collections.abc import Mapping
from typing import Any, Optional

from . import _core
from ._errors import UsageError, remark
from ._results import Path


_OUR_OWN = ("attempt_log", "certificate", "cluster", "threads", "weight")  # options that the pack or the frame decides


class Pack:
    """A new or empty folder, with the certificate in it and the log of attempts beside it: another pack is not another log."""

    def __init__(self, folder: Path, certificate: Optional[Path], attempt_log: Optional[Path]) -> None:
        if certificate is not None:
            raise UsageError("a pack contains its own certificate; leave out certificate")
        self.folder = pathlib.Path(os.fspath(folder))
        self.folder.mkdir(exist_ok=True)
        if any(self.folder.iterdir()):
            raise UsageError(f'the folder "{self.folder}" is not empty', "a pack needs a folder of its own; name a new one")
        self.certificate = self.folder / "audit.certificate"
        self.attempt_log = attempt_log if attempt_log is not None else self.folder.parent / "equipoise-attempts.log"

    def fill(self, report: Any, given: Mapping[str, Any]) -> None:
        """Everything about the audit, which was called with what is given: one line of it says so."""
        said = ", ".join(f"{name}={value!r}" for name, value in given.items()
                         if isinstance(value, (str, int, float)) and value is not False and name not in _OUR_OWN)
        _core.report_pack(report, str(self.folder), str(self.certificate), f"BalancedFilter.audit(X, groups, {said})")
        if not any(self.folder.glob("*.png")):
            remark(["the pack's figures are SVG alone: rsvg-convert (Debian package librsvg2-bin), which draws them as PNG, "
                    "is not installed"], stacklevel=3)
