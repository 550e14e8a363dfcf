"""The jobs that edit or revert more samples than one request should wait for."""

from collections.abc import Callable
from typing import Any

from accounts.models import User
from catalog.curation.editing import AT_ONCE, Edit, Terms, edit_changes
from catalog.filtering.filters import Filter
from catalog.intake.handlers import final_faults
from catalog.intake.ingest import commit_upload
from catalog.models import Dataset, Version
from catalog.versions.commit import look_ahead
from catalog.versions.reverting import revert
from jobs.context import ShardContext
from jobs.handlers import Outcome
from jobs.models import Job
from jobs.services import ShardSpec, create_job


class EditHandler:
    """Edits samples, with one commit in the transaction that stores the job's result."""

    queue = "compute"

    def run(self, context: ShardContext) -> Outcome:
        """Commit the edit. Safe to run again after a kill."""
        params = context.params
        dataset, author = _of(context)
        with final_faults():
            chosen, edit = Filter.of(params["filter"], dataset), Edit(**params["edit"])
            changes = edit_changes(dataset, chosen, edit, Terms(**params["terms"]), author=author)
            look_ahead(dataset, changes, on_pairs=lambda _: context.check())
        return _outcome(lambda: commit_upload(dataset, changes, author=author))


class RevertHandler:
    """Reverts a version, with one commit in the transaction that stores the job's result."""

    queue = "compute"

    def run(self, context: ShardContext) -> Outcome:
        """Commit the revert. Safe to run again after a kill."""
        dataset, author = _of(context)
        version = Version.objects.select_related("dataset", "parent__dataset").get(pk=context.params["version"])
        message = context.params["message"]
        return _outcome(lambda: revert(dataset, version, message=message, author=author).document())


def revert_or_queue(dataset: Dataset, version: Version, *, message: str, author: User) -> dict[str, Any] | Job:
    """Revert a version, or return a job that does (the caller wakes it) if the version changed many samples. Raises as
    `revert` does."""
    count = version.added + version.updated + version.removed
    if count <= AT_ONCE:
        return revert(dataset, version, message=message, author=author).document()
    params = {"dataset": dataset.pk, "version": version.pk, "message": message, "author": author.pk}
    title = f"Revert version {version.number} of {dataset.name}"[:200]
    shard = ShardSpec(params, units=count)
    return create_job("revert", title, shards=[shard], unit="samples", created_by=author, project=dataset.project_id)


def _of(context: ShardContext) -> tuple[Dataset, User]:
    dataset = Dataset.objects.select_related("head").get(pk=context.params["dataset"])
    return dataset, User.objects.get(pk=context.params["author"])


def _outcome(act: Callable[[], dict[str, Any]]) -> Outcome:
    """An outcome whose result is that of `act`, which is known only after it commits."""
    result: dict[str, Any] = {}

    def apply() -> None:
        with final_faults():
            result.update(act())

    return Outcome(result, apply)
