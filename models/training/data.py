"""Labelled samples as arrays in memory, and the order and shape in which an optimiser sees them."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from blobs.errors import ImageRefused
from programs.events import Listener, Silent
from programs.manifest import Sample
from programs.pixels import load
from programs.readers import SampleReader
from training.config import Recipe


class DataError(Exception):
    """The samples cannot be trained on; the message names the sample and the fault."""

    code = "invalid_training_data"


class Batch(NamedTuple):
    """What one optimiser step sees of B samples: `labels` int64 (B,) with either augmented `pixels`, uint8
    (B, H, W, C), or the `features` of a frozen trunk, float32 (B, D)."""

    labels: NDArray[np.int64]
    pixels: NDArray[np.uint8] | None = None
    features: NDArray[np.float32] | None = None


class Source(Protocol):
    """Labelled samples as a stream of batches that depends on recipe and step alone."""

    @property
    def labels(self) -> NDArray[np.int64]:
        """The labels of all samples (N,)."""
        ...

    def batches(self, recipe: Recipe, *, start: int = 0) -> Iterator[Batch]:
        """The batches of steps `start` + 1 up to the recipe's last."""
        ...


@dataclass(frozen=True, slots=True)
class Images:
    """Decoded samples in memory: `pixels` uint8 (N, H, W, C), `labels` int64 (N,) as indices of the classes."""

    pixels: NDArray[np.uint8]
    labels: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.labels)

    def batches(self, recipe: Recipe, *, start: int = 0) -> Iterator[Batch]:
        """Augmented pixels; see Source."""
        for step, chosen in enumerate(order(len(self), recipe, start=start), start + 1):
            rng = np.random.default_rng((recipe.seed, 1, step))
            pixels = augmented(self.pixels[chosen], rng, shift=recipe.shift, flip=recipe.flip)
            yield Batch(self.labels[chosen], pixels=pixels)


@dataclass(frozen=True, slots=True)
class Features:
    """What a frozen trunk gave for each sample: `features` float32 (N, D), `labels` int64 (N,)."""

    features: NDArray[np.float32]
    labels: NDArray[np.int64]

    def batches(self, recipe: Recipe, *, start: int = 0) -> Iterator[Batch]:
        """Features are not augmented; see Source."""
        for chosen in order(len(self.labels), recipe, start=start):
            yield Batch(self.labels[chosen], features=self.features[chosen])


def label_indices(samples: Sequence[Sample], classes: Sequence[str]) -> NDArray[np.int64]:
    """The class index of each sample; DataError names a sample without label or with an unknown class."""
    index = {name: number for number, name in enumerate(classes)}
    found = np.empty(len(samples), np.int64)
    for row, sample in enumerate(samples):
        name = (sample.label or {}).get("class")
        if name is None:
            raise DataError(f"sample {sample.key!r} has no label with a class")
        if name not in index:
            raise DataError(f"sample {sample.key!r}: unknown class {name!r}; the classes are {', '.join(classes)}")
        found[row] = index[name]
    return found


def load_images(
    samples: Sequence[Sample],
    reader: SampleReader,
    *,
    classes: Sequence[str],
    input_size: tuple[int, int, int],
    listener: Listener | None = None,
) -> Images:
    """`load_pixels` of labelled samples, with their labels; DataError also for a label that does not fit."""
    labels = label_indices(samples, classes)
    return Images(load_pixels(samples, reader, input_size=input_size, listener=listener), labels)


def load_pixels(
    samples: Sequence[Sample],
    reader: SampleReader,
    *,
    input_size: tuple[int, int, int],
    listener: Listener | None = None,
) -> NDArray[np.uint8]:
    """Fetch and decode samples to uint8 (N, H, W, C) of `input_size` [C, H, W]; DataError names one that cannot be."""
    listener = listener or Silent()
    channels, height, width = input_size
    pixels = np.empty((len(samples), height, width, channels), np.uint8)
    rows = defaultdict(list)
    for row, sample in enumerate(samples):
        rows[sample.md5].append(row)
    refs = [samples[places[0]].ref for places in rows.values()]
    for done, (ref, data) in enumerate(reader.get_many(refs), 1):
        try:
            pixels[rows[ref.md5]] = load(data, input_size)
        except ImageRefused as fault:
            raise DataError(f"sample {samples[rows[ref.md5][0]].key!r}: {fault.code}: {fault.message}") from fault
        if done % 5000 == 0:
            listener.log(f"{done} of {len(refs)} images decoded")
    return pixels


def order(samples: int, recipe: Recipe, *, start: int = 0) -> Iterator[NDArray[np.int64]]:
    """Which of `samples` each step from `start` + 1 on sees: index arrays of the batch size (fewer if there are fewer).

    An epoch's order depends on (seed, epoch) alone. A remainder too small for a batch is carried into the next epoch's
    order, so that no sample is dropped.
    """
    size = min(recipe.batch_size, samples)
    epoch, skipped = divmod(start * size, samples)
    rest = np.random.default_rng((recipe.seed, epoch)).permutation(samples)[skipped:]
    for _ in range(start, recipe.total_steps(samples)):
        while len(rest) < size:
            epoch += 1
            rest = np.concatenate([rest, np.random.default_rng((recipe.seed, epoch)).permutation(samples)])
        yield rest[:size]
        rest = rest[size:]


def as_input(pixels: NDArray[np.uint8]) -> Tensor:
    """uint8 (N, H, W, C) -> float32 (N, C, H, W) in 0..255, laid out channels last."""
    return torch.from_numpy(pixels.astype(np.float32)).permute(0, 3, 1, 2)


def augmented(pixels: NDArray[np.uint8], rng: np.random.Generator, *, shift: int, flip: bool) -> NDArray[np.uint8]:
    """Each image moved by up to `shift` pixels along both axes, edges repeated, and mirrored by a coin where asked."""
    count, height, width, _ = pixels.shape
    rows = np.arange(height) + rng.integers(-shift, shift + 1, (count, 1))
    columns = np.arange(width) + rng.integers(-shift, shift + 1, (count, 1))
    if flip:
        columns = np.where(rng.random((count, 1)) < 0.5, columns[:, ::-1], columns)
    rows, columns = rows.clip(0, height - 1), columns.clip(0, width - 1)
    moved: NDArray[np.uint8] = pixels[np.arange(count)[:, None, None], rows[:, :, None], columns[:, None, :]]
    return moved
