"""Samples that do not fit in memory: their bytes are streamed in shuffled order and decoded anew in each epoch."""

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tasktypes import DEFAULT
from training.augmentation import augmented
from training.batches import Batch
from training.config import Recipe
from training.decoding import Blobs
from training.prefetch import mapped, prefetched
from worker_programs.config import ConfigError
from worker_programs.manifest import Sample
from worker_programs.readers import SampleReader


@dataclass(frozen=True, slots=True)
class Streamed:
    """A source that holds a few batches and the window of the reader's shuffling, never all images.

    An epoch's order depends on (seed, epoch) and the samples' places in the store, not on the number of `threads`.
    Samples with equal bytes follow each other.
    """

    samples: Sequence[Sample]
    reader: SampleReader
    labels: NDArray[Any]
    input_size: tuple[int, int, int]
    threads: int
    task: str = DEFAULT

    def batches(self, recipe: Recipe, *, start: int = 0) -> Iterator[Batch]:
        """Augmented pixels, made in threads ahead of the steps; see Source. Samples before `start` are not read, or,
        if samples share their bytes, those of its epoch are decoded but not yielded."""
        self.check(recipe)
        return prefetched(self._batches(recipe, start))

    def check(self, recipe: Recipe) -> None:
        """Raise ConfigError for recipes that a stream does not support."""
        if recipe.balance == "sampling":
            fix = "needs the images in memory: raise memory, or balance by loss"
            raise ConfigError({"recipe.balance": [fix]})

    def _batches(self, recipe: Recipe, start: int) -> Generator[Batch, None, None]:
        size = min(recipe.batch_size, len(self.samples))
        rows = self._rows(recipe.seed, *divmod(start * size, len(self.samples)))
        for step in range(start + 1, recipe.total_steps(len(self.samples)) + 1):
            chosen, images = zip(*islice(rows, size), strict=True)
            pixels, labels = augmented(np.stack(images), self.labels[list(chosen)], recipe, step, task=self.task)
            yield Batch(labels, pixels=pixels)

    def _rows(self, seed: int, epoch: int, skip: int) -> Iterator[tuple[int, NDArray[np.uint8]]]:
        """Yield the samples' rows with their pixels, epoch after epoch, without end."""
        blobs = Blobs(self.samples, self.input_size)
        alone = len(blobs.refs) == len(self.samples)
        while True:
            dice = int(np.random.SeedSequence((seed, epoch)).generate_state(1)[0])
            found = self.reader.shuffled(blobs.refs, seed=dice, skip=skip if alone else 0)
            drop = 0 if alone else skip
            for rows, image in mapped(blobs.decoded, found, threads=self.threads):
                yield from ((row, image) for row in rows[drop:])
                drop = max(0, drop - len(rows))
            epoch, skip = epoch + 1, 0
