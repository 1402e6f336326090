"""What a call found out: figures to compute with, tables, plots and a page to open."""
from __future__ import annotations

import base64
import html
import json
import math
import os
import pathlib
import tempfile
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Optional, Union

from . import _core
from ._errors import remark
from ._frames import frame_from
from ._plots import axes_for, legend_beside, shares_of_groups

if TYPE_CHECKING:
    from ._balanced_filter import BalancedFilter

Path = Union[str, "os.PathLike[str]"]


class Result(Mapping[str, Any]):
    """The figures of a call as a mapping (docs/json.md names them), with ``to_frame``, ``plot`` and a report page."""

    _FIGURE: Optional[str] = None  # the figure that stands for the whole in a notebook: a part of its file's name

    def __init__(self, report: Any, kind: str = "pandas", seen: int = 3) -> None:
        self._report = report
        self._kind = kind
        self._figures: dict[str, Any] = json.loads(_core.report_json(report))
        remark((*self._figures.get("warnings", ()), *self._figures.get("notices", ())), stacklevel=seen)

    def __getitem__(self, name: str) -> Any:
        return self._figures[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._figures)

    def __len__(self) -> int:
        return len(self._figures)

    def __str__(self) -> str:
        return _core.report_text(self._report)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {', '.join(self._figures)}>"

    def save(self, path: Path) -> None:
        """One self-contained HTML page with figures and tables."""
        _core.report_html(self._report, os.fspath(path))

    def save_figures(self, directory: Path) -> None:
        """Every figure of the page as an SVG file in an existing folder."""
        _core.report_figures(self._report, os.fspath(directory))

    def rows(self) -> list[dict[str, Any]]:
        """The main table, one dict per row."""
        raise NotImplementedError

    def to_frame(self, kind: Optional[str] = None) -> Any:
        """The main table as a frame of the caller's kind, or "pandas", "polars" or "pyarrow"."""
        rows = self.rows()
        return frame_from({name: [row.get(name) for row in rows] for name in (rows[0] if rows else {})}, kind or self._kind)

    def _drawings(self) -> list[str]:
        """The library's own figures as SVG texts, the one that stands for the whole first."""
        with tempfile.TemporaryDirectory() as folder:
            self.save_figures(folder)
            files = sorted(pathlib.Path(folder).glob("*.svg"), key=lambda file: self._FIGURE is None or self._FIGURE not in file.name)
            return [file.read_text(encoding="utf-8") for file in files]

    def _repr_html_(self) -> str:
        images = [f'<img alt="figure" style="max-width:100%" src="data:image/svg+xml;base64,{base64.b64encode(drawing.encode()).decode()}">'
                  for drawing in self._drawings()]
        return f"{''.join(images)}<pre>{html.escape(str(self))}</pre>"


class Learned(Result):
    """What learning found: groups, limit, figures on the training rows and cross-validated."""

    def rows(self) -> list[dict[str, Any]]:
        """One per group."""
        return list(self["groups"])

    def plot(self, axes: Any = None) -> Any:
        """Shares of the groups now, in the cohort and aimed at; returns the axes."""
        return shares_of_groups(self["groups"], axes)


class Audit(Result):
    """What an audit measured; ``passed`` says whether the budget is kept."""

    @property
    def passed(self) -> bool:
        """Whether the budget is kept, and the certificate is there where one was required."""
        return _core.report_passed(self._report)

    def rows(self) -> list[dict[str, Any]]:
        """One per group; none without labels."""
        return list(self.get("groups", ()))

    def plot(self, axes: Any = None) -> Any:
        """Shares of the groups now, in the cohort and aimed at; returns the axes."""
        return shares_of_groups(self.rows(), axes)


class Frontier(Result):
    """What can be had for which budget and yield. ``frontier.filter(i)`` is the rule of a point, ready to use."""

    _FIGURE = "frontier"

    def rows(self) -> list[dict[str, Any]]:
        """One per point: budget, yield, what it reaches on unseen rows and on those it learned from, the limit."""
        return [_frontier_row(point) for point in self["points"]]

    @property
    def knee(self) -> Optional[int]:
        """The point after which a larger budget buys little."""
        return self.get("knee")

    def filter(self, point: Optional[int] = None) -> BalancedFilter:
        """The fitted filter of a point; of the knee when none is given."""
        from ._balanced_filter import BalancedFilter

        chosen = self.knee if point is None else point
        return BalancedFilter._from_model(_core.frontier_model(self._report, chosen if chosen is not None else 0))

    def plot(self, axes: Any = None) -> Any:
        """Imbalance against the budget for each yield, with the limit that no rule can beat; returns the axes."""
        axes = axes_for(axes)
        rows = self.rows()
        for least in sorted({row["min_yield"] for row in rows if row["min_yield"] is not None}):
            points = sorted((row["max_disclosure"], math.nan if row["imbalance"] is None else row["imbalance"])
                            for row in rows if row["min_yield"] == least)  # nan: withheld
            axes.plot(*zip(*points), marker="o", markersize=3, label=f"yield {100 * least:g} %")
        curve = self["limit_curve"]
        axes.plot([at["max_disclosure"] for at in curve], [at["imbalance"] for at in curve], color="black", linestyle="--", zorder=3,
                  label="limit: no rule does better")
        axes.set_xlabel("budget (max_disclosure)")
        axes.set_ylabel("imbalance on unseen rows")
        legend_beside(axes)
        return axes


class Comparison(Result):
    """Every method side by side: means over the seeds with empirical 95 % intervals, on train and test rows."""

    _FIGURE = "tradeoff"

    def rows(self) -> list[dict[str, Any]]:
        """One per method and budget: means and intervals on train and test rows."""
        return [_comparison_row(method, point) for method in self["methods"] for point in method["points"]]

    def plot(self, axes: Any = None, measure: str = "imbalance") -> Any:
        """A measure ("imbalance", "disclosure", "yield") on unseen rows against the budget; returns the axes."""
        axes = axes_for(axes)
        for method in self["methods"]:
            points = [point for point in method["points"] if _mean(point, measure) is not None]
            budgets = [point["max_disclosure"] for point in points]
            line = axes.plot(budgets, [_mean(point, measure) for point in points], marker="o", markersize=3,
                             label=method.get("name", method["method"]))[0]
            intervals = [point["test"][measure] for point in points]
            axes.fill_between(budgets, [at["low"] for at in intervals], [at["high"] for at in intervals], alpha=0.15,
                              color=line.get_color())
        axes.set_xlabel("budget (max_disclosure)")
        axes.set_ylabel(f"{measure} on unseen rows")
        legend_beside(axes)
        return axes


def _mean(point: dict[str, Any], measure: str) -> Any:
    return (point["test"].get(measure) or {}).get("mean")


def _comparison_row(method: dict[str, Any], point: dict[str, Any]) -> dict[str, Any]:
    row = {name: method.get(name) for name in ("method", "oracle", "solver")}
    row["max_disclosure"] = point["max_disclosure"]
    for part in ("train", "test"):
        for measure in ("disclosure", "imbalance", "yield"):
            for name in ("mean", "low", "high"):
                row[f"{part}_{measure}_{name}"] = (point[part].get(measure) or {}).get(name)
    row["seconds"] = point.get("seconds")
    return row


def _frontier_row(point: dict[str, Any]) -> dict[str, Any]:
    row = {name: point.get(name) for name in ("max_disclosure", "min_yield", "limit", "efficient")}
    for name in ("disclosure", "imbalance", "yield"):
        row[name] = (point.get("cross_validated") or {}).get(name)
    for name in ("disclosure", "imbalance", "yield"):
        row[f"train_{name}"] = (point.get("train") or {}).get(name)
    return row
