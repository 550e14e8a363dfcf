from importlib import import_module

from django.apps import AppConfig


class SimilarityConfig(AppConfig):
    name = "similarity"

    def ready(self) -> None:
        """Say what of embeddings depends on datasets and models, and which of them may hold a sample."""
        import_module("similarity.lifecycle")
        import_module("similarity.containment")
