"""Labelled samples as a source of batches: in memory, streamed, or as the features of a frozen trunk."""

import math
from collections.abc import Sequence

from blobs.cache import BlobCache
from tasktypes import DEFAULT
from training.architectures import Architecture
from training.batches import Batch, DataError, Features, Images, Source, as_input, order
from training.config import Recipe
from training.decoding import load_images, load_pixels, targets_of
from training.features import load_features
from training.network import Network
from training.streaming import Streamed
from worker_programs.events import Listener, Silent
from worker_programs.manifest import Sample
from worker_programs.readers import SampleReader

__all__ = [
    "MEMORY_BYTES",
    "Batch",
    "DataError",
    "Features",
    "Held",
    "Images",
    "Source",
    "as_input",
    "load_images",
    "load_pixels",
    "open_held_out",
    "open_source",
    "order",
    "targets_of",
]

MEMORY_BYTES = 2 << 30
FLOAT_BYTES = 4
Held = Images | Features
"""Samples that are all in memory, as evaluation requires."""


def open_source(
    samples: Sequence[Sample],
    reader: SampleReader,
    *,
    classes: Sequence[str],
    task: str = DEFAULT,
    family: Architecture,
    network: Network,
    threads: int = 1,
    memory: int = MEMORY_BYTES,
    recipe: Recipe | None = None,
    listener: Listener | None = None,
) -> Source:
    """Open samples in the best form for training: features if the network's trunk is frozen (from the cache that the
    environment names), else decoded images; a stream if those do not fit in `memory` bytes.

    DataError names a sample that cannot be used (a streamed one when its batch is due); ConfigError for a `recipe` that
    a stream does not support.
    """
    size = len(samples) * (FLOAT_BYTES * family.features_dim if family.frozen else math.prod(family.input_size))
    if size <= memory:
        return open_held_out(
            samples, reader, classes=classes, task=task, family=family, network=network, threads=threads,
            memory=memory, listener=listener,
        )  # fmt: skip
    what = "features" if family.frozen else "decoded images"
    (listener or Silent()).log(f"{size:,} bytes of {what} do not fit in {memory:,}: the images are streamed")
    streamed = Streamed(samples, reader, targets_of(samples, classes, task), family.input_size, threads, task)
    if recipe is not None:
        streamed.check(recipe)
    return streamed


def open_held_out(
    samples: Sequence[Sample],
    reader: SampleReader,
    *,
    classes: Sequence[str],
    task: str = DEFAULT,
    family: Architecture,
    network: Network,
    threads: int = 1,
    memory: int = MEMORY_BYTES,
    listener: Listener | None = None,
) -> Held:
    """Open samples to evaluate on: always in memory, as images where features do not fit in `memory` bytes. DataError
    names a sample that cannot be used."""
    if not family.frozen or FLOAT_BYTES * len(samples) * family.features_dim > memory:
        size = family.input_size
        return load_images(
            samples, reader, classes=classes, input_size=size, task=task, threads=threads, listener=listener
        )
    labels, cache = targets_of(samples, classes, task), BlobCache.from_env()
    features = load_features(samples, reader, network, threads=threads, listener=listener, cache=cache)
    return Features(features, labels, task)
