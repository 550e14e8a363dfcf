"""Labels in requests and answers: each task type declares what its own look like."""

from collections.abc import Iterable
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from tasktypes import names, task_type
from tasktypes.schemas import Schema, reference


@extend_schema_field(reference("LabelValue"))
class LabelField(serializers.JSONField):
    """A class, classes, or objects."""


@extend_schema_field(reference("Suggestion"))
class SuggestionField(serializers.JSONField):
    """A model's guess at a label, as it was stored."""


def add_label_schemas(result: Schema, **_: Any) -> Schema:
    """A hook of drf-spectacular: these have a field `class`, are the same in requests and answers, and have corners."""
    known = result.setdefault("components", {}).setdefault("schemas", {})
    types = [task_type(name).labels for name in names()]
    for labels in types:
        known.update(labels.schemas)
    known["LabelValue"] = _one_of(labels.value_schema for labels in types)
    known["Suggestion"] = _one_of(labels.suggestion_schema for labels in types)
    return result


def _one_of(schemas: Iterable[str]) -> Schema:
    return {"oneOf": [reference(name) for name in dict.fromkeys(schemas)]}
