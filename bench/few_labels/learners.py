"""What replays learn with: a head on features of the platform's frozen network, as the learner `auto` solves it."""

import hashlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from acquisition.pool import Indices
from backtest.probe import SILENT, Embedded, Linear, Probe
from bench.few_labels.sets import Pixels, Set
from bench.similarity import features_of
from training.auto import AutoParams, most_unlabelled
from training.propagation import Graph
from training.solving import solve, with_pseudo_labels
from worker_programs.events import Listener


class Network:
    """The platform's frozen network, made in a folder; it runs once for each image, in however many sets that is."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._computed = folder, dict[bytes, NDArray[np.float32]]()

    def embedded(self, images: Set) -> Embedded:
        """Return the features of a set, with the labels that annotators give."""
        features, test_features = self._features(images.images), self._features(images.test_images)
        return Embedded(features, images.answered, test_features, images.test_labels)

    def _features(self, images: Pixels) -> NDArray[np.float32]:
        digests = [hashlib.sha256(image.tobytes()).digest() for image in images]
        new = {digest: image for digest, image in zip(digests, images, strict=True) if digest not in self._computed}
        if new:
            rows = features_of(new.values(), self._folder).astype(np.float32)
            self._computed |= dict(zip(new, rows, strict=True))
        return np.stack([self._computed[digest] for digest in digests])


class SemiSupervisedProbe(Probe):
    """A probe that learns from pseudo-labels too, for as many images without a label as `auto` takes."""

    def learn(
        self,
        rows: Indices,
        *,
        seed: int,  # noqa: ARG002 - it draws nothing
        listener: Listener = SILENT,  # noqa: ARG002 - it takes a moment
    ) -> Linear:
        """Solve a head for the labels, then one for labels and pseudo-labels."""
        features, labels = self.scaled(self.embedding[rows]), self.labels[rows]
        unlabelled = np.setdiff1d(np.arange(len(self.labels)), rows)[: most_unlabelled(AutoParams(), len(rows))]
        pool = self.scaled(self.embedding[unlabelled])
        head = solve(features, labels, len(self.classes))
        head = with_pseudo_labels(head, features, labels, pool, Graph(features, pool), np.arange(len(rows)))
        return Linear(self, head.fit)
