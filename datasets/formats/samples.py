"""The types that formats exchange with their callers."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from formats.splits import SplitSource

Size = tuple[int, int]
"""(width, height) of the upright image, in pixels."""

ONE_CLASS, MANY_CLASSES, OBJECTS = FORMS = ("class", "classes", "objects")
"""The forms that a label can have: see `Annotated.label`."""


@dataclass(frozen=True, slots=True)
class Annotated:
    """The annotations of one image; None for what they don't say.

    `label` is `{"class": name}`, for several classes `{"classes": [name, ..]}`, or `{"boxes": [{"class": name, "box":
    [x1, y1, x2, y2]}]}` in pixels of the upright image, with `"polygons": [{"class": name, "points": [[x, y], ..]}]`,
    in which an object of several parts has `parts`, a list of points for each, in place of `points`,
    and `"ignore": [{"box": [..], "class"?: text}]` beside the boxes where there are any. A box and a polygon may carry
    `attributes`, an `id` and a `track` (see `attributes`), a region to ignore `attributes`. `key` is the sample's key
    if it differs from the path of the image. `source` says what named the split: annotations are the same whatever did.
    """

    label: Mapping[str, Any] | None = None
    split: str | None = None
    meta: Mapping[str, Any] = field(default_factory=dict)
    key: str | None = None
    source: SplitSource | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Item:
    """One sample to write. `source` is any value of the caller and is returned with the image's entry."""

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

    `path` is safe on every system: relative, with forward slashes, unique regardless of case. A path that ends with a
    slash is an empty folder.
    """

    path: str
    image: Item | None = None
    chunks: Iterable[bytes] = ()
