"""Jobs as the API shows them."""

from collections.abc import Sequence
from typing import Any

from django.conf import settings
from django.db.models import prefetch_related_objects

from jobs import fleet, services
from jobs.models import Job, Shard
from jobs.waiting import waiting

FIELDS = ("id", "kind", "title", "state", "result", "error", "created", "started", "finished")
PRIORITIES = {one.name.lower(): one for one in Job.Priority}
ENDED_EARLY = (Job.State.FAILED, Job.State.CANCELLED)


def job_document(job: Job) -> dict[str, Any]:
    """One job as the API shows it."""
    return job_documents([job])[0]


def job_documents(jobs: Sequence[Job]) -> list[dict[str, Any]]:
    """Several jobs as the API shows them; their tallies and the rows that name their pages are read together."""
    sums = services.tallies(jobs)
    prefetch_related_objects(jobs, "project")
    pages, lacking = _pages(jobs), fleet.missing(jobs)
    places = waiting(jobs, unable=lacking)
    return [
        {name: getattr(job, name) for name in FIELDS}
        | {
            "progress": services.progress_of(job, sums[job.pk]),
            "priority": Job.Priority(job.priority).name.lower(),
            "project": job.project and job.project.name,
            "missing": lacking.get(job.pk),
            "waiting": places[job.pk].document() if job.pk in places else None,
            "failed_shards": sums[job.pk].failed,
            "retriable": job.kind in settings.JOB_RETRIED and job.state in ENDED_EARLY,
            "url": f"/jobs/{job.pk}",
            "href": pages[job.pk],
        }
        for job in jobs
    ]


def shard_document(shard: Shard) -> dict[str, Any]:
    """One shard as the API shows it, without its parameters."""
    names = (
        "index",
        "phase",
        "state",
        "attempts",
        "owner",
        "gpus",
        "units",
        "units_done",
        "error",
        "started",
        "finished",
    )
    return {name: getattr(shard, name) for name in names} | {"needs": shard.needs.document()}


def _pages(jobs: Sequence[Job]) -> dict[int, str]:
    """Map each job to the page of what it is about in the web application, or to the job's own page."""
    found = {job.pk: f"/jobs/{job.pk}" for job in jobs}
    for kind in {job.kind for job in jobs} & settings.JOB_PAGES.keys():
        alike = [job for job in jobs if job.kind == kind]
        relation, page = settings.JOB_PAGES[kind]
        if relation:
            prefetch_related_objects(alike, relation)
        for job in alike:
            if row := getattr(job, relation.partition("__")[0], None) if relation else job:
                found[job.pk] = page.format(row=row)
    return found
