from importlib import import_module

from django.apps import AppConfig


class LabelingConfig(AppConfig):
    name = "labeling"

    def ready(self) -> None:
        """Connect the receivers of erasures; register what depends on a queue, and which queues asked for a sample."""
        import_module("labeling.receivers")
        import_module("labeling.containment")
        import_module("labeling.lifecycle")
