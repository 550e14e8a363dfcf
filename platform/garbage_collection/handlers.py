"""The job that runs a collection."""

from garbage_collection.preview import preview
from garbage_collection.services import collect, extent
from garbage_collection.work import JobWork, hours
from jobs import lanes
from jobs.context import ShardContext
from jobs.handlers import Outcome

NOTHING = {"blobs": 0, "objects": 0, "bytes": 0, "rewritten": 0}


class CollectHandler:
    """Deletes what nothing refers to or, in a dry run, only reports it."""

    lane = lanes.REST
    frees_space = True

    def run(self, context: ShardContext) -> Outcome:
        """Run all steps from the start; the work of a killed run is kept."""
        work = JobWork(context, total=extent())
        grace = hours(context.params["grace"])
        if context.params["dry_run"]:
            return Outcome({"dry_run": True} | preview(grace, work))
        kept = collect(grace, work)
        return Outcome({"dry_run": False} | NOTHING | work.counted() | kept)
