from importlib import import_module

from django.apps import AppConfig


class MiningJobsConfig(AppConfig):
    name = "mining_jobs"

    def ready(self) -> None:
        """Listen to erasures; answer the catalog what contained a sample and what models predicted."""
        import_module("mining_jobs.receivers")
        import_module("mining_jobs.lifecycle")
        import_module("mining_jobs.containment")
        predicted = import_module("mining_jobs.scores.predictions").ScoredPredictions()
        import_module("catalog.filtering.predictions").register(predicted)
