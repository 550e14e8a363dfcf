"""The files that a training run writes while it runs: recovery files to resume from, the best weights, its curve."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import safetensors.torch
from torch import Tensor

from training import recovery
from training.config import Recipe
from training.recovery import Content
from training.state import State
from training.tensorboard import EventFile
from worker_programs import files
from worker_programs.events import Listener

RECOVERY, BEST = "recovery", "best"
KEPT = 2
"""Recovery files kept on disk: more than one, because the newest may be damaged."""
LEAST_SECONDS = 20.0
"""Fewest seconds between recovery files, if the recipe sets no steps."""
DEAREST_SHARE = 0.02
"""Largest share of the time spent on recovery files."""


@dataclass(frozen=True, slots=True)
class CheckpointPlan:
    """Where a training run writes its files, what identifies it, and the folder it resumes from."""

    folder: Path
    identity: Mapping[str, str]
    resume: Path | None = None


class Checkpointer:
    """Writes files under `keep.folder`, each completely or not at all, and reports checkpoints to the listener."""

    def __init__(self, keep: CheckpointPlan, recipe: Recipe, listener: Listener) -> None:
        self._keep, self._recipe, self._listener = keep, recipe, listener
        self._saved, self._cost = time.monotonic(), 0.0

    def newest(self) -> Content | None:
        """The content of the newest recovery file, if there is one. Raises RecoveryError."""
        keep = self._keep
        return recovery.newest(keep.resume, identity=keep.identity, log=self._listener.log) if keep.resume else None

    def begin(self, state: State) -> None:
        """Start or continue from `state`: remove files of an earlier run beyond its step, and write its curve anew."""
        if state.step:
            self._listener.log(f"training goes on after step {state.step}")
        for path in (self._keep.folder / RECOVERY).glob(recovery.PATTERN):
            if path > recovery.path_of(path.parent, state.step):
                path.unlink()
        if not state.step:
            self._only(self._keep.folder / BEST, [])
        self._events = EventFile(self._keep.folder)
        for step, values in state.points:
            self._events.point(step, values)

    def point(self, step: int, values: Mapping[str, float]) -> None:
        """Add a point to the curve."""
        self._events.point(step, values)

    def best(self, state: State, weights: Mapping[str, Tensor], headline: str) -> None:
        """Keep the weights that were evaluated last, which are among the best."""
        best, last = state.scores.best(self._recipe.keep_best), state.scores.scores[-1]
        folder = self._keep.folder / BEST
        path = recovery.path_of(folder, last.step)
        held = {name: value.cpu().contiguous() for name, value in weights.items()}
        files.write_bytes(path, safetensors.torch.save(held))
        self._only(folder, [recovery.path_of(folder, score.step) for score in best])
        self._listener.checkpoint(path, kind="best", step=last.step, values=last.values(headline))

    def recovery_is_due(self, step: int) -> bool:
        """Whether a recovery file is due."""
        if self._recipe.recover_every is not None:
            return step % self._recipe.recover_every == 0
        return time.monotonic() - self._saved >= max(LEAST_SECONDS, self._cost / DEAREST_SHARE)

    def recovery(self, state: State, content: Content) -> None:
        """Write a recovery file of `state` with `content`, and delete the oldest."""
        started, folder = time.monotonic(), self._keep.folder / RECOVERY
        values = state.tail.values()  # raises if the loss is not finite
        path = recovery.path_of(folder, state.step)
        recovery.write(path, content, identity=self._keep.identity)
        self._only(folder, sorted(folder.glob(recovery.PATTERN))[-KEPT:])
        self._listener.checkpoint(path, kind="recovery", step=state.step, values=values)
        self._saved = time.monotonic()
        self._cost = self._saved - started

    def end(self) -> None:
        """Close the file of the curve."""
        self._events.close()

    def _only(self, folder: Path, wanted: list[Path]) -> None:
        for path in set(folder.glob(recovery.PATTERN)) - set(wanted):
            path.unlink()
