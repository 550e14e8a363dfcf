"""Many small blobs as few objects: one PUT per pack, members found by offset.

with PackWriter(store) as writer:
    for data in images:
        writer.add(data)
    refs = writer.close()        # one BlobRef per add, in order
"""

from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from blobs.bucket import SINGLE_PUT_BYTES
from blobs.digests import Digests, digests_of
from blobs.errors import BlobError
from blobs.refs import BlobRef
from blobs.store import BlobStore, Placed

TARGET_BYTES = 16 << 20
ALONE_BYTES = 1 << 20  # from here on a blob gets its own object: a request then costs little beside its bytes
_UPLOADS = 2  # packs on their way at once; with the one being filled, three are in memory


@dataclass(frozen=True, slots=True)
class PendingMember:
    """A blob that was added; it is stored only when `close` has returned. `index` counts the adds from 0."""

    index: int
    digests: Digests


class PackWriter:
    """Fills packs of about `target_bytes` and uploads them while the next one fills.

    The same bytes added twice are stored once. A failed upload raises (StoreUnavailable and its kind) from the next
    `add` or from `close`, and then no ref is handed out: packs that did arrive are unreferenced, and a second run with
    the same input writes the same keys. Not for use by several threads at once.
    """

    def __init__(self, store: BlobStore, *, target_bytes: int = TARGET_BYTES, alone_bytes: int = ALONE_BYTES) -> None:
        if not 0 < target_bytes <= SINGLE_PUT_BYTES // 2:
            raise ValueError(f"target_bytes must lie in 1..{SINGLE_PUT_BYTES // 2}: a pack is one PUT")
        self._store = store
        self._target = target_bytes
        self._alone = min(alone_bytes, target_bytes)
        self._pool = ThreadPoolExecutor(_UPLOADS, thread_name_prefix="packs")
        self._uploads: deque[Future[None]] = deque()
        self._pack = bytearray()
        self._members: list[tuple[Digests, int]] = []
        self._order: list[Digests] = []
        self._known: set[Digests] = set()
        self._refs: dict[Digests, BlobRef] = {}
        self._failed: BlobError | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)

    def add(self, data: bytes, *, digests: Digests | None = None) -> PendingMember:
        """Take `data` (with its digests, when the caller has them). Waits while two packs are on their way."""
        digests = digests or digests_of(data)
        self._order.append(digests)
        if digests not in self._known:
            self._known.add(digests)
            if digests.size >= self._alone:
                ref, placed = self._store.place(data, digests)
                self._refs[digests] = ref
                self._submit(lambda: self._store.send(placed))
            else:
                self._members.append((digests, len(self._pack)))
                self._pack += data
                if len(self._pack) >= self._target:
                    self._seal()
        return PendingMember(len(self._order) - 1, digests)

    def close(self) -> list[BlobRef]:
        """Upload the rest and return one ref per `add`, in order; all of them are stored now."""
        try:
            self._seal()
            while self._uploads:
                self._await_one()
            if self._failed is not None:
                raise self._failed
        finally:
            self._pool.shutdown(wait=True, cancel_futures=True)
        return [self._refs[digests] for digests in self._order]

    def _seal(self) -> None:
        if self._members:
            pack, members = self._pack, self._members
            self._pack, self._members = bytearray(), []
            placed = self._store.place_pack(pack)  # here, not in the upload's thread, which has no database
            self._submit(lambda: self._upload(placed, members))

    def _submit(self, upload: Callable[[], None]) -> None:
        while len(self._uploads) >= _UPLOADS:
            self._await_one()
        self._uploads.append(self._pool.submit(upload))

    def _await_one(self) -> None:
        try:
            self._uploads.popleft().result()
        except BlobError as error:
            self._failed = error
            raise

    def _upload(self, placed: Placed, members: list[tuple[Digests, int]]) -> None:
        self._store.send(placed)
        for digests, offset in members:
            self._refs[digests] = BlobRef(digests.md5, digests.sha256, digests.size, placed.key, offset)
