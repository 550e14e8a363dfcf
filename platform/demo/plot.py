"""Plot the main metric by number of labels, mined against random."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from demo.report import Outcome, curve_title, saving

if TYPE_CHECKING:
    from motherlode.documents import CurvePoint


MINED, RANDOM, QUIET = "#0b6e4f", "#8a8f98", "#5b6068"


def save_curve(path: Path, *, mined: Outcome, random: Outcome) -> None:
    """Write the plot as a PNG: lines labelled where they end, bands are 95 % intervals."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with mpl.rc_context({"font.size": 11, "axes.edgecolor": QUIET, "xtick.color": QUIET, "ytick.color": QUIET}):
        figure = Figure(figsize=(8, 4.6), dpi=160, layout="constrained")
        axes = figure.subplots()
        _line(axes, random.points, "random", RANDOM)
        _line(axes, mined.points, "mined", MINED)
        _label_ends(axes, mined, random)
        _saving_arrow(axes, mined, random)
        axes.set_title(curve_title(random.points), loc="left", fontsize=12)
        axes.yaxis.set_major_formatter(PercentFormatter(xmax=1, decimals=0))
        axes.set_xticks(sorted({point["labels"] for point in [*mined.points, *random.points]}))
        axes.spines[["top", "right"]].set_visible(False)
        axes.margins(x=0.02)
        figure.savefig(path)


def _line(axes: Axes, points: Sequence[CurvePoint], name: str, colour: str) -> None:
    labels = [point["labels"] for point in points]
    axes.plot(labels, [point["value"] for point in points], color=colour, marker="o", markersize=4, label=name)
    banded = [(point["labels"], point["low"], point["high"]) for point in points
              if point["low"] is not None and point["high"] is not None]  # fmt: skip
    if banded:
        at, low, high = zip(*banded, strict=True)
        axes.fill_between(at, low, high, color=colour, alpha=0.12, linewidth=0)


def _label_ends(axes: Axes, mined: Outcome, random: Outcome) -> None:
    ours, theirs = mined.points[-1], random.points[-1]
    above = ours["value"] >= theirs["value"]
    for point, name, colour, up in ((ours, "mined", MINED, above), (theirs, "random", RANDOM, not above)):
        axes.annotate(
            f"{name} {point['value']:.1%}",
            (point["labels"], point["value"]),
            xytext=(8, 5 if up else -5),
            textcoords="offset points",
            va="bottom" if up else "top",
            color=colour,
            annotation_clip=False,
        )


def _saving_arrow(axes: Axes, mined: Outcome, random: Outcome) -> None:
    """Draw the arrow from random's last point back to where mining was as good."""
    found = saving(mined.points, random.points)
    if found.needed is None or found.needed >= found.labels:
        return
    arrow = {"arrowstyle": "<->", "color": QUIET, "linewidth": 0.8}
    axes.annotate("", (found.needed, found.target), xytext=(found.labels, found.target), arrowprops=arrow)
    middle = (found.needed + found.labels) / 2
    text = f"{found.labels - found.needed} labels saved"
    axes.annotate(text, (middle, found.target), xytext=(0, 5), textcoords="offset points",
                  ha="center", va="bottom", color=QUIET, fontsize=10,
                  bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.5})  # fmt: skip
