from importlib import import_module

from django.apps import AppConfig


class MiningJobsConfig(AppConfig):
    name = "mining_jobs"

    def ready(self) -> None:
        """Connect the receiver of erasures; register with the catalog what contained a sample and what models
        predicted; register which blobs a project pays for."""
        from jobs import storage  # models can be imported once all apps are ready
        from mining_jobs.models import ScoreFile

        import_module("mining_jobs.receivers")
        import_module("mining_jobs.lifecycle")
        import_module("mining_jobs.containment")
        predicted = import_module("mining_jobs.scores.predictions").ScoredPredictions()
        import_module("catalog.filtering.predictions").register(predicted)
        storage.register(ScoreFile, "job__project", "blob")
