"""Reading many blobs quickly and all verified: from the cache first, neighbours in a pack in one request, threads that
read ahead."""

import threading
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import Protocol

from blobs.bucket import SINGLE_PUT_BYTES, Bucket
from blobs.cache import BlobCache
from blobs.errors import BlobCorrupt, BlobFault, BlobMissing
from blobs.keys import pack_sha256
from blobs.refs import BlobRef, corrupt
from blobs.shuffling import Shuffled, behind, blocks, shuffled

OnError = Callable[[BlobRef, BlobFault], None]
Outcome = bytes | BlobCorrupt | BlobMissing

GAP_BYTES = 64 << 10  # reading this much in vain costs less than another request
SPAN_BYTES = 16 << 20  # the longest ranged read
WINDOW_BYTES = 8 << 20
WINDOW_MEMBERS = 8192
WINDOW_OBJECTS = 32  # blobs with an object each cost a request each, so fewer of them make a window
# From here on the whole pack is fetched into the cache: its other members are likely wanted next.
WHOLE_PACK_MEMBERS = 16
WHOLE_PACK_BYTES = 1 << 20
WHOLE_PACK_SHARE = 0.25  # of a pack's bytes that one call will want, in whatever order: worth all of them, once
CACHE_SHARE = 0.8  # of the cache that the packs of one call may take
WHOLE_PACK_READS = 4  # single reads of one pack before it is fetched: a small range can cost the store as much as all


class Finds(Protocol):
    """Finds the bytes of linked blobs (`blobs.links.Links`)."""

    def find(self, ref: BlobRef) -> tuple[Bucket, str]: ...


class Reader:
    """Verified reads of one bucket, and of the blobs linked from it, through one cache."""

    def __init__(self, bucket: Bucket, cache: BlobCache | None, links: Finds) -> None:
        self._bucket = bucket
        self._links = links
        self._cache = cache
        self._locks = _KeyLocks()
        self._single_reads: Counter[str] = Counter()

    def one(self, ref: BlobRef) -> bytes:
        """Return one blob. Raises BlobMissing, BlobCorrupt (after a second read)."""
        if (data := self._cached(ref)) is not None:
            return data
        if ref.packed and self._cache is not None and self._is_wanted_whole(ref.key):
            with self._locks.held(ref.key):
                pack = self._whole_pack(ref.key, self._cache)
            if pack is not None and ref.verifies(piece := pack[ref.offset : ref.end]):
                return bytes(piece)
        bucket, key = self._links.find(ref) if ref.linked else (self._bucket, ref.key)
        for _ in range(2):
            data = bucket.read(key, 0 if ref.linked else ref.offset, ref.size, ranged=ref.packed)
            if ref.verifies(data):
                self._remember(ref.md5, data)
                return data
        raise corrupt(ref)

    def chunks(self, ref: BlobRef) -> Iterator[bytes]:
        """Yield one blob in chunks, NOT verified."""
        if (data := self._cached(ref)) is not None:
            yield data
        elif ref.linked:
            bucket, key = self._links.find(ref)
            yield from bucket.stream(key, 0, ref.size)
        elif not ref.size:
            yield self._bucket.read(ref.key, ref.offset, 0, ranged=ref.packed)
        else:
            yield from self._bucket.stream(ref.key, ref.offset, ref.size)

    def many(
        self, refs: Sequence[BlobRef], *, threads: int, on_error: OnError | None
    ) -> Iterator[tuple[BlobRef, bytes]]:
        """Yield verified blobs in order; at most `threads` + 1 windows are held."""
        ahead: deque[tuple[list[BlobRef], Future[list[Outcome]]]] = deque()
        wanted = set(wanted_whole(refs, room=CACHE_SHARE * self._cache.max_bytes) if self._cache else ())
        packs: list[Future[None]] = []
        with ThreadPoolExecutor(threads, thread_name_prefix="blobs") as pool:
            try:
                for window in windows(refs):
                    for key in dict.fromkeys(ref.key for ref in window if ref.key in wanted):
                        wanted.remove(key)
                        packs.append(pool.submit(self._fetch, key))
                    ahead.append((window, pool.submit(self._window, window)))
                    if len(ahead) > threads:
                        yield from _delivered(*ahead.popleft(), on_error)
                while ahead:
                    yield from _delivered(*ahead.popleft(), on_error)
            finally:
                for pack in packs:
                    pack.cancel()
                for _, future in ahead:
                    future.cancel()

    def shuffled(
        self, refs: Sequence[BlobRef], *, seed: int, memory: int, threads: int, skip: int, on_error: OnError | None
    ) -> Iterator[tuple[BlobRef, bytes]]:
        """Yield verified blobs, each once: those in our bucket in the order of `shuffling.blocks`, then the rest."""
        ours: list[BlobRef] = []
        others: list[BlobRef] = []
        for ref in refs:
            (others if ref.linked or not ref.size else ours).append(ref)
        todo, skip = behind(blocks(ours, seed=seed, memory=memory), skip)
        for ref, data in Shuffled(self._read_into, threads=threads).read(todo):
            outcome = self._outcome(ref) if data is None else data
            if isinstance(outcome, bytes):
                yield ref, outcome
            else:
                _tell(ref, outcome, on_error)
        yield from self.many(shuffled(others, seed=seed)[skip:], threads=threads, on_error=on_error)

    def _read_into(self, key: str, offset: int, buffer: memoryview) -> int:
        """Fill `buffer` from an object; read nothing if it is missing: each of its members then reports that itself."""
        try:
            return self._bucket.read_into(key, offset, buffer)
        except BlobMissing:
            return 0

    def _is_wanted_whole(self, key: str) -> bool:
        """Count a single read of a pack; return whether it was read often enough to be fetched whole. (Threads may
        miscount; it does not matter.)"""
        self._single_reads[key] += 1
        if self._single_reads[key] < WHOLE_PACK_READS:
            return False
        self._single_reads.pop(key, None)
        return True

    def _window(self, refs: list[BlobRef]) -> list[Outcome]:
        found: dict[BlobRef, Outcome] = {}
        by_key: dict[str, list[BlobRef]] = {}
        for ref in dict.fromkeys(refs):
            if ref.packed:
                by_key.setdefault(ref.key, []).append(ref)
            else:
                data = self._cached(ref)
                found[ref] = self._outcome(ref) if data is None else data
        for key, members in by_key.items():
            if self._cache is not None:
                here = self._cache.members(members)
                found |= here
                members = [ref for ref in members if ref not in here]
            if members:
                found.update(self._members(key, members))
        return [found[ref] for ref in refs]

    def _fetch(self, key: str) -> None:
        """Fetch a pack into the cache. Errors are raised later, when its members are read."""
        if self._cache is not None:
            with suppress(BlobFault), self._locks.held(key):
                self._whole_pack(key, self._cache)

    def _members(self, key: str, members: list[BlobRef]) -> Iterator[tuple[BlobRef, Outcome]]:
        if self._cache is not None:
            whole = len(members) >= WHOLE_PACK_MEMBERS or sum(ref.size for ref in members) >= WHOLE_PACK_BYTES
            with self._locks.held(key):  # it may be on its way
                pack = self._whole_pack(key, self._cache) if whole else None
            if pack is not None:
                yield from ((ref, self._cut(ref, pack, 0)) for ref in members)
                return
            here = self._cache.members(members)
            yield from here.items()
            members = [ref for ref in members if ref not in here]
        for span in spans(members):
            yield from self._span(key, span)

    def _whole_pack(self, key: str, cache: BlobCache) -> memoryview | None:
        """Fetch a pack into the cache and return it; NOT verified, because each member is. None if it is cached
        already, or missing: each member then reports that itself."""
        name = pack_sha256(key)
        if cache.holds(name):
            return None
        try:
            data = self._bucket.read(key, 0, SINGLE_PUT_BYTES, ranged=False)
        except BlobMissing:
            return None
        cache.put(name, data)
        return memoryview(data)

    def _span(self, key: str, members: list[BlobRef]) -> Iterator[tuple[BlobRef, Outcome]]:
        start, end = members[0].offset, max(ref.end for ref in members)
        try:
            data = memoryview(self._bucket.read(key, start, end - start))
        except BlobMissing as error:
            yield from ((ref, error) for ref in members)
            return
        for ref in members:
            outcome = self._cut(ref, data, start)
            if isinstance(outcome, bytes):
                self._remember(ref.md5, outcome)
            yield ref, outcome

    def _cut(self, ref: BlobRef, data: memoryview, start: int) -> Outcome:
        """Cut one member out of a longer read; read it again alone if it does not verify."""
        piece = data[ref.offset - start : ref.end - start]
        return bytes(piece) if ref.verifies(piece) else self._outcome(ref)

    def _outcome(self, ref: BlobRef) -> Outcome:
        try:
            return self.one(ref)
        except (BlobCorrupt, BlobMissing) as error:
            return error

    def _cached(self, ref: BlobRef) -> bytes | None:
        return None if self._cache is None else self._cache.get(ref)

    def _remember(self, name: str, data: bytes) -> None:
        if self._cache is not None:
            self._cache.put(name, data)


def wanted_whole(refs: Iterable[BlobRef], *, room: float) -> frozenset[str]:
    """Return the packs that a shuffled read returns to again and again: if fetched whole, each is fetched once.

    Returns none if together they exceed the cache's `room`: it would evict them before they are used.
    """
    wanted: Counter[str] = Counter()
    ends: dict[str, int] = {}
    for ref in refs:
        if ref.packed:
            wanted[ref.key] += ref.size
            ends[ref.key] = max(ends.get(ref.key, 0), ref.end)
    whole = [key for key, size in wanted.items() if size >= WHOLE_PACK_SHARE * ends[key]]
    return frozenset(whole) if sum(ends[key] for key in whole) <= room else frozenset()


def windows(refs: Iterable[BlobRef]) -> Iterator[list[BlobRef]]:
    """Yield runs of refs that one thread reads at a time: bounded in bytes, members and objects."""
    window: list[BlobRef] = []
    total = objects = 0
    for ref in refs:
        window.append(ref)
        total += ref.size
        objects += not ref.packed
        if total >= WINDOW_BYTES or len(window) >= WINDOW_MEMBERS or objects >= WINDOW_OBJECTS:
            yield window
            window, total, objects = [], 0, 0
    if window:
        yield window


def spans(members: Iterable[BlobRef]) -> Iterator[list[BlobRef]]:
    """Yield members of one pack, by offset, in runs that are worth one ranged read."""
    span: list[BlobRef] = []
    end = 0
    for ref in sorted(members, key=lambda ref: ref.offset):
        if span and (ref.offset - end > GAP_BYTES or ref.end - span[0].offset > SPAN_BYTES):
            yield span
            span = []
        end = max(end, ref.end) if span else ref.end
        span.append(ref)
    if span:
        yield span


def _delivered(
    window: list[BlobRef], future: Future[list[Outcome]], on_error: OnError | None
) -> Iterator[tuple[BlobRef, bytes]]:
    for ref, outcome in zip(window, future.result(), strict=True):
        if isinstance(outcome, bytes):
            yield ref, outcome
        else:
            _tell(ref, outcome, on_error)


def _tell(ref: BlobRef, fault: BlobCorrupt | BlobMissing, on_error: OnError | None) -> None:
    """Pass a fault to `on_error`; raise it if there is none."""
    if on_error is None:
        raise fault
    on_error(ref, fault)


class _KeyLocks:
    """A lock per key in use, so that two windows do not fetch the same pack at once."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._locks: dict[str, tuple[threading.Lock, int]] = {}

    @contextmanager
    def held(self, key: str) -> Iterator[None]:
        with self._guard:
            lock, users = self._locks.get(key, (threading.Lock(), 0))
            self._locks[key] = (lock, users + 1)
        try:
            with lock:
                yield
        finally:
            with self._guard:
                lock, users = self._locks.pop(key)
                if users > 1:
                    self._locks[key] = (lock, users - 1)
