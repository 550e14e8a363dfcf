"""What a running shard sees of its job: parameters, progress, curves, log, and whether to go on."""

import logging
import threading
from collections.abc import Mapping
from contextvars import copy_context
from typing import Any, Self

from django.conf import settings
from django.db import connection

from jobs import services
from jobs.errors import JobCancelled, LeaseLost
from jobs.models import Job, JobEvent
from jobs.services import Claim, LeaseStatus

logger = logging.getLogger(__name__)
TICK_SECONDS = 1.0
REPORTS_A_SECOND = 100.0
"""The most reports of all shards of a job together, as far as their leases allow: each report is two queries."""


class ShardContext:
    """Renews the lease from a thread of its own while the work runs, and writes progress once a second."""

    def __init__(self, held: Claim) -> None:
        self.claim = held
        self.job: Job = held.shard.job
        self.params: Mapping[str, Any] = held.shard.params
        self.lease_status = LeaseStatus.HELD
        self._done = 0
        self._total: int | None = None
        self._events: list[JobEvent] = []
        self._guard = threading.Lock()
        self._stop = threading.Event()
        self._stopped = threading.Event()
        name, logged = f"lease-{held.shard.pk}", copy_context()
        self._thread = threading.Thread(target=logged.run, args=(self._keep,), name=name, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()
        if self.lease_status is LeaseStatus.HELD:
            self._report()

    def progress(self, done: int, total: int | None = None) -> None:
        """Report the units done so far (and the total, if it is known only now)."""
        self._done = done
        if total is not None:
            self._total = total

    def point(self, step: int, values: Mapping[str, float]) -> None:
        """Add a point to the job's curves."""
        self._add(JobEvent.Kind.POINT, {"step": step, "values": dict(values)})

    def log(self, message: str, *, level: str = "info") -> None:
        """Add a line to the job's log."""
        logger.info("job %s: %s", self.job.pk, message)
        self._add(JobEvent.Kind.LOG, {"level": level, "message": message})

    def check(self) -> None:
        """Raise JobCancelled or LeaseLost unless this worker still holds the shard."""
        if self.lease_status is LeaseStatus.CANCELLED:
            raise JobCancelled
        if self.lease_status is LeaseStatus.LOST:
            raise LeaseLost

    @property
    def stopped(self) -> threading.Event:
        """The event that is set as soon as the work should end."""
        return self._stopped

    def _add(self, kind: JobEvent.Kind, data: dict[str, Any]) -> None:
        with self._guard:
            self._events.append(JobEvent(job=self.job, kind=kind, data=data))

    def _keep(self) -> None:
        try:
            ticks = report_seconds(services.running_count(self.job.pk))
            while not self._stop.wait(ticks):
                try:
                    self._report()
                except Exception:
                    logger.warning("could not renew the lease of %s; trying again", self.claim.shard, exc_info=True)
                    continue
                if self.lease_status is not LeaseStatus.HELD:
                    self._stopped.set()
                    return
        finally:
            connection.close()

    def _report(self) -> None:
        """Renew the lease, then write the events. A worker that lost its lease adds nothing to the job's curves."""
        self.lease_status = services.renew(self.claim, done=self._done, total=self._total)
        with self._guard:
            events = self._events[:]
        if events and self.lease_status is not LeaseStatus.LOST:
            JobEvent.objects.bulk_create(events)
        with self._guard:
            del self._events[: len(events)]


def report_seconds(running: int) -> float:
    """Return the seconds between two renewals of a lease, which also report progress, while `running` shards run."""
    return max(0.05, min(max(TICK_SECONDS, running / REPORTS_A_SECOND), float(settings.JOB_RENEW_SECONDS)))
