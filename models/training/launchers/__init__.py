"""The specification of a run's training on one or several nodes, and its text for each launcher: a JobSet for
Kubernetes, a script for Slurm's `sbatch`. Each node runs `manage.py train_run`; see `registry.launched`."""

import re
from collections.abc import Callable
from dataclasses import field
from typing import Annotated

from pydantic import Field
from pydantic.dataclasses import dataclass

from training.config import MOST_PROCESSES, MOST_RESTARTS
from worker_programs.config import STRICT, ConfigError

MOST_NODES = 64
MOST_HOURS = 720
LAUNCHERS = ("kubernetes", "slurm")
PORT = 29_400
"""The port at which nodes meet."""
LEAST_MEMORY = 2 << 30
_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]*")
_SECRET = re.compile(r"SECRET|PASSWORD|TOKEN|CREDENTIAL|(^|_)KEY(_|$)|_URL$")


@dataclass(frozen=True, kw_only=True, config=STRICT)
class LaunchSpec:
    """The nodes and resources of a training. Sizes are those of one node."""

    run: Annotated[int, Field(ge=1)]
    least_nodes: Annotated[int, Field(ge=1, le=MOST_NODES)] = 1
    """The fewest nodes with which the training continues."""
    most_nodes: Annotated[int, Field(ge=1, le=MOST_NODES)] = 1
    processes: Annotated[int, Field(ge=1, le=MOST_PROCESSES)] = 1
    gpus: Annotated[int, Field(ge=0, le=MOST_PROCESSES)] = 0
    cores: Annotated[int, Field(ge=1, le=4096)] = 1
    memory: Annotated[int, Field(ge=LEAST_MEMORY)] = LEAST_MEMORY
    """Memory in bytes."""
    restarts: Annotated[int, Field(ge=0, le=100)] = MOST_RESTARTS
    """Restarts allowed by Kubernetes; each loses the steps since the newest recovery snapshot."""
    image: Annotated[str, Field(pattern=r"^[\w./:@-]+$", max_length=512)] = "motherlode"
    queue: Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]*$", max_length=63)] = ""
    """Kueue's LocalQueue, or Slurm's partition; empty: none."""
    hours: Annotated[int, Field(ge=1, le=MOST_HOURS)] = 24
    """Time limit in Slurm, in hours."""
    environment: dict[str, str] = field(default_factory=dict)
    """Additional environment variables. Secrets come from the same place as those of workers."""

    def __post_init__(self) -> None:
        if self.least_nodes > self.most_nodes:
            raise ConfigError({"least_nodes": [f"more than most_nodes: at most {self.most_nodes}"]})
        if self.gpus and self.gpus != self.processes:
            raise ConfigError({"gpus": [f"a process has one each: ask for {self.processes} a node, or for none"]})
        for name, text in self.environment.items():
            if not _VARIABLE.fullmatch(name) or "\n" in text:
                raise ConfigError(
                    {"environment": [f"{name!r} is not a name of a variable (A-Z, 0-9, _), or has two lines"]}
                )
            if _SECRET.search(name):
                raise ConfigError({"environment": [f"{name} looks like a secret: put it where workers have theirs"]})

    @property
    def name(self) -> str:
        """The name of the JobSet or Slurm job."""
        return f"motherlode-run-{self.run}"

    def command(self, *, rendezvous: str, joins: bool) -> list[str]:
        """The command that a node runs in the root of a checkout, or in the image."""
        nodes = f"{self.least_nodes}:{self.most_nodes}"
        words = ["python", "manage.py", "train_run", str(self.run), f"--nodes={nodes}"]
        words += [f"--processes-per-node={self.processes}", f"--rendezvous={rendezvous}"]
        return [*words, "--join"] if joins else words


def launchers() -> dict[str, Callable[[LaunchSpec], str]]:
    """Map each launcher's name to the function that writes its text."""
    from training.launchers.kubernetes import manifest
    from training.launchers.slurm import script

    return {"kubernetes": manifest, "slurm": script}
