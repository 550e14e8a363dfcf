"""`/jobs` and `/workers`: jobs, their progress, the machines they run on, and calls to stop them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import httpx

from motherlode.errors import JobFailedError, MotherlodeError
from motherlode.transport import Transport

if TYPE_CHECKING:
    from motherlode.documents import Commit, Job, LiveJob, PriorityEnum, Shard, Workers


ACCEPTED = 202
ENDED = ("succeeded", "failed", "cancelled")
POLL_SECONDS = 0.5


class Jobs:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def all(self, *, state: str | None = None, kind: str | None = None, q: str | None = None) -> Iterator[Job]:
        """List jobs, the newest first. `state` and `kind` take several values separated by commas; `q` is a part of the
        title or the kind, or a job's number."""
        return self._transport.pages("/jobs", state=state, kind=kind, q=q)

    def get(self, job_id: int, *, since: int = 0) -> LiveJob:
        """Return a job's state and progress, and its points and log lines after `since`; pass the answer's `next` next
        time."""
        document: LiveJob = self._transport.get(f"/jobs/{job_id}", since=since)
        return document

    def cancel(self, job_id: int) -> Job:
        """Ask a job to stop; what is done stays done."""
        document: Job = self._transport.post(f"/jobs/{job_id}/cancel").json()
        return document

    def set_priority(self, job_id: int, priority: PriorityEnum) -> Job:
        """Schedule an open job before (`high`) or after (`low`) the other jobs of its project."""
        document: Job = self._transport.patch(f"/jobs/{job_id}", {"priority": priority})
        return document

    def shards(self, job_id: int, *, state: str | None = None) -> Iterator[Shard]:
        """List the shards of a job in order; `failed` ones carry their error."""
        return self._transport.pages(f"/jobs/{job_id}/shards", state=state)

    def retry(self, job_id: int) -> Job:
        """Retry what failed or was cancelled in a job; what is done stays done."""
        document: Job = self._transport.post(f"/jobs/{job_id}/retry").json()
        return document

    def workers(self) -> Workers:
        """Return the workers, the queues, the slots of projects, and the images that could not be read."""
        document: Workers = self._transport.get("/workers")
        return document

    def watch(self, job_id: int, *, poll: float = POLL_SECONDS) -> Iterator[LiveJob]:
        """Yield the job now, and every `poll` seconds until it has ended; each time with the log lines since the
        last."""
        since = 0
        while True:
            job = self.get(job_id, since=since)
            since = job["next"]
            yield job
            if job["state"] in ENDED:
                return
            time.sleep(poll)

    def wait(
        self, job_id: int, *, on_progress: Callable[[LiveJob], None] | None = None, poll: float = POLL_SECONDS
    ) -> LiveJob:
        """Wait until a job has succeeded. Raises JobFailedError when it failed or was cancelled. An error that ends the
        waiting, not the job, carries a note that says so."""
        state = ""
        try:
            for job in self.watch(job_id, poll=poll):
                state = job["state"]
                if on_progress is not None:
                    on_progress(job)
        except (MotherlodeError, KeyboardInterrupt) as ended:
            # Who stops before the first answer was told of the job by the call that made it.
            if state not in ENDED and (state or isinstance(ended, KeyboardInterrupt)):
                ended.add_note(f"Job {job_id} goes on without this: `lode job watch {job_id}` follows it, "
                               f"`lode job cancel {job_id}` stops it.")  # fmt: skip
            raise
        if job["state"] == "succeeded":
            return job
        error = job["error"] or {"code": f"job_{job['state']}", "detail": job["state"]}
        raise JobFailedError(job["id"], title=job["title"], code=error["code"], detail=error["detail"])

    def commit_of(self, response: httpx.Response, on_progress: Callable[[LiveJob], None] | None = None) -> Commit:
        """Return the commit in a response, or wait for the job that it names and return the job's. Raises
        JobFailedError."""
        document: Commit = response.json()
        if response.status_code == ACCEPTED:
            job = self.wait(response.json()["job"]["id"], on_progress=on_progress)
            document = job["result"]  # type: ignore[assignment]  # the result of these kinds of jobs is a commit
        return document
