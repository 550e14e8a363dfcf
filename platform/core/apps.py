from django.apps import AppConfig


class CoreConfig(AppConfig):
    name = "core"

    def ready(self) -> None:
        """Replace DRF's error messages before the first serializer is used, and measure every statement."""
        from core import slow_statements
        from core.field_messages import say_plainly

        say_plainly()
        slow_statements.watch()
