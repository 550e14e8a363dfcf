"""A worker's part, done here: for tests of one job, whatever else waits in its queue."""

from jobs import runner, services


def work_on(job_id: int) -> bool:
    """Claim one shard of this very job and run it. False when there was none to claim."""
    held = services.claim(job_id, worker=runner.me())
    if held is not None:
        runner.run(held)
    return held is not None
