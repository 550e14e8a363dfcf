"""The classes that a folder or an archive of images tells by itself, so that nobody has to type them.

(`known-classes.ts` and `plan.ts` are the same rule for browsers; tests compare them.)
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from formats.class_lists import composed, listed_names, yaml_names
from formats.documents import iter_csv, iter_xml, parse_json, parse_text, parse_yaml
from formats.errors import FormatError
from formats.kinds.kitti import DONT_CARE, is_line, name_of
from formats.kinds.open_images import DESCRIPTIONS
from formats.kinds.table import CLASSES, CORNERS, DELIMITERS, FILES, HEAD_BYTES, LINE_END
from formats.kinds.yolo import NAMES
from formats.splits import LAYOUT, SplitNames

MOST_BYTES = 30_000_000
MOST_FILES = 5000
"""A larger annotation file is not read for its classes, nor are more files than this."""
KITTI_LABELS = re.compile(r"label_[0-3]", re.IGNORECASE)

Names = Iterator[tuple[str, bool]]
"""Classes, each with whether it is one of objects; otherwise it is one of whole images."""


@dataclass(frozen=True, slots=True)
class ToldClasses:
    """Classes in the order in which they were found, and the places that told them: folders or annotation files.
    `objects` says that they are of objects in images; `unread` are annotation files that were not read for classes,
    `faults` why those of them were not that are broken."""

    names: list[str]
    places: list[str]
    from_folders: bool
    objects: bool
    unread: list[str]
    faults: list[str] = field(default_factory=list)
    splits: list[str] = field(default_factory=list)
    """Folders of images that were taken for splits, although they are beside folders of classes."""

    @property
    def alike(self) -> list[list[str]]:
        """Names that differ in case or spaces alone, group by group: each would be a class of its own."""
        groups: dict[str, list[str]] = {}
        for name in self.names:
            groups.setdefault("".join(name.casefold().split()), []).append(name)
        return [group for group in groups.values() if len(group) > 1]


def told_classes(images: Iterable[str], documents: Iterable[tuple[str, int, Callable[[], bytes]]]) -> ToldClasses:
    """Find the classes that images, by path, and annotation files, as (path, bytes, their reader), tell. Folders are
    classes unless annotation files name others: `cam_left/1.jpg` beside COCO's categories says where, not what. Nor is
    one alone a class: `photos/` says nothing of what is in them."""
    told, places, unread, faults, read = dict[str, bool](), list[str](), list[str](), list[str](), 0
    images, documents = list(images), list(documents)
    for path, size, data in sorted((one for one in documents if _may_tell(one[0])), key=lambda one: one[0]):
        if size > MOST_BYTES or read >= MOST_FILES:
            unread.append(path)
            continue
        read += 1
        try:
            found = [(composed(name), objects) for name, objects in _names_in(path, data()) if name]
        except FormatError as error:
            unread.append(path)
            faults.append(str(error))
            continue
        places += [path] if found else []
        for name, objects in found:
            told[name] = told.get(name, False) or objects
    folders, splits = _folders(images, SplitNames(images, (path for path, _, _ in documents)))
    if folders.keys() & told.keys() or (not told and len(folders) > 1):
        return ToldClasses(
            list(folders | told), list(folders.values()), from_folders=True, objects=False, unread=unread,
            faults=faults, splits=splits,
        )  # fmt: skip
    objects = any(told.values())
    return ToldClasses(list(told), places, from_folders=False, objects=objects, unread=unread, faults=faults)


def _folders(images: Iterable[str], names: SplitNames) -> tuple[dict[str, str], list[str]]:
    """Return the innermost folders that may be classes, by name, each with the path at which it came first; and those
    beside them that were taken for splits. A folder that is a split's or a layout's is not a class."""
    found, splits = dict[str, str](), list[str]()
    for folder in dict.fromkeys(path.rpartition("/")[0] for path in images):
        name = composed(folder.rpartition("/")[2])
        if not name or LAYOUT.fullmatch(name):
            continue
        if names.folder(folder) is None or names.may_be_class(folder):
            found.setdefault(name, f"{folder}/")
        elif names.beside_others(folder):
            splits.append(f"{folder}/")
    return {name: found[name] for name in sorted(found, key=_natural)}, splits


def _natural(name: str) -> tuple[list[tuple[bool, int, str]], str]:
    parts = re.split(r"([0-9]+)", name.casefold())
    return [(not part.isdecimal(), int(part) if part.isdecimal() else 0, part) for part in parts if part], name


def _may_tell(path: str) -> bool:
    """Whether the file may name classes: YOLO's texts about one image hold their numbers, KITTI's their names."""
    place = PurePosixPath(path)
    return place.suffix.lower() != ".txt" or place.name in NAMES or _of_kitti(place)


def _of_kitti(place: PurePosixPath) -> bool:
    return KITTI_LABELS.fullmatch(place.parent.name) is not None


def _names_in(path: str, data: bytes) -> Names:
    """Yield the classes that an annotation file names; none for another file. Raises FormatError."""
    place = PurePosixPath(path)
    suffix = place.suffix.lower()
    if place.name in NAMES or suffix == ".names":
        lines = [line.strip() for line in parse_text(path, data).splitlines() if line.strip()]
        yield from ((name, True) for name in listed_names(lines, path=path).values())
    elif suffix == ".txt":
        rows = (line.split() for line in parse_text(path, data).splitlines())
        yield from ((name_of(words), True) for words in rows if is_line(words) and words[0] != DONT_CARE)
    elif suffix in {".yaml", ".yml"}:
        yield from ((name, True) for name in _yolo(path, parse_yaml(path, data)))
    elif suffix == ".json":
        yield from _json(parse_json(path, data))
    elif suffix in {".jsonl", ".ndjson"}:
        for line in filter(bytes.strip, data.splitlines()):
            yield from _label(_field(parse_json(path, line), "label"))
    elif suffix == ".xml":
        yield from ((name, True) for name in _xml(path, data))
    elif suffix == ".csv":
        yield from _table(path, data)


def _yolo(path: str, document: Any) -> list[str]:
    names = yaml_names(document, path=path) if isinstance(document, Mapping) else None
    return [name for _, name in sorted((names or {}).items())]


def _json(document: Any) -> Names:
    """COCO's categories, LabelMe's shapes, the answers to Label Studio's tasks, or one sample's label."""
    if isinstance(document, list):
        for task in document:
            yield from _label_studio(task)
        return
    boxed = any("bbox" in one or "segmentation" in one for one in _items(document, "annotations"))
    objects = boxed or not _items(document, "annotations")
    yield from ((name, objects) for name in _texts(_items(document, "categories"), "name"))
    yield from ((name, True) for name in _texts(_items(document, "shapes"), "label"))
    yield from _label(_field(document, "label"))


def _label_studio(task: Any) -> Names:
    for answer in _items(task, "annotations"):
        for part in _items(answer, "result"):
            value = _field(part, "value")
            for kind in ("rectanglelabels", "polygonlabels", "choices"):
                said = _field(value, kind)
                names = said if isinstance(said, list) else [said]
                yield from ((name, kind != "choices") for name in names if isinstance(name, str))


def _label(label: Any) -> Names:
    """The classes of a label as JSONL holds it."""
    several = _field(label, "classes")
    for name in [_field(label, "class"), *(several if isinstance(several, list) else ())]:
        if isinstance(name, str):
            yield name, False
    for kind in ("boxes", "polygons"):
        yield from ((name, True) for name in _texts(_items(label, kind), "class"))


def _xml(path: str, data: bytes) -> Iterator[str]:
    """The objects of VOC and of LabelMe's web page, and the labels that CVAT's XML begins with."""
    for node in iter_xml(path, data):
        if node.tag == "object" and (name := node.find("name")) is not None:
            yield name.text.strip()
        for task in [*node.all("task"), *node.all("job"), *node.all("project")] if node.tag == "meta" else ():
            for labels in task.all("labels"):
                yield from (name.text.strip() for label in labels.all("label") for name in label.all("name"))


def _table(path: str, data: bytes) -> Names:
    """A table's column of classes, or the names in Open Images' list of codes."""
    if PurePosixPath(path).name.startswith(DESCRIPTIONS):
        yield from ((row[1].strip(), True) for _, row in iter_csv(path, data) if len(row) > 1)
        return
    first = LINE_END.split(data[:HEAD_BYTES], maxsplit=1)[0]
    for delimiter in DELIMITERS:
        columns = [name.strip().lower() for name in parse_text(path, first).split(delimiter)]
        at = next((columns.index(name) for name in CLASSES if name in columns), None)
        if at is not None and any(name in columns for name in FILES):
            objects = any(sides[0] in columns for sides in CORNERS)
            rows = (row for _, row in iter_csv(path, data, delimiter=delimiter))
            next(rows)
            yield from ((row[at].strip(), objects) for row in rows if len(row) > at)
            return


def _field(document: Any, name: str) -> Any:
    return document.get(name) if isinstance(document, Mapping) else None


def _items(document: Any, name: str) -> list[Mapping[str, Any]]:
    found = _field(document, name)
    return [one for one in found if isinstance(one, Mapping)] if isinstance(found, list) else []


def _texts(items: Iterable[Mapping[str, Any]], name: str) -> Iterator[str]:
    return (one[name] for one in items if isinstance(one.get(name), str))
