from importlib import import_module

from django.apps import AppConfig


class BacktestsConfig(AppConfig):
    name = "backtests"

    def ready(self) -> None:
        """Listen to jobs; say what depends on a back-test."""
        import_module("backtests.receivers")
        import_module("backtests.lifecycle")
        import_module("backtests.containment")
