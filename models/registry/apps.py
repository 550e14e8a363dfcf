from collections.abc import Iterator
from importlib import import_module

from django.apps import AppConfig


class RegistryConfig(AppConfig):
    name = "registry"

    def ready(self) -> None:
        """Connect the receivers; register which blobs JSON refers to, which count into a project's storage, and which
        models contain a sample."""
        from blobs import references  # models can be imported once all apps are ready
        from jobs import storage
        from registry.models import Artifact, Snapshot
        from registry.trunks import files_of_trainings

        import_module("registry.receivers")
        import_module("registry.lifecycle")
        import_module("registry.containment")
        import_module("registry.judging")
        references.register("files of unfinished training jobs", files_of_unfinished_jobs)
        references.register("uploaded models of open jobs", uploads_of_open_jobs)
        references.register("encoders of unfinished trainings", files_of_trainings)
        storage.register(Snapshot, "run__model__project", "blob")
        storage.register(Artifact, "version__model__project", "blob")


def files_of_unfinished_jobs() -> Iterator[str]:
    """md5s of the files that a training's first phase kept for the second, which may fail and be resumed later."""
    from jobs.models import Job, Shard  # as above

    shards = Shard.objects.filter(job__kind="train", state=Shard.State.DONE).exclude(job__state=Job.State.SUCCEEDED)
    for result in shards.values_list("result", flat=True):
        yield from (file["md5"] for file in (result or {}).get("files", {}).values())


def uploads_of_open_jobs() -> Iterator[str]:
    """md5s of the uploaded ONNX files that are not checked yet."""
    from jobs.models import Job  # as above
    from registry.uploads import KIND  # as above

    jobs = Job.objects.filter(kind=KIND, state__in=Job.OPEN)
    yield from (params["onnx"]["md5"] for params in jobs.values_list("params", flat=True))
