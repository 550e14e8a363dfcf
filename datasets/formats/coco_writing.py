"""Writing one COCO file."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import orjson

from formats.boxes import ignored_of
from formats.coco_boxes import TRACK, is_box
from formats.notes import Notes
from formats.polygons import area_of, bounds_of, rings_of
from formats.samples import MANY_CLASSES, OBJECTS, Item
from formats.spool import Spool
from worker_programs.json_text import write_json

MAX_ID = 2**53


class Sheet:
    """The images and annotations of a file, collected item by item."""

    def __init__(self, classes: Sequence[str], form: str) -> None:
        self._numbers = {name: number for number, name in enumerate(classes, start=1)}
        self._form = form
        self._images, self._annotations = Spool(), Spool()
        self._count = 0
        self._kept: set[int] = set()

    def add(self, item: Item, path: str, number: int, losses: Notes) -> None:
        """Add an image and its annotations; `path` becomes its `file_name`."""
        width, height = item.size or (None, None)
        row: dict[str, Any] = {"id": number, "file_name": path, "width": width, "height": height}
        ours: dict[str, Any] = {"meta": item.meta} if item.meta else {}
        ours["key"] = item.key
        others = [one for one in ignored_of(item) if one.get("class") not in self._numbers]
        for _ in others:
            losses.add("regions to ignore of no category, which other tools than this one don't see", item.key)
        ours |= {"ignore": [_region(one) for one in others]} if others else {}
        self._images.add(write_json(row | ours))
        if item.label is None:
            return
        if self._form != OBJECTS:
            for name in item.label["classes"] if self._form == MANY_CLASSES else [item.label["class"]]:
                self._annotate(number, name, {})
            return
        for box in item.label["boxes"]:
            self._object(number, box, _shape(box["box"]), losses, item.key)
        for polygon in item.label.get("polygons", ()):
            self._object(number, polygon, _outline(polygon), losses, item.key)
        for region in ignored_of(item):
            if region.get("class") in self._numbers:
                more = {"attributes": region["attributes"]} if "attributes" in region else {}
                self._annotate(number, region["class"], _shape(region["box"]) | {"iscrowd": 1} | more)

    def _object(self, image: int, one: Mapping[str, Any], shape: Mapping[str, Any], losses: Notes, key: str) -> None:
        attributes = dict(one.get("attributes", {}))
        if attributes.pop(TRACK, None) is not None:
            losses.add(f"the attribute {TRACK!r}, which would be read as a track", key)
        more: dict[str, Any] = {"attributes": attributes} if attributes else {}
        more |= {TRACK: _id(one["track"])} if "track" in one else {}
        own = _id(one["id"]) if "id" in one else None
        number = own if isinstance(own, int) and own > self._count and own not in self._kept else None
        if number is None:
            more["object_id"] = one.get("id")
        else:
            self._kept.add(number)
        self._annotate(image, one["class"], {**shape, "iscrowd": 0, **more}, number=number)

    def _annotate(self, image: int, name: str, more: Mapping[str, Any], *, number: int | None = None) -> None:
        if number is None:
            self._count += 1
            while self._count in self._kept:
                self._count += 1
            number = self._count
        row = {"id": number, "image_id": image, "category_id": self._numbers[name], **more}
        self._annotations.add(orjson.dumps(row))

    def chunks(self) -> Iterator[bytes]:
        """Yield the content of the file."""
        categories = [{"id": number, "name": name, "supercategory": ""} for name, number in self._numbers.items()]
        yield b'{"info": {}, "licenses": [], "categories": ' + orjson.dumps(categories) + b',\n"images": [\n'
        yield from self._images.chunks()
        yield b'],\n"annotations": [\n'
        yield from self._annotations.chunks()
        yield b"]}\n"


def _shape(box: Sequence[float]) -> dict[str, Any]:
    x1, y1, x2, y2 = box
    return {"bbox": [x1, y1, x2 - x1, y2 - y1], "area": (x2 - x1) * (y2 - y1), "segmentation": []}


def _region(region: Mapping[str, Any]) -> dict[str, Any]:
    """Return a region to ignore that can't be an annotation, because its class is not a category."""
    x1, y1, x2, y2 = region["box"]
    named = {"name": region["class"]} if "class" in region else {}
    more = {"attributes": region["attributes"]} if "attributes" in region else {}
    return named | {"bbox": [x1, y1, x2 - x1, y2 - y1]} | more


def _outline(polygon: Mapping[str, Any]) -> dict[str, Any]:
    shape, rings = _shape(bounds_of(polygon)), rings_of(polygon)
    x, y, width, height = shape["bbox"]
    if len(rings) == 1 and is_box(rings[0], (x, y, width, height)):
        rings = [[*rings[0], rings[0][0]]]
    return shape | {"area": area_of(polygon), "segmentation": [list(chain.from_iterable(ring)) for ring in rings]}


def _id(text: str) -> int | str:
    """Return an id as the whole number that COCO uses if the text is one, else the text."""
    plain = text.isascii() and text.isdigit() and (text == "0" or text[0] != "0")
    return int(text) if plain and int(text) < MAX_ID else text
