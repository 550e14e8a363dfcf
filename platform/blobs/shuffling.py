"""Reading a whole version in shuffled order at nearly the speed of the object store: packs in any order, members mixed
within a block of packs that fits in memory. The disk is not used.

The order depends on the refs and the seed, not on threads or on how the refs are sorted.
"""

import random
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field

from blobs.refs import BlobRef

MEMORY_BYTES = 256 << 20
ReadInto = Callable[[str, int, memoryview], int]
"""Fills a buffer with bytes of an object from an offset; returns the number of bytes read."""


@dataclass(slots=True)
class Run:
    """The wanted members of one object, in any order, all within `start` and `end`."""

    key: str
    members: list[BlobRef] = field(default_factory=list)

    @property
    def start(self) -> int:
        return min(ref.offset for ref in self.members)

    @property
    def end(self) -> int:
        return max(ref.end for ref in self.members)

    @property
    def size(self) -> int:
        """The number of bytes to read for the run."""
        return self.end - self.start


@dataclass(slots=True)
class Block:
    """Runs that are in memory together, and the order in which their members are yielded."""

    runs: list[Run]
    order: list[BlobRef]


def blocks(refs: Iterable[BlobRef], *, seed: int, memory: int) -> list[Block]:
    """Divide the refs into blocks, each ref once. Two blocks, the one being read and the one being fetched, stay within
    `memory` bytes unless a single object is larger than half of it."""
    runs: dict[str, Run] = {}
    for ref in _sorted(refs):
        runs.setdefault(ref.key, Run(ref.key)).members.append(ref)
    dice = random.Random(seed)
    mixed = list(runs.values())
    dice.shuffle(mixed)
    made: list[list[Run]] = []
    held = 0
    for run in mixed:
        if not made or held + run.size > memory // 2:
            made.append([])
            held = 0
        made[-1].append(run)
        held += run.size
    found = [Block(block, [ref for run in block for ref in run.members]) for block in made]
    for block in found:
        dice.shuffle(block.order)
    return found


def behind(todo: Iterable[Block], skip: int) -> tuple[list[Block], int]:
    """Return the blocks without their first `skip` members, so that nothing of those is read; and how many of `skip`
    remain after all blocks."""
    found: list[Block] = []
    for block in todo:
        order = block.order[skip:]
        skip = max(0, skip - len(block.order))
        if order:
            wanted = set(order)
            left = [Run(run.key, [ref for ref in run.members if ref in wanted]) for run in block.runs]
            found.append(Block([run for run in left if run.members], order))
    return found, skip


def shuffled(refs: Iterable[BlobRef], *, seed: int) -> list[BlobRef]:
    """Return each ref once, in an order set by the seed."""
    mixed = _sorted(refs)
    random.Random(seed).shuffle(mixed)
    return mixed


def _sorted(refs: Iterable[BlobRef]) -> list[BlobRef]:
    return sorted(set(refs), key=lambda ref: (ref.key, ref.offset, ref.size, ref.md5, ref.sha256))


class Shuffled:
    """One pass over the refs. Buffers are reused: allocating memory costs more than reading into it."""

    def __init__(self, read_into: ReadInto, *, threads: int) -> None:
        self._read_into = read_into
        self._threads = threads
        self._free: deque[bytearray] = deque()

    def read(self, todo: Sequence[Block]) -> Iterator[tuple[BlobRef, bytes | None]]:
        """Yield each ref with its verified bytes, or None if the bytes read don't verify: then it must be read
        alone."""
        with ThreadPoolExecutor(self._threads, thread_name_prefix="shuffled") as pool:
            ahead: deque[tuple[Block, list[Future[_Held]]]] = deque()
            waiting = iter(todo)
            try:
                while True:
                    while len(ahead) < 2 and (block := next(waiting, None)) is not None:
                        ahead.append((block, [pool.submit(self._fetch, run) for run in block.runs]))
                    if not ahead:
                        return
                    yield from self._delivered(*ahead.popleft())
            finally:
                for _, futures in ahead:
                    for future in futures:
                        future.cancel()

    def _delivered(self, block: Block, futures: "list[Future[_Held]]") -> Iterator[tuple[BlobRef, bytes | None]]:
        held = {run.key: future.result() for run, future in zip(block.runs, futures, strict=True)}
        for ref in block.order:
            yield ref, held[ref.key].get(ref)
        self._free += (one.buffer for one in held.values())

    def _fetch(self, run: Run) -> "_Held":
        try:
            buffer = self._free.popleft()
        except IndexError:
            buffer = bytearray()
        start, size = run.start, run.size
        if len(buffer) < size:
            buffer = bytearray(size)
        view = memoryview(buffer)
        count = self._read_into(run.key, start, view[:size])
        good = {ref for ref in run.members if ref.verifies(view[:count][ref.offset - start : ref.end - start])}
        return _Held(start, buffer, good)


@dataclass(slots=True)
class _Held:
    """An object's bytes from `start` on, and the members in it that verified."""

    start: int
    buffer: bytearray
    good: set[BlobRef]

    def get(self, ref: BlobRef) -> bytes | None:
        return bytes(self.buffer[ref.offset - self.start : ref.end - self.start]) if ref in self.good else None
