"""The job that publishes versions."""

from typing import Any

from jobs.context import ShardContext
from jobs.handlers import Outcome
from publishing import services
from publishing.models import Repository
from publishing.sources import source


class PublishHandler:
    """Publishes, in order, every version without a publication. Each is available as soon as its row is saved."""

    queue = "default"

    def run(self, context: ShardContext) -> Outcome:
        repository = Repository.objects.get(pk=context.job.params["repository"])
        versions = source(repository.kind)
        first = services.published(repository) + 1
        done: list[dict[str, Any]] = []
        # Queried each time, so that versions made meanwhile are published too.
        while (number := services.published(repository) + 1) <= (last := versions.latest(repository.name)):
            context.check()
            context.progress(number - first, last - first + 1)
            row = services.publish(repository, number)
            done.append({"version": row.number, "commit": row.commit, "files": row.nfiles})
        context.progress(len(done), max(1, len(done)))
        return Outcome({"repository": f"/{repository}", "published": done[-20:]})
