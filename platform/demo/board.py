"""The terminal's display while both arms run: one bar each, and a line for each finished round."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.markup import escape
from rich.progress import Progress, TaskID

from demo.plan import Arm
from demo.report import metric_name
from demo.rounds import Watcher
from motherlode.bars import bar_fields, duration

if TYPE_CHECKING:
    from motherlode.documents import Round


WORDS = {
    "training": "training the first model",
    "scoring": "scoring the pool",
    "queueing": "choosing what to label",
    "labelling": "labelling",
    "committing": "committing the labels",
    "retraining": "training with them",
    "gating": "checking the gates",
}


class Board:
    """The terminal row of one arm."""

    def __init__(self, bars: Progress, arm: Arm, *, rounds: int) -> None:
        self._bars = bars
        self._arm = arm
        self._rounds = rounds
        self._row: TaskID = bars.add_task(f"{arm.title}: looking where it stands", total=None)

    def watcher(self) -> Watcher:
        """Return the callbacks for the arm's runner."""
        return Watcher(self._progress, self._finished)

    def _progress(self, round_: Round) -> None:
        words = WORDS.get(round_["state"], round_["state"])
        description = f"{self._arm.title}, round {round_['number']} of {self._rounds}: {words}"
        self._bars.update(self._row, description=f"{description:<48}", **_fields(round_))

    def _finished(self, round_: Round) -> None:
        spent = duration(sum(seconds for step, seconds in round_["timings"].items() if step in WORDS))
        verdict = "promoted" if round_["promoted"] else "not promoted: a gate refused it"
        value = "?" if round_["value"] is None else f"{round_['value']:.2%}"
        where = f"{self._arm.title:<7} round {round_['number']}"
        line = f"{where}: {round_['labels']} labels, {metric_name(round_['metric'])} {value}, {verdict} ({spent})"
        self._bars.console.print(escape(line), highlight=False)
        self._bars.update(
            self._row, description=f"{self._arm.title}: round {round_['number']} done", completed=1, total=1
        )


def _fields(round_: Round) -> dict[str, Any]:
    """Return the progress of the round's step as fields of a bar: answers while people label, else the live job."""
    if round_["state"] == "labelling" and (counts := round_["queue_counts"]):
        return {"completed": counts["done"] + counts["skipped"], "total": counts["total"], "rate": None, "eta": None}
    if round_["job"]:
        return bar_fields(round_["job"]["progress"])
    return {"completed": 0, "total": None, "rate": None, "eta": None}
