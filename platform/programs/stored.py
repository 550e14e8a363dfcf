"""The object store as a reader of samples."""

from collections.abc import Iterator, Sequence

from blobs.errors import BlobCorrupt, BlobMissing
from blobs.store import BlobRef, BlobStore
from programs.manifest import Ref
from programs.readers import CorruptSampleError, OnFault


class Stored:
    """Reads samples through `BlobStore.get_many`: coalesced, prefetched, verified."""

    def __init__(self, store: BlobStore) -> None:
        self._store = store

    @classmethod
    def from_env(cls) -> "Stored":
        """The store and its local cache as the environment (`MOTHERLODE_S3_*`, `MOTHERLODE_CACHE_*`) names them."""
        return cls(BlobStore.from_env())

    def get_many(self, refs: Sequence[Ref], *, on_fault: OnFault | None = None) -> Iterator[tuple[Ref, bytes]]:
        """Each ref with its verified bytes, in the store's own order."""
        wanted = {ref.md5: ref for ref in refs}
        asked = [BlobRef(r.md5, r.sha256, r.size, r.key, r.offset) for r in wanted.values()]
        tell = None if on_fault is None else (lambda ref, fault: on_fault(wanted[ref.md5], str(fault)))
        try:
            for found, data in self._store.get_many(asked, on_error=tell):
                yield wanted[found.md5], data
        except (BlobCorrupt, BlobMissing) as fault:
            raise CorruptSampleError(str(fault)) from fault
