"""Columnar score files: uncompressed `.npz`, no pickles, sorted by md5; and several of them as one table."""

import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

Digests = NDArray[np.bytes_]
Rows = NDArray[np.intp]
Floats = NDArray[np.float32]
DIGEST = np.dtype("S16")
MD5, REFUSED, CELLS, MEMBERS = "md5", "refused", "cells", "members"


@dataclass(frozen=True, slots=True)
class Quarantined:
    """A blob that can't be scored, and why."""

    md5: str
    code: str
    detail: str


def packed(md5: Iterable[str]) -> Digests:
    """Pack hex digests as 16-byte strings (N,)."""
    return np.frombuffer(bytes.fromhex("".join(md5)), DIGEST)


def rows_in(known: Digests, md5: Digests) -> Rows:
    """Return the row of each digest in `known`, which is ascending; -1 where it is absent."""
    if not len(known):
        return np.full(len(md5), -1, np.intp)
    places = np.minimum(np.searchsorted(known, md5), len(known) - 1)
    return np.where(known[places] == md5, places, -1)


@dataclass(frozen=True)
class Scores:
    """A model's scores of N blobs: `md5` (N,) packed and ascending, `probabilities` (N, K) float32, of boxes (N, M, 6),
    `embedding` (N, D) float16, of boxes `cells` (N, M) int32, the number of places that support each, of a committee
    `members` (N, M, K) float32; and the blobs that it `refused`. For T cropped regions of each (`scoring.crops`),
    `probabilities` (N, T, 4) are their places, and `embedding` is (N, T, D)."""

    md5: Digests
    probabilities: Floats
    embedding: NDArray[np.float16]
    cells: NDArray[np.int32] | None = None
    members: Floats | None = None
    refused: tuple[Quarantined, ...] = ()

    @classmethod
    def of(
        cls,
        md5: Digests,
        probabilities: Floats,
        embedding: Floats,
        *,
        cells: NDArray[np.int32] | None = None,
        members: Floats | None = None,
        refused: Iterable[Quarantined] = (),
    ) -> "Scores":
        """Build scores sorted by their digests, with embeddings in half precision."""
        order = np.argsort(md5, kind="stable")
        return cls(
            md5[order],
            probabilities[order],
            embedding[order].astype(np.float16),
            None if cells is None else cells[order],
            None if members is None else members[order],
            tuple(sorted(refused, key=lambda item: item.md5)),
        )

    @classmethod
    def from_columns(cls, columns: Mapping[str, NDArray[Any]]) -> "Scores":
        """Build scores from the columns of a score file, without copying them. Raises KeyError for the columns of
        another file."""
        md5 = columns[MD5].reshape(-1).view(DIGEST)
        refused = tuple(Quarantined(**item) for item in orjson.loads(columns[REFUSED].tobytes()))
        further = columns.get(CELLS), columns.get(MEMBERS)
        return cls(md5, columns["probabilities"], columns["embedding"], *further, refused)

    def __len__(self) -> int:
        return len(self.md5)

    def to_bytes(self) -> bytes:
        """Return the score file; equal scores give equal bytes."""
        columns: dict[str, Any] = {
            MD5: self.md5.view(np.uint8).reshape(-1, DIGEST.itemsize),
            REFUSED: np.frombuffer(orjson.dumps([asdict(item) for item in self.refused]), np.uint8),
            "probabilities": self.probabilities,
            "embedding": self.embedding,
        }
        further = {CELLS: self.cells, MEMBERS: self.members}
        stream = io.BytesIO()
        np.savez(stream, **columns | {name: values for name, values in further.items() if values is not None})
        return stream.getvalue()


class ScoreTable:
    """Several score files of one model as one table, one row per digest, found by binary search.

    It holds 32 bytes per digest. The columns stay where they are, on disk for `mapped` files: unused ones are never
    read.
    """

    def __init__(self, parts: Sequence[Scores], companions: Sequence["ScoreTable"] = ()) -> None:
        """Join the parts; a digest in several parts keeps its first scores (they are equal). `companions` are the
        tables of the other members of a committee: only digests that all of them know have a row."""
        self._parts = [part for part in parts if len(part)] or list(parts[:1])  # an empty one still has its widths
        self._companions = tuple(companions)
        sizes = [len(part) for part in self._parts]
        self._starts = np.concatenate([[0], np.cumsum(sizes, dtype=np.intp)]).astype(np.intp)
        joined = np.concatenate([np.empty(0, DIGEST), *(part.md5 for part in self._parts)])
        self.md5, self._places = np.unique(joined, return_index=True)
        for table in self._companions:
            known = table.rows(self.md5) >= 0
            self.md5, self._places = self.md5[known], self._places[known]

    def __len__(self) -> int:
        return len(self.md5)

    def rows(self, md5: Digests) -> Rows:
        """Return the row of each digest, or -1 where it has no scores."""
        return rows_in(self.md5, md5)

    def probabilities_of(self, rows: Rows) -> Floats:
        """Return the probabilities (n, K) of these rows, of boxes (n, M, 6), as the model gave them; see `tempered` of
        `tasktypes.model_parts.Outputs`."""
        found: Floats = self._gathered(rows, [part.probabilities for part in self._parts], np.dtype(np.float32))
        return found

    def embedding_of(self, rows: Rows) -> NDArray[np.float16]:
        """Return the embeddings (n, D) of these rows."""
        found: NDArray[np.float16] = self._gathered(
            rows, [part.embedding for part in self._parts], np.dtype(np.float16)
        )
        return found

    def cells_of(self, rows: Rows) -> NDArray[np.int32]:
        """Return the cells (n, M) of these rows. ValueError where predictions have no places."""
        found: NDArray[np.int32] = self._gathered(
            rows, self._all("cells", "answers without places have no cells"), np.dtype(np.int32)
        )
        return found

    def members_of(self, rows: Rows) -> Floats:
        """Return the probabilities (n, M, K) of these rows by each member of the committee. ValueError where there is
        no committee."""
        if self._companions:
            md5 = self.md5[rows]
            others = (table.probabilities_of(table.rows(md5)) for table in self._companions)
            return np.stack([self.probabilities_of(rows), *others], axis=1)
        columns = self._all("members", "these scores are of one model alone: there are no members to compare")
        found: Floats = self._gathered(rows, columns, np.dtype(np.float32), rank=3)
        return found

    def _all(self, name: str, absent: str) -> list[NDArray[Any]]:
        """Return an optional column of all parts. ValueError with the text `absent` where a part lacks it."""
        columns = [column for part in self._parts if (column := getattr(part, name)) is not None]
        if len(columns) != len(self._parts) and len(self):
            raise ValueError(absent)
        return columns

    def _gathered(self, rows: Rows, columns: Sequence[NDArray[Any]], dtype: np.dtype[Any], rank: int = 2) -> Any:
        """Gather rows of a column that is spread over several parts, reading each part once and in order."""
        if not columns:
            return np.empty((len(rows), *[0] * (rank - 1)), dtype)
        places = self._places[rows]
        order = np.argsort(places, kind="stable")
        bounds = np.searchsorted(places[order], self._starts)
        made = np.empty((len(rows), *columns[0].shape[1:]), dtype)
        for column, start, low, high in zip(columns, self._starts[:-1], bounds[:-1], bounds[1:], strict=True):
            chosen = order[low:high]
            made[chosen] = column[places[chosen] - start]
        return made
