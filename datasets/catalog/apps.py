from collections.abc import Iterator
from importlib import import_module

from django.apps import AppConfig


class CatalogConfig(AppConfig):
    name = "catalog"

    def ready(self) -> None:
        """Publish what is committed; say which blobs are referred to in JSON."""
        from blobs import references  # models can be imported once all apps are ready

        import_module("catalog.receivers")
        import_module("catalog.lifecycle")
        references.register("files that open jobs read", files_of_open_jobs)


def files_of_open_jobs() -> Iterator[str | None]:
    """md5s of the archives, listings and annotations that jobs which have not ended are to read."""
    from jobs.models import Job, Shard  # as above

    shards = Shard.objects.filter(job__state__in=Job.OPEN)
    for found in shards.values_list("params__archive", "params__listing", "params__annotations__md5"):
        yield from found
