from importlib import import_module

from django.apps import AppConfig


class LabelingConfig(AppConfig):
    name = "labeling"

    def ready(self) -> None:
        """Listen to erasures; say what depends on a queue."""
        import_module("labeling.receivers")
        import_module("labeling.lifecycle")
