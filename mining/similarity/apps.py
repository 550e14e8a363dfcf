from importlib import import_module

from django.apps import AppConfig


class SimilarityConfig(AppConfig):
    name = "similarity"

    def ready(self) -> None:
        """Say what of embeddings depends on datasets and models."""
        import_module("similarity.lifecycle")
