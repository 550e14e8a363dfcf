"""The types between the formats and whoever uses them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

Size = tuple[int, int]
"""(width, height) of the upright image, in pixels."""

ONE_CLASS, MANY_CLASSES, OBJECTS = FORMS = ("class", "classes", "objects")
"""What a label may look like, whatever it is learnt for: see `Annotated.label`."""


@dataclass(frozen=True, slots=True)
class Annotated:
    """What the annotations say of one image; None where they are silent.

    `label` is `{"class": name}`, of several `{"classes": [name, ..]}`, or `{"boxes": [{"class": name, "box": [x1, y1,
    x2, y2]}]}` in pixels of the upright image, with `"polygons": [{"class": name, "points": [[x, y], ..]}]` and
    `"ignore": [{"box": [..], "class"?: text}]` beside the boxes where there are any. A box and a polygon may carry
    `attributes`, an `id` and a `track` (see `attributes`), a region to ignore `attributes`. `key` is the
    sample's, where it is another than the path of the image.
    """

    label: Mapping[str, Any] | None = None
    split: str | None = None
    meta: Mapping[str, Any] = field(default_factory=dict)
    key: str | None = None


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

    `path` is safe on every system: relative, forward slashes, unique whatever the case of its letters. One that ends
    with a slash is an empty folder.
    """

    path: str
    image: Item | None = None
    chunks: Iterable[bytes] = ()
