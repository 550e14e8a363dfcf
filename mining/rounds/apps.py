from importlib import import_module

from django.apps import AppConfig


class RoundsConfig(AppConfig):
    name = "rounds"

    def ready(self) -> None:
        """Listen to jobs, queues and erasures; answer the catalog what models predicted."""
        import_module("rounds.receivers")
        import_module("rounds.named")
        import_module("rounds.containment")
        import_module("catalog.filtering.predictions").register(import_module("rounds.predictions").ScoredPredictions())
