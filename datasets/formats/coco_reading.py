"""Reading one COCO file."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from formats.batch import Batch, Reading, right_size
from formats.boxes import Carried, Corners, Objects
from formats.coco_boxes import TRACK, is_box
from formats.coco_categories import Category, category_names
from formats.coco_crowds import is_of_cvat, why_objects
from formats.cvat_frames import NOT_OPENED
from formats.documents import as_list, as_meta, as_number, as_object, as_text
from formats.errors import FormatError
from formats.masks import MAX_PIXELS, Shape, coco_runs, shape_of
from formats.notes import Notes
from formats.polygons import MIN_POINTS
from formats.samples import MANY_CLASSES, OBJECTS, Annotated, Size

KEPT = {
    "an image": frozenset({"id", "file_name", "width", "height", "key", "meta", "ignore"}),
    "a category": frozenset({"id", "name"}),
    "an annotation": frozenset({
        "id", "image_id", "category_id", "bbox", "area", "segmentation", "iscrowd", "attributes", "score", TRACK,
        "object_id", "keypoints", "num_keypoints",
    }),
}  # fmt: skip
WHOLE = re.compile(r"0|-?[1-9][0-9]{0,17}")
ALL_PIXELS = 1 << 30  # of all masks that are traced: a small file may describe very many


@dataclass(slots=True)
class CocoFile:
    """Reads a file into `reading`; a `bare` file lists unlabelled images."""

    path: str
    value: Mapping[str, Any]
    batch: Batch
    reading: Reading
    bare: bool = False
    _crowds_are: str | None = None
    _of_cvat: bool = False
    _pixels: int = ALL_PIXELS
    _shared: set[int | str] = field(default_factory=set)

    def read(self) -> None:
        """Read the annotation of each image; images of a bare file get no label. Raises FormatError."""
        told = self._annotations()
        names = category_names(self._categories(), self._used(told), self.reading.notes, self.path)
        images = self._images()
        self._crowds_are, self._of_cvat = why_objects(self.value), is_of_cvat(self.value)
        if self.value.get("licenses") and not self._of_cvat:
            self.reading.notes.add_field("licenses", "a file", self.path)
        for number, (image, where) in images.items():
            with self.reading.part(self.path):
                self._image(image, where, self._told(told.get(number, []), where), names)
        if unlisted := sum(len(told[number]) for number in told.keys() - images.keys() - self._shared):
            what = "annotations of images that their file does not list were left out"
            self.reading.notes.leave_out("image_missing", what, self.path, unlisted)

    def _told(
        self, rows: list[tuple[Mapping[str, Any], str]], where: str
    ) -> list[tuple[Mapping[str, Any], str]] | None:
        """Return the annotations of an image; None if nobody has annotated it."""
        if self._of_cvat and not rows and not self.bare:
            self.reading.notes.add(NOT_OPENED, where)
        return None if self.bare or (self._of_cvat and not rows) else rows

    def _image(
        self, image: Mapping[str, Any], where: str, told: list[tuple[Mapping[str, Any], str]] | None,
        names: Mapping[int | str, str],
    ) -> None:  # fmt: skip
        name = as_text(image.get("file_name"), f"{where}.file_name")
        key = self._key(name, self.batch.split_of(self.path))
        if key is None:
            self.reading.missing(name)
            return
        if self.bare and key in self.reading.samples:
            return  # another file has annotated it
        meta = as_meta(image.get("meta", {}), f"{where}.meta")
        self._note_fields("an image", image, key)
        for row, _ in told or ():
            self._note_fields("an annotation", row, key)
        size, label = self.batch.known[key], None
        if told is not None and right_size(_size(image, where), size, key, self.reading.notes, objects=len(told)):
            if self.batch.form == OBJECTS:
                label = self._detection(told, image, where, names, size, key)
            elif self.batch.form == MANY_CLASSES:
                label = {"classes": list(dict.fromkeys(_category(row, names, where) for row, where in told))}
                self._note_boxes(told, key)
            else:
                label = self._classification(told, names, key)
        own = as_text(image["key"], f"{where}.key") if "key" in image else None
        self.reading.add(key, Annotated(label, meta=meta, key=own), path=self.path)

    def _key(self, name: str, split: str | None) -> str | None:
        """Return the key of the image in COCO's own layout, else of the one whose name fits; None if there is none."""
        file = PurePosixPath(self.path)
        index, subset = self.batch.index, file.stem.rpartition("_")[2]
        laid_out = index.at(str(file.parents[1] / "images" / subset / name)) if len(file.parents) > 1 else None
        return laid_out or index.named(name, near=str(file.parent), split=split)

    def _detection(
        self, told: list[tuple[Mapping[str, Any], str]], image: Mapping[str, Any], where: str,
        names: Mapping[int | str, str], size: Size | None, key: str,
    ) -> dict[str, Any]:  # fmt: skip
        objects = Objects(size, notes=self.reading.notes, where=key)
        for row, place in told:
            self._object(row, place, names, objects, key)
        for number, region in enumerate(as_list(image.get("ignore", []), f"{where}.ignore")):
            place = f"{where}.ignore[{number}]"
            row = as_object(region, place)
            x, y, width, height = _bbox(row.get("bbox"), f"{place}.bbox")
            name = as_text(row["name"], f"{place}.name") if "name" in row else None
            attributes = as_meta(row.get("attributes", {}), f"{place}.attributes")
            objects.ignore((x, y, x + width, y + height), name=name, attributes=attributes)
        return objects.label()

    def _object(
        self, row: Mapping[str, Any], where: str, names: Mapping[int | str, str], objects: Objects, key: str
    ) -> None:
        notes = self.reading.notes
        name = _category(row, names, where)
        crowd = self._is_crowd(row, where, key)
        mask = self._mask(row, f"{where}.segmentation", objects.size, crowd=crowd)
        rings = [] if crowd else mask.outlines if mask and mask.outlines else _rings(row, where, notes, key)
        if row.get("keypoints"):
            notes.leave_out("shape_left_out", "keypoints are not kept", self.path)
        carried = _carried(row, where)
        if rings:
            objects.add_parts(name, rings, **carried)
            return
        box = _corners(row, where) or (mask.box if mask else None)
        if box is None:
            objects.lose(_missing_box(row))
        elif crowd:
            notes.add("crowd regions (`iscrowd`: 1) were kept as regions to ignore", key)
            objects.ignore(box, name=name, attributes=carried.get("attributes"))
        else:
            objects.add(name, box, **carried)

    def _is_crowd(self, row: Mapping[str, Any], where: str, key: str) -> bool:
        """Whether an annotation is a region to ignore."""
        marked = row.get("iscrowd")
        if marked not in (None, 0, 1):
            raise FormatError(f"{where}.iscrowd: must be 0 or 1")
        if marked == 1 and self._crowds_are and isinstance(row.get("segmentation"), Mapping):
            self.reading.notes.add(f"masks marked `iscrowd` were read as objects: {self._crowds_are}", key)
            return False
        return bool(marked)

    def _mask(self, row: Mapping[str, Any], where: str, size: Size | None, *, crowd: bool) -> Shape | None:
        """Return the shape of an annotation's run lengths; None if there are none, or they can't be read."""
        given = row.get("segmentation")
        if not isinstance(given, Mapping):
            return None
        notes, limit = self.reading.notes, min(MAX_PIXELS, self._pixels)
        try:
            height, width = (int(as_number(side, where)) for side in as_list(given.get("size"), where))
            shape = shape_of(coco_runs(given.get("counts"), where), (width, height), limit=limit)
        except ValueError:
            shape = None
        if shape is None or (size and (width, height) != size):
            what = "masks that are empty, can't be decoded or have another size were left out"
            notes.leave_out("shape_left_out", what, self.path)
            return None
        self._pixels -= min(limit, round((shape.box[2] - shape.box[0]) * height))
        if not crowd:
            shape.note(notes, self.path)
        return shape

    def _classification(
        self, told: list[tuple[Mapping[str, Any], str]], names: Mapping[int | str, str], key: str
    ) -> dict[str, str] | None:
        found = {_category(row, names, where) for row, where in told}
        if len(found) > 1:
            several = " and ".join(repr(name) for name in sorted(found)[:2])
            raise FormatError(f"{key!r} has the categories {several}: classification takes one", path=self.path)
        self._note_boxes(told, key)
        return {"class": found.pop()} if found else None

    def _note_boxes(self, told: list[tuple[Mapping[str, Any], str]], key: str) -> None:
        if any(row.get("bbox") for row, _ in told):
            self.reading.notes.leave_out("shape_left_out", "boxes are not kept by a classification dataset", key)

    def _note_fields(self, what: str, row: Mapping[str, Any], where: str) -> None:
        """Note each further field of a row that has a value and is not kept."""
        for name in sorted(row.keys() - KEPT[what]):
            if row[name] not in (None, "", 0, [], {}):
                self.reading.notes.add_field(name, what, where)

    def _categories(self) -> Iterator[Category]:
        for row, where in self._rows("categories") if "categories" in self.value else ():
            number, name = _number(row.get("id"), f"{where}.id"), as_text(row.get("name"), f"{where}.name")
            yield Category(number, name, row.get("supercategory"), where)
            self._note_fields("a category", row, self.path)

    def _used(self, told: Mapping[int | str, list[tuple[Mapping[str, Any], str]]]) -> set[int | str]:
        """Return the ids of categories that annotations have."""
        rows = (row for some in told.values() for row, _ in some)
        return {_number(row["category_id"], self.path) for row in rows if isinstance(row.get("category_id"), int | str)}

    def _images(self) -> dict[int | str, tuple[Mapping[str, Any], str]]:
        """Return the images by id. If images share an id, it is a fault: their annotations can't be told apart."""
        images: dict[int | str, tuple[Mapping[str, Any], str]] = {}
        for image, where in self._rows("images"):
            with self.reading.part(self.path):
                number = _number(image.get("id"), f"{where}.id")
                if number in images:
                    self._shared.add(number)
                    raise FormatError(f"{where}.id: {number} is another image's too: neither gets a label")
                images[number] = image, where
        return {number: one for number, one in images.items() if number not in self._shared}

    def _annotations(self) -> dict[int | str, list[tuple[Mapping[str, Any], str]]]:
        told: dict[int | str, list[tuple[Mapping[str, Any], str]]] = {}
        for row, where in self._rows("annotations") if "annotations" in self.value else ():
            told.setdefault(_number(row.get("image_id"), f"{where}.image_id"), []).append((row, where))
        return told

    def _rows(self, name: str) -> Iterator[tuple[Mapping[str, Any], str]]:
        for number, row in enumerate(as_list(self.value[name], f"{self.path}, {name}")):
            where = f"{self.path}, {name}[{number}]"
            yield as_object(row, where), where


def _missing_box(row: Mapping[str, Any]) -> str:
    return "mask_unreadable" if row.get("segmentation") else "keypoints" if row.get("keypoints") else "no_box"


def _number(value: Any, where: str) -> int | str:
    """Return an id. A whole number is the same id in whatever way it is written, since an annotation may say `"7"` of
    image 7: an image without its annotations would be one on which nothing is."""
    if isinstance(value, float) and value.is_integer():
        return int(value)  # tables of floats write whole numbers this way
    if isinstance(value, str) and WHOLE.fullmatch(value):
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise FormatError(f"{where}: must be a whole number")
    return value


def _carried(row: Mapping[str, Any], where: str) -> Carried:
    """Return the attributes, id and track of an annotation. A `score` is read as an attribute; a track may be among the
    attributes."""
    attributes = as_meta(row.get("attributes", {}), f"{where}.attributes")
    if "score" in row:
        attributes.setdefault("score", row["score"])
    inner = attributes.pop(TRACK, None)
    track = row.get(TRACK, inner)
    named = row.get("object_id") if "object_id" in row else row.get("id")
    return {"attributes": attributes, "id": _text(named), "track": _text(track)}


def _text(value: Any) -> str | None:
    """Return an id as a text; None if the value is not an id."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value) if isinstance(value, int | str) and not isinstance(value, bool) else None


def _category(row: Mapping[str, Any], names: Mapping[int | str, str], where: str) -> str:
    number = _number(row.get("category_id"), f"{where}.category_id")
    if number not in names:
        raise FormatError(f"{where}.category_id: there is no category {number!r}")
    return names[number]


def _corners(row: Mapping[str, Any], where: str) -> Corners | None:
    if row.get("bbox") in (None, []):
        return None
    x, y, width, height = _bbox(row["bbox"], f"{where}.bbox")
    return x, y, x + width, y + height


def _bbox(value: Any, where: str) -> Corners:
    corners = as_list(value, where)
    if len(corners) != 4:
        raise FormatError(f"{where}: must be [x, y, width, height]")
    x, y, width, height = (as_number(corner, where) for corner in corners)
    return x, y, width, height


def _rings(row: Mapping[str, Any], where: str, notes: Notes, key: str) -> list[list[list[float]]]:
    """Return the polygons of an annotation; an empty list if its segmentation is a mask, empty, or just its box."""
    given = row.get("segmentation")
    if not given or isinstance(given, Mapping):
        return []
    told = as_list(given, f"{where}.segmentation")
    every = [_ring(one, f"{where}.segmentation[{number}]") for number, one in enumerate(told)]
    rings = [ring for ring in every if len(ring) >= MIN_POINTS]
    for _ in range(len(every) - len(rings)):
        notes.leave_out("shape_left_out", f"outlines of fewer than {MIN_POINTS} points were left out", key)
    boxed = row.get("bbox") not in (None, []) and len(rings) == 1
    return [] if boxed and is_box(rings[0], _bbox(row["bbox"], f"{where}.bbox")) else rings


def _ring(value: Any, where: str) -> list[list[float]]:
    numbers = [as_number(number, where) for number in as_list(value, where)]
    if len(numbers) % 2:
        raise FormatError(f"{where}: must be [x1, y1, x2, y2, ..], an even number of them")
    return [list(point) for point in zip(numbers[::2], numbers[1::2], strict=True)]


def _size(image: Mapping[str, Any], where: str) -> Size | None:
    if image.get("width") is None or image.get("height") is None:
        return None
    width, height = (round(as_number(image[side], f"{where}.{side}")) for side in ("width", "height"))
    return width, height
