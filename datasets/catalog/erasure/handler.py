"""The job that erases samples: first all rows, some samples at a time, then bytes, then it signals the publishers of
the versions."""

from collections import Counter, defaultdict
from typing import Any

from django.db import transaction

from catalog.erasure.containment import within
from catalog.erasure.rows import erase_rows
from catalog.models import Dataset, Erasure
from catalog.signals import versions_erased
from garbage_collection.freeing import free
from garbage_collection.work import JobWork
from jobs import lanes
from jobs.context import ShardContext
from jobs.handlers import Outcome

AT_ONCE = 20
"""Samples whose rows go in one transaction: each is taken out of the counts of every version that held it."""


class EraseHandler:
    """Erases samples. Safe to kill anywhere: each transaction that deletes rows also notes what is left to do."""

    lane = lanes.ASKED
    frees_space = True

    def run(self, context: ShardContext) -> Outcome:
        """Run the whole erasure; a run after a kill resumes it."""
        work = JobWork(context)
        left = _rows_erased(context, work)
        context.log(f"Samples gone from all versions: {left['samples']:,}; taking their bytes away.")
        kept = free(left["digests"], work)
        for dataset_id, numbers in left["touched"]:
            context.check()
            dataset = Dataset.objects.get(pk=dataset_id)
            answers = versions_erased.send(Dataset, dataset=dataset, numbers=numbers)
            free([md5 for _, theirs in answers for md5 in theirs or ()], work)
        counted = work.counted()
        erasures = Erasure.objects.filter(job=context.job).select_related("dataset").order_by("pk")
        return Outcome(
            {
                "samples": left["samples"],
                **left.get("counted", {}),  # an erasure that began before these were counted has none
                "blobs": counted.get("blobs", 0),
                "bytes": counted.get("bytes", 0),
                "blobs_kept": len(kept),
                "erasures": [
                    {"id": row.pk, "dataset": row.dataset.name} | within(row.report, row.dataset.project_id)
                    for row in erasures
                ],
            }
        )


def _rows_erased(context: ShardContext, work: JobWork) -> dict[str, Any]:
    """Erase the rows of AT_ONCE samples at a time: others write in between. Returns what is left to do for all."""
    job, ids = context.job, context.params["samples"]
    if "left" in context.params:  # a release that erased all of them at once began it
        return dict(context.params["left"])
    parts = []
    for at in range(0, len(ids), AT_ONCE):
        with transaction.atomic():
            some = ids[at : at + AT_ONCE]
            parts.append(work.note(f"left from {at}", lambda some=some: erase_rows(job, some, together=ids)))  # type: ignore[misc]
    touched: dict[int, set[int]] = defaultdict(set)
    counted = Counter[str]()
    for part in parts:
        counted.update(part["counted"])
        for dataset, numbers in part["touched"]:
            touched[dataset] |= set(numbers)
    return {
        "samples": sum(part["samples"] for part in parts),
        "counted": {name: counted[name] for part in parts for name in part["counted"]},
        "digests": sorted({md5 for part in parts for md5 in part["digests"]}),
        "touched": [[dataset, sorted(numbers)] for dataset, numbers in sorted(touched.items())],
    }
