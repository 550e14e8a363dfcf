"""The boxes, polygons and ignore regions of a label as rows that filters and statistics can ask for."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from catalog.models import Label, LabelObject
from core.bulk import build
from formats.polygons import area, bounds

Kind = LabelObject.Kind


def object_rows(label: Label) -> Iterator[LabelObject]:
    """The rows of a label that has its id, unsaved."""
    value = label.value
    for box in value.get("boxes", ()):
        yield _row(label, Kind.BOX, box, box["box"])
    for polygon in value.get("polygons", ()):
        row = _row(label, Kind.POLYGON, polygon, bounds(polygon["points"]))
        row.area = area(polygon["points"])
        yield row
    for region in value.get("ignore", ()):
        yield _row(label, Kind.IGNORED, region, region["box"])


def _row(label: Label, kind: Kind, one: Mapping[str, Any], corners: Sequence[float]) -> LabelObject:
    x1, y1, x2, y2 = corners
    width, height = x2 - x1, y2 - y1
    return build(
        LabelObject, label=label, kind=kind.value, class_name=one.get("class", ""), width=width, height=height,
        area=width * height, attributes=one.get("attributes") or None,
    )  # fmt: skip
