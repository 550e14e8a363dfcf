"""Shares of the image where pixels belong, and pixels where shares belong, are refused with what to do."""

import json
from typing import Any

import pytest
from tests.datasets.formats.layouts import KITTI, SIZE, XML, coco

from formats import OBJECTS, Batch, Reading, Size, read

HEAD = "<annotations><version>1.1</version><image id='0' name='a.jpg' width='100' height='50'>"
TABLE = "file,class,xmin,ymin,xmax,ymax\n"
OPEN = "ImageID,LabelName,XMin,XMax,YMin,YMax\n"


def rows(*annotations: dict[str, Any]) -> str:
    numbered = [{"id": n, "image_id": 1, "category_id": 1} | row for n, row in enumerate(annotations, 1)]
    return coco("a.jpg", annotations=numbered)


def labelme(kind: str, points: Any) -> str:
    shapes = [{"label": "car", "shape_type": kind, "points": points}]
    return json.dumps({"shapes": shapes, "imagePath": "a.jpg", "imageWidth": 100, "imageHeight": 50})


def line(**label: Any) -> str:
    return json.dumps({"key": "a.jpg", "label": {"boxes": []} | label})


def voc(*corners: float) -> str:
    text = XML
    for before, after in zip((">10<", ">5<", ">30<", ">25<"), corners, strict=True):
        text = text.replace(before, f">{after}<")
    return text


def read_one(form: str, name: str, text: str, size: Size = SIZE) -> Reading:
    documents = {name: text.encode(), **({"data.yaml": b"names: [car]"} if form == "yolo" else {})}
    return read(form, Batch({"a.jpg": size}, documents, ["car"], OBJECTS))


SHARES = {
    "coco box": ("coco", "a.json", rows({"bbox": [0.1, 0.1, 0.2, 0.5], "area": 0.1})),
    "coco whole image": ("coco", "a.json", rows({"bbox": [0, 0, 1, 1], "area": 1})),
    "coco outline": ("coco", "a.json", rows({"segmentation": [[0.1, 0.1, 0.5, 0.1, 0.5, 0.9]]})),
    "coco two boxes": ("coco", "a.json", rows({"bbox": [0.1, 0.1, 0.2, 0.5]}, {"bbox": [0, 0, 0.5, 1]})),
    "voc": ("voc", "a.xml", voc(0.1, 0.2, 0.5, 0.9)),
    "kitti": ("kitti", "a.txt", KITTI.replace("10 5 30 25", "0.1 0.2 0.5 0.9")),
    "csv": ("csv", "a.csv", TABLE + "a.jpg,car,0.1,0.2,0.5,0.9\n"),
    "jsonl box": ("jsonl", "a.jsonl", line(boxes=[{"class": "car", "box": [0.1, 0.2, 0.5, 0.9]}])),
    "jsonl outline": ("jsonl", "a.jsonl", line(polygons=[{"class": "car", "points": [[0, 0], [1, 0], [1, 1]]}])),
    "cvat": ("cvat", "a.xml", HEAD + "<box label='car' xtl='0' ytl='0.2' xbr='0.5' ybr='0.9'/></image></annotations>"),
    "labelme": ("labelme", "a.json", labelme("rectangle", [[0.1, 0.2], [0.5, 0.9]])),
    "labelme outline": ("labelme", "a.json", labelme("polygon", [[0.1, 0.2], [0.5, 0.2], [0.5, 0.9]])),
}


@pytest.mark.parametrize("name", SHARES)
def test_shares_where_pixels_belong_are_refused_with_the_fix(name: str) -> None:
    reading = read_one(*SHARES[name])
    (fault,) = reading.faults
    for words in ("'a.jpg'", "within 0..1", "100 x 50", "multiply each x and width by 100, each y and height by 50"):
        assert words in str(fault.error)
    assert "a.jpg" not in reading.samples or reading.samples["a.jpg"].label is None


@pytest.mark.parametrize(
    "text",
    [
        rows({"bbox": [0.1, 0.1, 0.2, 0.5]}, {"bbox": [10, 10, 20, 20]}),
        rows({"bbox": [0.5, 0.5, 1, 1]}),
        rows({"bbox": [-2, -2, 3, 3]}),
    ],
    ids=["beside one in pixels", "beyond the first pixel", "from beyond the image"],
)
def test_small_objects_in_pixels_are_read(text: str) -> None:
    reading = read_one("coco", "a.json", text)
    assert not reading.faults
    assert reading.samples["a.jpg"].label is not None


def test_in_an_image_of_few_pixels_one_of_them_is_an_object() -> None:
    text = rows({"bbox": [0, 0, 1, 1]}).replace('"width": 100, "height": 50', '"width": 4, "height": 4')
    assert read_one("coco", "a.json", text, (4, 4)).samples["a.jpg"].label == {
        "boxes": [{"class": "car", "box": [0.0, 0.0, 1.0, 1.0], "id": "1"}]
    }


def test_an_object_without_area_says_nothing_of_the_unit() -> None:
    reading = read_one("coco", "a.json", rows({"bbox": [0, 0, 0, 0]}))
    assert ([row["code"] for row in reading.notes.incomplete.reasons()], reading.faults) == (["no_area"], [])


@pytest.mark.parametrize(
    ("form", "name", "text", "value"),
    [
        ("yolo", "a.txt", "0 50 25 100 50\n", "50"),
        ("yolo", "a.txt", "0 0.5 0.5 20 20\n", "20"),
        ("open_images", "train-annotations-bbox.csv", OPEN + "a,car,10,60,5,25\n", "10"),
    ],
)
def test_pixels_where_shares_belong_are_refused_with_the_fix(form: str, name: str, text: str, value: str) -> None:
    (fault,) = read_one(form, name, text).faults
    assert f"{value} is not a share of the image" in str(fault.error)
    assert "divide each x and width by the image's width" in str(fault.error)


def test_shares_a_little_beyond_the_image_are_cut_as_before() -> None:
    reading = read_one("yolo", "a.txt", "0 0.5 0.5 1.2 1.2\n")
    assert reading.samples["a.jpg"].label == {"boxes": [{"class": "car", "box": [0.0, 0.0, 100.0, 50.0]}]}


def test_a_small_object_given_in_shares_is_one() -> None:
    reading = read_one("yolo", "a.txt", "0 0.005 0.01 0.008 0.016\n")
    assert not reading.faults
    assert reading.samples["a.jpg"].label is not None
