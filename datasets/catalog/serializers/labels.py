"""Labels in requests and answers; what one may say of a dataset's classes and images is checked in
`catalog.labels.values`."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

Schema = dict[str, Any]
SCHEMAS = "#/components/schemas/"
TEXT: Schema = {"type": "string"}
NUMBER: Schema = {"type": "number"}


@extend_schema_field({"$ref": f"{SCHEMAS}LabelValue"})
class LabelField(serializers.JSONField):
    """A class, classes, or objects."""


@extend_schema_field({"$ref": f"{SCHEMAS}ClassSuggestion"})
class ClassSuggestionField(serializers.JSONField):
    """A model's guess at a class, as it was stored."""


@extend_schema_field({"$ref": f"{SCHEMAS}Suggestion"})
class SuggestionField(serializers.JSONField):
    """A model's guess at a label, as it was stored."""


def add_label_schemas(result: Schema, **_: Any) -> Schema:
    """A hook of drf-spectacular: these have a field `class`, are the same in requests and answers, and have corners."""
    carried = {"attributes": _ref("Attributes"), "id": TEXT | {"description": "once in a label"}, "track": TEXT}
    box = {"class": TEXT, "box": _numbers(4, "x1, y1, x2, y2 in pixels of the upright image")}
    ring = {"type": "array", "items": _numbers(2, "x, y"), "minItems": 3}
    polygon = {"class": TEXT, "points": ring}
    others = {"polygons": _list("PolygonShape"), "ignore": _list("IgnoredRegion")}
    guesses = {"boxes": _list("SuggestedBox"), "model": TEXT}
    shares: Schema = {"type": "object", "additionalProperties": NUMBER}
    result.setdefault("components", {}).setdefault("schemas", {}).update(
        Attributes={"type": "object", "additionalProperties": {"oneOf": [TEXT, NUMBER, {"type": "boolean"},
                                                                        {"type": "array", "items": NUMBER}]}},
        BoxShape=_object(box, carried),
        PolygonShape=_object(polygon, carried),
        IgnoredRegion=_object({"box": box["box"]}, {"class": TEXT, "attributes": _ref("Attributes")})
        | {"description": "Left out of training and figures; its class need not be the dataset's."},
        ClassValue=_object({"class": TEXT}),
        ClassesValue=_object({"classes": {"type": "array", "items": TEXT}})
        | {"description": "In the schema's order; none of them is an answer too."},
        ShapesValue=_object({"boxes": _list("BoxShape")}, others),
        LabelValue={"oneOf": [_ref("ClassValue"), _ref("ClassesValue"), _ref("ShapesValue")]},
        ClassSuggestion=_object({"class": TEXT, "probability": NUMBER, "probabilities": shares, "model": TEXT}),
        SuggestedBox=_object(box, carried | {"score": NUMBER}),
        SuggestedPolygon=_object(polygon, carried | {"score": NUMBER}),
        ShapesSuggestion=_object(guesses, others | {"polygons": _list("SuggestedPolygon")}),
        Suggestion={"oneOf": [_ref("ClassSuggestion"), _ref("ShapesSuggestion")]},
    )  # fmt: skip
    return result


def _object(required: Schema, others: Schema | None = None) -> Schema:
    properties = required | (others or {})
    return {"type": "object", "additionalProperties": False, "properties": properties, "required": [*required]}


def _list(name: str) -> Schema:
    return {"type": "array", "items": _ref(name)}


def _numbers(count: int, words: str) -> Schema:
    return {"type": "array", "items": NUMBER, "minItems": count, "maxItems": count, "description": words}


def _ref(name: str) -> Schema:
    return {"$ref": f"{SCHEMAS}{name}"}
