"""Boxes and polygons as every format's reader and writer sees them, in pixels of the upright image: float corners x1,
y1, x2, y2, and points x, y."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, TypedDict, Unpack

from formats.attributes import MAX_ATTRIBUTES, MAX_ID, attribute_fault, id_fault
from formats.clipping import cut_to_image
from formats.notes import Notes
from formats.polygons import OUTLINE, bounds_of, opened, outline
from formats.samples import Item, Size
from formats.units import UnitGuard, check_shares

SLACK = 1.0
DECIMALS = 9
Corners = tuple[float, float, float, float]
LOST = {"attributes": "attributes of objects", "id": "ids of objects", "track": "tracks of objects"}


def inside(corners: Corners, size: Size | None, *, notes: Notes, where: str) -> list[float] | None:
    """Return the box cut to its image, or None if no area remains.

    Reaching out by up to a pixel is not noted. Coordinates are rounded to 9 decimals, which drops errors from computing
    with percents or widths: an unchanged box reads back the same.
    """
    x1, y1, x2, y2 = (round(corner, DECIMALS) for corner in corners)
    width, height = size or (float("inf"), float("inf"))
    if x1 < -SLACK or y1 < -SLACK or x2 > width + SLACK or y2 > height + SLACK:
        notes.add("boxes reach beyond their image and were cut to it", where)
    x1, y1, x2, y2 = max(x1, 0.0), max(y1, 0.0), min(x2, float(width)), min(y2, float(height))
    if not (x1 < x2 and y1 < y2):
        return None
    return [x1, y1, x2, y2]


def rings_inside(
    rings: Sequence[Sequence[Sequence[float]]], size: Size | None, *, notes: Notes, where: str
) -> list[list[list[float]]]:
    """Return the rings of an object cut to its image, in pixels to 9 decimals; empty if no area remains."""
    width, height = size or (float("inf"), float("inf"))
    if any(not (-SLACK <= x <= width + SLACK and -SLACK <= y <= height + SLACK) for ring in rings for x, y in ring):
        notes.add("polygons reach beyond their image and were cut to it", where)
    rounded = [opened([[round(x, DECIMALS), round(y, DECIMALS)] for x, y in ring]) for ring in rings]
    left = [cut_to_image(ring, size) for ring in rounded]
    if any(len(pieces) > 1 for pieces in left):
        notes.add("polygons that the edge of their image parts are one object of several parts", where)
    if any(left) and not all(left):
        notes.leave_out("shape_left_out", "parts of objects without area inside their image were left out", where)
    return [opened([[round(x, DECIMALS), round(y, DECIMALS)] for x, y in ring]) for ring in chain.from_iterable(left)]


class Carried(TypedDict, total=False):
    """What an object carries beside its class and its place; None means it has none."""

    attributes: Mapping[str, Any] | None
    id: str | None
    track: str | None


@dataclass(slots=True)
class _Group:
    """Shapes of one object while they are read; `slot` is its place among the polygons."""

    slot: int
    rings: list[Sequence[Sequence[float]]]
    carried: Carried
    shapes: int = 1


class Objects:
    """The objects of one image while it is read: boxes and polygons with what they carry, regions to ignore.

    `pixels` says that the file has them in pixels itself, so that shares of the image there are a mistake.
    """

    def __init__(self, size: Size | None, *, notes: Notes, where: str, pixels: bool = True) -> None:
        self.size, self._notes, self._where = size, notes, where
        self._units = UnitGuard() if pixels else None
        self._boxes: list[dict[str, Any]] = []
        self._polygons: list[dict[str, Any]] = []
        self._ignore: list[dict[str, Any]] = []
        self._groups: dict[tuple[str, Hashable], _Group] = {}
        self._ids: set[str] = set()

    def add(self, name: str, corners: Corners, **carried: Unpack[Carried]) -> None:
        """Add a box."""
        if self._units:
            self._units.see([corners[:2], corners[2:]])
        box = inside(corners, self.size, notes=self._notes, where=self._where)
        if box is None:
            self.lose("no_area")
        else:
            self._boxes.append({"class": name, "box": box} | self._kept(carried))

    def lose(self, reason: str) -> None:
        """Record an object that the label can't hold; `reason` is one of the `REASONS` of formats.incomplete."""
        self._notes.incomplete.add(reason, self._where)

    def add_polygon(self, name: str, points: Sequence[Sequence[float]], **carried: Unpack[Carried]) -> None:
        """Add an object by its outline."""
        self.add_parts(name, [points], **carried)

    def add_parts(self, name: str, rings: Sequence[Sequence[Sequence[float]]], **carried: Unpack[Carried]) -> None:
        """Add one object by the outlines of its parts."""
        self._see(rings)
        left = rings_inside(rings, self.size, notes=self._notes, where=self._where)
        if not left:
            self.lose("no_area")
        else:
            self._polygons.append({"class": name, **outline(left)} | self._kept(carried))

    def add_part(
        self, name: str, rings: Sequence[Sequence[Sequence[float]]], *, of: Hashable, **carried: Unpack[Carried]
    ) -> None:
        """Add a shape of an object that has several: those with the same name and the same `of` are one object."""
        self._see(rings)
        group = self._groups.get((name, of))
        if group is None:
            self._groups[name, of] = _Group(len(self._polygons), list(rings), carried)
            self._polygons.append({})  # its place, until all its shapes are read
            return
        group.rings += rings
        group.shapes += 1
        first, more = group.carried.get("attributes") or {}, carried.get("attributes") or {}
        if any(first[key] != value for key, value in more.items() if key in first):
            what = "attributes in which the parts of an object differ were kept as the first has them"
            self._notes.leave_out("field_left_out", what, self._where)
        group.carried["attributes"] = {**more, **first}

    def add_relative(self, name: str, centred: Sequence[float], **carried: Unpack[Carried]) -> None:
        """Add a box given as centre x, y, width and height relative to the image, whose size must be known. Raises
        FormatError if they can only be pixels."""
        check_shares(centred, self._where)
        x, y, w, h = centred
        width, height = self.size or (1, 1)
        corners = (x - w / 2) * width, (y - h / 2) * height, (x + w / 2) * width, (y + h / 2) * height
        self.add(name, corners, **carried)

    def ignore(self, corners: Corners, *, name: str | None = None, attributes: Mapping[str, Any] | None = None) -> None:
        """Add a region that training and metrics ignore."""
        box = inside(corners, self.size, notes=self._notes, where=self._where)
        if box is None:
            what = "regions to ignore without area inside their image were left out"
            self._notes.leave_out("annotation_left_out", what, self._where)
        else:
            named = {"class": name} if name else {}
            self._ignore.append({"box": box} | named | self._kept({"attributes": attributes}))

    def label(self) -> dict[str, Any]:
        """Return the detection label of these objects, once all are added. Raises FormatError if they are shares where
        pixels belong."""
        if self._units:
            self._units.check(self.size, self._where)
        for (name, _), group in self._groups.items():
            if group.shapes > 1:
                self._notes.add("shapes of a group were kept as one object of several parts", self._where)
            left = rings_inside(group.rings, self.size, notes=self._notes, where=self._where)
            if left:
                self._polygons[group.slot] = {"class": name, **outline(left)} | self._kept(group.carried)
            else:
                self.lose("no_area")
        self._groups.clear()
        self._polygons = [one for one in self._polygons if one]
        more = {"polygons": self._polygons, "ignore": self._ignore}
        return {"boxes": self._boxes} | {name: found for name, found in more.items() if found}

    def _see(self, rings: Sequence[Sequence[Sequence[float]]]) -> None:
        if self._units:
            for ring in rings:
                self._units.see(ring)

    def _kept(self, carried: Carried) -> dict[str, Any]:
        """Return the attributes, id and track that a label can hold, and note the rest."""
        kept: dict[str, Any] = {}
        if attributes := self._attributes(carried.get("attributes") or {}):
            kept["attributes"] = attributes
        if (own := carried.get("id")) is not None:
            if own in self._ids:
                what = "ids that another object of the same image has were left out"
                self._notes.leave_out("field_left_out", what, self._where)
            elif id_fault(own) is None:
                self._ids.add(own)
                kept["id"] = own
        if (track := carried.get("track")) is not None and id_fault(track) is None:
            kept["track"] = track
        if any(id_fault(one) for one in (own, track) if one is not None):
            what = f"ids and tracks that are no text of 1 to {MAX_ID} characters were left out"
            self._notes.leave_out("field_left_out", what, self._where)
        return kept

    def _attributes(self, given: Mapping[str, Any]) -> dict[str, Any]:
        kept: dict[str, Any] = {}
        for name, value in given.items():
            if value is None:
                self._notes.add("attributes without a value were left out", self._where)
            elif attribute_fault(name, value) is not None:
                what = "attributes that are no text, number, truth value or short list of numbers were left out"
                self._notes.leave_out("field_left_out", what, self._where)
            elif len(kept) >= MAX_ATTRIBUTES:
                what = f"attributes beyond the {MAX_ATTRIBUTES} that an object may have were left out"
                self._notes.leave_out("field_left_out", what, self._where)
            else:
                kept[name] = value
        return kept


def boxed(item: Item, losses: Notes, *, held: frozenset[str] = frozenset()) -> Iterator[Mapping[str, Any]]:
    """Yield each box of a sample, then the box around each polygon, for formats without outlines. `held` names which of
    `attributes`, `id` and `track` the format can store; the others are noted as lost."""
    label = item.label or {"boxes": ()}
    around = ({name: one[name] for name in one if name not in OUTLINE} | {"box": bounds_of(one)}
              for one in label.get("polygons", ()))  # fmt: skip
    for _ in label.get("polygons", ()):
        losses.add("outlines of polygons: the boxes around them are written", item.key)
    for one in (*label["boxes"], *around):
        for name in sorted(one.keys() & LOST.keys() - held):
            losses.add(LOST[name], item.key)
        yield one


def ignored_of(item: Item) -> Sequence[Mapping[str, Any]]:
    """Return the regions to ignore of a sample."""
    return item.label.get("ignore", ()) if item.label else ()


def decimal(value: float) -> str:
    """Write a number with all the digits needed to read it back unchanged."""
    return repr(int(value)) if float(value).is_integer() else repr(float(value))
