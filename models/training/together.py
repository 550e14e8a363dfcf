"""Several processes that train one network, each on its share of every batch: torchrun starts them, gloo or NCCL adds
up their gradients.

Every process sees the same batches; only the leader reports, writes files and evaluates. When a process dies, the
others end too, and torchrun restarts all of them from the newest recovery file; the same happens when a node joins or
leaves.
"""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any, TypeVar

import torch
from torch import Tensor, distributed
from torch.nn.parallel import DistributedDataParallel

from training.config import Recipe
from training.launching import STARTED, Nodes
from training.sharding import is_sharded
from worker_programs.config import ConfigError

MEETING_SECONDS = 60
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Together:
    """The place of this process among those that train together."""

    rank: int = 0
    world: int = 1
    leader: int = 0
    """The rank of the process that reports, writes and evaluates; of several nodes, on the run's worker."""

    local: int = 1
    """Processes on this machine."""

    @property
    def first(self) -> bool:
        """Whether this process is the leader."""
        return self.rank == self.leader

    def share(self, rows: Tensor) -> Tensor:
        """This process's rows of a batch; the sizes of shares differ by at most one row."""
        return rows.tensor_split(self.world)[self.rank]

    def seed(self, recipe: Recipe, step: int) -> None:
        """Seed torch so that dropout differs between processes and repeats after a restart."""
        if self.world > 1:
            torch.manual_seed((recipe.seed * 1_000_003 + step) * self.world + self.rank)

    def forward(self, network: Any, device: torch.device) -> Any:
        """Wrap `network` so that its gradients are the mean of those of all processes."""
        if self.world == 1 or is_sharded(network):
            return network
        return DistributedDataParallel(network, device_ids=[device.index] if device.type == "cuda" else None)

    def quiet(self, forward: Any, *, last: bool) -> Any:
        """The context of a backward pass: gradients are exchanged with the last part of a batch."""
        if is_sharded(forward):
            forward.set_requires_gradient_sync(last)
            return nullcontext()
        return nullcontext() if self.world == 1 or last else forward.no_sync()

    def summed(self, values: Tensor) -> Tensor:
        """The sum over all processes."""
        if self.world > 1:
            distributed.all_reduce(values)
        return values

    def told(self, values: T) -> T:
        """Send the leader's `values` to all processes and return them."""
        if self.world == 1:
            return values
        held = [values]
        distributed.broadcast_object_list(held, src=self.leader)
        return held[0]

    def gathered(self, values: T) -> list[T]:
        """Collect the `values` of all processes, by rank, at the leader; the other processes get an empty list."""
        if self.world == 1:
            return [values]
        held: list[Any] | None = [None] * self.world if self.first else None
        distributed.gather_object(values, held, dst=self.leader)
        return held or []


def _join(backend: str) -> None:
    """Meet the other processes. A process that waits too long ends, so that torchrun restarts all of them."""
    told, rank = os.environ, int(os.environ["RANK"])
    signal.alarm(MEETING_SECONDS)
    # On one machine torchrun opens one store for all restarts, so each restart needs its own keys. Nodes open a new
    # store each time; restart counts can't name it, because a node that joins later has fewer restarts.
    shared = told.get("TORCHELASTIC_USE_AGENT_STORE") == "True"
    # torch documents both stores, but its __init__ does not list them.
    store = distributed.TCPStore(told["MASTER_ADDR"], int(told["MASTER_PORT"]), is_master=rank == 0 and not shared)  # type: ignore[attr-defined]
    start = f"start-{told['TORCHELASTIC_RESTART_COUNT']}" if shared else "start"
    distributed.init_process_group(
        backend,
        store=distributed.PrefixStore(start, store),  # type: ignore[attr-defined]
        rank=rank,
        world_size=int(told["WORLD_SIZE"]),
    )
    distributed.barrier()
    signal.alarm(0)


def _place() -> Together:
    """This process's place among the others, and which rank leads."""
    nodes, world = Nodes.of_environment(), distributed.get_world_size()
    leads: list[Any] = [None] * world
    distributed.all_gather_object(leads, os.environ["LOCAL_RANK"] == "0" and (nodes is None or nodes.leads))
    return Together(distributed.get_rank(), world, leads.index(True), int(os.environ["LOCAL_WORLD_SIZE"]))


@contextmanager
def together(recipe: Recipe) -> Iterator[Together]:
    """Join the processes of this training while the body runs. Raises ConfigError for more processes than GPUs."""
    if recipe.processes == 1 or STARTED not in os.environ:
        yield Together()
        return
    on_gpu = torch.cuda.is_available() and recipe.device != "cpu"
    if on_gpu and int(os.environ["LOCAL_WORLD_SIZE"]) > torch.cuda.device_count():
        words = f"this machine has {torch.cuda.device_count()} GPUs: ask for at most as many, or set device to cpu"
        raise ConfigError({"recipe.processes": [words]})
    if on_gpu:
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    _join("nccl" if on_gpu else "gloo")
    try:
        yield _place()
    finally:
        distributed.destroy_process_group()
