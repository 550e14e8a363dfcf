"""`manage.py bootstrap`: create the bucket, the owner and their token file where missing."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from accounts.services import ensure_owner
from blobs.services import store


class Command(BaseCommand):
    help = "Create the owner and var/token (mode 0600) where they are missing."

    def handle(self, *args: Any, **options: Any) -> None:  # noqa: ARG002 - Django's hook
        store().ensure_bucket()
        token_file = settings.VAR_DIR / "token"
        owner = ensure_owner(token_file)
        self.stdout.write(f"The token of {owner.username} lies in {token_file}")
