"""Features of a frozen trunk: computed once per blob, kept in this machine's cache for the runs that follow.

Images go through the trunk one at a time: in a batch, a row's last bits depend on how many rows there are, and features
must not depend on what was found in the cache. (On a CPU that is no slower.) Several images at once, each in a
thread of its own, have the same bits as one after the other.
"""

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import torch
from numpy.typing import NDArray

from blobs.cache import BlobCache
from training.batches import as_input
from training.decoding import Blobs, Decoded
from training.network import Network
from training.prefetch import mapped
from worker_programs.events import Listener, Silent
from worker_programs.manifest import Sample
from worker_programs.readers import SampleReader

Row = NDArray[np.float32]
VERSION = b"2"
"""Version of how features are computed and stored; part of the cache key, so change it with either."""


def load_features(
    samples: Sequence[Sample],
    reader: SampleReader,
    network: Network,
    *,
    threads: int = 1,
    workers: int = 1,
    listener: Listener | None = None,
    cache: BlobCache | None = None,
    into: NDArray[np.float32] | None = None,
) -> NDArray[np.float32]:
    """The trunk's outputs float32 (N, D) for samples, bit for bit the same from the cache or computed; written `into`
    an array of that shape if one is given, such as a mapped file. `workers` images are computed at once, each on
    `threads` threads.

    Samples in `cache` are neither read from the store nor decoded. DataError names a sample that is no image.
    """
    family, listener = network.family, listener or Silent()
    made = np.empty((len(samples), family.features_dim), np.float32) if into is None else into
    kept = KeptFeatures(cache, trunk_digest(network, threads=threads)) if cache else None
    missing = [row for row in range(len(samples)) if not (kept and kept.fill(made[row], samples[row]))]
    wanted = [samples[row] for row in missing]
    blobs = Blobs(wanted, family.input_size)
    listener.log(f"features: {len(samples) - len(missing)} of {len(samples)} samples found in the cache")

    def answer(found: Decoded) -> tuple[list[int], Row]:
        torch.set_num_threads(threads)  # of this thread: a new one takes all cores
        return found[0], computed(network, found[1])

    with _computing(network, threads):
        images = mapped(blobs.decoded, reader.get_many(blobs.refs), threads=max(threads, workers))
        for done, (rows, row) in enumerate(mapped(answer, images, threads=workers), 1):
            made[[missing[at] for at in rows]] = row
            if kept:
                kept.put(wanted[rows[0]], row)
            if done % 1000 == 0:
                listener.log(f"features of {done} of {len(blobs.refs)} images computed")
    return made


def computed(network: Network, image: NDArray[np.uint8]) -> Row:
    """The trunk's output (D,) for one image (H, W, C); `network` is in evaluation mode."""
    with torch.inference_mode():
        row: Row = network.features(as_input(image[None]).to(network.device))[0].float().cpu().numpy()
    return row


class KeptFeatures:
    """Features of one trunk on one kind of machine, in the cache of blobs and within its size limit.

    `trunk` is a digest of everything that they depend on besides the sample.
    """

    def __init__(self, cache: BlobCache, trunk: str) -> None:
        self._cache, self._trunk = cache, trunk

    def fill(self, row: Row, sample: Sample) -> bool:
        """Write the features of `sample` into `row` if they are cached and complete; return whether they were."""
        name = self._name(sample)
        if (data := self._cache.read_checked(name)) is None:
            return False
        if len(data) != row.nbytes:
            self._cache.drop(name)
            return False
        row[:] = np.frombuffer(data, np.float32)
        return True

    def put(self, sample: Sample, row: Row) -> None:
        """Cache the features of `sample`; a cache that stores nothing is not an error."""
        self._cache.put_checked(self._name(sample), row.tobytes())

    def _name(self, sample: Sample) -> str:
        return hashlib.sha256(f"{self._trunk} {sample.sha256}".encode()).hexdigest()


def trunk_digest(network: Network, *, threads: int) -> str:
    """Digest of what features depend on besides the sample: weights, preprocessing, and what affects the last bits."""
    digest = hashlib.sha256(VERSION)
    device = network.device.type
    machine = (torch.__version__, torch.backends.cpu.get_cpu_capability(), device, threads)
    digest.update(repr((machine, network.family.input_size, str(network.trunk))).encode())
    digest.update(np.array(network.family.normalisation, np.float32).tobytes())
    for name, value in network.trunk.state_dict().items():
        digest.update(name.encode())
        digest.update(value.cpu().contiguous().numpy().tobytes())
    return digest.hexdigest()


@contextmanager
def _computing(network: Network, threads: int) -> Iterator[None]:
    """Use evaluation mode and `threads` threads, and restore both afterwards."""
    training, used = network.training, torch.get_num_threads()
    network.eval()
    torch.set_num_threads(threads)
    try:
        yield
    finally:
        torch.set_num_threads(used)
        network.train(training)
