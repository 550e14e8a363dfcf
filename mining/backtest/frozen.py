"""The head of a frozen trunk, trained anew in every round on features that were computed once.

Features may be large (the maps of a detector take half a megabyte an image), so they are in a file that is mapped into
memory: a batch is read when it is needed, and the system drops unused pages.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from tempfile import NamedTemporaryFile
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from acquisition.pool import Floats, Indices
from backtest.config import FLOAT_BYTES, TrainSource, check_features
from backtest.learners import Answers
from backtest.trained import SILENT, evidence_of, joined
from blobs.cache import BlobCache
from blobs.opening import open_reader
from tasktypes import task_type
from training import architecture, build, fit
from training.batches import Batch, DataError, order
from training.config import Recipe, merged_recipe
from training.data import targets_of
from training.features import load_features
from training.hardware import deterministic
from training.network import Network
from worker_programs.config import document
from worker_programs.events import Listener
from worker_programs.manifest import Sample, read_manifest
from worker_programs.wording import plural

BLOCK_NUMBERS = 1 << 24
"""Numbers of the features that the head is run on at once: 64 MiB of them."""
AT_ONCE = 64
"""Images whose features are computed into the cache between two reports of progress."""


class NoRoomError(DataError):
    """The disk of this machine has no room for the features."""

    code = "no_room"


@dataclass(frozen=True)
class Mapped:
    """Labelled samples of a task type: `features` (N, D) in a mapped file, which is deleted with this object; `labels`
    (N, ..); `embeddings` (N, E)."""

    features: NDArray[np.float32]
    labels: NDArray[Any]
    embeddings: NDArray[np.float32]
    task: str
    file: Any = field(repr=False, default=None)

    def rows(self, rows: Indices) -> "Part":
        """Return some of the samples to train on."""
        return Part(self, rows)


@dataclass(frozen=True, slots=True)
class Part:
    """Rows of mapped features as a `training.batches.Source`: only the rows of a batch are read."""

    source: Mapped
    chosen: Indices

    @property
    def labels(self) -> NDArray[Any]:
        """The labels of these rows."""
        targets: NDArray[Any] = self.source.labels[self.chosen]
        return targets

    @property
    def task(self) -> str:
        """The task type of the source."""
        return self.source.task

    def batches(self, recipe: Recipe, *, start: int = 0) -> Iterator[Batch]:
        """Yield batches in the order of `training.batches.Features`."""
        labels = self.labels
        for places in order(labels, recipe, start=start, task=self.task):
            yield Batch(labels[places], features=np.asarray(self.source.features[self.chosen[places]]))


class Frozen:
    """Trains the head of `name` with `params` on the features of candidates, by its own recipe with `changes`."""

    def __init__(
        self,
        candidates: Mapped,
        test: Mapped,
        classes: list[str],
        *,
        evidence: Mapped | None = None,
        name: str,
        params: dict[str, Any] | None = None,
        changes: dict[str, Any] | None = None,
        threads: int = 1,
    ) -> None:
        self.candidates, self.test, self.classes, self.threads = candidates, test, classes, threads
        self.held_evidence, self.labels, self.task = evidence, candidates.labels, candidates.task
        self.family = architecture(name, params)
        self.recipe = merged_recipe(self.family.recipe, changes or {}, frozen=True, task=candidates.task)

    @classmethod
    def read(
        cls, source: TrainSource, classes: list[str], *, task: str, threads: int, listener: Listener = SILENT
    ) -> "Frozen":
        """Load the features of the manifests' samples, from this machine's cache or computed. Raises ManifestError,
        DataError, ConfigError (architecture, recipe, or features that don't fit in `disk`), NoRoomError."""
        paths = [source.candidates, source.test, *([source.evidence] if source.evidence else [])]
        manifests = [read_manifest(path) for path in paths]
        network = _trunk(source, classes)
        check_features(sum(map(len, manifests)), network.family.features_dim, source.disk)
        reader, cache = open_reader(source.blobs), BlobCache.from_env()
        candidates, test, *evidence = (
            _mapped(samples, targets_of(samples, classes, task), network, task=task, load={
                "reader": reader, "cache": cache, "threads": threads, "listener": listener,
            })
            for samples in manifests
        )  # fmt: skip
        return cls(
            candidates, test, classes, evidence=evidence[0] if evidence else None, name=source.architecture,
            params=source.params, changes=source.recipe, threads=threads,
        )  # fmt: skip

    def learn(self, rows: Indices, *, seed: int, listener: Listener = SILENT) -> "Headed":
        """Train a new head on these candidates."""
        network = build(self.family.name, document(self.family.params), classes=len(self.classes), seed=seed)
        recipe = replace(self.recipe, seed=seed)
        done = fit(network, self.candidates.rows(rows), recipe, threads=self.threads, listener=listener)
        listener.log(f"trained on {plural(len(rows), 'label')}: {plural(done.steps, 'step')} in {done.seconds:.0f} s")
        return Headed(self, network)


class Headed:
    """A trained head on the features of its learner."""

    def __init__(self, learner: Frozen, network: Network) -> None:
        self._learner, self._network, self._task = learner, network, task_type(learner.task)

    def accuracy(self) -> float:
        """The headline metric on the test samples."""
        test, metrics = self._learner.test, self._task.metrics
        said = self._run(test, np.arange(len(test.labels)))
        return metrics.figure(metrics.headline, metrics.judged(said.probabilities, test.labels)) or 0.0

    def answers(self, rows: Indices) -> Answers:
        """Return the head's predictions for these candidates."""
        return self._run(self._learner.candidates, rows)

    def evidence(self, rows: Indices) -> Floats:
        """See `learners.Learned`."""
        held = self._learner.held_evidence
        source, rows = (self._learner.candidates, rows) if held is None else (held, np.arange(len(held.labels)))
        return evidence_of(self._run(source, rows), source.labels[rows], source.task)

    def _run(self, source: Mapped, rows: Indices) -> Answers:
        """Run the head block by block: the raw maps of all images would fill the memory."""
        network, made = self._network.eval(), []
        step = _block(network)
        with deterministic(self._learner.threads, device=network.device.type), torch.inference_mode():
            for at in range(0, len(rows), step):
                places = rows[at : at + step]
                block = torch.from_numpy(np.asarray(source.features[places]))
                logits = network.answered(block.to(network.device))[0].float().cpu()
                said = self._task.learning.activated(logits).numpy()
                cells = self._task.outputs.cells(logits.numpy(), said)
                made.append(Answers(said, source.embeddings[places], cells))
        return joined(made)


def warm(source: TrainSource, classes: list[str], *, threads: int, listener: Listener) -> int:
    """Compute the features of the candidates into this machine's cache, where replays find them; return the number of
    images, 0 without a cache. Raises ManifestError, DataError, ConfigError."""
    cache, samples = BlobCache.from_env(), read_manifest(source.candidates)
    if cache is None:
        listener.log("this machine has no cache (MOTHERLODE_CACHE_DIR): each replay computes the features")
        return 0
    network = _trunk(source, classes)
    reader = open_reader(source.blobs)
    for at in range(0, len(samples), AT_ONCE):
        load_features(samples[at : at + AT_ONCE], reader, network, threads=threads, cache=cache)
        listener.progress(min(at + AT_ONCE, len(samples)), len(samples), unit="samples")
    return len(samples)


def _trunk(source: TrainSource, classes: list[str]) -> Network:
    """Build a network of which only the trunk is used."""
    return build(source.architecture, source.params, classes=len(classes))


def _mapped(
    samples: Sequence[Sample], labels: NDArray[Any], network: Network, *, task: str, load: dict[str, Any]
) -> Mapped:
    """Compute the features of samples into a file in this program's temporary folder."""
    shape = len(samples), network.family.features_dim
    file = NamedTemporaryFile(prefix="motherlode-features-")  # noqa: SIM115 - it is mapped as long as it is held
    try:
        os.posix_fallocate(file.fileno(), 0, max(1, shape[0] * shape[1] * FLOAT_BYTES))
    except OSError as fault:  # else a write to the map would kill the program
        words = f"the features of {shape[0]:,} images take {shape[0] * shape[1] * FLOAT_BYTES:,} bytes of disk"
        raise NoRoomError(f"{words}: {fault.strerror}; free some, or choose a smaller input") from fault
    features = np.memmap(file, np.float32, "r+", shape=shape)
    load_features(samples, load["reader"], network, into=features, threads=load["threads"],
                  listener=load["listener"], cache=load["cache"])  # fmt: skip
    return Mapped(features, labels, _embeddings(features, network, threads=load["threads"]), task, file)


def _embeddings(features: NDArray[np.float32], network: Network, *, threads: int) -> NDArray[np.float32]:
    """Return the embeddings (N, E) of features (N, D): they do not change with the head."""
    family, step = network.family, _block(network)
    with deterministic(threads), torch.inference_mode():
        blocks = (torch.from_numpy(np.asarray(features[at : at + step])) for at in range(0, len(features), step))
        made = [family.described(family.unpacked(block)).numpy() for block in blocks]
    return np.concatenate(made)


def _block(network: Network) -> int:
    return max(1, min(256, BLOCK_NUMBERS // network.family.features_dim))
