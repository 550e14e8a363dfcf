"""Samples to pixels and labels: fetched, verified, decoded by threads."""

from collections import defaultdict
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from blobs.decoding import JpegScales, load
from blobs.errors import ImageRefused
from tasktypes import DEFAULT, task_type
from tasktypes.model_parts import LabelUnfit
from training.batches import DataError, Images
from training.prefetch import mapped
from worker_programs.events import Listener, Silent
from worker_programs.manifest import Ref, Sample
from worker_programs.readers import SampleReader

Decoded = tuple[list[int], NDArray[np.uint8]]
"""The rows that show one blob, and its pixels (H, W, C)."""


class Blobs:
    """The blobs of samples, each once, and which samples show them."""

    def __init__(
        self, samples: Sequence[Sample], input_size: tuple[int, int, int], scales: JpegScales = "halves"
    ) -> None:
        self._samples, self._input_size, self._scales = samples, input_size, scales
        self._rows: defaultdict[str, list[int]] = defaultdict(list)
        for row, sample in enumerate(samples):
            self._rows[sample.md5].append(row)
        self.refs = [samples[rows[0]].ref for rows in self._rows.values()]

    def decoded(self, found: tuple[Ref, bytes]) -> Decoded:
        """Decode a blob from a reader; if it is not an image, DataError names the first sample that shows it."""
        ref, data = found
        rows = self._rows[ref.md5]
        try:
            return rows, load(data, self._input_size, scales=self._scales)
        except ImageRefused as fault:
            raise DataError(f"sample {self._samples[rows[0]].key!r}: {fault.code}: {fault.message}") from fault


def targets_of(samples: Sequence[Sample], classes: Sequence[str], task: str = DEFAULT) -> NDArray[Any]:
    """The labels as numbers, one row a sample; DataError names a sample without label or with an unknown class."""
    try:
        labels, sizes = [sample.label for sample in samples], [sample.upright_size for sample in samples]
        return task_type(task).metrics.targets(labels, classes, sizes)
    except LabelUnfit as fault:
        raise DataError(f"sample {samples[fault.row].key!r} {fault}") from fault


def load_images(
    samples: Sequence[Sample],
    reader: SampleReader,
    *,
    classes: Sequence[str],
    input_size: tuple[int, int, int],
    task: str = DEFAULT,
    threads: int = 1,
    listener: Listener | None = None,
) -> Images:
    """Load labelled samples with `load_pixels`, and their labels; DataError also for a label that does not fit."""
    labels = targets_of(samples, classes, task)
    pixels = load_pixels(samples, reader, input_size=input_size, threads=threads, listener=listener)
    return Images(pixels, labels, task)


def load_pixels(
    samples: Sequence[Sample],
    reader: SampleReader,
    *,
    input_size: tuple[int, int, int],
    threads: int = 1,
    listener: Listener | None = None,
    scales: JpegScales = "halves",
) -> NDArray[np.uint8]:
    """Fetch and decode samples to uint8 (N, H, W, C) of `input_size` [C, H, W]; `scales` as in `blobs.decoding.load`.
    DataError names a faulty one."""
    tell = partial(_tell, listener or Silent())
    channels, height, width = input_size
    pixels = np.empty((len(samples), height, width, channels), np.uint8)
    blobs = Blobs(samples, input_size, scales)
    decoded = mapped(blobs.decoded, reader.get_many(blobs.refs), threads=threads)
    for done, (rows, image) in enumerate(decoded, 1):
        pixels[rows] = image
        tell(done, len(blobs.refs))
    return pixels


def _tell(listener: Listener, done: int, total: int) -> None:
    if done % 5000 == 0:
        listener.log(f"{done} of {total} images decoded")
