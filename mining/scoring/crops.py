"""Embeddings of regions of images, each cropped and run through the model by itself."""

import time
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from blobs.decoding import decode, fit
from export.runtime import Session
from scoring.pipeline import AHEAD, PROGRESS_SECONDS, Size, decoded_samples
from scoring.table import Floats, Quarantined, Scores, packed
from training.prefetch import prefetched
from worker_programs.events import Listener, Silent
from worker_programs.manifest import Sample
from worker_programs.readers import SampleReader

MARGIN = 0.1
"""Margin shown around a region on each side, as a share of its width and height: the background helps to tell an
object."""


def describe(
    session: Session,
    samples: Iterable[Sample],
    regions: Floats,
    reader: SampleReader,
    *,
    threads: int = 1,
    listener: Listener | None = None,
) -> Scores:
    """Embed (N, T, D) the `regions` (N, T, 4) of the samples, in their order: x1, y1, x2, y2 as shares of the upright
    image, NaN where there is none (its embedding is 0). Equal blobs are embedded once, by the first one's regions.
    Blobs that could not be read or decoded are `refused`. Raises ValueError where rows are missing.
    """
    listener, refused = listener or Silent(), list[Quarantined]()
    listed = list(samples)
    if regions.shape != (len(listed), regions.shape[1], 4):
        raise ValueError(f"regions: expected (N, T, 4) of {len(listed)} samples, got {regions.shape}")
    places = {sample.md5: row for row, sample in reversed([*enumerate(listed)])}
    size = session.facts.input_size

    def crops(md5: str, data: bytes) -> NDArray[np.uint8]:
        return cut(decode(data, size[0]), regions[places[md5]], size)

    found: list[tuple[str, Floats]] = []
    told = 0.0
    decoded = (item for item in decoded_samples(listed, reader, crops, threads, refused))
    for ref, pixels in prefetched(decoded, depth=AHEAD):
        if isinstance(pixels, Quarantined):
            refused.append(pixels)
            continue
        there = ~np.isnan(regions[places[ref.md5], :, 0])
        said = np.zeros((len(there), session.embedding_dim), np.float32)
        if there.any():
            said[there] = session.run(pixels).embedding
        found.append((ref.md5, said))
        done, now = len(found) + len(refused), time.monotonic()
        if done == len(places) or now - told > PROGRESS_SECONDS:
            listener.progress(done, len(places), unit="images")
            told = now
    md5 = [name for name, _ in found]
    shown = regions[[places[name] for name in md5]].astype(np.float32)
    empty = np.empty((0, regions.shape[1], session.embedding_dim), np.float32)
    return Scores.of(packed(md5), shown, np.stack([said for _, said in found]) if found else empty, refused=refused)


def cut(pixels: NDArray[np.uint8], regions: Floats, size: Size) -> NDArray[np.uint8]:
    """Crop (T', H, W, C) from an image (h, w, C) those of its regions (T, 4) that are not NaN, with MARGIN around them,
    stretched to the model's input [C, H, W]. A region has at least one pixel."""
    high, wide = pixels.shape[:2]
    made = []
    for x1, y1, x2, y2 in regions[~np.isnan(regions[:, 0])].astype(np.float64).tolist():
        aside, above = MARGIN * (x2 - x1), MARGIN * (y2 - y1)
        left, right = _ends(x1 - aside, x2 + aside, wide)
        top, bottom = _ends(y1 - above, y2 + above, high)
        made.append(fit(pixels[top:bottom, left:right], size[1:]))
    return np.stack(made) if made else np.empty((0, *size[1:], size[0]), np.uint8)


def _ends(low: float, high: float, length: int) -> tuple[int, int]:
    """Return the first pixel and the end, inside the image."""
    first = min(max(0, int(np.floor(low * length))), length - 1)
    return first, max(first + 1, min(length, int(np.ceil(high * length))))
