"""What MLflow's clients can change: aliases, through the platform's own promotion with its gates, and descriptions."""

from typing import Any

from accounts.models import User
from core.bounds import bounded_throughout
from jobs.lifecycle.finding import refuse_archived
from registry.models import Model, ModelVersion
from registry.promotion import promote
from registry.serializers import MoveAliasSerializer
from registry.services import change_model, change_notes, find_model, find_version

REASON = "set_registered_model_alias of an MLflow client"


def set_alias(name: str, alias: str, version: str, *, by: User) -> None:
    """Promote a version. Raises as `registry.promotion.promote`, and ValidationError for a name that no alias may
    have."""
    model = _writable(name)
    move = {"alias": alias, "version": version, "reason": REASON}
    asked: dict[str, Any] = bounded_throughout(MoveAliasSerializer()).run_validation(move)
    promote(find_version(model, asked["version"]), asked["alias"], reason=asked["reason"], by=by)


def describe_model(name: str, description: str) -> Model:
    """Set the description of a model."""
    return change_model(_writable(name), {"description": description})


def describe_version(name: str, version: str, description: str) -> ModelVersion:
    """Set the notes of a version."""
    found = find_version(_writable(name), version)
    change_notes(found, description)
    return found


def _writable(name: str) -> Model:
    model = find_model(name)
    refuse_archived(model)
    return model
