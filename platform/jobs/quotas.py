"""Read and set a project's quota of slots, storage and requests. `jobs.turns`, `jobs.storage` and `jobs.request_quotas`
enforce it."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from django.db import transaction
from django.db.models import Count

from accounts.audit import note
from accounts.models import Project
from accounts.rights import visible
from jobs import request_quotas, storage
from jobs.models import Job, Quota, Storage
from jobs.turns import use_of, waits


def quota_of(project: Project) -> dict[str, Any]:
    """A project's quota, the slots of all queues that it holds now, the slot time that counts against its share, the
    bytes it stores, and its requests."""
    return _documents([project])[0]


def my_quotas() -> list[dict[str, Any]]:
    """The quotas of all projects that the caller may read, by name."""
    return _documents(visible(Project.objects.order_by("name"), "pk"))


def _documents(projects: Iterable[Project]) -> list[dict[str, Any]]:
    use = use_of()
    waiting = Counter(dict(waits(Job.objects.order_by()).values_list("project").annotate(count=Count("pk"))))
    stored = {row.project_id: row for row in Storage.objects.all()}
    asked = request_quotas.counts([quota.project_id for quota in use.quotas.values() if quota.requests is not None])
    return [
        {
            "project": project.name,
            "share": use.quota(project.pk).share,
            "slots": use.quota(project.pk).slots,
            "running": use.running[project.pk],
            "waiting": waiting[project.pk],
            "seconds": round(use.seconds.get(project.pk, 0.0), 1),
            "requests": use.quota(project.pk).requests,
            "requested": asked.get(project.pk),
        }
        | _stored(stored.get(project.pk))
        for project in projects
    ]


def _stored(row: Storage | None) -> dict[str, Any]:
    if row is None or row.counted is None:
        return {"storage": None, "held": None, "counted": None}
    return {"storage": row.limit, "held": max(0, row.in_all), "counted": row.counted}


@transaction.atomic
def set_quota(project: Project, changes: dict[str, Any]) -> list[Job]:
    """Change a project's `share`, `slots`, `storage` or `requests`; what is left out stays. Returns the waiting jobs,
    which the caller has to wake after the commit: there may be slots for them now.

    Raises Conflict (`requests_uncounted`)."""
    if changes.get("requests") is not None:
        request_quotas.check_countable()
    Quota.objects.get_or_create(project=project)
    row = Quota.objects.select_for_update().get(project=project)
    own = {name: value for name, value in changes.items() if name != "storage"}
    before = {name: getattr(row, name) for name in own}
    for name, value in own.items():
        setattr(row, name, value)
    row.save(update_fields=[*own])
    if "storage" in changes:
        before["storage"] = storage.storage_of(project.pk).limit
        storage.set_limit(project.pk, changes["storage"])
    note("changed", "quota", project.name, project=project.pk, before=before, after=changes)
    return list(waits(Job.objects.filter(project=project)))
