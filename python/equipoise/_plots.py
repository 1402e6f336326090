"""Plots with matplotlib, laid out as the library's own figures are: a line per group, nothing drawn for what is withheld,
names cut where they would take the room, and a legend beside or above the axes, never over them."""
from __future__ import annotations

from typing import Any, Optional

_ROW_INCHES = 0.45
_LONGEST_NAME = 24
_SHARES = (("base_rate", "now", "o", "none"), ("cohort", "in the cohort", "o", None), ("target", "target", "|", None))


def axes_for(axes: Any, rows: Optional[int] = None) -> Any:
    """The caller's axes, or those of a new figure, as high as its rows need."""
    if axes is not None:
        return axes
    try:
        from matplotlib import pyplot
    except ImportError as missing:
        raise ImportError("plot() needs matplotlib") from missing
    size = None if rows is None else (6.4, 1.4 + _ROW_INCHES * max(rows, 2))
    return pyplot.subplots(figsize=size, layout="constrained")[1]


def legend_beside(axes: Any) -> None:
    axes.legend(loc="upper left", bbox_to_anchor=(1.02, 1), borderaxespad=0, fontsize="small")


def legend_above(axes: Any) -> None:
    axes.legend(loc="lower left", bbox_to_anchor=(0, 1.02), borderaxespad=0, ncols=3, fontsize="small", frameon=False)


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else name[:_LONGEST_NAME - 1] + "…"


def shares_of_groups(groups: list[dict[str, Any]], axes: Any) -> Any:
    """A line per group, the first on top: its share now, in the cohort (with two standard errors) and aimed at; beside the
    axes a word where the cohort's share is withheld."""
    axes = axes_for(axes, len(groups))
    for name, label, marker, face in _SHARES:
        known = [(group[name], place) for place, group in enumerate(groups) if group.get(name) is not None]
        axes.plot([share for share, _ in known], [place for _, place in known], linestyle="none", marker=marker,
                  markersize=14 if marker == "|" else 7, markerfacecolor=face, label=label, gid=name)
    for place, group in enumerate(groups):
        if group.get("cohort") is None:
            axes.annotate("withheld", (1.01, place), xycoords=("axes fraction", "data"), va="center", fontsize="small", gid="withheld")
        elif group.get("cohort_error") is not None:
            reach = 2 * group["cohort_error"]
            axes.hlines(place, max(group["cohort"] - reach, 0), group["cohort"] + reach, linewidth=1, color="C1")
    several = len({group.get("attribute") for group in groups}) > 1
    names = [f"{group['attribute']}: {group['value']}" if several else group["value"] for group in groups]
    axes.set_yticks(range(len(groups)), [_short(name) for name in names])
    axes.set_ylim(len(groups) - 0.5, -0.5)
    axes.set_xlim(left=0)
    axes.set_xlabel("share")
    axes.xaxis.set_major_formatter(lambda share, _: f"{100 * share:g} %")
    legend_above(axes)
    return axes
