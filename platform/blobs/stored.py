"""The object store as a reader of samples."""

import os
from collections.abc import Iterator, Mapping, Sequence

from blobs import lent_links
from blobs.errors import BlobCorrupt, BlobMissing
from blobs.lent_links import LentStore, lent_store
from blobs.store import BlobRef, BlobStore
from worker_programs.manifest import Ref
from worker_programs.readers import CorruptSampleError, OnFault


class Stored:
    """Reads samples from the object store: coalesced, prefetched, verified."""

    def __init__(self, store: BlobStore | LentStore) -> None:
        self._store = store

    @classmethod
    def from_env(cls) -> "Stored":
        """Return the store that our worker lends us (`blobs.lent_links`); for a program started by hand, the store and
        local cache that the environment (`MOTHERLODE_S3_*`, `MOTHERLODE_CACHE_*`) names."""
        return cls(lent_store() if lent_links.VARIABLE in os.environ else BlobStore.from_env())

    def get_many(self, refs: Sequence[Ref], *, on_fault: OnFault | None = None) -> Iterator[tuple[Ref, bytes]]:
        """Yield each ref with its verified bytes, in the store's own order."""
        wanted = {ref.md5: ref for ref in refs}
        tell = None if on_fault is None else (lambda ref, fault: on_fault(wanted[ref.md5], str(fault)))
        yield from _ours(wanted, self._store.get_many(_asked(wanted), on_error=tell))

    def shuffled(self, refs: Sequence[Ref], *, seed: int, skip: int = 0) -> Iterator[tuple[Ref, bytes]]:
        """Yield each blob once, packs at random and members mixed, at the store's speed; the disk is not used."""
        wanted = {ref.md5: ref for ref in refs}
        yield from _ours(wanted, self._store.shuffled(_asked(wanted), seed=seed, skip=skip))


def _asked(wanted: Mapping[str, Ref]) -> list[BlobRef]:
    return [BlobRef(r.md5, r.sha256, r.size, r.key, r.offset) for r in wanted.values()]


def _ours(wanted: Mapping[str, Ref], found: Iterator[tuple[BlobRef, bytes]]) -> Iterator[tuple[Ref, bytes]]:
    try:
        for ref, data in found:
            yield wanted[ref.md5], data
    except (BlobCorrupt, BlobMissing) as fault:
        raise CorruptSampleError(str(fault)) from fault
