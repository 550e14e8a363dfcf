"""Documents that mean harm, or are nonsense, are refused with their place, quickly and for little memory."""

import json
import re
import time

import pytest
from tests.datasets.formats.datasets import fault_in
from tests.datasets.formats.layouts import KITTI, SIZE, XML, coco, task

from formats import OBJECTS, Batch

LAUGHS = '<!DOCTYPE lolz [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]><annotation>&b;</annotation>'
OUTSIDE = '<!DOCTYPE a SYSTEM "file:///etc/passwd"><annotation></annotation>'
ENTITY = '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><annotation><filename>&x;</filename></annotation>'


def coco_with(**more: object) -> str:
    return json.dumps(json.loads(coco("a.jpg")) | more)


def image(**more: object) -> str:
    return coco_with(images=[{"id": 1, "file_name": "a.jpg"} | more])


def note(**more: object) -> str:
    return coco_with(annotations=[{"id": 1, "image_id": 1, "category_id": 1, "bbox": [1, 2, 3, 4]} | more])


def result(**more: object) -> str:
    made = task("a.jpg")
    made["annotations"][0]["result"][0]["value"] |= more
    return json.dumps([made])


def laughs_in_yaml() -> str:
    return "a: &a [x, x]\n" + "".join(f"b{n}: &b{n} [*a, *a]\n" for n in range(40)) + "names: *b1\n"


CASES = [
    ("voc", "a.xml", LAUGHS, "line 1: document types"),
    ("voc", "a.xml", OUTSIDE, "document types"),
    ("voc", "a.xml", ENTITY, "document types"),
    ("voc", "a.xml", "<annotation>" + "<a>" * 100, "nested too deeply"),
    ("voc", "a.xml", "<annotation>", "line 1: column 13: not XML"),
    ("voc", "a.xml", "<other/>", "root is <other>"),
    ("voc", "a.xml", '<?xml version="1.0" encoding="utf-99"?><annotation/>', "not XML"),
    ("voc", "a.xml", XML.replace("<xmin>10</xmin>", ""), "<bndbox> has no <xmin>"),
    ("voc", "a.xml", XML.replace(">10<", ">nan<"), "out of any range"),
    ("voc", "a.xml", XML.replace(">10<", ">ten<"), "'ten' is not a number"),
    ("voc", "a.xml", XML.replace("<name>car</name>", ""), "<object> has no <name>"),
    ("voc", "a.xml", "<annotation>" + " " * (5 << 20) + "</annotation>", "more than 4194304 bytes"),
    ("coco", "a.json", "[" * 5000, "not JSON"),
    ("coco", "a.json", "[]", "coco needs a JSON file"),
    ("coco", "a.json", coco("a.jpg").replace("10, 5, 20, 20", "NaN, 5, 20, 20"), "line 1, column .*: not JSON"),
    ("coco", "a.json", coco("a.jpg").replace("10, 5, 20, 20", "1e99, 5, 20, 20"), "out of any range"),
    (
        "coco",
        "a.json",
        coco("a.jpg").replace("10, 5, 20, 20", "true, 5, 20, 20"),
        "must be a number, not a truth value",
    ),
    ("coco", "a.json", note(bbox=[1, 2, 3]), r"annotations\[0\].bbox: must be \[x, y, width, height\]"),
    ("coco", "a.json", note(bbox="abcd"), "must be a list, not a string"),
    ("coco", "a.json", note(category_id=7), "there is no category 7"),
    ("coco", "a.json", note(category_id={}), "must be a whole number"),
    ("coco", "a.json", note(image_id=[1]), "must be a whole number"),
    ("coco", "a.json", note(attributes=[1]), "must be an object, not a list"),
    ("coco", "a.json", image(file_name=None), r"images\[0\].file_name: must be a string, not null"),
    ("coco", "a.json", image(file_name="a\0.jpg"), "control characters"),
    ("coco", "a.json", image(meta={"a": "\0"}), "holds a NUL character"),
    ("coco", "a.json", image(width="wide", height=1), "width: must be a number"),
    ("coco", "a.json", coco_with(categories=[{"id": 1, "name": 3}]), r"categories\[0\].name: must be a string"),
    ("coco", "a.json", coco_with(annotations={}), "annotations: must be a list, not an object"),
    ("coco", "a.json", coco_with(annotations=[3]), r"annotations\[0\]: must be an object, not a number"),
    ("yolo", "data.yaml", laughs_in_yaml(), "aliases are not taken"),
    ("yolo", "data.yaml", "names: !!python/object/apply:os.system ['true']", "not YAML"),
    ("yolo", "data.yaml", "[" * 100, "nested too deeply"),
    ("yolo", "data.yaml", "names: {0: car, x: dog}", "'x' is not a number of a class"),
    ("yolo", "data.yaml", "names: {0: car, 00: dog}", "the number 0 twice"),
    ("yolo", "data.yaml", "names: {0: car, 0: dog}", "'0' stands twice"),
    ("yolo", "data.yaml", "names: [car, dog, car]", "classes 0 and 2 have one name, 'car'"),
    ("yolo", "data.yaml", "nc: 3\nnames: [car, dog]", "`nc` is 3, and `names` has 2 classes"),
    ("yolo", "data.yaml", "nc: two\nnames: [car, dog]", "`nc` must be the number of classes"),
    ("yolo", "data.yaml", "names: [car, '']", "class 1 has an empty name"),
    ("yolo", "data.yaml", "names: [car]\ntask: paint", "`task` must be one of"),
    ("yolo", "data.yaml", "names: [car]\nkpt_shape: [17, 4]", "`kpt_shape` must be like"),
    ("yolo", "data.yaml", "names: [car]\nrows: box score", "`rows` must be box, polygon or pose"),
    ("yolo", "data.yaml", "names: [car]\nval: [[gone.txt]]", "the list 'gone.txt' for val, which is not here"),
    ("yolo", "classes.txt", "car\ndog\ncar\n", "classes 0 and 2 have one name, 'car'"),
    ("yolo", "data.yaml", "names: 3", "must be a list"),
    ("yolo", "data.yaml", "{[]: 1}", "not YAML"),
    ("yolo", "a.txt", "0 0.5 0.5 0.1", "a.txt, line 1: 4 values"),
    ("yolo", "a.txt", "0 0.5 0.5 0.1 0.1\n7 0.5 0.5 0.1 0.1", "a.txt, line 2: '7' is not a number of one of the 2"),
    ("yolo", "a.txt", "-1 0.5 0.5 0.1 0.1", "is not a number"),
    ("yolo", "a.txt", "9" * 5000 + " 0.5 0.5 0.1 0.1", "is not a number"),
    ("yolo", "a.txt", "0 nan 0.5 0.1 0.1", "out of any range"),
    ("yolo", "a.txt", "0 1e400 0.5 0.1 0.1", "out of any range"),
    ("kitti", "a.txt", "car 1 2 3", "a.txt, line 1: 4 values instead of 15"),
    ("kitti", "a.txt", KITTI.replace("10 5", "inf 5"), "out of any range"),
    ("kitti", "a.txt", "\xff\xfe", "a.txt, line 1"),
    ("label_studio", "a.json", "{}", "must be a list, not an object"),
    ("label_studio", "a.json", '[{"data": 3}]', "data: must be an object"),
    ("label_studio", "a.json", '[{"data": {}}]', "no field is the address of an image"),
    ("label_studio", "a.json", '[{"data": {"image": "http://[x"}}]', "is not an address"),
    ("label_studio", "a.json", result(x="left"), "value.x: must be a number"),
    ("label_studio", "a.json", result(rectanglelabels=[["car"]]), "must be a string, not a list"),
    ("label_studio", "a.json", json.dumps([task("a.jpg", annotations="yes")]), "annotations: must be a list"),
    ("label_studio", "a.json", json.dumps([task("a.jpg", meta={"split": 3})]), "meta.split: must be a string"),
]


@pytest.mark.parametrize(("name", "path", "text", "words"), CASES)
def test_a_bad_document_is_refused_with_its_place(name: str, path: str, text: str, words: str) -> None:
    data = text.encode("latin-1") if "\xff" in text else text.encode()
    started = time.monotonic()
    told = str(fault_in(name, Batch({"a.jpg": SIZE}, {path: data}, ["car", "dog"], OBJECTS)))
    assert time.monotonic() - started < 5
    assert re.search(words, told)
    assert told.isprintable()
    assert len(told) <= 1000
