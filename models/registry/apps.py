from collections.abc import Iterator
from importlib import import_module

from django.apps import AppConfig


class RegistryConfig(AppConfig):
    name = "registry"

    def ready(self) -> None:
        """Publish what is registered; say which blobs JSON refers to, and which models contain a sample."""
        from blobs import references  # models can be imported once all apps are ready

        import_module("registry.receivers")
        import_module("registry.containment")
        references.register("files of open training jobs", files_of_open_jobs)


def files_of_open_jobs() -> Iterator[str]:
    """md5s of what the first phase of a training kept for the second one."""
    from jobs.models import Job, Shard  # as above

    shards = Shard.objects.filter(job__kind="train", job__state__in=Job.OPEN, state=Shard.State.DONE)
    for result in shards.values_list("result", flat=True):
        yield from (file["md5"] for file in (result or {}).get("files", {}).values())
