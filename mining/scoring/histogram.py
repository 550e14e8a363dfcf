"""The score histogram that is available while scoring is running."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

BINS = 40


def doubt_histogram(certainty: NDArray[np.floating[Any]]) -> dict[str, list[float] | list[int]]:
    """Return `{edges, counts}` of 1 - certainty (N,) (`tasktypes.model_parts.Outputs.certainty`; of one class an image
    1 - (p1 - p2)), in 40 equal bins of 0..1: counts of several shards add up. The highest is the most uncertain."""
    counts, edges = np.histogram(np.clip(1 - certainty, 0, 1), bins=BINS, range=(0.0, 1.0))
    return {"edges": edges.tolist(), "counts": counts.tolist()}
