from django.apps import AppConfig


class CoreConfig(AppConfig):
    name = "core"

    def ready(self) -> None:
        """Replace DRF's error messages before the first serializer is used."""
        from core.field_messages import say_plainly

        say_plainly()
