from importlib import import_module

from django.apps import AppConfig


class BacktestsConfig(AppConfig):
    name = "backtests"

    def ready(self) -> None:
        """Connect the receiver of jobs; register what depends on a back-test, and which blobs a project pays for."""
        from backtests.models import Backtest  # models can be imported once all apps are ready
        from jobs import storage

        import_module("backtests.receivers")
        import_module("backtests.lifecycle")
        import_module("backtests.containment")
        import_module("backtests.judging")
        storage.register(Backtest, "dataset__project", "data")
