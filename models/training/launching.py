"""Start the processes that train together, with torchrun, on one machine or on several nodes. Imports no torch: each
process does."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from blobs.lent_links import shared
from training.config import MOST_RESTARTS
from worker_programs.events import die_with_parent

STARTED = "TORCHELASTIC_RUN_ID"
"""A variable that torchrun sets for the processes that it starts."""
LAUNCH = "MOTHERLODE_LAUNCH"
"""Variable with the folder that all processes of one call of `start` share, across restarts."""
NODES, NODE_PROCESSES, RENDEZVOUS, LEADS = (
    "MOTHERLODE_NODES",
    "MOTHERLODE_NODE_PROCESSES",
    "MOTHERLODE_RENDEZVOUS",
    "MOTHERLODE_LEADS",
)
PATIENCE_SECONDS = 60
JOIN_SECONDS = 900
"""Seconds that a node waits for enough other nodes."""


@dataclass(frozen=True, slots=True)
class Nodes:
    """The nodes of a training: `count` is a number or a range (`2:4`), `processes` the number on each node. They meet
    at `rendezvous` (`host:port`), which the node that `leads` opens: it is the run's worker, and writes all files."""

    count: str
    processes: int
    rendezvous: str
    leads: bool

    def __post_init__(self) -> None:
        """Raise ValueError for invalid values."""
        least, _, most = self.count.partition(":")
        host, _, port = self.rendezvous.rpartition(":")
        if not (least.isdigit() and (most or least).isdigit() and 0 < int(least) <= self.most):
            raise ValueError(f"{self.count!r} is not a number of nodes: say 2, or 1:4")
        if not (host and port.isdigit()) or self.processes < 1:
            raise ValueError("nodes need a rendezvous like host:29400, and at least one process each")

    @property
    def most(self) -> int:
        """The largest number of nodes allowed."""
        return int(self.count.rpartition(":")[2])

    @classmethod
    def of_environment(cls) -> Self | None:
        """Read the nodes from this process's environment; None: there is only this machine."""
        told = os.environ
        if NODES not in told:
            return None
        return cls(told[NODES], int(told[NODE_PROCESSES]), told[RENDEZVOUS], leads=told[LEADS] == "1")

    def environment(self) -> dict[str, str]:
        """Environment variables that describe the nodes to a process."""
        return {
            NODES: self.count,
            NODE_PROCESSES: str(self.processes),
            RENDEZVOUS: self.rendezvous,
            LEADS: str(int(self.leads)),
        }

    def options(self) -> list[str]:
        """Options of torchrun for these nodes."""
        return [
            f"--nnodes={self.count}", f"--nproc-per-node={self.processes}", "--rdzv-backend=c10d",
            f"--rdzv-endpoint={self.rendezvous}", "--rdzv-id=motherlode",
            f"--rdzv-conf=is_host={int(self.leads)},join_timeout={JOIN_SECONDS}",
        ]  # fmt: skip


def start(config: str, processes: int) -> int:
    """Run the training of a config with torchrun, in `processes` processes or those of the nodes that the environment
    names, and return its exit code. Only the machine's first process shows output; all end when this process does."""
    die_with_parent()
    nodes = Nodes.of_environment()
    argv = [
        sys.executable, "-m", "torch.distributed.run",
        *(nodes.options() if nodes else ["--standalone", f"--nproc-per-node={processes}"]),
        f"--max-restarts={MOST_RESTARTS}", "--local-ranks-filter=0", "-m", "training", config,
    ]  # fmt: skip
    with shared() as links, tempfile.TemporaryDirectory(prefix="motherlode-launch-") as folder:
        environment = _defaults(nodes) | os.environ | links | {LAUNCH: folder}
        done = subprocess.run(argv, env=environment, preexec_fn=die_with_parent, check=False)  # noqa: S603 - our own words
    return done.returncode


def _defaults(nodes: Nodes | None) -> Mapping[str, str]:
    """Default variables for torchrun. A single machine needs no network. Nodes meet at a new port in each round: when
    one joins or leaves, the next round would find leftovers of the last one."""
    return {"TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1"} if nodes else {"GLOO_SOCKET_IFNAME": "lo"}


def started_again() -> bool:
    """Whether this launch was restarted because a process died or a node joined; False for a process that was not
    launched with others. Only one process may call it, once."""
    if LAUNCH not in os.environ:
        return False
    mark = Path(os.environ[LAUNCH], "begun")
    before = mark.exists()
    mark.touch()
    return before


def give_up() -> None:
    """End the training without restarts, as a refusal would only repeat: the first process of a machine ends its
    torchrun; the others wait for that, so that its message is not lost."""
    if os.environ.get("LOCAL_RANK") == "0":
        os.kill(os.getppid(), signal.SIGTERM)
    time.sleep(PATIENCE_SECONDS)
