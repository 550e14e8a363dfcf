from importlib import import_module

from django.apps import AppConfig


class LabelingConfig(AppConfig):
    name = "labeling"

    def ready(self) -> None:
        """Connect the receivers of erasures, and register what depends on a queue."""
        import_module("labeling.receivers")
        import_module("labeling.lifecycle")
