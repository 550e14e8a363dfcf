"""Starting the processes that train together, by torchrun. Imports no torch: each of them does."""

import os
import signal
import subprocess
import sys
import time

from blobs.lent_links import shared
from training.config import MOST_RESTARTS
from worker_programs.events import die_with_parent

STARTED = "TORCHELASTIC_RUN_ID"
"""What torchrun tells the processes that it starts."""
PATIENCE_SECONDS = 60


def start(config: str, processes: int) -> int:
    """Let torchrun train on a config by so many processes; its exit code. The output of the first one is seen; they end
    when this one does."""
    die_with_parent()
    argv = [
        sys.executable, "-m", "torch.distributed.run", "--standalone", f"--nproc-per-node={processes}",
        f"--max-restarts={MOST_RESTARTS}", "--local-ranks-filter=0", "-m", "training", config,
    ]  # fmt: skip
    with shared() as links:
        environment = {"GLOO_SOCKET_IFNAME": "lo", **os.environ, **links}
        done = subprocess.run(argv, env=environment, preexec_fn=die_with_parent, check=False)  # noqa: S603 - our own words
    return done.returncode


def give_up() -> None:
    """A refusal stands however often it is tried: the first process ends torchrun, the others wait for that, so that
    what it said is not lost."""
    if os.environ.get("RANK") == "0":
        os.kill(os.getppid(), signal.SIGTERM)
    time.sleep(PATIENCE_SECONDS)
