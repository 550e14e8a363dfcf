from importlib import import_module

from django.apps import AppConfig


class PublishingConfig(AppConfig):
    name = "publishing"

    def ready(self) -> None:
        """Connect the receivers of lost rights, and register which blobs count towards a project's storage."""
        from jobs import storage  # models can be imported once all apps are ready
        from publishing.models import Document, Publication, Upload
        from publishing.sources import repositories_of

        import_module("publishing.receivers")
        storage.register(Publication, repositories_of("repository"), "listing", "listing_patch", "pack")
        storage.register(Document, repositories_of("publication__repository"), "blob", "patch")
        storage.register(Upload, repositories_of("repository"), "blob")
