"""Starting the processes that train together, by torchrun, on one machine or on several nodes. Imports no torch: each
of them does."""

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
"""What torchrun tells the processes that it starts."""
LAUNCH = "MOTHERLODE_LAUNCH"
"""A folder of the processes that one call of `start` started, before and after one of them died."""
NODES, NODE_PROCESSES, RENDEZVOUS, LEADS = (
    "MOTHERLODE_NODES",
    "MOTHERLODE_NODE_PROCESSES",
    "MOTHERLODE_RENDEZVOUS",
    "MOTHERLODE_LEADS",
)
PATIENCE_SECONDS = 60
JOIN_SECONDS = 900
"""That a node waits for as many others as are needed."""


@dataclass(frozen=True, slots=True)
class Nodes:
    """The nodes of a training: `count` of them, or from so many to so many (`2:4`), with so many processes each. They
    meet at `rendezvous` (`host:port`), which the node that `leads` opens: there is the run's worker, and all is written
    there."""

    count: str
    processes: int
    rendezvous: str
    leads: bool

    def __post_init__(self) -> None:
        """Raise ValueError where it can't be so."""
        least, _, most = self.count.partition(":")
        host, _, port = self.rendezvous.rpartition(":")
        if not (least.isdigit() and (most or least).isdigit() and 0 < int(least) <= self.most):
            raise ValueError(f"{self.count!r} is no number of nodes: say 2, or 1:4")
        if not (host and port.isdigit()) or self.processes < 1:
            raise ValueError("nodes need a rendezvous like host:29400, and at least one process each")

    @property
    def most(self) -> int:
        """That there may be."""
        return int(self.count.rpartition(":")[2])

    @classmethod
    def of_environment(cls) -> Self | None:
        """Those that this process was told of; None: there is this machine alone."""
        told = os.environ
        if NODES not in told:
            return None
        return cls(told[NODES], int(told[NODE_PROCESSES]), told[RENDEZVOUS], leads=told[LEADS] == "1")

    def environment(self) -> dict[str, str]:
        """What tells a process of them."""
        return {
            NODES: self.count,
            NODE_PROCESSES: str(self.processes),
            RENDEZVOUS: self.rendezvous,
            LEADS: str(int(self.leads)),
        }

    def options(self) -> list[str]:
        """Of torchrun."""
        return [
            f"--nnodes={self.count}", f"--nproc-per-node={self.processes}", "--rdzv-backend=c10d",
            f"--rdzv-endpoint={self.rendezvous}", "--rdzv-id=motherlode",
            f"--rdzv-conf=is_host={int(self.leads)},join_timeout={JOIN_SECONDS}",
        ]  # fmt: skip


def start(config: str, processes: int) -> int:
    """Let torchrun train on a config by so many processes, or by those of the nodes that the environment names; its
    exit code. The output of the first one of this machine is seen; they end when this one does."""
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
    """One machine needs no network. Of nodes each round of processes meets at a port of its own: when one comes or
    goes, the next round would find what the last one left there."""
    return {"TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1"} if nodes else {"GLOO_SOCKET_IFNAME": "lo"}


def started_again() -> bool:
    """Whether processes of this launch have trained before, until one died or came. One process asks, once. A process
    that nobody launched with others has not."""
    if LAUNCH not in os.environ:
        return False
    mark = Path(os.environ[LAUNCH], "begun")
    before = mark.exists()
    mark.touch()
    return before


def give_up() -> None:
    """A refusal stands however often it is tried: the first process of a machine ends its torchrun, the others wait for
    that, so that what it said is not lost."""
    if os.environ.get("LOCAL_RANK") == "0":
        os.kill(os.getppid(), signal.SIGTERM)
    time.sleep(PATIENCE_SECONDS)
