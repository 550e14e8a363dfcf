"""Rounds of one arm: start each, answer its queue as a stand-in annotator, wait while the platform does the rest."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from demo.plan import Arm, Plan
from motherlode.annotator import Tally, annotate
from motherlode.client import Motherlode
from motherlode.errors import MotherlodeError

if TYPE_CHECKING:
    from motherlode.documents import LabelValue, Round


POLL_SECONDS = 0.4
BROKEN = ("failed", "cancelled")


class StoppedError(Exception):
    """The demo is being interrupted; the platform finishes its current step."""


@dataclass(frozen=True, slots=True)
class Watcher:
    """Callbacks for a round: `progress` is called often, `finished` once."""

    progress: Callable[[Round], None]
    finished: Callable[[Round], None]


def ensure_pipeline(client: Motherlode, arm: Arm, plan: Plan) -> int:
    """Create the arm's model and pipeline if they are missing. Returns the pipeline's id."""
    if arm.model not in {one["name"] for one in client.models.all()}:
        client.models.create(arm.model, classes=plan.classes, task=plan.task)
    for pipeline in client.pipelines.all():
        if pipeline["name"] == arm.pipeline:
            return pipeline["id"]
    return client.pipelines.create(
        arm.pipeline,
        dataset=arm.dataset,
        model=arm.model,
        architecture=plan.architecture,
        config=plan.config_of(arm),
        strategy=arm.strategy,
        count=plan.count,
        control=arm.control,
        seed=plan.seed,
        commit_grace=0,  # a stand-in annotator never undoes an answer
    )["id"]


@dataclass(slots=True)
class RoundRunner:
    """Runs the rounds of one arm; several may run side by side. Setting `stop` ends it at the next poll."""

    client: Motherlode
    arm: Arm
    truth: Mapping[str, LabelValue]
    watcher: Watcher
    stop: threading.Event

    def run(self, wanted: int) -> None:
        """Continue the arm until `wanted` rounds are done. Raises MotherlodeError when one fails."""
        self._mend()
        while not self._is_complete(wanted):
            rounds = self.client.pipelines.rounds(self.arm.pipeline)
            if not rounds or rounds[-1]["state"] == "done":
                self.client.pipelines.start_round(self.arm.pipeline)
            self._follow()

    def _is_complete(self, wanted: int) -> bool:
        return sum(one["state"] == "done" for one in self.client.pipelines.rounds(self.arm.pipeline)) >= wanted

    def _mend(self) -> None:
        """Retry a round that failed in an earlier run of the demo."""
        rounds = self.client.pipelines.rounds(self.arm.pipeline)
        if rounds and rounds[-1]["state"] in BROKEN:
            self.client.pipelines.retry(self.arm.pipeline)

    def _follow(self) -> None:
        """Follow the newest round, answering its queue, until it has ended."""
        while True:
            round_ = self.client.pipelines.rounds(self.arm.pipeline)[-1]
            if round_["state"] == "done":
                self.watcher.finished(round_)
                return
            if round_["state"] in BROKEN:
                detail = (
                    f"Round {round_['number']} of {self.arm.pipeline}: {round_['error']}. Run the demo again to retry."
                )
                raise MotherlodeError(status=0, code=f"round_{round_['state']}", detail=detail)
            self.watcher.progress(round_)
            if round_["state"] == "labelling" and round_["queue"] is not None:
                self._label(round_, round_["queue"])
            self._breathe()

    def _label(self, round_: Round, queue: str) -> None:
        counts = self.client.queues.get(queue)["counts"]
        before = counts["done"] + counts["skipped"]

        def show(tally: Tally) -> None:
            counts["done"] = before + tally.answered + tally.skipped + tally.opinions
            round_["queue_counts"] = counts
            self.watcher.progress(round_)
            if self.stop.is_set():
                raise StoppedError

        annotate(self.client, queue, truth=self.truth, on_answer=show)

    def _breathe(self) -> None:
        if self.stop.wait(POLL_SECONDS):
            raise StoppedError
