"""The job that erases samples: first all rows in one transaction, then bytes, then it signals the publishers of the
versions."""

from django.db import transaction

from catalog.erasure.containment import within
from catalog.erasure.rows import erase_rows
from catalog.models import Dataset, Erasure
from catalog.signals import versions_erased
from garbage_collection.freeing import free
from garbage_collection.work import JobWork
from jobs.context import ShardContext
from jobs.handlers import Outcome


class EraseHandler:
    """Erases samples. Safe to kill anywhere: the transaction that deletes the rows also notes what is left to do."""

    queue = "compute"
    frees_space = True

    def run(self, context: ShardContext) -> Outcome:
        """Run the whole erasure; a run after a kill resumes it."""
        work = JobWork(context)
        with transaction.atomic():
            left = work.note("left", lambda: erase_rows(context.job, context.params["samples"]))
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
