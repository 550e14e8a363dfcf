"""A run's training on nodes that were started for it alone (see `training.launchers`): one leads, the others join it.

The leading node is the run's worker: it claims the training with the resources of all nodes, and submits the result.
The others claim nothing: they train beside it, and end with it.
"""

import json
import os
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path

from django.db import connection

from core.errors import Conflict
from jobs import runner, services
from jobs.heartbeat import capacity
from jobs.models import Shard, ShardQuerySet
from jobs.needs import lacking
from jobs.run_program import STDERR_LINES, drain, end, environment, started
from jobs.services import Claimant
from registry.models import Run
from registry.services import TRAIN
from registry.train_phase import training_config
from training.launching import Nodes

POLL_SECONDS = 2.0


def lead(run: Run, nodes: Nodes, *, say: Callable[[str], None]) -> None:
    """Work on every attempt of a run's training, until it is done or its job has ended. Raises Conflict
    (`nodes_too_small`) if the nodes have less than the run needs."""
    os.environ.update(nodes.environment())
    room = capacity().times(nodes.most)
    if words := lacking(run.job.needs_in(TRAIN), [room], queue=""):
        raise Conflict(f"Run {run.pk} needs more than these nodes have: {words}.", code="nodes_too_small")
    while _training_of(run, say):
        held = services.claim_of(_shards(run), Claimant(runner.me(), room=room))
        if held is None:
            time.sleep(POLL_SECONDS)
        else:
            say(f"training run {run.pk}")
            runner.run(held)


def join(run: Run, nodes: Nodes, *, say: Callable[[str], None]) -> None:
    """Train beside the leading node, whenever it trains, until the training is done or its job has ended."""
    os.environ.update(nodes.environment())
    while (shard := _training_of(run, say)) is not None:
        if shard.state == Shard.State.RUNNING:
            say(f"joining the training of run {run.pk}")
            _beside(run, shard)
        time.sleep(POLL_SECONDS)


def _beside(run: Run, shard: Shard) -> None:
    """Run the training program on this node until it ends, or until no node leads it any more."""
    with tempfile.TemporaryDirectory(prefix="motherlode-run-") as name:
        folder = Path(name)
        file = folder / "config.json"
        file.write_text(json.dumps(training_config(run, folder, resume=None)[0]))
        shard.gpus = []  # the shard names those of the leading node
        env = environment(shard) | {"TMPDIR": name}
        connection.close()
        with started(["training", str(file)], env, reads_store=True) as process:
            tail: deque[str] = deque(maxlen=STDERR_LINES)
            readers = [
                threading.Thread(target=drain, args=(process, tail), daemon=True),
                threading.Thread(target=lambda: deque(process.stdout or (), maxlen=0), daemon=True),
            ]
            for reader in readers:
                reader.start()
            try:
                while process.poll() is None and _shards(run).filter(token=shard.token, state="running").exists():
                    time.sleep(POLL_SECONDS)
            finally:
                end(process)
                for reader in readers:
                    reader.join()


def _training_of(run: Run, say: Callable[[str], None]) -> Shard | None:
    """The training shard of the run; None when there is nothing left to train."""
    shard = _shards(run).select_related("job").get()
    if shard.state == Shard.State.DONE:
        say(f"run {run.pk} is trained")
    elif not shard.job.is_open or shard.job.cancel_requested:
        say(f"run {run.pk} is {shard.job.state}")
    else:
        return shard
    return None


def _shards(run: Run) -> ShardQuerySet:
    return Shard.objects.filter(job=run.job_id, phase=TRAIN)
