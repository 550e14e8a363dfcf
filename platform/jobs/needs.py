"""What a shard needs of the machine that works on it, and what a worker has. No Django here."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Self

from worker_programs.wording import plural

ARCHITECTURES = ("x86_64", "aarch64")
"""Processor architectures, as `uname -m` names them."""


@dataclass(frozen=True, slots=True)
class Needs:
    """What a shard holds while it runs: whole GPUs, each with at least `gpu_memory_bytes`; memory in bytes; cores; and
    the architecture of the processor. Zero or empty: no requirement."""

    gpus: int = 0
    gpu_memory_bytes: int = 0
    memory_bytes: int = 0
    cores: int = 0
    architecture: str = ""

    @classmethod
    def of(cls, told: Mapping[str, Any] | None) -> Self:
        """Read needs from a document. A size of GPU memory implies one GPU."""
        found = {name: value for name, value in (told or {}).items() if value is not None}
        return cls(**({"gpus": 1} if found.get("gpu_memory_bytes") else {}) | found)

    def document(self) -> dict[str, Any] | None:
        """All five fields; None if nothing is needed."""
        return asdict(self) | {"architecture": self.architecture or None} if self != NOTHING else None

    def words(self) -> str:
        """The needs in words: `a GPU of 16 GiB, 4 cores`."""
        many = "a GPU" if self.gpus == 1 else f"{self.gpus} GPUs"
        parts = (
            (self.gpus, many + (f" of {size(self.gpu_memory_bytes)}" if self.gpu_memory_bytes else "")),
            (self.memory_bytes, f"{size(self.memory_bytes)} of memory"),
            (self.cores, plural(self.cores, "core")),
            (self.architecture, f"a processor of {self.architecture}"),
        )
        return ", ".join(words for is_needed, words in parts if is_needed)


NOTHING = Needs()


ELSEWHERE = "node-"
"""Prefix of devices of other machines: programs of this machine can't see them."""


@dataclass(frozen=True, slots=True)
class Gpu:
    """A GPU that a worker may give to a shard. `device` is what CUDA_VISIBLE_DEVICES calls it, `memory` in bytes."""

    device: str
    name: str
    memory: int


@dataclass(frozen=True, slots=True)
class Capacity:
    """What a worker has, or has left. Sizes in bytes."""

    gpus: tuple[Gpu, ...] = ()
    memory: int = 0
    cores: int = 0
    architecture: str = ""

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> Self:
        """Read a capacity from a worker's document; an empty document is not a capacity."""
        found = dict(told)
        return cls(gpus=tuple(Gpu(**gpu) for gpu in found.pop("gpus", ())), **found)

    def times(self, nodes: int) -> Self:
        """The capacity of `nodes` machines like this one that work together."""
        others = [
            Gpu(f"{ELSEWHERE}{node}/{gpu.device}", gpu.name, gpu.memory)
            for node in range(1, nodes)
            for gpu in self.gpus
        ]
        gpus = (*self.gpus, *others)
        return replace(self, gpus=gpus, memory=self.memory * nodes, cores=self.cores * nodes)

    def document(self) -> dict[str, Any]:
        return asdict(self) | {"gpus": [asdict(gpu) for gpu in self.gpus]}

    def fits(self, needs: Needs) -> bool:
        """Whether this capacity covers the needs."""
        return (
            len(self.devices(needs)) == needs.gpus
            and needs.memory_bytes <= self.memory
            and needs.cores <= self.cores
            and needs.architecture in {"", self.architecture}
        )

    def devices(self, needs: Needs) -> list[str]:
        """Choose the GPUs for a shard, the smallest that are large enough first; fewer than needed if there are no
        more."""
        large = sorted((gpu.memory, gpu.device) for gpu in self.gpus if gpu.memory >= needs.gpu_memory_bytes)
        return [device for _, device in large[: needs.gpus]]

    def less(self, held: Iterable[Needs], devices: Iterable[str]) -> "Capacity":
        """The capacity left besides what these shards hold and these GPUs."""
        shards, taken = list(held), set(devices)
        return Capacity(
            gpus=tuple(gpu for gpu in self.gpus if gpu.device not in taken),
            memory=self.memory - sum(one.memory_bytes for one in shards),
            cores=self.cores - sum(one.cores for one in shards),
            architecture=self.architecture,
        )


NO_ROOM = Capacity()
"""No capacity: enough for shards that need nothing."""


def lacking(needs: Needs, workers: Iterable[Capacity], *, queue: str) -> str | None:
    """Why none of these workers, which listen to the queue, meets the needs; None if one does."""
    there = list(workers)
    if not there:
        return f"no worker has {needs.words()}: none listens to queue {queue}"
    if any(worker.fits(needs) for worker in there):
        return None
    for part in (
        Needs(gpus=needs.gpus, gpu_memory_bytes=needs.gpu_memory_bytes),
        Needs(memory_bytes=needs.memory_bytes),
        Needs(cores=needs.cores),
        Needs(architecture=needs.architecture),
    ):
        if not any(worker.fits(part) for worker in there):
            return f"no worker has {part.words()}: {_most(part, there)}"
    return f"no worker has all of it at once: {needs.words()}"


def _most(part: Needs, workers: list[Capacity]) -> str:
    """Describe the most that workers have of one need."""
    if part.gpus:
        most = max((worker.gpus for worker in workers), key=len, default=())
        largest = max((gpu for worker in workers for gpu in worker.gpus), key=lambda gpu: gpu.memory, default=None)
        if largest is None:
            return "none has a GPU"
        beside = f", and the most that one has is {len(most)}" if part.gpus > 1 else ""
        return f"the largest is a {largest.name} of {size(largest.memory)}{beside}"
    if part.memory_bytes:
        return f"the most is {size(max(worker.memory for worker in workers))}"
    if part.cores:
        return f"the most is {max(worker.cores for worker in workers)}"
    return f"there are {', '.join(sorted({worker.architecture for worker in workers}))}"


def size(count: int) -> str:
    """Format bytes: `16 GiB`, or `512 MiB` below 1 GiB."""
    unit, name = (1 << 30, "GiB") if count >= 1 << 30 else (1 << 20, "MiB")
    return f"{count / unit:.4g} {name}"
