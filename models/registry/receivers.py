"""What follows a registration, outside of its transaction."""

from typing import Any

from django.dispatch import receiver

from publishing.models import Repository
from publishing.tasks import publish_soon
from registry.models import ModelVersion
from registry.services import version_registered


@receiver(version_registered)
def publish_model_version(version: ModelVersion, **_: Any) -> None:
    """Every model version becomes a commit in the model's repository."""
    publish_soon(Repository.Kind.MODELS, version.model.name)
