from importlib import import_module

from django.apps import AppConfig


class PublishingConfig(AppConfig):
    name = "publishing"

    def ready(self) -> None:
        """Listen to who loses the right to read; say which blobs a project pays for."""
        from jobs import storage  # models can be imported once all apps are ready
        from publishing.models import Document, Publication, Upload
        from publishing.sources import repositories_of

        import_module("publishing.receivers")
        storage.register(Publication, repositories_of("repository"), "listing", "pack")
        storage.register(Document, repositories_of("publication__repository"), "blob")
        storage.register(Upload, repositories_of("repository"), "blob")
