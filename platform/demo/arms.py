"""Both arms from empty datasets to measured curves, side by side."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rich.progress import Progress

from demo.board import Board
from demo.examples import Examples
from demo.loading import ensure_dataset, ensure_fork, missing_parts, push_part
from demo.plan import Arm, Plan
from demo.report import Loading, Outcome, other_point
from demo.rounds import RoundRunner, StoppedError, ensure_pipeline
from motherlode.bars import JobBar
from motherlode.client import Motherlode

if TYPE_CHECKING:
    from motherlode.documents import CurvePoint, LabelValue


@dataclass(frozen=True, slots=True)
class Arms:
    """The plan's two arms on one platform. Each method may be repeated: it skips what is done already."""

    client: Motherlode
    plan: Plan
    bars: Progress
    stop: threading.Event = field(default_factory=threading.Event)

    def load(self, examples: Examples) -> list[Loading]:
        """Fill the mined arm's dataset, and fork the random arm's from its first loaded version."""
        return [self._load(self.plan.mined, examples), self._fork(examples)]

    def run(self, truth: Mapping[str, LabelValue]) -> None:
        """Run all rounds of both arms. Raises MotherlodeError when a round fails."""
        for arm in self._both():
            ensure_pipeline(self.client, arm, self.plan)
        self._side_by_side(lambda arm: self._run(arm, truth))

    def outcomes(self, loadings: list[Loading]) -> list[Outcome]:
        """Return the measurements of both arms, the mined arm first."""
        return [self._outcome(arm, loading) for arm, loading in zip(self._both(), loadings, strict=True)]

    def _outcome(self, arm: Arm, loading: Loading) -> Outcome:
        points = self.client.pipelines.curve(arm.pipeline)["points"]
        more = [self._other_curve(arm, points, metric) for metric in self.plan.more_metrics]
        return Outcome(arm.title, points, self.client.pipelines.rounds(arm.pipeline), loading, more)

    def _other_curve(self, arm: Arm, points: Sequence[CurvePoint], metric: str) -> list[CurvePoint]:
        """Return the curve of another metric, from the evaluations of the same models."""
        version = self.client.models.version
        return [other_point(point, metric, version(arm.model, point["model_version"])["metrics"]) for point in points]

    def _both(self) -> tuple[Arm, Arm]:
        return self.plan.mined, self.plan.random

    def _load(self, arm: Arm, examples: Examples) -> Loading:
        ensure_dataset(self.client, arm, self.plan, examples.source)
        missing = missing_parts(self.client, arm, examples.parts)
        started = time.monotonic()
        for part in missing:
            push_part(self.client, arm, part, JobBar(self.bars, words=f"{arm.dataset}: {part.message}"))
        return Loading(sum(len(part.keys) for part in missing), time.monotonic() - started)

    def _fork(self, examples: Examples) -> Loading:
        started = time.monotonic()
        forked = ensure_fork(self.client, self.plan, examples.source, examples.parts)
        return Loading(0, time.monotonic() - started, forked=forked)

    def _run(self, arm: Arm, truth: Mapping[str, LabelValue]) -> None:
        board = Board(self.bars, arm, rounds=self.plan.rounds)
        RoundRunner(self.client, arm, truth, board.watcher(), self.stop).run(self.plan.rounds)

    def _side_by_side(self, work: Callable[[Arm], None]) -> None:
        """Run both arms at once; when one fails or Ctrl-C is pressed, the other is stopped too."""
        with ThreadPoolExecutor(max_workers=2) as pool:
            futures = [pool.submit(work, arm) for arm in self._both()]
            try:
                wait(futures, return_when=FIRST_EXCEPTION)
            finally:
                self.stop.set()
        failed = [error for future in futures if (error := future.exception()) is not None]
        if failed:
            # The arm that failed by itself says why; the other one was only told to stop.
            raise next((error for error in failed if not isinstance(error, StoppedError)), failed[0])
