"""The embeddings of a model as one matrix of unit vectors, in a file that this process maps into memory.

Score files never change and only become more, so the file only grows: new embeddings are read from the store, scaled to
length 1 and appended. Memory holds 40 bytes an image, and as many of the vectors as the machine has room for.
"""

import mmap
import tempfile
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from blobs.refs import BlobRef
from core.errors import OutOfSpace, Unavailable
from mining_jobs.models import ScoreFile
from mining_jobs.scores.files import parts_of
from scoring.table import DIGEST, Digests, Scores, rows_in
from similarity.ranking import Floats, Rows, unit

AT_ONCE = 8192
MOST_GALLERIES = 4
"""Number of models whose vectors a process keeps on its disk: 4 bytes a number."""
PATIENCE_SECONDS = 20.0
"""How long a request waits for another one that is reading vectors."""


@dataclass(frozen=True, eq=False)
class Vectors:
    """Unit vectors (T, D) float32 of the images `listed` (T,). Each digest is in `md5` (N,), ascending and once, with
    its row at the same place of `places` (N,)."""

    matrix: Floats
    listed: Digests
    md5: Digests
    places: Rows

    def rows(self, md5: Digests) -> Rows:
        """The row of each digest in the matrix, -1 where it has none."""
        found = rows_in(self.md5, md5)
        return np.where(found >= 0, self.places[found], -1) if len(self.md5) else found


NOTHING = Vectors(np.empty((0, 0), np.float32), np.empty(0, DIGEST), np.empty(0, DIGEST), np.empty(0, np.intp))


Described = Callable[[NDArray[np.floating]], NDArray[np.floating]]
"""Maps features (N, F) to the vectors (N, D) to compare."""


@dataclass(frozen=True, slots=True)
class Description:
    """A mapping from a model's embeddings to other vectors, named by `digest`."""

    digest: str
    described: Described


class Gallery:
    """The vectors of one model in this process; thread-safe."""

    def __init__(self, described: Described | None = None) -> None:
        self._described = described
        self._lock = Lock()
        self._file = tempfile.TemporaryFile(prefix="motherlode-vectors-")  # noqa: SIM115 - it lives as long as this
        self._read: set[str] = set()
        self._vectors = NOTHING

    def vectors(self, files: Iterable[ScoreFile]) -> Vectors:
        """Return the vectors in these files, reading new files first. Raises Unavailable while another request reads
        for long, OutOfSpace where this machine's disk has no room."""
        refs = {file.blob.md5: file.blob.ref for file in files}
        if refs.keys() <= self._read:
            return self._vectors
        if not self._lock.acquire(timeout=PATIENCE_SECONDS):
            raise Unavailable(
                "The embeddings are being read from the store, which takes up to half a minute: ask again then.",
                code="embeddings_loading",
            )
        try:
            fresh = [name for name in refs if name not in self._read]
            if fresh:
                self._vectors = self._with([refs[name] for name in fresh])
                self._read.update(fresh)
            return self._vectors
        finally:
            self._lock.release()

    def _with(self, refs: Sequence[BlobRef]) -> Vectors:
        """Return the vectors with the new images of further files."""
        known, before = self._vectors, self._vectors.matrix.nbytes
        self._file.seek(before)
        digests, width = [known.listed], known.matrix.shape[1]
        try:
            for ref in refs:
                (part,) = parts_of([ref])
                digests.append(part.md5[self._append(part, np.flatnonzero(known.rows(part.md5) < 0))])
                width = self._made(part.embedding[:1]).shape[1] if len(part) else width
            self._file.flush()
        except OSError as fault:
            self._file.truncate(before)
            raise OutOfSpace(
                f"The embeddings of {sum(map(len, digests)):,} images and more do not fit on this machine's disk "
                f"({fault.strerror}): free some room in its temporary folder."
            ) from fault
        listed = np.concatenate(digests)
        if len(listed) == len(known.listed):
            return known
        whole = mmap.mmap(self._file.fileno(), 4 * width * len(listed), access=mmap.ACCESS_READ)
        matrix: Floats = np.frombuffer(whole, np.float32).reshape(len(listed), width)
        return Vectors(matrix, listed, *np.unique(listed, return_index=True))

    def _append(self, part: Scores, rows: Rows) -> Rows:
        """Write the unit vectors of these rows, except those that are not finite; return the rows written."""
        written = [np.empty(0, np.intp)]
        for at in range(0, len(rows), AT_ONCE):
            chosen = rows[at : at + AT_ONCE]
            made = unit(self._made(part.embedding[chosen]))
            sound = np.isfinite(made).all(axis=1)
            self._file.write(made[sound].tobytes())
            written.append(chosen[sound])
        return np.concatenate(written)

    def _made(self, embedding: NDArray[np.floating]) -> NDArray[np.floating]:
        return embedding if self._described is None else self._described(embedding)


_galleries: OrderedDict[str, Gallery] = OrderedDict()
_galleries_lock = Lock()


def vectors_of(digest: str, files: Sequence[ScoreFile], description: Description | None = None) -> Vectors:
    """Return the unit vectors of the model with this digest and these score files, or what a description makes of its
    embeddings. Raises as `Gallery.vectors`."""
    if not files:
        return NOTHING
    described = None
    if description is not None:
        digest, described = f"{digest} {description.digest}", description.described
    with _galleries_lock:
        gallery = _galleries.get(digest) or Gallery(described)
        _galleries[digest] = gallery
        _galleries.move_to_end(digest)
        while len(_galleries) > MOST_GALLERIES:
            _galleries.popitem(last=False)
    return gallery.vectors(files)
