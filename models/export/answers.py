"""The answers of a file for samples: each blob is fetched, decoded and computed once for all callers, on all threads.

The outputs of a frozen trunk are kept in this machine's cache, as training keeps its own (`training.features`): the
file is run as two halves, cut at its embedding, and the trunk's half only on images that no earlier version has seen.
"""

import hashlib
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import onnx
import onnxruntime as ort
from numpy.typing import NDArray

from blobs.cache import BlobCache
from blobs.decoding import JpegScales
from export.providers import CPU
from export.runtime import INPUT, Session, load_proto, output_names
from training.data import load_pixels
from training.features import KeptFeatures
from worker_programs.events import Listener, Silent
from worker_programs.manifest import Sample
from worker_programs.readers import SampleReader

BATCH, BLOCK = 64, 1024
"""Images in one call of the model, and at most decoded for an answer at a time."""
PIXEL_BYTES, ANSWER_BYTES = 512 << 20, 256 << 20
"""Bytes of decoded images that are kept for the next file, and of answers that are kept for later calls."""
CLOSE = 1e-4
"""Largest difference of a logit between a file and its halves, as a share of the largest (at least 1)."""
Pixels = NDArray[np.uint8]
Floats = NDArray[np.float32]
Row = tuple[Floats, Floats]


class Answered(NamedTuple):
    """Float32 logits (N, K) and probabilities (N, K), or what the task type has instead."""

    logits: Floats
    probabilities: Floats


class Pictures:
    """Decoded images of one size, each blob decoded once as long as `limit` bytes can hold it."""

    def __init__(
        self,
        reader: SampleReader,
        *,
        input_size: tuple[int, int, int],
        threads: int = 1,
        limit: int = PIXEL_BYTES,
        scales: JpegScales = "halves",
    ) -> None:
        self.threads = threads
        self._reader, self._size, self._room, self._scales = reader, input_size, limit, scales
        self._kept: dict[str, Pixels] = {}

    def load(self, samples: Sequence[Sample]) -> Pixels:
        """Decode the samples to uint8 (N, H, W, C). Raises DataError naming a sample that is no image."""
        channels, height, width = self._size
        pixels = np.empty((len(samples), height, width, channels), np.uint8)
        absent = {sample.md5: sample for sample in samples if sample.md5 not in self._kept}
        fresh = dict(zip(absent, self._decoded(list(absent.values())), strict=True))
        for row, sample in enumerate(samples):
            found = self._kept.get(sample.md5)
            pixels[row] = fresh[sample.md5] if found is None else found
        for md5, image in fresh.items():
            if image.nbytes <= self._room:
                self._room -= image.nbytes
                self._kept[md5] = image
        return pixels

    def _decoded(self, samples: list[Sample]) -> Pixels:
        return load_pixels(samples, self._reader, input_size=self._size, threads=self.threads, scales=self._scales)


class Answers:
    """The answers of one file; kept ones are not computed again."""

    def __init__(
        self, model: Session, pictures: Pictures, *, listener: Listener | None = None, halves: "Halves | None" = None
    ) -> None:
        self.model, self.pictures = model, pictures
        self._listener, self._halves = listener or Silent(), halves
        self._known: dict[str, Row] = {}
        self._room = ANSWER_BYTES

    def of(self, samples: Sequence[Sample]) -> Answered:
        """The answers for the samples, in their order, N >= 1."""
        absent = {sample.md5: sample for sample in samples if sample.md5 not in self._known}
        fresh: dict[str, Row] = {}
        if absent:
            made = self._computed(list(absent.values()))
            fresh = dict(zip(absent, zip(made.logits, made.probabilities, strict=True), strict=True))
        rows = [self._known.get(one.md5) or fresh[one.md5] for one in samples]
        for md5, row in fresh.items():
            if (size := sum(part.nbytes for part in row)) <= self._room:
                self._room -= size
                self._known[md5] = row[0].copy(), row[1].copy()
        return Answered(np.stack([row[0] for row in rows]), np.stack([row[1] for row in rows]))

    def by_blocks(self, samples: Sequence[Sample]) -> Iterator[tuple[Sequence[Sample], Answered]]:
        """Yield the samples with their answers, at most 1,024 at a time."""
        for at in range(0, len(samples), BLOCK):
            block = samples[at : at + BLOCK]
            yield block, self.of(block)
            self._listener.progress(at + len(block), len(samples), unit="images")

    def _computed(self, samples: list[Sample]) -> Answered:
        if self._halves:
            return self._halves.of(samples, self.pictures)
        pixels = self.pictures.load(samples)
        batches = [pixels[at : at + BATCH] for at in range(0, len(pixels), BATCH)]
        with ThreadPoolExecutor(self.pictures.threads) as pool:
            made = list(pool.map(self.model.run, batches))
        return Answered(
            np.concatenate([one.logits for one in made]), np.concatenate([one.probabilities for one in made])
        )


class Halves:
    """A float32 file cut at its embedding: a trunk whose outputs are kept by blob, and the head above it.

    Images are computed one at a time: kept outputs must not depend on the other images of a call.
    """

    def __init__(self, data: bytes, cache: BlobCache) -> None:
        proto = load_proto(data)
        self._names = output_names(proto)
        logits, embedding, probabilities = self._names
        extractor = onnx.utils.Extractor(proto)
        trunk = extractor.extract_model([INPUT], [embedding])
        del trunk.metadata_props[:]  # the metadata names the run
        below = trunk.SerializeToString(deterministic=True)
        above = extractor.extract_model([embedding], [logits, probabilities]).SerializeToString()
        self._trunk, self._head = _session(below), _session(above)
        digest = hashlib.sha256(f"onnxruntime {ort.__version__} ".encode() + below).hexdigest()
        self._kept = KeptFeatures(cache, digest)
        self._width = int(self._trunk.get_outputs()[0].shape[1])
        self._as_uint8 = self._trunk.get_inputs()[0].type == "tensor(uint8)"

    def of(self, samples: Sequence[Sample], pictures: Pictures) -> Answered:
        """The answers of the whole file, up to rounding."""
        rows = np.empty((len(samples), self._width), np.float32)
        absent = [row for row in range(len(samples)) if not self._kept.fill(rows[row], samples[row])]
        if absent:
            pixels = pictures.load([samples[row] for row in absent])
            with ThreadPoolExecutor(pictures.threads) as pool:
                for row, found in zip(absent, pool.map(self._embedded, pixels), strict=True):
                    rows[row] = found
                    self._kept.put(samples[row], rows[row])
        made = [self._head.run([self._names[0], self._names[2]], {self._names[1]: row[None]}) for row in rows]
        return Answered(*(np.concatenate(parts) for parts in zip(*made, strict=True)))

    def _embedded(self, image: Pixels) -> Floats:
        given = image[None] if self._as_uint8 else image[None].transpose(0, 3, 1, 2).astype(np.float32, order="C")
        found: Floats = self._trunk.run([self._names[1]], {INPUT: given})[0][0]
        return found


def open_answers(
    data: bytes, model: Session, pictures: Pictures, few: Sequence[Sample], *, frozen: bool, listener: Listener
) -> Answers:
    """The answers of the float32 file `data`; computed by halves if its trunk is `frozen`, this machine has a cache,
    and the halves answer a `few` samples as the whole file does."""
    cache = BlobCache.from_env() if frozen else None
    if cache is not None:
        halves = Halves(data, cache)
        whole, cut = model.run(pictures.load(few)), halves.of(few, pictures)
        if np.abs(whole.logits - cut.logits).max() <= CLOSE * max(1.0, float(np.abs(whole.logits).max())):
            return Answers(model, pictures, listener=listener, halves=halves)
        listener.log("the file does not answer as its trunk and head do: its trunk's outputs are not kept")
    return Answers(model, pictures, listener=listener)


def _session(data: bytes) -> ort.InferenceSession:
    options = ort.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = 1, 1
    return ort.InferenceSession(data, options, providers=[CPU])
