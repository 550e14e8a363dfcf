"""The scoring pipeline, overlapped: the store's threads fetch, others decode ahead, and ONNX Runtime computes."""

import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sized
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, islice

import numpy as np
from numpy.typing import NDArray

from blobs.decoding import load
from blobs.errors import ImageRefused
from export.providers import CPU
from export.runtime import Session
from scoring.table import Floats, Quarantined, Scores, packed
from training.prefetch import mapped, prefetched
from worker_programs.events import Listener, Silent
from worker_programs.manifest import Ref, Sample
from worker_programs.readers import SampleReader

AHEAD = 3
"""Most decoded batches that wait: the memory bound of the pipeline."""
BATCH_BYTES, ACCELERATED_BYTES, MAX_BATCH = 8 << 20, 64 << 20, 256
"""Bytes of a batch as float32, on a CPU and on an accelerator, and most images in it. On a CPU larger batches were seen
to gain nothing; the sizes for accelerators are a guess."""
FIRST_ASKED, ASKED = 256, 2048
"""Samples to fetch from the store at a time, first and at most, doubling each time: the model starts on the first of
them while the manifest is still read."""
PROGRESS_SECONDS = 0.25
"""Seconds between two reports of progress: one for every batch would cost small models more than their arithmetic."""
Size = tuple[int, int, int]
Decode = Callable[[str, bytes], NDArray[np.uint8]]
"""Decodes a blob, given its digest and its bytes, to pixels."""


@dataclass(frozen=True, slots=True)
class _Batch:
    md5: list[str]
    pixels: NDArray[np.uint8]


@dataclass(slots=True)
class _Columns:
    """The model's predictions so far, one item a batch."""

    md5: list[str] = field(default_factory=list)
    probabilities: list[Floats] = field(default_factory=list)
    embedding: list[Floats] = field(default_factory=list)
    cells: list[NDArray[np.int32]] = field(default_factory=list)
    members: list[Floats] = field(default_factory=list)

    def add(self, batch: _Batch, session: Session, *, mirrored: bool) -> None:
        """Run the model, and its committee if it has one, on a batch and append the predictions."""
        said, members = session.run_committee(batch.pixels[:, :, ::-1] if mirrored else batch.pixels)
        meaning = session.task.outputs
        cells = meaning.cells(said.logits, said.probabilities)
        self.md5 += batch.md5
        self.embedding.append(said.embedding)
        self.cells += [] if cells is None else [cells]
        turned = meaning.mirrored if mirrored else np.asarray
        self.probabilities.append(turned(said.probabilities))
        self.members += [] if members is None else [turned(members)]

    def scores(self, session: Session, refused: list[Quarantined]) -> Scores:
        """Return the scores, sorted by digest."""
        _, described, likely = session.names
        probabilities, embedding = (
            np.concatenate([np.empty((0, *session.shapes[name]), np.float32), *parts])
            for name, parts in ((likely, self.probabilities), (described, self.embedding))
        )
        cells = np.concatenate(self.cells) if self.cells else None
        members = np.concatenate(self.members) if self.members else None
        return Scores.of(packed(self.md5), probabilities, embedding, cells=cells, members=members, refused=refused)


def score(
    session: Session,
    samples: Iterable[Sample],
    reader: SampleReader,
    *,
    total: int | None = None,
    batch_size: int | None = None,
    threads: int = 1,
    mirrored: bool = False,
    listener: Listener | None = None,
) -> Scores:
    """Score every sample's blob (equal blobs once), with the blobs that could not be decoded or read as `refused`.

    `samples` are consumed as they are needed; `total` is their number, for the listener (None: their length, if they
    have one). `batch_size` None: what suits the size of the model's input and the device. `threads` decode. `mirrored`
    runs the model on each image with left and right swapped, and mirrors the predicted places back. Memory grows with
    the scores only, not with the images.
    """
    listener = listener or Silent()
    total = total if total is not None else len(samples) if isinstance(samples, Sized) else 0
    refused: list[Quarantined] = []
    shape, scales = session.facts.input_size, session.facts.jpeg_scales
    size = batch_size or sensible_batch(shape, accelerated=session.provider != CPU)
    decoded = decoded_samples(samples, reader, lambda _, data: load(data, shape, scales=scales), threads, refused)
    columns = _Columns()
    told = 0.0
    for batch in prefetched(_batches(decoded, shape, size, refused), depth=AHEAD):
        columns.add(batch, session, mirrored=mirrored)
        done, now = len(columns.md5) + len(refused), time.monotonic()
        if done == total or now - told > PROGRESS_SECONDS:
            listener.progress(done, total, unit="images")
            told = now
    return columns.scores(session, refused)


def sensible_batch(input_size: Size, *, accelerated: bool = False) -> int:
    """Return the batch size for a model of this input [C, H, W]: a power of two from 1 to 256.

    It fits the caches on a CPU and keeps an accelerator busy, and never depends on timing, so that scores stay equal.
    """
    fitting = (ACCELERATED_BYTES if accelerated else BATCH_BYTES) // (4 * int(np.prod(input_size)))
    return 1 << (max(1, min(fitting, MAX_BATCH)).bit_length() - 1)


def decoded_samples(
    samples: Iterable[Sample], reader: SampleReader, of: Decode, threads: int, refused: list[Quarantined]
) -> Iterator[tuple[Ref, NDArray[np.uint8] | Quarantined]]:
    """Yield each distinct blob that could be read, decoded by `of` or with its fault; blobs that could not be read are
    added to `refused`."""

    def missing(ref: Ref, reason: str) -> None:
        refused.append(Quarantined(ref.md5, "blob_unreadable", reason))

    read = chain.from_iterable(reader.get_many(chunk, on_fault=missing) for chunk in _chunks(_distinct(samples)))
    decode = partial(_decode, of=of)
    return map(decode, read) if threads == 1 else mapped(decode, read, threads=threads)


def _chunks(refs: Iterator[Ref]) -> Iterator[list[Ref]]:
    size = FIRST_ASKED
    while chunk := list(islice(refs, size)):
        yield chunk
        size = min(2 * size, ASKED)


def _distinct(samples: Iterable[Sample]) -> Iterator[Ref]:
    """Yield the first of equal blobs."""
    seen: set[str] = set()
    for sample in samples:
        if sample.md5 not in seen:
            seen.add(sample.md5)
            yield sample.ref


def _decode(item: tuple[Ref, bytes], of: Decode) -> tuple[Ref, NDArray[np.uint8] | Quarantined]:
    ref, data = item
    try:
        return ref, of(ref.md5, data)
    except ImageRefused as error:
        return ref, Quarantined(ref.md5, error.code, error.message)
    except Exception as error:  # noqa: BLE001 - whatever a decoder does over one image is that image's fault alone
        return ref, Quarantined(ref.md5, "image_unreadable", f"{type(error).__name__}: {str(error)[:200]}")


def _batches(
    decoded: Iterator[tuple[Ref, NDArray[np.uint8] | Quarantined]],
    input_size: Size,
    batch_size: int,
    refused: list[Quarantined],
) -> Generator[_Batch, None, None]:
    channels, height, width = input_size
    md5: list[str] = []
    pixels = np.empty((batch_size, height, width, channels), np.uint8)
    for ref, found in decoded:
        if isinstance(found, Quarantined):
            refused.append(found)
            continue
        pixels[len(md5)] = found
        md5.append(ref.md5)
        if len(md5) == batch_size:
            yield _Batch(md5, pixels)
            md5, pixels = [], np.empty_like(pixels)
    if md5:
        yield _Batch(md5, pixels[: len(md5)])
