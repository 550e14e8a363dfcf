from collections.abc import Iterator
from importlib import import_module

from django.apps import AppConfig


class SweepsConfig(AppConfig):
    name = "sweeps"

    def ready(self) -> None:
        """Listen to jobs; register what depends on a sweep, and which checkpoints are kept for it."""
        from blobs import references  # models can be imported once all apps are ready

        import_module("sweeps.receivers")
        import_module("sweeps.lifecycle")
        references.register("checkpoints of trials", checkpoints_of_trials)


def checkpoints_of_trials() -> Iterator[str]:
    """md5s of the checkpoints that trials have trained: any of them may become a version until the sweep is deleted."""
    from sweeps.models import Trial  # as above

    done = Trial.objects.filter(sweep__deleted=None, run__model_version=None)
    for result in done.values_list("run__job__shards__result", flat=True):
        yield from (file["md5"] for file in (result or {}).get("files", {}).values())
