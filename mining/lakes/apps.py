from importlib import import_module

from django.apps import AppConfig


class LakesConfig(AppConfig):
    name = "lakes"

    def ready(self) -> None:
        """Listen to erasures; say what depends on a dataset or a model."""
        import_module("lakes.receivers")
        import_module("lakes.lifecycle")
