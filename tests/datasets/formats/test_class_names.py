"""Classes that a folder or an archive tells by itself."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from formats.class_names import MOST_BYTES, MOST_FILES, ToldClasses, told_classes
from formats.kinds.yolo import NAMES
from formats.splits import LAYOUT

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "frontend/src/features/datasets/create"
COCO = {"images": [], "annotations": [{"bbox": [0, 0, 1, 1]}], "categories": [{"id": 1, "name": "gear"}, {"id": 2}]}
TASKS = [
    {"annotations": [{"result": [{"value": {"rectanglelabels": ["nut"]}}, {"value": {"choices": ["good", "bad"]}}]}]},
    {"data": {}},
]
KITTI = "0 0 0 1 1 5 5 1 1 1 0 0 0 0"
CVAT = (
    "<annotations><meta><task><name>t</name><labels><label><name>nut</name><attributes><attribute><name>size</name>"
    "</attribute></attributes></label></labels></task></meta></annotations>"
)
VOC = "<annotation><object><pose>x</pose><name>nut</name><part><name>thread</name></part></object></annotation>"


def told(images: list[str], documents: dict[str, str]) -> ToldClasses:
    return told_classes(images, [(path, len(text), text.encode) for path, text in documents.items()])


@pytest.mark.parametrize(
    ("path", "text", "names", "objects"),
    [
        ("a/classes.txt", "nut\r\nbolt\n\n", ["nut", "bolt"], True),
        ("obj.names", "nut\nbolt", ["nut", "bolt"], True),
        ("data.yaml", "nc: 2\nnames: ['a b', \"c\"]\n", ["a b", "c"], True),
        ("data.yaml", "names:\n  0: nut\n  1: bolt\nnc: 2\n", ["nut", "bolt"], True),
        ("data.yml", "names:\n- nut\n- 7\n", ["nut", "7"], True),
        ("instances.json", json.dumps(COCO), ["gear"], True),
        ("labels.json", json.dumps(COCO | {"annotations": [{"category_id": 1}]}), ["gear"], False),
        ("1.json", '{"shapes": [{"label": "nut", "points": []}, {"label": 3}], "imagePath": "1.png"}', ["nut"], True),
        ("tasks.json", json.dumps(TASKS), ["nut", "good", "bad"], True),
        ("tasks.json", json.dumps(TASKS).replace("rectanglelabels", "choices"), ["nut", "good", "bad"], False),
        ("1.xml", VOC, ["nut"], True),
        ("annotations.xml", CVAT, ["nut"], True),
        ("t.csv", 'image_id,label\n0a,nut\n0b,"a, b ""c"""\n0c,nut\n0d,\n', ["nut", 'a, b "c"'], False),
        ("t.csv", "Filename;Class\r\n1.jpg;nut\r\n", ["nut"], False),
        ("t.csv", "filename,class,xmin,ymin,xmax,ymax\n1.jpg,nut,1,2,3,4\n", ["nut"], True),
        ("annotations/class-descriptions-boxable.csv", '/m/1,"a, b"\n/m/2,nut\n', ["a, b", "nut"], True),
        ("label_2/1.txt", f"traffic light {KITTI}\n7 {KITTI} 0.5\nDontCare {KITTI}\n", ["traffic light", "7"], True),
        ("label_2/1.txt", f"class 7 {KITTI}\nclass 8 {KITTI} 0.5\n", ["class 7", "class 8"], True),
        ("s.jsonl", '{"key": "a", "label": {"class": "nut"}}\n\n{"key": "b"}\n', ["nut"], False),
        ("s.jsonl", '{"label": {"boxes": [{"class": "nut"}], "polygons": [{"class": "a"}]}}', ["nut", "a"], True),
    ],
)  # fmt: skip
def test_annotation_files_tell_their_classes(path: str, text: str, names: list[str], objects: Any) -> None:
    assert told(["cam_left/1.jpg"], {path: text}) == ToldClasses(
        names, [path], from_folders=False, objects=objects, unread=[]
    )


@pytest.mark.parametrize(
    ("path", "text"),
    [("a.json", "[1]"), ("a.json", "null"), ("a.yaml", "x: 1"), ("a.csv", "a,b\n1,2\n"), ("a.csv", "class\nnut\n"),
     ("a.csv", 'x,"a, b"\n'),
     ("a.csv", ""), ("a.txt", "nut"), ("labels/a.txt", "0 0.5 0.5 1 1"),
     ("label_2/a.txt", "0 0.5 0.5 1 1"), ("README.md", "nut"), ("a.jsonl", "[]"), ("a.xml", "<a><b/></a>")],
)  # fmt: skip
def test_another_document_tells_none(path: str, text: str) -> None:
    assert told([], {path: text}) == ToldClasses([], [], from_folders=False, objects=False, unread=[])


def test_a_broken_or_large_file_is_counted_and_the_others_are_read() -> None:
    large = ("large.json", MOST_BYTES + 1, lambda: pytest.fail("it is too large to be read"))
    found = told_classes([], [large, ("broken.json", 1, lambda: b"{"), ("classes.txt", 3, lambda: b"nut")])
    assert (found.names, found.unread) == (["nut"], ["broken.json", "large.json"])


def test_folders_are_classes_unless_annotation_files_name_others() -> None:
    images = ["train/10/a.jpg", "train/9/a.jpg", "val2017/Ca, t/ü b.png", "test/1.jpg", "2.jpg", "images/3.jpg"]
    found = told(images, {})
    assert (found.names, found.from_folders, found.objects) == (["9", "10", "Ca, t"], True, False)
    assert found.places == ["train/9/", "train/10/", "val2017/Ca, t/"]
    assert told(["cat/1.jpg", "dog/1.jpg"], {"classes.txt": "dog\nbird"}).names == ["cat", "dog", "bird"]
    assert told(["cam_left/1.jpg"], {"classes.txt": "car"}).names == ["car"]
    assert told(["train/photos/1.jpg", "test/photos/2.jpg"], {}).names == []
    assert told(["photos/1.jpg"], {"classes.txt": "photos"}).names == ["photos"]
    assert told(["images/train/1.jpg", "JPEGImages/2.jpg", "image_2/1.png", "pool/1.png"], {}).names == []


def test_the_page_that_makes_a_dataset_reads_by_the_same_rule() -> None:
    known, plan = (PAGE / "known-classes.ts").read_text(), (PAGE / "split-names.ts").read_text()
    limits = {
        name: int(text.replace("_", "")) for name, text in re.findall(r"^export const (\w+) = ([\d_]+)$", known, re.M)
    }
    assert limits == {"mostBytes": MOST_BYTES, "mostFiles": MOST_FILES}
    layout = re.search(r"^const layoutName = /\^\((.*)\)\$/i$", plan, re.M)
    assert layout is not None
    assert layout[1] == LAYOUT.pattern
    lists = re.search(r"^const listName = .*\(([\w|]+)\)\\\.txt\$/$", known, re.M)
    assert lists is not None
    assert {f"{name}.txt" for name in lists[1].split("|")} == NAMES
