"""The architecture as it is really trained: from scratch in every round, judged and asked as its ONNX file."""

import math
from dataclasses import asdict, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from acquisition.pool import Indices
from backtest.config import TrainSource
from backtest.learners import Answers
from blobs.opening import open_reader
from export import Session, export_onnx
from training import Checkpoint, Images, architecture, build, fit, load_images, save_checkpoint
from training.checkpoint import CheckpointConfig
from training.config import merged_recipe
from worker_programs.config import ConfigError, document
from worker_programs.manifest import read_manifest

BLOCK = 256
"""Images per call of ONNX Runtime."""


class Training:
    """Trains `name` with `params` on decoded candidates, by its own recipe with `changes`."""

    def __init__(
        self,
        candidates: Images,
        test: Images,
        classes: list[str],
        *,
        name: str = "small_cnn",
        params: dict[str, Any] | None = None,
        changes: dict[str, Any] | None = None,
        threads: int = 1,
    ) -> None:
        self.candidates, self.test, self.classes, self.threads = candidates, test, classes, threads
        self.labels = candidates.labels
        self.family = architecture(name, params)
        self.recipe = merged_recipe(self.family.recipe, changes or {}, frozen=self.family.frozen)

    @classmethod
    def read(cls, source: TrainSource, classes: list[str], *, threads: int) -> "Training":
        """Decode the samples of both manifests. Raises ManifestError, DataError, ConfigError (architecture, recipe, or
        images that don't fit in `memory`)."""
        size = architecture(source.architecture, source.params).input_size
        manifests = [read_manifest(path) for path in (source.candidates, source.test)]
        wanted = sum(map(len, manifests)) * math.prod(size)
        if wanted > source.memory:
            raise ConfigError({"learner.memory": [
                f"{wanted:,} bytes of decoded images don't fit in {source.memory:,}: use the learner `probe`, a "
                "smaller input, or a version with fewer labelled samples"
            ]})  # fmt: skip
        reader = open_reader(source.blobs)
        candidates, test = (
            load_images(samples, reader, classes=classes, input_size=size, threads=threads) for samples in manifests
        )
        return cls(
            candidates, test, classes, name=source.architecture, params=source.params, changes=source.recipe,
            threads=threads,
        )  # fmt: skip

    def learn(self, rows: Indices, *, seed: int) -> "Shipped":
        """Train on these candidates and export what was trained."""
        params = document(self.family.params)
        network = build(self.family.name, params, classes=len(self.classes), seed=seed)
        seen = Images(self.candidates.pixels[rows], self.labels[rows])
        fit(network, seen, replace(self.recipe, seed=seed), threads=self.threads)
        facts = CheckpointConfig(
            architecture=self.family.name,
            params=params,
            classes=self.classes,
            recipe=asdict(self.recipe),
            threads=self.threads,
            torch=torch.__version__,
        )
        with TemporaryDirectory(prefix="motherlode-backtest-") as name:
            save_checkpoint(Checkpoint(network, facts), Path(name))
            return Shipped(self, Session(export_onnx(Path(name), Path(name) / "model.onnx"), threads=self.threads))


class Shipped:
    """An exported network on its learner's images."""

    def __init__(self, learner: Training, session: Session) -> None:
        self._learner, self._session = learner, session

    def accuracy(self) -> float:
        """On the test samples."""
        test = self._learner.test
        return float((self._run(test.pixels).probabilities.argmax(axis=1) == test.labels).mean())

    def answers(self, rows: Indices) -> Answers:
        """For these candidates."""
        return self._run(self._learner.candidates.pixels[rows])

    def _run(self, pixels: NDArray[np.uint8]) -> Answers:
        made = [self._session.run(pixels[at : at + BLOCK]) for at in range(0, len(pixels), BLOCK)]
        return Answers(
            np.concatenate([one.probabilities for one in made]), np.concatenate([one.embedding for one in made])
        )
