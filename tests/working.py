"""A worker's part, done here: for tests of one job, whatever else waits in its queue."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

from jobs import runner, services
from jobs.models import Job


def work_on(job_id: int) -> bool:
    """Claim one shard of this very job and run it. False when there was none to claim."""
    held = services.claim(job_id, worker=runner.me())
    if held is not None:
        runner.run(held)
    return held is not None


@contextmanager
def working_on(kind: str) -> Iterator[None]:
    """A worker in a thread of its own for all jobs of a kind: for requests that wait for theirs."""
    ended = threading.Event()

    def work() -> None:
        try:
            while not ended.wait(0.05):
                for job in Job.objects.filter(kind=kind, state=Job.State.QUEUED):
                    work_on(job.pk)
        finally:
            connection.close()

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
