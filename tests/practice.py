"""A kind of job for tests. What a shard does is its parameter `do`; what was counted is seen in the job's log."""

import tempfile
import time
from pathlib import Path
from typing import Any

from blobs.errors import StoreFailed, StoreSilent
from jobs.context import ShardContext
from jobs.errors import ShardFailed
from jobs.handlers import Outcome
from jobs.lanes import Lane
from jobs.models import JobEvent
from jobs.run_program import run_program

LANE = Lane("practice")


class Practice:
    lane = LANE

    def run(self, context: ShardContext) -> Outcome:
        todo = context.params.get("do", "count")
        seconds = context.params.get("seconds", 0.0)
        if todo == "refuse":
            raise ShardFailed("The label 'dog' is not a class of this dataset.", code="unknown_class")
        if todo == "stumble" and context.claim.shard.attempts < context.params["until"]:
            raise OSError("the disk stumbled")
        if todo == "wait for the store" and not Path(context.params["store"]).exists():
            raise StoreSilent("the object store does not answer")
        if todo == "fail on an object":
            raise StoreFailed("the object store failed on blobs/1 (InternalError); try again later")
        until, gate = time.monotonic() + seconds, Path(context.params.get("gate", "."))
        while time.monotonic() < until or not gate.exists():
            context.check()
            time.sleep(0.02)
        return Outcome(result={"index": context.claim.shard.index}, apply=lambda: _count(context))


def _count(context: ShardContext) -> None:
    held = context.claim
    data: dict[str, Any] = {"level": "info", "message": "counted", "index": held.shard.index, "token": held.token}
    JobEvent.objects.create(job_id=held.shard.job_id, kind=JobEvent.Kind.LOG, data=data)


def counted(job_id: int) -> list[int]:
    """The indices of the shards whose result was counted, one entry for each time."""
    events = JobEvent.objects.filter(job_id=job_id, data__message="counted")
    return sorted(event.data["index"] for event in events)


class Yielding(Practice):
    """The same, in a lane that gives way."""

    lane = Lane("practice", gives_way=True)


class Programs:
    """Runs `tests.tiny_program` on a shard's parameters."""

    lane = LANE

    def run(self, context: ShardContext) -> Outcome:
        with tempfile.TemporaryDirectory() as name:
            return Outcome(run_program("tests.tiny_program", context.params, folder=Path(name), context=context))
