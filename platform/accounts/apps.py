from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "accounts"

    def ready(self) -> None:
        """Register the schema's description of authentication."""
        from accounts import schema  # noqa: F401 - importing registers it
