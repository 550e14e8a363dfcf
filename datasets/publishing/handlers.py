"""The job that publishes versions."""

import time

from jobs import lanes
from jobs.context import ShardContext
from jobs.handlers import Outcome
from publishing import services
from publishing.models import Repository
from publishing.sources import source
from publishing.writing import Increments

SHARD_SECONDS = 10.0
"""After so long a shard hands its slot on; the next one continues."""
SHOWN = 20


class PublishHandler:
    """Publishes, in order, every version without a publication, for SHARD_SECONDS in one shard; at least one version.
    Each is available as soon as its row is saved. A repository has one open job, and that has one open shard."""

    lane = lanes.UPKEEP

    def run(self, context: ShardContext) -> Outcome:
        repository = Repository.objects.get(pk=context.job.params["repository"])
        last, until = source(repository.kind).latest(repository.name), time.monotonic() + SHARD_SECONDS
        increments = Increments()
        first = number = services.published(repository) + 1
        while number <= last and (number == first or time.monotonic() < until):
            context.check()
            context.progress(number - first, last - first + 1)
            number = services.publish(repository, number, increments=increments).number + 1
        context.progress(number - first, number - first)
        rows = repository.publications.filter(created__gte=context.job.created).order_by("-number")[:SHOWN]
        shown = [{"version": row.number, "commit": row.commit, "files": row.nfiles} for row in reversed(rows)]
        result = {"repository": f"/{repository}", "published": shown}
        return Outcome(result, lambda: services.publish_on(context.job, repository))
