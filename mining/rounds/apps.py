from importlib import import_module

from django.apps import AppConfig


class RoundsConfig(AppConfig):
    name = "rounds"

    def ready(self) -> None:
        """Listen to jobs and queues."""
        import_module("rounds.receivers")
