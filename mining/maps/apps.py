from importlib import import_module

from django.apps import AppConfig


class MapsConfig(AppConfig):
    name = "maps"

    def ready(self) -> None:
        """Listen to erasures; say which maps depend on a dataset."""
        import_module("maps.receivers")
        import_module("maps.lifecycle")
        import_module("maps.containment")
