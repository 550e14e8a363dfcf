"""Label Studio: a JSON list of tasks. Boxes and polygons are in percent of the image, classes of images are `choices`.

The split, regions to ignore, and what else we know of a sample, travel in the task's `meta`; the attributes and the
track of an object in its region's `meta`, its id is the region's. An object of several parts is a region for each, and
each names the first in `meta.part_of` and in `parentID`, by which the tool shows them together; without `part_of` a
`parentID` is a hierarchy and says nothing of one object. An answer that belongs to a region (per-region
choices, texts, numbers, ratings) is an attribute named for its control. Predictions are not labels.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any
from xml.sax.saxutils import quoteattr

from formats.batch import Batch, Reading, right_size
from formats.boxes import Carried, Objects
from formats.documents import as_list, as_meta, as_number, as_object, as_text
from formats.errors import FormatError
from formats.label_studio_names import address_of, image_of
from formats.label_studio_shapes import LABELS, add_region, region_of
from formats.notes import Notes
from formats.paths import RENAMED, Paths
from formats.polygons import rings_of
from formats.registry import register
from formats.samples import MANY_CLASSES, OBJECTS, ONE_CLASS, Annotated, Entry, Item, Size
from formats.spool import Spool
from worker_programs.json_text import write_json

TASKS, CONFIG = "tasks.json", "label_config.xml"
RECTANGLE, POLYGON = "rectanglelabels", "polygonlabels"
OUTLINES = "outline"  # the control that draws polygons, beside the one for boxes
Found = tuple[Mapping[str, Any], str]  # an item of a result, and its place for errors
# Types of answers that may belong to a region: the field of their value, and what joins several texts.
PER_REGION = {
    "choices": ("choices", ", "),
    "textarea": ("text", "\n"),
    "number": ("number", ""),
    "rating": ("rating", ""),
}
_NO_ID = re.compile(r"none-\d+-\d+")  # the region id of an object without an id


@register("label_studio")
class LabelStudio:
    """Label Studio's tasks; the annotation marked as ground truth is the label, else the last one not cancelled."""

    title = "Label Studio JSON"
    forms = frozenset({ONE_CLASS, OBJECTS, MANY_CLASSES})
    from_folders = False

    def recognise(self, batch: Batch) -> str | None:
        """Recognise a JSON list of objects with `data`."""
        for path, value in batch.jsons():
            if _is_tasks(value):
                return f"{path} is a list of Label Studio's tasks"
        return None

    def read(self, batch: Batch) -> Reading:
        """Read every file of tasks."""
        reading = Reading()
        files = dict[str, Any]()
        for path in batch.paths(".json", untyped=True):
            with reading.part(path):
                files[path] = batch.json(path)
        reading.used.update(path for path in batch.documents if PurePosixPath(path).name == CONFIG)
        for path, value in files.items():
            if not _is_tasks(value) and len(files) > 1:
                reading.used.discard(path)
                continue
            with reading.part(path):
                tasks = as_list(value, path)
                for number, task in enumerate(tasks):
                    where = f"{path}, task {number}"
                    with reading.part(path):
                        _Task(as_object(task, where), where, batch, reading).read()
        if not files and not reading.faults:
            raise FormatError("label_studio needs a JSON file of tasks")
        return reading

    def write(self, items: Iterable[Item], *, classes: Sequence[str], form: str, losses: Notes) -> Iterator[Entry]:
        """Write the images under their keys, `tasks.json`, and a labelling interface that fits it."""
        paths, tasks, outlined = Paths(TASKS, CONFIG), Spool(), False
        for number, item in enumerate(items, start=1):
            path = paths.give(item.key)
            if path != item.key:
                losses.add(RENAMED, item.key)
            outlined = outlined or bool(item.label and item.label.get("polygons"))
            tasks.add(write_json(_task(item, path, number, form, losses)))
            yield Entry(path, image=item)
        yield Entry(TASKS, chunks=_list(tasks))
        yield Entry(CONFIG, chunks=[_interface(classes, form, outlined=outlined).encode()])


def _is_tasks(value: Any) -> bool:
    first = value[0] if isinstance(value, list) and value else None
    return isinstance(first, Mapping) and isinstance(first.get("data"), Mapping)


class _Task:
    """Reads one task."""

    def __init__(self, task: Mapping[str, Any], where: str, batch: Batch, reading: Reading) -> None:
        self.task, self.where, self.batch, self.reading = task, where, batch, reading

    def read(self) -> None:
        name = address_of(as_object(self.task.get("data"), f"{self.where}, data"), self.where)
        key = image_of(name, self.batch.index, self.reading.notes, self.where)
        if key is None:
            self.reading.missing(name)
            return
        own = as_meta(self.task.get("meta") or {}, f"{self.where}, meta")
        split = own.pop("split", None)
        if split is not None:
            split = as_text(split, f"{self.where}, meta.split")
        meta = as_meta(own.get("meta") or {}, f"{self.where}, meta.meta")
        if self.task.get("predictions"):
            count = len(as_list(self.task["predictions"], f"{self.where}, predictions"))
            self._leave_out("predictions are not labels and were left out", count)
        label: dict[str, Any] | None = None
        if (result := self._result()) is not None and self._fits(result, key):
            label = self._objects(result, own, key) if self.batch.form == OBJECTS else self._class(result)
        self.reading.add(key, Annotated(label, split, meta), path=self.where)

    def _result(self) -> list[Found] | None:
        """Return the result items of the annotation that counts, or None if nobody annotated the task."""
        given = self.task.get("annotations") or self.task.get("completions") or []
        given = as_list(given, f"{self.where}, annotations")
        annotations = [as_object(one, f"{self.where}, annotations") for one in given]
        counting = [one for one in annotations if not one.get("was_cancelled")]
        cancelled = sum(bool(one.get("was_cancelled") and one.get("result")) for one in annotations)
        self._leave_out("cancelled annotations were left out", cancelled)
        if not counting:
            return None
        chosen = self._chosen(counting)
        where = f"{self.where}, result"
        items = as_list(chosen.get("result") or [], where)
        return [(as_object(item, f"{where}[{number}]"), f"{where}[{number}]") for number, item in enumerate(items)]

    def _chosen(self, annotations: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
        """Return the annotation that is marked as the ground truth, else the last. Raises FormatError for two ground
        truths that differ."""
        truths = [one for one in annotations if one.get("ground_truth")]
        if any(one.get("result") != truths[0].get("result") for one in truths[1:]):
            raise FormatError(
                f"{self.where}: {len(truths)} annotations are marked as ground truth and differ: mark one",
                code="annotations_ambiguous",
            )
        if truths:
            self._leave_out("annotations beside the ground truth were left out", len(annotations) - 1)
            return truths[0]
        self._leave_out("annotations before the last of their task were left out", len(annotations) - 1)
        return annotations[-1]

    def _leave_out(self, what: str, count: int) -> None:
        if count:
            self.reading.notes.leave_out("annotation_left_out", what, self.where, count)

    def _fits(self, result: Sequence[Found], key: str) -> bool:
        for item, where in result:
            if item.get("image_rotation"):
                self.reading.notes.incomplete.add("turned_image", key, len(result))
                return False
            if not right_size(
                _original(item, where), self.batch.known[key], key, self.reading.notes, objects=len(result)
            ):
                return False
        return True

    def _class(self, result: Sequence[Found]) -> dict[str, Any] | None:
        chosen: list[str] = []
        for item, where in result:
            value = as_object(item.get("value") or {}, f"{where}.value")
            if "choices" not in value:
                what = "regions are not kept by a classification dataset"
                self.reading.notes.leave_out("shape_left_out", what, self.where)
                continue
            choices = as_list(value["choices"], f"{where}.value.choices")
            chosen += [as_text(one, f"{where}.value.choices") for one in choices]
        if result and not chosen:
            return None  # nothing was answered about the whole image
        if self.batch.form == MANY_CLASSES:
            return {"classes": list(dict.fromkeys(chosen))}
        if len(set(chosen)) > 1:
            raise FormatError(f"{self.where}: choices {chosen[0]!r} and {chosen[1]!r}: classification takes one")
        return {"class": chosen[0]} if chosen else None

    def _objects(self, result: Sequence[Found], own: Mapping[str, Any], key: str) -> dict[str, Any]:
        notes = self.reading.notes
        size = self.batch.known[key] or next((_original(item, where) for item, where in result), None)
        objects = Objects(size, notes=notes, where=key, pixels=False)
        answers = _answers(result)
        named = {item.get("id") for item, _ in result if item.get("type") == LABELS}
        for item, where in result:
            value = as_object(item.get("value") or {}, f"{where}.value")
            kind = item.get("type")
            if kind in PER_REGION and str(item.get("id")) in answers:
                continue
            region = region_of(item, value)
            if region is None:
                what = f"results of type {str(kind)[:40]!r} are not kept"
                notes.leave_out("annotation_left_out", what, self.where)
            elif kind == region.shape and item.get("id") in named:
                continue  # a separate control has labelled it
            elif size is None:
                raise FormatError(f"{where}: without `original_width` and `original_height` percents are no pixels")
            else:
                carried = _carried(item, answers, where)
                place, part_of = f"{where}.value", _part_of(item)
                add_region(objects, region, value, size, place, notes=notes, carried=carried, part_of=part_of)
        self._ignored(own, objects)
        return objects.label()

    def _ignored(self, own: Mapping[str, Any], objects: Objects) -> None:
        where = f"{self.where}, meta.ignore"
        for number, region in enumerate(as_list(own.get("ignore", []), where)):
            row = as_object(region, f"{where}[{number}]")
            corners = [
                as_number(one, f"{where}[{number}].box") for one in as_list(row.get("box"), f"{where}[{number}].box")
            ]
            if len(corners) != 4:
                raise FormatError(f"{where}[{number}].box: must be [x1, y1, x2, y2]")
            name = as_text(row["class"], f"{where}[{number}].class") if "class" in row else None
            attributes = as_meta(row.get("attributes", {}), f"{where}[{number}].attributes")
            objects.ignore((corners[0], corners[1], corners[2], corners[3]), name=name, attributes=attributes)


def _answers(result: Sequence[Found]) -> dict[str, dict[str, Any]]:
    """Return the answers about each region, by its id: values by the names of their controls."""
    regions = {str(item["id"]) for item, _ in result if "id" in item and item.get("type") not in PER_REGION}
    answers: dict[str, dict[str, Any]] = {region: {} for region in regions}
    for item, where in result:
        kind, region = item.get("type"), str(item.get("id"))
        if kind in PER_REGION and region in answers:
            field, between = PER_REGION[str(kind)]
            given = as_object(item.get("value") or {}, f"{where}.value").get(field)
            if isinstance(given, list) and all(isinstance(one, str) for one in given):
                given = between.join(given)
            answers[region][str(item.get("from_name"))] = given
    return answers


def _carried(item: Mapping[str, Any], answers: Mapping[str, Mapping[str, Any]], where: str) -> Carried:
    """Return the attributes, id and track of a region's object."""
    meta = as_meta(item.get("meta") or {}, f"{where}.meta")
    attributes = dict(as_object(meta.get("attributes") or {}, f"{where}.meta.attributes"))
    note = meta.get("text")
    if note:
        attributes["text"] = "\n".join(map(str, note)) if isinstance(note, list) else note
    attributes |= answers.get(str(item.get("id")), {})
    own = item.get("id")
    named = own if isinstance(own, str) and not _NO_ID.fullmatch(own) else None
    track = meta.get("track")
    return {"attributes": attributes, "id": named, "track": track if isinstance(track, str) else None}


def _part_of(item: Mapping[str, Any]) -> str | None:
    """Return the id of the first region of the object that a region is a part of; None for an object of one region."""
    meta = item.get("meta")
    part_of = meta.get("part_of") if isinstance(meta, Mapping) else None
    return part_of if isinstance(part_of, str) else None


def _original(item: Mapping[str, Any], where: str) -> Size | None:
    width, height = item.get("original_width"), item.get("original_height")
    if width is None or height is None:
        return None
    return round(as_number(width, f"{where}.original_width")), round(as_number(height, f"{where}.original_height"))


def _task(item: Item, path: str, number: int, form: str, losses: Notes) -> dict[str, Any]:
    meta = {"split": item.split} | ({"meta": item.meta} if item.meta else {})
    result: list[dict[str, Any]] = []
    if item.label is not None and form != OBJECTS:
        chosen = item.label["classes"] if form == MANY_CLASSES else [item.label["class"]]
        result = [{"type": "choices", "value": {"choices": chosen}}] if chosen else []
    elif item.label is not None:
        result = [_rectangle(box, item) | _told(box, losses, item.key) for box in item.label["boxes"]]
        for one in item.label.get("polygons", ()):
            result += _polygon(one, item, _told(one, losses, item.key), f"none-{number}-{len(result)}", losses)
        meta |= {"ignore": regions} if (regions := item.label.get("ignore")) else {}
    to = {"from_name": "label", "to_name": "image"}
    named = [{"id": f"none-{number}-{index}"} | to | one for index, one in enumerate(result)]
    annotations = [{"result": named, "was_cancelled": False}] if item.label is not None else []
    return {"id": number, "data": {"image": path}, "meta": meta, "annotations": annotations}


def _told(one: Mapping[str, Any], losses: Notes, key: str) -> dict[str, Any]:
    """Return the fields of a region that store an object's attributes, id and track."""
    meta = {name: one[name] for name in ("attributes", "track") if name in one}
    if _NO_ID.fullmatch(one.get("id", "")):
        losses.add("ids that would be read as those of objects without one", key)
        return {"meta": meta} if meta else {}
    return ({"id": one["id"]} if "id" in one else {}) | ({"meta": meta} if meta else {})


def _rectangle(box: Mapping[str, Any], item: Item) -> dict[str, Any]:
    x1, y1, x2, y2 = box["box"]
    width, height = _sized(item)
    value = {"x": x1 / width * 100, "y": y1 / height * 100, "width": (x2 - x1) / width * 100,
             "height": (y2 - y1) / height * 100, "rotation": 0, "rectanglelabels": [box["class"]]}  # fmt: skip
    return {"type": RECTANGLE, "value": value} | _original_size(item)


def _polygon(
    polygon: Mapping[str, Any], item: Item, told: Mapping[str, Any], unnamed: str, losses: Notes
) -> list[dict[str, Any]]:
    """Return the regions of an object, one for each part; `unnamed` is the id of the first if it has none."""
    width, height = _sized(item)
    regions: list[dict[str, Any]] = []
    for ring in rings_of(polygon):
        points = [[x / width * 100, y / height * 100] for x, y in ring]
        value = {"points": points, "closed": True, "polygonlabels": [polygon["class"]]}
        regions.append({"from_name": OUTLINES, "type": POLYGON, "value": value} | _original_size(item))
    regions[0] |= told
    if len(regions) > 1:
        losses.add("objects of several parts: Label Studio shows a region for each part", item.key)
        first = regions[0].setdefault("id", unnamed)
        regions[0]["meta"] = regions[0].get("meta", {}) | {"part_of": first}
        for region in regions[1:]:
            region |= {"parentID": first, "meta": {"part_of": first}}
    return regions


def _original_size(item: Item) -> dict[str, int]:
    width, height = _sized(item)
    return {"original_width": width, "original_height": height, "image_rotation": 0}


def _sized(item: Item) -> Size:
    if item.size is None:
        raise FormatError(f"the size of {item.key!r} is not known, and Label Studio's shapes are relative to it")
    return item.size


def _list(tasks: Spool) -> Iterator[bytes]:
    yield b"[\n"
    yield from tasks.chunks()
    yield b"\n]\n"


def _interface(classes: Sequence[str], form: str, *, outlined: bool) -> str:
    if form == OBJECTS:
        controls = _control("RectangleLabels", "Label", "label", classes)
        controls += _control("PolygonLabels", "Label", OUTLINES, classes) if outlined else ""
    else:
        controls = _control("Choices", "Choice", "label", classes, 'choice="multiple" ' if form == MANY_CLASSES else "")
    return f'<View>\n  <Image name="image" value="$image"/>\n{controls}</View>\n'


def _control(outer: str, inner: str, name: str, classes: Sequence[str], more: str = "") -> str:
    options = "".join(f"\n    <{inner} value={quoteattr(one)}/>" for one in classes)
    return f'  <{outer} name="{name}" {more}toName="image">{options}\n  </{outer}>\n'
