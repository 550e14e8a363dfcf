"""Every export is read by the readers that people have, counted and compared box by box.

`make bench-readers` prints the table: format, reader, images and boxes written and read. (datumaro's reader of image
folders takes no empty one, without which torchvision would number the classes otherwise: supervision reads those here.)
"""

import json
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from tests.datasets.readers import stock
from tests.datasets.readers.environment import readers_python
from tests.datasets.readers.stock import READERS

import formats
from formats import OBJECTS, ONE_CLASS, Item, Notes

SIZE = (120, 80)
CLASSES = ["car", "dog", "traffic light"]
# Format, reader, and how near corners come back, in pixels: some readers round, VOC's shift by one.
CASES = [
    ("coco", "pycocotools", 1e-6), ("coco", "datumaro", 0.02), ("coco", "supervision", 0.02),
    ("voc", "datumaro", 0.02), ("voc", "supervision", 1.0),
    ("yolo", "datumaro", 0.02), ("yolo", "supervision", 0.02),
    ("kitti", "datumaro", 0.02), ("label_studio", "label-studio-sdk", 0.02),
    ("cvat", "datumaro", 0.02), ("labelme_xml", "datumaro", 0.02), ("open_images", "datumaro", 0.02),
    ("image_folder", "supervision", 0),
]  # fmt: skip


def samples(kind: str) -> Iterator[Item]:
    """Forty images in nested folders that share names, in three splits and the pool, with one to four boxes."""
    for number in range(40):
        split = ("train", "val", "test", "pool")[number % 4]
        key = f"drive {number % 3}/cam/{number:02}.png"
        boxes = [
            {"class": CLASSES[(number + one) % 3], "box": [one * 20 + 0.5, 5.25, one * 20 + 15.75, 40.0 + one]}
            for one in range(1 + number % 4)
        ]
        label: Any = {"class": CLASSES[number % 2]} if kind == "image_folder" else {"boxes": boxes}
        yield Item(key, SIZE, split, None if split == "pool" else label, {}, "image/png")


def export(kind: str, folder: Path, items: Iterable[Item]) -> dict[str, tuple[str, Any]]:
    """Write samples below a folder; returns of each image's stem its split and what was said of it."""
    told, held = {}, ONE_CLASS if kind == "image_folder" else OBJECTS
    for entry in formats.write(kind, items, classes=CLASSES, form=held, losses=Notes()):
        place = folder / entry.path
        place.parent.mkdir(parents=True, exist_ok=True)
        if entry.path.endswith("/"):
            place.mkdir(exist_ok=True)
        elif entry.image is None:
            place.write_bytes(b"".join(entry.chunks))
        else:
            Image.new("RGB", SIZE).save(place, "PNG")
            told[place.stem] = (entry.image.split, entry.image.label)
    return told


def read(kind: str, reader: str, folder: Path) -> dict[str, list[list[Any]]]:
    words = [str(readers_python()), stock.__file__, str(folder), kind, reader]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    found: dict[str, list[list[Any]]] = json.loads(done.stdout)
    return found


def expected(label: Any) -> list[list[Any]]:
    if label is None:
        return []
    return [[label["class"]]] if "class" in label else [[one["class"], *one["box"]] for one in label["boxes"]]


def compare(kind: str, reader: str, near: float, folder: Path) -> tuple[int, int, int, int]:
    """Images and boxes written and read of those with a label. Fails where a box differs."""
    told = export(kind, folder, samples(kind))
    found = read(kind, reader, folder)
    labelled = {stem: label for stem, (_, label) in told.items() if label is not None}
    written = sum(len(expected(label)) for label in labelled.values())
    assert labelled.keys() <= found.keys(), (kind, reader, sorted(labelled.keys() - found.keys()))
    for stem, label in labelled.items():
        wanted, rows = expected(label), sorted(found[stem], key=lambda row: row[1:])
        names = [row[0].replace(" ", "_") if kind == "kitti" else row[0] for row in wanted]
        assert [row[0] for row in rows] == names, (stem, rows, wanted)
        for one, other in zip(rows, wanted, strict=True):
            assert all(abs(a - b) <= near for a, b in zip(one[1:], other[1:], strict=True)), (stem, one, other)
    assert not any(found.get(stem) for stem, (_, label) in told.items() if label is None)
    return len(labelled), written, len(labelled), sum(len(found[stem]) for stem in labelled)


@pytest.mark.clock
@pytest.mark.timeout(1200)
@pytest.mark.parametrize(("kind", "reader", "near"), CASES)
def test_a_reader_finds_every_box_where_it_was(kind: str, reader: str, near: float, tmp_path: Path) -> None:
    images, boxes, read_images, read_boxes = compare(kind, reader, near, tmp_path)
    print(f"{kind:14}{reader:18}{images:4} images {boxes:4} boxes written {read_images:4} {read_boxes:4} read")  # noqa: T201
    assert (images, boxes) == (read_images, read_boxes)


def test_every_reader_that_is_named_is_there() -> None:
    assert {reader for _, reader, _ in CASES} | {"datumaro-attributes"} == set(READERS)


@pytest.mark.clock
@pytest.mark.timeout(1200)
def test_datumaro_reads_the_attributes_of_voc(tmp_path: Path) -> None:
    marks = {"colour": "red & <blue>", "truncated": 0.25, "occluded": 2, "parked": True, "pose": "Left", "doors": 4}
    box = {"class": "car", "box": [0.0, 0.0, 9.0, 9.0], "attributes": marks}
    export("voc", tmp_path, [Item("a.png", SIZE, "train", {"boxes": [box]}, {}, "image/png")])
    told = dict(read("voc", "datumaro-attributes", tmp_path)["a"])
    assert told == {
        "colour": "red & <blue>", "truncated": "0.25", "occluded": "2", "parked": "true", "pose": "Left", "doors": "4",
        "difficult": "False",
    }  # fmt: skip
