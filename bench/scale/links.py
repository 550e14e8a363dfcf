"""What an all-reduce between processes takes: measured between two here, and a model of it for others.

The model is the ring (Patarasuk and Yuan 2009): n processes send 2 (n - 1) messages one after the other, each of them
an n-th of what is summed up, so that S bytes take 2 (n - 1) (latency + S / (n pace)) seconds.
"""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import distributed
from torch.multiprocessing.spawn import spawn

PROCESSES = 2
SIZES = tuple(1 << power for power in range(12, 27, 2))
"""Bytes: 4 KiB to 64 MiB."""


@dataclass(frozen=True, slots=True)
class Link:
    """Between neighbours in the ring: seconds before a message, and bytes a second of it."""

    name: str
    latency: float
    pace: float

    def seconds(self, size: int, processes: int) -> float:
        """To sum up `size` bytes between so many processes; none where there is one."""
        return 2 * (processes - 1) * (self.latency + size / processes / self.pace)

    @classmethod
    def fitted(cls, name: str, measured: Sequence[tuple[int, float]], processes: int) -> "Link":
        """The one whose relative errors are the least squares, of (bytes, seconds); at least two sizes."""
        sizes, seconds = (np.array(column, float) for column in zip(*measured, strict=True))
        rows = 2 * (processes - 1) * np.stack([np.ones_like(sizes), sizes / processes], axis=1) / seconds[:, None]
        latency, second_a_byte = np.linalg.lstsq(rows, np.ones_like(seconds), rcond=None)[0]
        return cls(name, max(0.0, float(latency)), 1 / max(float(second_a_byte), 1e-15))


def measured(*, sizes: Sequence[int] = SIZES, repeats: int = 15) -> list[tuple[int, float]]:
    """(Bytes, median seconds) of torch's all-reduce by gloo between two processes of this machine, one thread each."""
    with tempfile.TemporaryDirectory(prefix="motherlode-links-") as folder:
        argv = [sys.executable, "-m", "bench.scale.links", folder, str(repeats), *map(str, sizes)]
        subprocess.run(argv, check=True)
        return [(size, seconds) for size, seconds in json.loads((Path(folder) / "times.json").read_text())]


def _one(rank: int, folder: str, repeats: int, sizes: Sequence[int]) -> None:
    torch.set_num_threads(1)
    distributed.init_process_group("gloo", init_method=f"file://{folder}/meet", rank=rank, world_size=PROCESSES)
    found = []
    for size in sizes:
        numbers, times = torch.ones(size // 4), []
        distributed.all_reduce(numbers)  # the first one meets the others
        for _ in range(repeats):
            distributed.barrier()
            begun = time.perf_counter()
            distributed.all_reduce(numbers)
            times.append(time.perf_counter() - begun)
            numbers.fill_(1.0)
        found.append((size, statistics.median(times)))
    if rank == 0:
        (Path(folder) / "times.json").write_text(json.dumps(found))
    distributed.destroy_process_group()


if __name__ == "__main__":
    place, count, *asked = sys.argv[1:]
    spawn(_one, args=(place, int(count), [int(size) for size in asked]), nprocs=PROCESSES)  # type: ignore[no-untyped-call]  # torch's
