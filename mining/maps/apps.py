from importlib import import_module

from django.apps import AppConfig


class MapsConfig(AppConfig):
    name = "maps"

    def ready(self) -> None:
        """Connect the receiver of erasures; register which maps depend on a dataset, and the source of samples'
        uniqueness."""
        import_module("maps.receivers")
        import_module("maps.lifecycle")
        import_module("maps.containment")
        import_module("maps.uniqueness")
