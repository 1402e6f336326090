"""Progress of long calls: a bar on standard error, in terminals and notebooks alike."""
from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, Optional, Union

Progress = Callable[[str, float], Any]


class Bar:
    """Draws ``stage  ██████░░░░  62 %`` again and again on one line; a context that clears it at the end."""

    WIDTH = 20

    def __init__(self) -> None:
        self._shown = ""

    def __call__(self, stage: str, done: float) -> None:
        full = round(self.WIDTH * min(max(done, 0.0), 1.0))
        line = f"{stage[:30]:30}  {'█' * full}{'░' * (self.WIDTH - full)}  {100 * done:3.0f} %"
        if line != self._shown:
            self._shown = line
            print(f"\r{line}", end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        if self._shown:
            print(f"\r{' ' * len(self._shown)}\r", end="", file=sys.stderr, flush=True)


class watching:
    """``with watching(progress) as callback``: a callable as it is, a bar when true, nothing when false."""

    def __init__(self, progress: Union[bool, int, None, Progress]) -> None:
        self._bar = Bar() if progress and not callable(progress) else None
        self._callback: Optional[Progress] = progress if callable(progress) else self._bar

    def __enter__(self) -> Optional[Progress]:
        return self._callback

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.clear()
