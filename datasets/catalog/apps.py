from collections.abc import Iterator
from importlib import import_module

from django.apps import AppConfig
from django.db.models import Q


class CatalogConfig(AppConfig):
    name = "catalog"

    def ready(self) -> None:
        """Connect the receivers; register the blobs that JSON fields refer to, and the models that use a project's
        storage."""
        from blobs import references  # models can be imported once all apps are ready
        from catalog.models import ArchivePart, Export, Revision, SchemaExample
        from jobs import storage

        import_module("catalog.receivers")
        import_module("catalog.lifecycle")
        references.register("files that open jobs read", files_of_open_jobs)
        storage.register(Revision, "dataset__project", "blob", "original")
        storage.register(ArchivePart, _of_waiting_uploads, "blob")
        storage.register(Export, "dataset__project", "blob")
        storage.register(SchemaExample, "schema__dataset__project", "blob")


def _of_waiting_uploads(project: int) -> Q:
    return Q(upload__dataset__project=project, upload__taken=False)


def files_of_open_jobs() -> Iterator[str | None]:
    """The md5s of the archives, listings and annotations that open jobs have still to read."""
    from jobs.models import Job, Shard  # as above

    shards = Shard.objects.filter(job__state__in=Job.OPEN)
    for found in shards.values_list("params__archive", "params__listing", "params__annotations__md5"):
        yield from found
