"""Labels in requests and responses: each task type declares the schema of its own."""

from collections.abc import Iterable
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from tasktypes import names, task_type
from tasktypes.schemas import Schema, reference


@extend_schema_field(reference("LabelValue"))
class LabelField(serializers.JSONField):
    """A label: a class, classes, or objects."""


@extend_schema_field(reference("Suggestion"))
class SuggestionField(serializers.JSONField):
    """A label that a model suggests, as it was stored."""


def add_label_schemas(result: Schema, **_: Any) -> Schema:
    """Add the schemas of labels and suggestions; a hook of drf-spectacular. They are no serializers, because they have
    a field `class` and corners, and are the same in requests and responses."""
    known = result.setdefault("components", {}).setdefault("schemas", {})
    types = [task_type(name).labels for name in names()]
    for labels in types:
        known.update(labels.schemas)
    known["LabelValue"] = _one_of(labels.value_schema for labels in types)
    known["Suggestion"] = _one_of(labels.suggestion_schema for labels in types)
    return result


def _one_of(schemas: Iterable[str]) -> Schema:
    return {"oneOf": [reference(name) for name in dict.fromkeys(schemas)]}
