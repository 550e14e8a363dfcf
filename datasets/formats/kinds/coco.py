"""COCO: `annotations/*_<split>.json` beside the images. Boxes are [x, y, width, height] in pixels.

`instances_<split>.json` describes labelled images and `image_info_<split>.json`, which has no `annotations`, those
without labels, as COCO itself does it. A box's `attributes` are where CVAT puts them; `meta` of an image is ours.

An annotation whose `segmentation` is polygons is read as those polygons, any other as its box. Tools that know boxes
alone write the four corners of the box there: that is a box. A polygon that is such a rectangle is written closed, its
first point again at the end, and so comes back as what it was.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import dist
from pathlib import PurePosixPath
from typing import Any

import orjson

from formats.batch import Batch, Reading, right_size
from formats.boxes import Corners, Objects, attributes_of, ignored_of
from formats.documents import as_list, as_meta, as_number, as_object, as_text
from formats.errors import FormatError
from formats.notes import Notes
from formats.paths import Paths
from formats.polygons import MIN_POINTS, area, bounds
from formats.registry import register
from formats.samples import CLASSIFICATION, DETECTION, MULTI_LABEL, Annotated, Entry, Item, Size
from formats.splits import split_of_file, split_of_folders
from formats.spool import Spool

OWN_META = {"attributes", "ignore"}
SAME = 0.01  # pixels
LABELLED, BARE = "annotations/instances_{}.json", "annotations/image_info_{}.json"


@register("coco")
class Coco:
    """Several files may describe one batch, an image only one of them."""

    tasks = frozenset({CLASSIFICATION, DETECTION, MULTI_LABEL})
    from_folders = False

    def recognise(self, batch: Batch) -> str | None:
        """A JSON object of images and categories."""
        found = [path for path, value in batch.jsons() if _is_coco(value)]
        return f"{found[0]} has COCO's `images` and `categories`" if found else None

    def read(self, batch: Batch) -> Reading:
        """Every COCO file among the documents."""
        reading = Reading()
        files = {path: batch.json(path) for path in batch.paths(".json", untyped=True)}
        files = {path: value for path, value in files.items() if _is_coco(value)}
        if not files:
            raise FormatError("coco needs a JSON file with `images`, `annotations` and `categories`")
        for path, value in files.items():
            reading.used.add(path)
            if len(files) > 1 and _is_keypoints(value):
                reading.notes.add("files of keypoints were passed over", path)
            else:
                _File(path, value, batch, reading).read()
        return reading

    def write(self, items: Iterable[Item], *, classes: Sequence[str], task: str, losses: Notes) -> Iterator[Entry]:
        """The images under their keys, and two files for each split."""
        every = (form.format(split) for form in (LABELLED, BARE) for split in ("pool", "train", "val", "test"))
        paths, sheets = Paths(*every), dict[str, _Sheet]()
        for number, item in enumerate(items, start=1):
            path = paths.give(item.key)
            if path != item.key:
                losses.add("keys that are no safe file names; those images have new ones", item.key)
            form = LABELLED if item.label is not None else BARE
            sheet = sheets.setdefault(form.format(item.split), _Sheet(classes, task, bare=form == BARE))
            sheet.add(item, path, number, losses)
            yield Entry(path, image=item)
        for name, sheet in sheets.items():
            yield Entry(name, chunks=sheet.chunks())


def _is_coco(value: Any) -> bool:
    if not isinstance(value, Mapping) or not isinstance(value.get("images"), list):
        return False
    return isinstance(value.get("categories"), list) or "annotations" not in value


def _is_keypoints(value: Mapping[str, Any]) -> bool:
    categories = value.get("categories") or []
    return bool(categories) and all(isinstance(one, Mapping) and "keypoints" in one for one in categories)


@dataclass(slots=True)
class _File:
    """One COCO file while it is read."""

    path: str
    value: Mapping[str, Any]
    batch: Batch
    reading: Reading

    def read(self) -> None:
        names = self._names()
        told = self._annotations()
        listed: set[int | str] = set()
        bare = "annotations" not in self.value
        for image, where in self._rows("images"):
            number = _number(image.get("id"), f"{where}.id")
            if number in listed:
                raise FormatError(f"{where}.id: {number} is another image's too")
            listed.add(number)
            self._image(image, where, None if bare else told.get(number, []), names)
        if told.keys() - listed:
            self.reading.notes.add("annotations of images that their file does not list were left out", self.path)

    def _image(
        self, image: Mapping[str, Any], where: str, told: list[tuple[Mapping[str, Any], str]] | None,
        names: Mapping[int | str, str],
    ) -> None:  # fmt: skip
        name = as_text(image.get("file_name"), f"{where}.file_name")
        split = split_of_file(self.path)
        key = self.batch.index.named(name, near=str(PurePosixPath(self.path).parent), split=split)
        if key is None:
            self.reading.missing(name)
            return
        meta = as_meta(image.get("meta", {}), f"{where}.meta")
        size, label = self.batch.known[key], None
        if told is not None and right_size(_size(image, where), size, key, self.reading.notes):
            if self.batch.task == DETECTION:
                label, more = self._detection(told, names, size, key)
                meta |= more
            elif self.batch.task == MULTI_LABEL:
                label = {"classes": list(dict.fromkeys(_category(row, names, where) for row, where in told))}
                self._note_boxes(told, key)
            else:
                label = self._classification(told, names, key)
        self.reading.add(key, Annotated(label, split or split_of_folders(key), meta), path=self.path)

    def _detection(
        self, told: list[tuple[Mapping[str, Any], str]], names: Mapping[int | str, str], size: Size | None, key: str
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        notes = self.reading.notes
        objects = Objects(size, notes=notes, where=key)
        for row, where in told:
            name = _category(row, names, where)
            rings = [] if row.get("iscrowd") == 1 else _rings(row, where)
            self._note(row, outlined=bool(rings))
            if rings:
                self._polygons(objects, name, rings, row, key)
                continue
            if row.get("bbox") in (None, []):
                notes.add("annotations without a box were left out", key)
                continue
            x, y, width, height = _bbox(row["bbox"], f"{where}.bbox")
            attributes = as_meta(row.get("attributes", {}), f"{where}.attributes")
            crowd = row.get("iscrowd") == 1
            if crowd:
                notes.add("crowd regions are kept in `meta.ignore`, not as boxes", key)
            objects.add(name, (x, y, x + width, y + height), attributes=attributes, ignore=crowd)
        return objects.label(), objects.meta()

    def _classification(
        self, told: list[tuple[Mapping[str, Any], str]], names: Mapping[int | str, str], key: str
    ) -> dict[str, str] | None:
        found = {_category(row, names, where) for row, where in told}
        if len(found) > 1:
            several = " and ".join(repr(name) for name in sorted(found)[:2])
            raise FormatError(f"{key!r} has the categories {several}: classification takes one", path=self.path)
        self._note_boxes(told, key)
        return {"class": found.pop()} if found else None

    def _polygons(
        self, objects: Objects, name: str, rings: list[list[list[float]]], row: Mapping[str, Any], key: str
    ) -> None:
        if len(rings) > 1:
            self.reading.notes.add("objects in several parts were kept as a polygon for each part", key)
        if row.get("attributes"):
            self.reading.notes.add("attributes of polygons are not kept", key)
        for ring in rings:
            objects.add_polygon(name, ring)

    def _note_boxes(self, told: list[tuple[Mapping[str, Any], str]], key: str) -> None:
        if any(row.get("bbox") for row, _ in told):
            self.reading.notes.add("boxes are not kept by a classification dataset", key)

    def _names(self) -> dict[int | str, str]:
        names: dict[int | str, str] = {}
        for row, where in self._rows("categories") if "categories" in self.value else ():
            number = _number(row.get("id"), f"{where}.id")
            if number in names:
                raise FormatError(f"{where}.id: {number} is another category's too")
            names[number] = as_text(row.get("name"), f"{where}.name")
        return names

    def _annotations(self) -> dict[int | str, list[tuple[Mapping[str, Any], str]]]:
        told: dict[int | str, list[tuple[Mapping[str, Any], str]]] = {}
        for row, where in self._rows("annotations") if "annotations" in self.value else ():
            told.setdefault(_number(row.get("image_id"), f"{where}.image_id"), []).append((row, where))
        return told

    def _rows(self, name: str) -> Iterator[tuple[Mapping[str, Any], str]]:
        for number, row in enumerate(as_list(self.value[name], f"{self.path}, {name}")):
            where = f"{self.path}, {name}[{number}]"
            yield as_object(row, where), where

    def _note(self, row: Mapping[str, Any], *, outlined: bool) -> None:
        if isinstance(row.get("segmentation"), Mapping) and not outlined:
            self.reading.notes.add("segmentation masks are not kept", self.path)
        for field in ("keypoints", "score"):
            if row.get(field):
                self.reading.notes.add(f"{field.rstrip('s')}s are not kept", self.path)


def _number(value: Any, where: str) -> int | str:
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise FormatError(f"{where}: must be a whole number")
    return value


def _category(row: Mapping[str, Any], names: Mapping[int | str, str], where: str) -> str:
    number = _number(row.get("category_id"), f"{where}.category_id")
    if number not in names:
        raise FormatError(f"{where}.category_id: there is no category {number!r}")
    return names[number]


def _bbox(value: Any, where: str) -> Corners:
    corners = as_list(value, where)
    if len(corners) != 4:
        raise FormatError(f"{where}: must be [x, y, width, height]")
    x, y, width, height = (as_number(corner, where) for corner in corners)
    return x, y, width, height


def _rings(row: Mapping[str, Any], where: str) -> list[list[list[float]]]:
    """The polygons of an annotation; none where its segmentation is a mask, empty, or says no more than its box."""
    given = row.get("segmentation")
    if not isinstance(given, list) or not given:
        return []
    rings = [_ring(one, f"{where}.segmentation[{number}]") for number, one in enumerate(given)]
    rings = [ring for ring in rings if len(ring) >= MIN_POINTS]
    boxed = row.get("bbox") not in (None, []) and len(rings) == 1
    return [] if boxed and _is_box(rings[0], _bbox(row["bbox"], f"{where}.bbox")) else rings


def _ring(value: Any, where: str) -> list[list[float]]:
    numbers = [as_number(number, where) for number in as_list(value, where)]
    if len(numbers) % 2:
        raise FormatError(f"{where}: must be [x1, y1, x2, y2, ..], an even number of them")
    return [list(point) for point in zip(numbers[::2], numbers[1::2], strict=True)]


def _is_box(ring: Sequence[Sequence[float]], bbox: Corners) -> bool:
    x, y, width, height = bbox
    corners = product((x, x + width), (y, y + height))
    return len(ring) == len(bbox) and all(any(dist(corner, point) < SAME for point in ring) for corner in corners)


def _size(image: Mapping[str, Any], where: str) -> Size | None:
    if image.get("width") is None or image.get("height") is None:
        return None
    width, height = (round(as_number(image[side], f"{where}.{side}")) for side in ("width", "height"))
    return width, height


class _Sheet:
    """One COCO file while it is written."""

    def __init__(self, classes: Sequence[str], task: str, *, bare: bool) -> None:
        self._numbers = {name: number for number, name in enumerate(classes, start=1)}
        self._task, self._bare = task, bare
        self._images, self._annotations = Spool(), Spool()
        self._count = 0

    def add(self, item: Item, path: str, number: int, losses: Notes) -> None:
        width, height = item.size or (None, None)
        row: dict[str, Any] = {"id": number, "file_name": path, "width": width, "height": height}
        own = OWN_META if self._task == DETECTION and item.label is not None else set()
        meta = {name: value for name, value in item.meta.items() if name not in own}
        self._images.add(orjson.dumps(row | ({"meta": meta} if meta else {})))
        if item.label is None:
            return
        if self._task != DETECTION:
            for name in item.label["classes"] if self._task == MULTI_LABEL else [item.label["class"]]:
                self._annotate(number, name, {})
            return
        for box, attributes in zip(item.label["boxes"], attributes_of(item, losses), strict=True):
            more = {"attributes": attributes} if attributes else {}
            self._annotate(number, box["class"], _shape(box["box"]) | {"iscrowd": 0} | more)
        for polygon in item.label.get("polygons", ()):
            self._annotate(number, polygon["class"], _outline(polygon["points"]) | {"iscrowd": 0})
        for region in ignored_of(item, losses):
            if region["class"] in self._numbers:
                self._annotate(number, region["class"], _shape(region["box"]) | {"iscrowd": 1})
            else:
                losses.add(f"regions to ignore of {region['class']!r}, which is no category", item.key)

    def _annotate(self, image: int, name: str, more: Mapping[str, Any]) -> None:
        self._count += 1
        row = {"id": self._count, "image_id": image, "category_id": self._numbers[name], **more}
        self._annotations.add(orjson.dumps(row))

    def chunks(self) -> Iterator[bytes]:
        categories = [{"id": number, "name": name, "supercategory": ""} for name, number in self._numbers.items()]
        yield b'{"info": {}, "licenses": [], "categories": ' + orjson.dumps(categories) + b',\n"images": [\n'
        yield from self._images.chunks()
        if not self._bare:
            yield b'],\n"annotations": [\n'
            yield from self._annotations.chunks()
        yield b"]}\n"


def _shape(box: Sequence[float]) -> dict[str, Any]:
    x1, y1, x2, y2 = box
    return {"bbox": [x1, y1, x2 - x1, y2 - y1], "area": (x2 - x1) * (y2 - y1), "segmentation": []}


def _outline(points: Sequence[Sequence[float]]) -> dict[str, Any]:
    shape = _shape(bounds(points))
    x, y, width, height = shape["bbox"]
    closed = [*points, points[0]] if _is_box(points, (x, y, width, height)) else points
    return shape | {"area": area(points), "segmentation": [[number for point in closed for number in point]]}
