from importlib import import_module

from django.apps import AppConfig


class PublishingConfig(AppConfig):
    name = "publishing"

    def ready(self) -> None:
        """Listen to who loses the right to read."""
        import_module("publishing.receivers")
