"""Labelled samples as a source of batches: in memory, streamed, or as the features of a frozen trunk."""

from collections.abc import Sequence

from blobs.cache import BlobCache
from programs.events import Listener, Silent
from programs.manifest import Sample
from programs.readers import SampleReader
from training.architectures import Architecture
from training.batches import Batch, DataError, Features, Images, Source, as_input, order
from training.config import Recipe
from training.decoding import label_indices, load_images, load_pixels
from training.features import load_features
from training.network import Network
from training.streaming import Streamed

__all__ = [
    "MEMORY_BYTES",
    "Batch",
    "DataError",
    "Features",
    "Images",
    "Source",
    "as_input",
    "label_indices",
    "load_images",
    "load_pixels",
    "open_source",
    "order",
]

MEMORY_BYTES = 2 << 30


def open_source(
    samples: Sequence[Sample],
    reader: SampleReader,
    *,
    classes: Sequence[str],
    family: Architecture,
    network: Network,
    threads: int = 1,
    memory: int = MEMORY_BYTES,
    recipe: Recipe | None = None,
    listener: Listener | None = None,
) -> Source:
    """The samples as they are best trained on: features where the network's trunk is frozen (from the cache that the
    environment names), decoded images where those fit in `memory` bytes, else a stream.

    DataError names a sample that cannot be used (a streamed one when its batch is due); ConfigError for a `recipe` that
    a stream cannot serve.
    """
    listener = listener or Silent()
    labels = label_indices(samples, classes)
    if family.frozen:
        cache = BlobCache.from_env()
        return Features(
            load_features(samples, reader, network, threads=threads, listener=listener, cache=cache), labels
        )  # fmt: skip
    channels, height, width = family.input_size
    size = len(samples) * channels * height * width
    if size <= memory:
        pixels = load_pixels(samples, reader, input_size=family.input_size, threads=threads, listener=listener)
        return Images(pixels, labels)
    listener.log(f"{size:,} bytes of decoded images do not fit in {memory:,}: they are streamed")
    streamed = Streamed(samples, reader, labels, family.input_size, threads)
    if recipe is not None:
        streamed.check(recipe)
    return streamed
