"""Columnar score files: uncompressed `.npz`, no pickles, sorted by md5; and several of them as one table."""

import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Digests = NDArray[np.bytes_]
DIGEST = np.dtype("S16")


def packed(md5: Iterable[str]) -> Digests:
    """Hex digests as (N,) 16-byte strings."""
    return np.array([bytes.fromhex(text) for text in md5], DIGEST)


@dataclass(frozen=True)
class Scores:
    """What a model said of N blobs: `md5` (N,) packed and ascending, `probabilities` (N, K) float32, `embedding`
    (N, D) float16."""

    md5: Digests
    probabilities: NDArray[np.float32]
    embedding: NDArray[np.float16]

    @classmethod
    def of(cls, md5: Digests, probabilities: NDArray[np.float32], embedding: NDArray[np.float32]) -> "Scores":
        """Brought into the order of their digests, embeddings in half precision."""
        order = np.argsort(md5, kind="stable")
        return cls(md5[order], probabilities[order], embedding[order].astype(np.float16))

    def __len__(self) -> int:
        return len(self.md5)

    def to_bytes(self) -> bytes:
        """The score file; equal scores give equal bytes."""
        stream = io.BytesIO()
        np.savez(
            stream,
            md5=self.md5.view(np.uint8).reshape(-1, DIGEST.itemsize),
            probabilities=self.probabilities,
            embedding=self.embedding,
        )
        return stream.getvalue()

    @classmethod
    def read(cls, file: bytes | Path) -> "Scores":
        """A score file. Raises ValueError for another file."""
        with np.load(io.BytesIO(file) if isinstance(file, bytes) else file, allow_pickle=False) as columns:
            md5 = np.ascontiguousarray(columns["md5"]).view(DIGEST).reshape(-1)
            return cls(md5, columns["probabilities"], columns["embedding"])


def read_digests(file: bytes) -> Digests:
    """Only the digests of a score file: the other columns are not decoded."""
    with np.load(io.BytesIO(file), allow_pickle=False) as columns:
        return np.ascontiguousarray(columns["md5"]).view(DIGEST).reshape(-1)


def read_predictions(file: bytes) -> tuple[Digests, NDArray[np.float32]]:
    """Digests and probabilities of a score file: the embeddings are not decoded."""
    with np.load(io.BytesIO(file), allow_pickle=False) as columns:
        md5 = np.ascontiguousarray(columns["md5"]).view(DIGEST).reshape(-1)
        return md5, columns["probabilities"]


@dataclass(frozen=True)
class ScoreTable(Scores):
    """Several score files of one model as one table, one row per digest, found by binary search."""

    @classmethod
    def of_files(cls, files: Sequence[Scores]) -> "ScoreTable":
        """The union, of no files an empty one; a digest in several files keeps its first scores (they are equal)."""
        if not files:
            return cls(np.empty(0, DIGEST), np.empty((0, 0), np.float32), np.empty((0, 0), np.float16))
        md5 = np.concatenate([scores.md5 for scores in files])
        found, first = np.unique(md5, return_index=True)
        probabilities = np.concatenate([scores.probabilities for scores in files])[first]
        return cls(found, probabilities, np.concatenate([scores.embedding for scores in files])[first])

    def rows(self, md5: Digests) -> NDArray[np.intp]:
        """The row of each digest, or -1 where it has no scores."""
        if not len(self.md5):
            return np.full(len(md5), -1, np.intp)
        places = np.minimum(np.searchsorted(self.md5, md5), len(self.md5) - 1)
        return np.where(self.md5[places] == md5, places, -1)

    def probabilities_of(self, rows: NDArray[np.intp]) -> NDArray[np.float32]:
        """(n, K) of these rows."""
        return self.probabilities[rows]

    def embedding_of(self, rows: NDArray[np.intp]) -> NDArray[np.float16]:
        """(n, D) of these rows."""
        return self.embedding[rows]
