"""What a label must look like, by task."""

from collections.abc import Mapping, Sequence
from typing import Any

from core.errors import Invalid

CORNERS = 4


def check_label(value: Any, *, task: str, classes: Sequence[str], size: tuple[int, int] | None) -> dict[str, Any]:
    """The label in its normal form. `size` is (width, height) of the upright image in pixels, when known.

    Raises Invalid with code `unknown_class` or `label_malformed`.
    """
    if not isinstance(value, Mapping):
        raise Invalid.field("label", 'must be an object like {"class": "cat"}', code="label_malformed")
    if task == "classification":
        return {"class": _known(value.get("class"), classes)}
    boxes = value.get("boxes")
    if not isinstance(boxes, Sequence) or isinstance(boxes, str):
        raise Invalid.field(
            "label", 'must be {"boxes": [{"class": .., "box": [x1, y1, x2, y2]}]}', code="label_malformed"
        )
    return {"boxes": [_box(box, classes, size) for box in boxes]}


def class_counts(value: Mapping[str, Any] | None) -> dict[str, int]:
    """How many objects of each class a label names."""
    if value is None:
        return {}
    if "class" in value:
        return {value["class"]: 1}
    counts: dict[str, int] = {}
    for box in value["boxes"]:
        counts[box["class"]] = counts.get(box["class"], 0) + 1
    return counts


def _known(name: Any, classes: Sequence[str]) -> str:
    if not isinstance(name, str) or name not in classes:
        known = ", ".join(classes[:20]) + (", …" if len(classes) > 20 else "")
        raise Invalid.field("label", f"unknown class {name!r}: this dataset has {known}", code="unknown_class")
    return name


def _box(box: Any, classes: Sequence[str], size: tuple[int, int] | None) -> dict[str, Any]:
    corners = box.get("box") if isinstance(box, Mapping) else None
    if not isinstance(corners, Sequence) or len(corners) != CORNERS:
        raise Invalid.field("label", "a box needs `class` and `box`: [x1, y1, x2, y2]", code="label_malformed")
    if not all(isinstance(corner, int | float) and not isinstance(corner, bool) for corner in corners):
        raise Invalid.field("label", "the corners of a box must be numbers", code="label_malformed")
    x1, y1, x2, y2 = (float(corner) for corner in corners)
    width, height = size or (float("inf"), float("inf"))
    if not (0 <= x1 < x2 <= width and 0 <= y1 < y2 <= height):
        raise Invalid.field(
            "label", f"box {list(corners)} must lie inside the {width}×{height} image", code="label_malformed"
        )
    return {"class": _known(box.get("class"), classes), "box": [x1, y1, x2, y2]}
