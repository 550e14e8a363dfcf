"""Fetch, decode and infer, overlapped: one thread decodes ahead while ONNX Runtime computes."""

import queue
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from blobs.errors import ImageRefused
from export.runtime import Session
from programs.events import Listener, Silent
from programs.manifest import Ref, Sample
from programs.pixels import load
from programs.readers import SampleReader
from scoring.table import DIGEST, Scores, packed

AHEAD = 3
"""Decoded batches that wait at most: the memory bound of the pipeline."""


@dataclass(frozen=True, slots=True)
class Quarantined:
    """A blob that can't be scored, and why."""

    md5: str
    code: str
    detail: str


@dataclass(frozen=True, slots=True)
class _Batch:
    md5: list[str]
    pixels: NDArray[np.uint8]


def score(
    session: Session,
    samples: Sequence[Sample],
    reader: SampleReader,
    *,
    batch_size: int = 256,
    listener: Listener | None = None,
) -> tuple[Scores, list[Quarantined]]:
    """Scores of every sample's blob (equal blobs once), and the blobs that could not be decoded or read."""
    listener = listener or Silent()
    refs = list({sample.md5: sample.ref for sample in samples}.values())
    refused: list[Quarantined] = []
    md5: list[str] = []
    probabilities: list[NDArray[np.float32]] = []
    embeddings: list[NDArray[np.float32]] = []
    for batch in _ahead(_batches(refs, reader, session.facts.input_size, batch_size, refused)):
        _, embedding, probability = session.run(batch.pixels)
        md5 += batch.md5
        probabilities.append(probability)
        embeddings.append(embedding)
        listener.progress(len(md5) + len(refused), len(refs), unit="images")
    if not md5:
        empty = np.empty((0, len(session.facts.classes)), np.float32)
        return Scores(np.empty(0, DIGEST), empty, np.empty((0, 0), np.float16)), refused
    return Scores.of(packed(md5), np.concatenate(probabilities), np.concatenate(embeddings)), refused


def _batches(
    refs: Sequence[Ref],
    reader: SampleReader,
    input_size: tuple[int, int, int],
    batch_size: int,
    refused: list[Quarantined],
) -> Iterator[_Batch]:
    channels, height, width = input_size
    md5: list[str] = []
    pixels = np.empty((batch_size, height, width, channels), np.uint8)

    def missing(ref: Ref, reason: str) -> None:
        refused.append(Quarantined(ref.md5, "blob_unreadable", reason))

    for ref, data in reader.get_many(refs, on_fault=missing):
        try:
            pixels[len(md5)] = load(data, input_size)
        except ImageRefused as error:
            refused.append(Quarantined(ref.md5, error.code, error.message))
            continue
        md5.append(ref.md5)
        if len(md5) == batch_size:
            yield _Batch(md5, pixels)
            md5, pixels = [], np.empty_like(pixels)
    if md5:
        yield _Batch(md5, pixels[: len(md5)])


def _ahead(batches: Iterator[_Batch]) -> Iterator[_Batch]:
    """The same batches, made by a thread of their own, at most AHEAD of them waiting."""
    ready: queue.Queue[_Batch | BaseException | None] = queue.Queue(AHEAD)
    abandoned = threading.Event()

    def put(item: _Batch | BaseException | None) -> None:
        while not abandoned.is_set():
            try:
                ready.put(item, timeout=0.1)
            except queue.Full:
                continue
            return

    def produce() -> None:
        try:
            for batch in batches:
                put(batch)
                if abandoned.is_set():
                    return
            put(None)
        except BaseException as error:  # noqa: BLE001 - handed to the consumer, which raises it
            put(error)

    thread = threading.Thread(target=produce, name="decode", daemon=True)
    thread.start()
    try:
        while (item := ready.get()) is not None:
            if isinstance(item, BaseException):
                raise item
            yield item
    finally:
        abandoned.set()
        thread.join()
