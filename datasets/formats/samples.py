"""The types between the formats and whoever uses them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

Size = tuple[int, int]
"""(width, height) of the upright image, in pixels."""

CLASSIFICATION = "classification"
DETECTION = "detection"
MULTI_LABEL = "multi_label"


@dataclass(frozen=True, slots=True)
class Annotated:
    """What the annotations say of one image; None where they are silent.

    `label` is `{"class": name}`, of several `{"classes": [name, ..]}`, or `{"boxes": [{"class": name, "box": [x1, y1,
    x2, y2]}]}` in pixels of the upright image, with `"polygons": [{"class": name, "points": [[x, y], ..]}]` beside the
    boxes where there are any. `meta` may hold `attributes`, one object for each box (truncated, occluded, ...), and
    `ignore`, the regions `{"class", "box"}` that are to be left out of training.
    """

    label: Mapping[str, Any] | None = None
    split: str | None = None
    meta: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Item:
    """One sample to write. `source` is the caller's own and comes back with the image's entry."""

    key: str
    size: Size | None = None
    split: str = "pool"
    label: Mapping[str, Any] | None = None
    meta: Mapping[str, Any] = field(default_factory=dict)
    media_type: str = ""
    source: Any = None


@dataclass(frozen=True, slots=True)
class Entry:
    """One file of an exported archive: the bytes of an image, or those in `chunks`.

    `path` is safe on every system: relative, forward slashes, unique whatever the case of its letters.
    """

    path: str
    image: Item | None = None
    chunks: Iterable[bytes] = ()
