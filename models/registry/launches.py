"""The text that starts a run's training on several nodes."""

from dataclasses import asdict, dataclass

from core.errors import Conflict, Unprocessable
from jobs.models import Shard
from jobs.needs import NOTHING
from registry.models import Run
from registry.services import TRAIN, RunSpec, check_spec
from training.launchers import LEAST_MEMORY, LaunchSpec, launchers
from worker_programs.config import ConfigError, parse


@dataclass(frozen=True, slots=True)
class Choices:
    """The caller's choices for a launch; see `training.launchers.LaunchSpec`."""

    least_nodes: int
    most_nodes: int
    image: str
    queue: str
    hours: int


def launch_text(run: Run, launcher: str, choices: Choices) -> str:
    """The input of a launcher: each node gets its share of the run's processes and needs.

    Raises Conflict (`run_not_waiting`) for a run with nothing left to train, and Unprocessable for one that needs
    nothing, as the next free worker takes it, for processes that nodes can't share, and naming a faulty choice.
    """
    shard, nodes = run.job.shards.get(phase=TRAIN), choices.most_nodes
    if not run.job.is_open or shard.state == Shard.State.DONE:
        raise Conflict(f"Run {run.pk} has nothing left to train: resume or clone it.", code="run_not_waiting")
    if shard.needs == NOTHING:
        words = "the run needs nothing, so any free worker trains it: clone it with what all nodes have together"
        raise Unprocessable.field("needs", words, code="needs_nothing")
    processes = check_spec(RunSpec(run.architecture, run.config), task=run.model.task).processes
    if processes % nodes:
        words = f"can't share the run's {processes} processes: choose a number that divides them"
        raise Unprocessable.field("nodes", words, code="nodes_share_unevenly")
    needs = shard.needs
    share = {
        "run": run.pk,
        "processes": processes // nodes,
        "gpus": -(-needs.gpus // nodes),
        "cores": max(processes // nodes, -(-needs.cores // nodes)),
        "memory": max(LEAST_MEMORY, -(-needs.memory_bytes // nodes)),
    }
    try:
        spec = parse(LaunchSpec, share | asdict(choices))
    except ConfigError as error:
        raise Unprocessable(str(error), code="launch_unfit", errors=error.errors) from error
    return launchers()[launcher](spec)
