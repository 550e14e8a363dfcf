"""COCO: `images/<split>/` with `annotations/instances_<split>.json`. Boxes are [x, y, width, height] in pixels.

`instances_<split>.json` describes labelled images and `image_info_<split>.json`, whose `annotations` are empty, those
without labels, as COCO itself does it. An object's `attributes` are where CVAT puts them, its track is `track_id`, its
id that of its annotation. Where that can't be (COCO's are whole numbers, once in a file) `object_id` says it, null for
an object without one. Ours are `key` and `meta` of an image, and `ignore` for the regions that no category names: the
others are annotations with `iscrowd`.

An annotation whose `segmentation` is polygons is read as one object of these parts, a mask as the outlines of its
pieces if none has holes, any other as its box. Tools that know boxes alone write the four corners of the box there:
that is a box. A polygon that is such a rectangle is written closed, its first point again at the end, and so comes back
as what it was. Whether an annotation with `iscrowd` is a region to ignore, `coco_crowds` decides.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from formats.batch import Batch, Reading
from formats.coco_reading import CocoFile
from formats.coco_writing import Sheet
from formats.errors import FormatError
from formats.notes import Notes
from formats.paths import Paths
from formats.registry import register
from formats.samples import MANY_CLASSES, OBJECTS, ONE_CLASS, Entry, Item

INSTANCES, BARE = "instances", "image_info"
OTHERS = ("panoptic", "captions", "stuff", "labels")  # kinds of files, by the beginning of their names
SHEET = "annotations/{}_{}.json"


@register("coco")
class Coco:
    """Several files may describe one batch, each a different kind of annotation."""

    title = "COCO JSON"
    forms = frozenset({ONE_CLASS, OBJECTS, MANY_CLASSES})
    from_folders = False

    def recognise(self, batch: Batch) -> str | None:
        """Recognise a JSON object of images and categories."""
        found = [path for path, value in batch.jsons() if _is_coco(value)]
        return f"{found[0]} has COCO's `images` and `categories`" if found else None

    def read(self, batch: Batch) -> Reading:
        """Read every COCO file that holds labels of the batch's form; files of unlabelled images come last."""
        reading, files = Reading(), dict[str, Mapping[str, Any]]()
        for path in batch.paths(".json", untyped=True):
            with reading.part(path):
                files[path] = batch.json(path)
        others = {path for path, value in files.items() if not _is_coco(value)}
        reading.used -= others
        if not reading.used:
            raise FormatError("coco needs a JSON file with `images`, `annotations` and `categories`")
        sides = {path: _side(path, value) for path, value in files.items() if path not in others}
        wanted = _wanted(set(sides.values()), batch.form)
        for path, side in sorted(sides.items(), key=lambda item: (item[1] == BARE, item[0])):
            if side not in wanted:
                reading.notes.leave_out("file_left_out", f"files of {side} were passed over", path)
                continue
            with reading.part(path):
                CocoFile(path, files[path], batch, reading, bare=side == BARE).read()
        return reading

    def write(self, items: Iterable[Item], *, classes: Sequence[str], form: str, losses: Notes) -> Iterator[Entry]:
        """Write the images under their keys in a folder for each split, and up to two files for each split."""
        paths, sheets = Paths(), dict[str, Sheet]()
        for number, item in enumerate(items, start=1):
            path = paths.place(item, "images", item.split)
            name = SHEET.format(BARE if item.label is None else INSTANCES, item.split)
            sheet = sheets.setdefault(name, Sheet(classes, form))
            sheet.add(item, path.removeprefix(f"images/{item.split}/"), number, losses)
            yield Entry(path, image=item)
        for name, sheet in sheets.items():
            yield Entry(name, chunks=sheet.chunks())


def _is_coco(value: Any) -> bool:
    if not isinstance(value, Mapping) or not isinstance(value.get("images"), list):
        return False
    return isinstance(value.get("categories"), list) or "annotations" not in value


def _side(path: str, value: Mapping[str, Any]) -> str:
    """Return the kind of annotations in a file, from its name as COCO has it and from its first annotation."""
    stem = PurePosixPath(path).stem
    rows = value.get("annotations")
    if rows is None or (not rows and stem.startswith(BARE)):
        return BARE
    first = rows[0] if isinstance(rows, list) and rows and isinstance(rows[0], Mapping) else {}
    if "segments_info" in first:
        return "panoptic"
    if "caption" in first and not {"bbox", "segmentation"} & first.keys():
        return "captions"
    categories = value.get("categories") or []
    if categories and all(isinstance(one, Mapping) and "keypoints" in one for one in categories):
        return "keypoints"
    named = next((side for side in OTHERS if stem.startswith(side)), INSTANCES)
    return named if named != "labels" or not {"bbox", "segmentation"} & first.keys() else INSTANCES


def _wanted(sides: set[str], form: str) -> set[str]:
    """Return the kinds of files to read: objects, or classes of whole images if the form asks for these; else the next
    best."""
    best = (INSTANCES, "keypoints", "stuff", "labels")
    order = best if form == OBJECTS else ("labels", *best)
    return {next((side for side in order if side in sides), INSTANCES), BARE}
