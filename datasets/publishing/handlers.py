"""Jobs of publication."""

from typing import Any

from jobs.context import ShardContext
from jobs.handlers import Outcome
from publishing import services
from publishing.models import Repository
from publishing.sources import source


class PublishHandler:
    """Publishes, in order, every version that has no publication yet. Each is there as soon as its row is."""

    queue = "default"

    def run(self, context: ShardContext) -> Outcome:
        repository = Repository.objects.get(pk=context.job.params["repository"])
        versions = source(repository.kind)
        first = services.published(repository) + 1
        done: list[dict[str, Any]] = []
        # Asked anew each time: a version that came meanwhile is published with the others.
        while (number := services.published(repository) + 1) <= (last := versions.latest(repository.name)):
            context.check()
            context.progress(number - first, last - first + 1)
            row = services.publish(repository, number)
            done.append({"version": row.number, "commit": row.commit, "files": row.nfiles})
        context.progress(len(done), max(1, len(done)))
        return Outcome({"repository": f"/{repository}", "published": done[-20:]})
