"""Lanes: which workers run a kind of job, and what it gives way to. A handler declares its lane, once.

The sweeps that take leases back and start what is due are no jobs: they have the queue CLOCK and a worker of their own,
so that no job can hold them up.
"""

from dataclasses import dataclass

CLOCK = "clock"
"""The queue of the sweeps."""
GPU_QUEUE = "gpu"
"""The queue of wake-ups for shards that need GPUs: workers without GPUs don't listen to it."""


@dataclass(frozen=True, slots=True)
class Lane:
    """The queue whose workers run the work. `gives_way`: it is claimed after all other work of the queue, and never
    holds the queue's last slot, so it must come in short shards."""

    queue: str
    gives_way: bool = False


ASKED = Lane("compute")
"""Heavy work that somebody waits for: trainings, mining, imports."""
LIGHT = Lane("default")
"""Short work that somebody waits for, which a training must not hold up: edits, commits, deletions."""
REST = Lane("compute", gives_way=True)
"""Heavy work that nobody waits for: proofs of further precisions, embeddings, collection."""
UPKEEP = Lane("default", gives_way=True)
"""Light work that nobody waits for: publication."""
