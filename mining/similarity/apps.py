from collections.abc import Iterator
from importlib import import_module

from django.apps import AppConfig


class SimilarityConfig(AppConfig):
    name = "similarity"

    def ready(self) -> None:
        """Register which jobs depend on datasets and models, which of them may have embedded a sample, which blobs JSON
        refers to, which a project pays for, and how trainings find encoders."""
        from blobs import references  # models can be imported once all apps are ready
        from jobs import storage
        from registry import trunks
        from similarity.encoders import trunk_encoders
        from similarity.models import Encoder

        import_module("similarity.lifecycle")
        import_module("similarity.containment")
        trunks.register(trunk_encoders)
        references.register("uploaded encoders of open jobs", uploads_of_open_jobs)
        storage.register(Encoder, "project", "image", "text")


def uploads_of_open_jobs() -> Iterator[str]:
    """Yield the md5s of encoders' files that are still to be checked."""
    from jobs.models import Job  # as above
    from similarity.encoders import KIND  # as above

    for params in Job.objects.filter(kind=KIND, state__in=Job.OPEN).values_list("params", flat=True):
        yield from (ref["md5"] for ref in params["files"].values())
