"""Score files for a web process: short columns of each cached in memory, and the files themselves mapped.

Files never change, so each is read once however many pages ask.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from blobs.models import Blob
from mining_jobs.scores.files import parts_of
from scoring.table import DIGEST, Digests, Rows, Scores, rows_in
from tasktypes import task_type
from tasktypes.model_parts import Floats

KEPT_FILES = 32
"""Number of mapped files: 10,000 images each, and as much of this machine's temporary disk."""
KEPT_COLUMNS = 1024
KEPT_MODELS = 4


@dataclass(frozen=True, eq=False)
class Summary:
    """A model's predictions for N images: `md5` (N,), ascending and once each, the likeliest class or that of the
    surest box (N,), its probability (N,), and `named` (N, K), which classes are likelier than not, None where only the
    likeliest counts."""

    md5: Digests
    category: NDArray[np.int32]
    confidence: Floats
    named: NDArray[np.bool_] | None

    def rows(self, md5: Digests) -> Rows:
        """The row of each digest, -1 where it was not scored."""
        return rows_in(self.md5, md5)


def summary_of(task: str, classes: int, files: Sequence[int]) -> Summary:
    """Return the summary of all files (ids of their blobs) of a model with `classes` classes."""
    return _joined(task, classes, tuple(files))


@lru_cache(maxsize=KEPT_MODELS)
def _joined(task: str, classes: int, files: tuple[int, ...]) -> Summary:
    parts = [_summary(task, classes, file) for file in files]
    joined = np.concatenate([np.empty(0, DIGEST), *(part.md5 for part in parts)])
    md5, first = np.unique(joined, return_index=True)
    named = [part.named for part in parts if part.named is not None]
    return Summary(
        md5,
        np.concatenate([np.empty(0, np.int32), *(part.category for part in parts)])[first],
        np.concatenate([np.empty(0, np.float32), *(part.confidence for part in parts)])[first],
        np.concatenate(named)[first] if named else None,
    )


@lru_cache(maxsize=KEPT_COLUMNS)
def _summary(task: str, classes: int, file: int) -> Summary:
    part, asked = part_of(file), task_type(task)
    if not len(part):
        nothing = np.empty(0, np.float32)
        named = None if asked.mining.one_distribution else np.empty((0, classes), bool)
        return Summary(part.md5.copy(), nothing.astype(np.int32), nothing, named)
    category, confidence = asked.outputs.likeliest(part.probabilities)
    one = asked.mining.one_distribution
    named = None if one else _named(task, part.probabilities, classes)
    return Summary(part.md5.copy(), category.astype(np.int32), np.array(confidence, np.float32), named)


def _named(task: str, probabilities: Floats, classes: int) -> NDArray[np.bool_]:
    chosen = task_type(task).outputs.chosen
    return np.stack([chosen(probabilities, [place])[0] for place in range(classes)], axis=1)


@lru_cache(maxsize=KEPT_FILES)
def part_of(file: int) -> Scores:
    """Return the contents of a score file (the id of its blob), mapped."""
    (part,) = parts_of([Blob.objects.get(pk=file).ref])
    return part


def gathered(files: Iterable[int], md5: Digests) -> tuple[Rows, Floats]:
    """Return which of the digests (N,) were scored, (n,), and their predictions, (n, K) or of boxes (n, M, 6)."""
    left = np.arange(len(md5))
    rows, found = [np.empty(0, np.intp)], []
    for file in files:
        part = part_of(file)
        at = rows_in(part.md5, md5[left])
        there = at >= 0
        if there.any():
            rows.append(left[there])
            found.append(np.asarray(part.probabilities[at[there]]))
            left = left[~there]
    return np.concatenate(rows), np.concatenate(found) if found else np.empty((0, 0), np.float32)
