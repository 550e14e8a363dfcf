"""Labels that are objects, and how two of them agree: shared code of boxes and polygons."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import Any

import orjson

from agreement.consensus import EVEN
from agreement.fusion import fuse
from agreement.opinions import Codes
from agreement.shapes import Columns, Matches, label_of, match, regions_of, shapes_of
from core.errors import Invalid
from formats import OBJECTS
from formats.attributes import MAX_ATTRIBUTES, MAX_ID, MAX_NUMBERS
from formats.polygons import MAX_POINTS, MIN_POINTS, area_of, bounds_of
from tasktypes.checked_objects import EXTRA_KEYS, LABEL_KEYS, check_objects
from tasktypes.label_parts import (
    KEPT,
    MOVED,
    RECLASSED,
    REMOVED,
    Agreement,
    Change,
    Fused,
    Label,
    Labels,
    ObjectFacts,
    Schema,
    Size,
    Verified,
)
from tasktypes.schemas import NUMBER, TEXT, listed, numbers, record, reference

_ID: Schema = {"type": "string", "minLength": 1, "maxLength": MAX_ID}
_CARRIED: Schema = {
    "attributes": reference("Attributes"),
    "id": _ID | {"description": "once in a label"},
    "track": _ID,
}
_BOX: Schema = {"class": TEXT, "box": numbers(4, "x1, y1, x2, y2 in pixels of the upright image")}
_POINTS: Schema = listed(numbers(2, "x, y")) | {"minItems": MIN_POINTS, "maxItems": MAX_POINTS + 1}
_PARTS: Schema = listed(_POINTS) | {"minItems": 1, "maxItems": MAX_POINTS // MIN_POINTS}
_OUTLINE: Schema = {
    "points": _POINTS | {"description": "the outline of an object of one part; leave it out where `parts` is given"},
    "parts": _PARTS | {"description": "the outline of each part of an object of several"},
}
_IGNORED = {"ignore": listed(reference("IgnoredRegion"))}
_PLAIN = {"oneOf": [TEXT, NUMBER, {"type": "boolean"}, listed(NUMBER) | {"maxItems": MAX_NUMBERS}]}


class ObjectLabels(Labels):
    """Boxes, polygons and regions to ignore; see `checked_objects`."""

    form = OBJECTS
    in_pixels = True
    has_objects = True
    example = '{"boxes": [{"class": "cat", "box": [x1, y1, x2, y2]}]}'
    schemas = {
        "Attributes": {"type": "object", "additionalProperties": _PLAIN, "maxProperties": MAX_ATTRIBUTES},
        "BoxShape": record(_BOX, _CARRIED),
        "PolygonShape": record({"class": TEXT}, _OUTLINE | _CARRIED),
        "IgnoredRegion": record({"box": _BOX["box"]}, {"class": TEXT, "attributes": reference("Attributes")})
        | {"description": "Left out of training and figures; its class need not be the dataset's."},
        "ShapesValue": record(
            {"boxes": listed(reference("BoxShape"))}, {"polygons": listed(reference("PolygonShape"))} | _IGNORED
        ),
        "SuggestedBox": record(_BOX, _CARRIED | {"score": NUMBER}),
        "SuggestedPolygon": record({"class": TEXT}, _OUTLINE | _CARRIED | {"score": NUMBER}),
        "ShapesSuggestion": record(
            {"boxes": listed(reference("SuggestedBox")), "model": TEXT},
            {"polygons": listed(reference("SuggestedPolygon"))} | _IGNORED,
        ),
    }
    value_schema = "ShapesValue"
    suggestion_schema = "ShapesSuggestion"

    @property
    def answer_schema(self) -> Schema:
        """The JSON schema of boxes with their scores."""
        return record({"boxes": listed(reference("SuggestedBox"))})

    def normal(self, value: Label, *, classes: Sequence[str], size: Size) -> dict[str, Any]:
        return check_objects(value, classes=classes, size=size)

    def class_counts(self, label: Label) -> dict[str, int]:
        return dict(Counter(one["class"] for one in (*label["boxes"], *label.get("polygons", ()))))

    def suggested(self, suggestion: Label) -> Label | None:
        return suggestion if "boxes" in suggestion or "polygons" in suggestion else None

    def objects(self, label: Label) -> Iterator[ObjectFacts]:
        for box in label.get("boxes", ()):
            yield _facts("box", box, box["box"])
        for polygon in label.get("polygons", ()):
            yield _facts("polygon", polygon, bounds_of(polygon))._replace(area=area_of(polygon))
        for region in label.get("ignore", ()):
            yield _facts("ignored", region, region["box"])

    def verified(
        self, suggestion: Label | None, label: Label, places: Sequence[int | None]
    ) -> tuple[list[Verified], dict[str, int]]:
        """Verify as in `Labels`; objects are numbered through the boxes and then the polygons."""
        asked, given = _parts(suggestion or {}), _parts(label)
        if len(places) != len(asked):
            words = f"has {len(places)} entries for {len(asked)} suggested objects: send one for each, in their order"
            raise Invalid.field("verification.objects", words)
        named = [place for place in places if place is not None]
        if len(set(named)) != len(named) or any(not 0 <= place < len(given) for place in named):
            words = f"each `at` must be the place of another of the label's {len(given)} objects, or null"
            raise Invalid.field("verification.objects", words)
        found = [
            Verified(one["class"], REMOVED if place is None else _outcome(one, given[place]))
            for one, place in zip(asked, places, strict=True)
        ]
        added = [one["class"] for place, one in enumerate(given) if place not in set(named)]
        return found, dict(Counter(added))

    def change(self, before: Label, after: Label) -> Change:
        if self.class_counts(before) != self.class_counts(after):
            return "relabelled"
        same_places = _arranged(before, without=EXTRA_KEYS) == _arranged(after, without=EXTRA_KEYS)
        return "attributes_changed" if same_places and _arranged(before) != _arranged(after) else "boxes_moved"


class ObjectAgreement(Agreement):
    """Labels agree where their objects match one by one (`agreement.shapes`)."""

    overlaps = True

    def category(self, label: Label) -> str | None:
        del label  # objects are no category
        return None

    def compare(self, labels: Sequence[Label], first: Codes, second: Codes) -> Matches:
        return match(Columns.of([shapes_of(label) for label in labels]), first, second)

    def fuse(self, tasks: Sequence[Sequence[Label]]) -> list[Fused]:
        """Fuse labels by the majority of people, object by object (`agreement.fusion.fuse`)."""
        several = [labels for labels in tasks if len(labels) > 1]
        fused = iter(fuse([[shapes_of(label) for label in labels] for labels in several]))
        ignored = iter(fuse([[regions_of(label) for label in labels] for labels in several]))
        found = []
        for labels in tasks:
            if len(labels) == 1:
                found.append(Fused(labels[0], 1.0, tied=False))
            else:
                kept, confidence = next(fused)
                found.append(Fused(label_of(kept, next(ignored)[0]), confidence, tied=confidence <= EVEN))
        return found


def _parts(label: Label) -> list[Label]:
    return [*label.get("boxes", ()), *label.get("polygons", ())]


def _outcome(before: Label, after: Label) -> str:
    if before["class"] != after["class"]:
        return RECLASSED
    return KEPT if all(before.get(name) == after.get(name) for name in ("box", "points", "parts")) else MOVED


def _facts(kind: str, one: Label, corners: Sequence[float]) -> ObjectFacts:
    x1, y1, x2, y2 = corners
    width, height = x2 - x1, y2 - y1
    return ObjectFacts(kind, one.get("class", ""), width, height, width * height, one.get("attributes") or None)


def _arranged(label: Label, *, without: Collection[str] = ()) -> list[list[bytes]]:
    """Return the contents of a label by kind, in an order independent of the label's, leaving out the fields `without`
    of each object."""
    told = ([{name: one[name] for name in one if name not in without} for one in label.get(kind, ())]
            for kind in LABEL_KEYS)  # fmt: skip
    return [sorted(orjson.dumps(one, option=orjson.OPT_SORT_KEYS) for one in objects) for objects in told]
