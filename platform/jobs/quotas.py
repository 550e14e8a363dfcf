"""What a project may have of the slots beside others: told and set. `jobs.turns` keeps to it."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from django.db import transaction
from django.db.models import Count

from accounts.audit import note
from accounts.models import Project
from accounts.rights import visible
from jobs.models import Job, Quota
from jobs.turns import use_of, waits


def quota_of(project: Project) -> dict[str, Any]:
    """A project's quota, what it has of the slots of all queues now and what counts of what it had lately."""
    return _documents([project])[0]


def my_quotas() -> list[dict[str, Any]]:
    """Those of all projects that whoever asks may read, by name."""
    return _documents(visible(Project.objects.order_by("name"), "pk"))


def _documents(projects: Iterable[Project]) -> list[dict[str, Any]]:
    use = use_of()
    waiting = Counter(dict(waits(Job.objects.order_by()).values_list("project").annotate(count=Count("pk"))))
    return [
        {
            "project": project.name,
            "share": use.quota(project.pk).share,
            "slots": use.quota(project.pk).slots,
            "running": use.running[project.pk],
            "waiting": waiting[project.pk],
            "seconds": round(use.seconds.get(project.pk, 0.0), 1),
        }
        for project in projects
    ]


@transaction.atomic
def set_quota(project: Project, changes: dict[str, Any]) -> list[Job]:
    """Change a project's `share` or `slots`; what is left out stays. The jobs that wait, which the caller's edge wakes
    after the commit: there may be slots for them now."""
    Quota.objects.get_or_create(project=project)
    row = Quota.objects.select_for_update().get(project=project)
    before = {name: getattr(row, name) for name in changes}
    for name, value in changes.items():
        setattr(row, name, value)
    row.save(update_fields=[*changes])
    note("changed", "quota", project.name, project=project.pk, before=before, after=changes)
    return list(waits(Job.objects.filter(project=project)))
