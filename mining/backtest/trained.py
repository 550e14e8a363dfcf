"""An architecture trained as in production: from scratch in every round, tested and run as its ONNX file."""

import math
from dataclasses import asdict, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from acquisition.pool import Floats, Indices
from backtest.config import TrainSource
from backtest.learners import Answers
from blobs.opening import open_reader
from export import Session, export_onnx
from tasktypes import task_type
from training import Checkpoint, Images, architecture, build, fit, load_images, save_checkpoint
from training.checkpoint import CheckpointConfig
from training.config import merged_recipe
from worker_programs.config import ConfigError, document
from worker_programs.events import Listener, Silent
from worker_programs.manifest import read_manifest

BLOCK = 256
"""Images per call of ONNX Runtime."""
SILENT = Silent()


class Training:
    """Trains `name` with `params` on decoded candidates, by its own recipe with `changes`. `evidence`: see
    `TrainSource.evidence`."""

    def __init__(
        self,
        candidates: Images,
        test: Images,
        classes: list[str],
        *,
        evidence: Images | None = None,
        name: str = "small_cnn",
        params: dict[str, Any] | None = None,
        changes: dict[str, Any] | None = None,
        threads: int = 1,
    ) -> None:
        self.candidates, self.test, self.classes, self.threads = candidates, test, classes, threads
        self.held_evidence, self.labels, self.task = evidence, candidates.labels, candidates.task
        self.family = architecture(name, params)
        self.recipe = merged_recipe(
            self.family.recipe, changes or {}, frozen=self.family.frozen, task=self.task
        )  # fmt: skip

    @classmethod
    def read(cls, source: TrainSource, classes: list[str], *, task: str, threads: int) -> "Training":
        """Decode the samples of the manifests. Raises ManifestError, DataError, ConfigError (architecture, recipe, or
        images that don't fit in `memory`)."""
        size = architecture(source.architecture, source.params).input_size
        paths = [source.candidates, source.test, *([source.evidence] if source.evidence else [])]
        manifests = [read_manifest(path) for path in paths]
        wanted = sum(map(len, manifests)) * math.prod(size)
        if wanted > source.memory:
            raise ConfigError({"learner.memory": [
                f"{wanted:,} bytes of decoded images don't fit in {source.memory:,}: use an architecture with a frozen "
                "trunk, a smaller input, or a version with fewer labelled samples"
            ]})  # fmt: skip
        reader = open_reader(source.blobs)
        candidates, test, *evidence = (
            load_images(samples, reader, classes=classes, input_size=size, task=task, threads=threads)
            for samples in manifests
        )
        return cls(
            candidates, test, classes, evidence=evidence[0] if evidence else None, name=source.architecture,
            params=source.params, changes=source.recipe, threads=threads,
        )  # fmt: skip

    def learn(self, rows: Indices, *, seed: int, listener: Listener = SILENT) -> "Shipped":
        """Train on these candidates and export the network."""
        params = document(self.family.params)
        network = build(self.family.name, params, classes=len(self.classes), seed=seed)
        seen = Images(self.candidates.pixels[rows], self.labels[rows], self.task)
        fit(network, seen, replace(self.recipe, seed=seed), threads=self.threads, listener=listener)
        facts = CheckpointConfig(
            architecture=self.family.name,
            params=params,
            classes=self.classes,
            task=self.task,
            recipe=asdict(self.recipe),
            threads=self.threads,
            torch=torch.__version__,
        )
        with TemporaryDirectory(prefix="motherlode-backtest-") as name:
            save_checkpoint(Checkpoint(network, facts), Path(name))
            return Shipped(self, Session(export_onnx(Path(name), Path(name) / "model.onnx"), threads=self.threads))


class Shipped:
    """An exported network on the images of its learner."""

    def __init__(self, learner: Training, session: Session) -> None:
        self._learner, self._session, self._task = learner, session, task_type(learner.task)

    def accuracy(self) -> float:
        """The headline metric on the test samples."""
        test, metrics = self._learner.test, self._task.metrics
        judged = metrics.judged(self._run(test.pixels).probabilities, test.labels)
        return metrics.figure(metrics.headline, judged) or 0.0

    def answers(self, rows: Indices) -> Answers:
        """Return the predictions for these candidates."""
        return self._run(self._learner.candidates.pixels[rows])

    def evidence(self, rows: Indices) -> Floats:
        """See `learners.Learned`."""
        held, learner = self._learner.held_evidence, self._learner
        pixels, labels = (held.pixels, held.labels) if held else (learner.candidates.pixels[rows], learner.labels[rows])
        return evidence_of(self._run(pixels), labels, learner.task)

    def _run(self, pixels: NDArray[np.uint8]) -> Answers:
        made = []
        for at in range(0, len(pixels), BLOCK):
            told = self._session.run(pixels[at : at + BLOCK])
            cells = self._task.outputs.cells(told.logits, told.probabilities)
            made.append(Answers(told.probabilities, told.embedding, cells))
        return joined(made)


def evidence_of(said: Answers, labels: NDArray[Any], task: str) -> Floats:
    """Return evidence (J, 4) from predictions whose labels are known; empty for predictions without places."""
    if said.cells is None:
        return np.empty((0, 4), np.float32)
    return task_type(task).mining.evidence(said.probabilities, said.cells, labels)


def joined(parts: list[Answers]) -> Answers:
    """Join predictions, one after the other; at least one."""
    cells = [part.cells for part in parts if part.cells is not None]
    return Answers(
        np.concatenate([part.probabilities for part in parts]),
        np.concatenate([part.embeddings for part in parts]),
        np.concatenate(cells) if cells else None,
    )
