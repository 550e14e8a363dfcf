"""Fetch, decode and infer, overlapped: the store's threads fetch, others decode ahead, and ONNX Runtime computes."""

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.typing import NDArray

from blobs.errors import ImageRefused
from export.runtime import Session
from programs.events import Listener, Silent
from programs.manifest import Ref, Sample
from programs.pixels import load
from programs.readers import SampleReader
from scoring.table import Floats, Quarantined, Scores, packed
from training.ahead import mapped, prefetched

AHEAD = 3
"""Decoded batches that wait at most: the memory bound of the pipeline."""
BATCH_BYTES, MAX_BATCH = 8 << 20, 256
"""Of a batch as float32; caches are small, and beyond this larger batches were seen to gain nothing."""
Size = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class _Batch:
    md5: list[str]
    pixels: NDArray[np.uint8]


@dataclass(slots=True)
class _Columns:
    """What the model has said so far, a batch an item."""

    md5: list[str] = field(default_factory=list)
    probabilities: list[Floats] = field(default_factory=list)
    embedding: list[Floats] = field(default_factory=list)
    members: list[Floats] = field(default_factory=list)

    def scores(self, session: Session, refused: list[Quarantined]) -> Scores:
        """Sorted by digest."""
        widths = len(session.facts.classes), session.embedding_dim
        probabilities, embedding = (
            np.concatenate([np.empty((0, width), np.float32), *parts])
            for width, parts in zip(widths, (self.probabilities, self.embedding), strict=True)
        )
        members = np.concatenate(self.members) if self.members else None
        return Scores.of(packed(self.md5), probabilities, embedding, members, refused)


def score(
    session: Session,
    samples: Sequence[Sample],
    reader: SampleReader,
    *,
    batch_size: int | None = None,
    threads: int = 1,
    listener: Listener | None = None,
) -> Scores:
    """Scores of every sample's blob (equal blobs once), with the blobs that could not be decoded or read as `refused`.

    `batch_size` None: as many as the model's input size makes sensible. `threads` decode. Memory does not grow with
    the number of samples, but for what is told of each.
    """
    listener = listener or Silent()
    refs = list({sample.md5: sample.ref for sample in samples}.values())
    refused: list[Quarantined] = []
    size = batch_size or sensible_batch(session.facts.input_size)
    decoded = _decoded(refs, reader, session.facts.input_size, threads, refused)
    columns = _Columns()
    for batch in prefetched(_batches(decoded, session.facts.input_size, size, refused), depth=AHEAD):
        outputs, members = session.run_committee(batch.pixels)
        columns.md5 += batch.md5
        columns.probabilities.append(outputs.probabilities)
        columns.embedding.append(outputs.embedding)
        columns.members += [] if members is None else [members]
        listener.progress(len(columns.md5) + len(refused), len(refs), unit="images")
    return columns.scores(session, refused)


def sensible_batch(input_size: Size) -> int:
    """Images in a batch for a model of this input [C, H, W]: a power of two from 1 to 256."""
    fitting = BATCH_BYTES // (4 * int(np.prod(input_size)))
    return 1 << (max(1, min(fitting, MAX_BATCH)).bit_length() - 1)


def _decoded(
    refs: Sequence[Ref], reader: SampleReader, size: Size, threads: int, refused: list[Quarantined]
) -> Iterator[tuple[Ref, NDArray[np.uint8] | Quarantined]]:
    """Each blob that could be read, as pixels or as what is wrong with it."""

    def missing(ref: Ref, reason: str) -> None:
        refused.append(Quarantined(ref.md5, "blob_unreadable", reason))

    read = reader.get_many(refs, on_fault=missing)
    decode = partial(_decode, size=size)
    return map(decode, read) if threads == 1 else mapped(decode, read, threads=threads)


def _decode(item: tuple[Ref, bytes], size: Size) -> tuple[Ref, NDArray[np.uint8] | Quarantined]:
    ref, data = item
    try:
        return ref, load(data, size)
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
