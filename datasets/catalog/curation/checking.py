"""The job that compares the pixels of near-duplicates from before second looks existed, found by hashes alone."""

from typing import Any

from accounts.models import User
from catalog.busy import refuse_busy
from catalog.changes.second_looks import SecondLooks
from catalog.curation.near_duplicates import look_again, prepare_check, unchecked
from catalog.models import Dataset
from jobs import lanes
from jobs.context import ShardContext
from jobs.handlers import Outcome
from jobs.models import Job
from jobs.services import ShardSpec, create_job


def create_check_job(dataset: Dataset, *, author: User) -> Job:
    """Create the job that checks the near-duplicates of a dataset; the caller wakes it."""
    params = {"dataset": dataset.pk, "author": author.pk}
    title = f"Check near-duplicates of {dataset.name}"[:200]
    shard = ShardSpec(params, units=len(unchecked(dataset)))
    return create_job(
        "near_duplicate_check", title, shards=[shard], unit="pairs", created_by=author, project=dataset.project_id
    )


class NearDuplicateCheckHandler:
    """Compares the pixels, then deletes the pairs that differ and moves their labelled samples to train, in one
    transaction."""

    lane = lanes.ASKED

    def run(self, context: ShardContext) -> Outcome:
        """Run the check. Safe to run again after a kill."""
        dataset = Dataset.objects.select_related("head").get(pk=context.params["dataset"])
        refuse_busy(dataset, job=context.job)
        author = User.objects.get(pk=context.params["author"])
        rows = unchecked(dataset)

        def on_pairs(done: int) -> None:
            context.check()
            context.progress(min(done, len(rows)), len(rows))

        wrong = look_again(dataset, rows, SecondLooks(on_pairs=on_pairs))
        prepared = prepare_check(
            dataset, rows, wrong, author=author, job=context.job, on_step=lambda *_: context.check()
        )
        result: dict[str, Any] = {"checked": len(rows), "confirmed": len(rows) - len(wrong), "forgotten": len(wrong)}

        def apply() -> None:
            decided = prepared.finish()
            version = decided.commit.version if decided.commit else None
            result.update({"moved": decided.moved, "version": version.number if version else None})

        return Outcome(result, apply)
