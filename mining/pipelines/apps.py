from importlib import import_module

from django.apps import AppConfig


class PipelinesConfig(AppConfig):
    name = "pipelines"

    def ready(self) -> None:
        """Connect the receivers of jobs and queues; register what depends on a pipeline, and which rounds asked for a
        sample."""
        import_module("pipelines.receivers")
        import_module("pipelines.containment")
        import_module("pipelines.lifecycle")
