"""Refuse changes of a dataset while a large commit to it is being written (`versions.pieces`), and say whose it is."""

from datetime import timedelta
from math import ceil

from django.db.models import Q, QuerySet
from django.db.models.functions import Now
from django.utils import timezone

from catalog.models import Dataset, OpenWrite
from core.errors import Busy
from core.prepared import prepared
from jobs.lifecycle.finding import refuse_archived
from jobs.models import Job

SILENT = timedelta(seconds=60)
"""A write of a request that wrote no piece for so long is abandoned; one of a job is once the job has ended."""
SHORTEST_WAIT, LONGEST_WAIT = 1, 60
ABANDONED = (
    Q(undoing=True)
    | Q(job=None, beat__lt=Now() - SILENT)
    | Q(job__isnull=False) & ~Q(job__state__in=Job.OPEN)
)  # fmt: skip


def locked(dataset: Dataset) -> Dataset:
    """Lock the dataset's row until the transaction ends, so that nobody else commits, and return it.

    Raises Conflict (`archived`), Busy (`dataset_busy`)."""
    row: Dataset = Dataset.everything.select_for_update(no_key=True).get(pk=dataset.pk)
    refuse_archived(row)
    refuse_busy(row)
    return row


def refuse_busy(dataset: Dataset, *, job: Job | None = None) -> None:
    """Raise Busy (`dataset_busy`) while a large commit of the dataset is being written, unless `job` writes it."""
    for write in _writes(dataset=dataset.pk):
        if job is None or write.job_id != job.pk:
            raise busy(write)


@prepared("dataset")
def _writes(dataset: int) -> QuerySet[OpenWrite, OpenWrite]:
    return OpenWrite.objects.filter(dataset=dataset)


def busy(write: OpenWrite) -> Busy:
    """The refusal of whatever must wait for this write."""
    name, wait = str(write.dataset), _wait(write)
    facts = {
        "by": write.author.username, "message": write.message, "started": write.started.isoformat(),
        "job": write.job_id, "done": write.done, "total": write.total, "undoing": write.undoing,
    }  # fmt: skip
    reason = (
        f"{write.author.username} commits {write.total:,} samples to {name!r} since {write.started:%H:%M:%S} UTC"
        f"{f' ({write.message})' if write.message else ''}."
    )
    state = "It was given up and is being undone." if write.undoing else f"{write.done:,} are written."
    return Busy(reason, state=state, wait=wait, code="dataset_busy", extra={"write": facts})


def _wait(write: OpenWrite) -> int:
    """Estimate the seconds until the write is done, from how far it is."""
    seconds = (timezone.now() - write.started).total_seconds()
    if write.undoing or not write.done:
        return 2
    left = seconds * (write.total - write.done) / write.done
    return max(SHORTEST_WAIT, min(ceil(left), LONGEST_WAIT))
