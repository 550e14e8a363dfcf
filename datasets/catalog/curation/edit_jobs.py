"""The jobs that edit or revert more samples than one request should wait for."""

from typing import Any

from accounts.models import User
from catalog.curation.editing import AT_ONCE, Edit, Terms, edit_changes
from catalog.filtering.filters import Filter
from catalog.intake.handlers import dataset_of, final_faults, outcome, steps_of
from catalog.models import Dataset, Version
from catalog.versions.reverting import prepare_revert, revert
from jobs import lanes
from jobs.context import ShardContext
from jobs.handlers import Outcome
from jobs.models import Job
from jobs.services import ShardSpec, create_job


class EditHandler:
    """Edits samples, with one commit that is finished in the transaction that stores the job's result."""

    lane = lanes.LIGHT

    def run(self, context: ShardContext) -> Outcome:
        """Commit the edit. Safe to run again after a kill."""
        params = context.params
        dataset, author = _of(context)
        with final_faults():
            chosen, edit = Filter.of(params["filter"], dataset), Edit(**params["edit"])
            changes = edit_changes(dataset, chosen, edit, Terms(**params["terms"]), author=author)
        return outcome(context, dataset, changes, author=author)


class RevertHandler:
    """Reverts a version, with one commit that is finished in the transaction that stores the job's result."""

    lane = lanes.LIGHT

    def run(self, context: ShardContext) -> Outcome:
        """Commit the revert. Safe to run again after a kill."""
        dataset, author = _of(context)
        version = Version.objects.select_related("dataset", "parent__dataset").get(pk=context.params["version"])
        told = {"message": context.params["message"], "author": author}
        result: dict[str, Any] = {}
        with final_faults():
            prepared = prepare_revert(dataset, version, **told, job=context.job, on_step=steps_of(context))

        def apply() -> None:
            with final_faults(retried="stale_parent"):
                result.update(prepared.finish().document())

        return Outcome(result, apply)


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
    return dataset_of(context), User.objects.get(pk=context.params["author"])
