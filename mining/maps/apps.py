from importlib import import_module

from django.apps import AppConfig


class MapsConfig(AppConfig):
    name = "maps"

    def ready(self) -> None:
        """Listen to erasures; say which maps depend on a dataset; be asked how unlike the others a sample is."""
        import_module("maps.receivers")
        import_module("maps.lifecycle")
        import_module("maps.containment")
        import_module("maps.uniqueness")
