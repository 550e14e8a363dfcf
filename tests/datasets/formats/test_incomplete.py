"""What a label can't hold: its image stays unlabelled and is counted, or it is converted truly, with a number."""

import json
from typing import Any

import pytest
from tests.datasets.formats.layouts import SIZE, XML, coco

from formats import MANY_CLASSES, OBJECTS, Batch, Reading, read, recognise
from formats.polygons import area

RLE = {"counts": "i?d0n00000000000000000000000000000000000000W]3", "size": [50, 100]}
LABELME_XML = (
    "<annotation><filename>a.jpg</filename><imagesize><nrows>50</nrows><ncols>100</ncols></imagesize><object>"
    "<name>car</name><deleted>0</deleted><polygon><username>x</username><pt><x>10</x><y>5</y></pt><pt><x>30</x>"
    "<y>5</y></pt><pt><x>30</x><y>25</y></pt></polygon></object></annotation>"
)
HEAD = "<annotations><version>1.1</version><image id='0' name='a.jpg' width='100' height='50'>"


def region(kind: str, **value: Any) -> dict[str, Any]:
    named = {kind: ["car"]} if kind.endswith("labels") else {}
    return {"id": "r", "type": kind, "value": value | named, "original_width": 100, "original_height": 50}


def studio(*regions: dict[str, Any]) -> str:
    return json.dumps([{"data": {"image": "a.jpg"}, "annotations": [{"result": list(regions)}]}])


def labelme(*shapes: dict[str, Any]) -> str:
    named = [{"label": "car"} | shape for shape in shapes]
    return json.dumps({"shapes": named, "imagePath": "a.jpg", "imageWidth": 100, "imageHeight": 50})


def rows(*given: dict[str, Any]) -> str:
    document = json.loads(coco("a.jpg"))
    document["annotations"] = [{"id": n, "image_id": 1, "category_id": 1} | row for n, row in enumerate(given, 1)]
    return json.dumps(document)


BOX = region("rectanglelabels", x=10, y=10, width=20, height=40, rotation=0)
FLAT = XML.replace("<xmax>30<", "<xmax>10<")
LOST = {
    "keypoints": ("coco", "a.json", rows({"keypoints": [1, 2, 2]}), "keypoints"),
    "nothing": ("coco", "a.json", rows({}), "no_box"),
    "broken mask": ("coco", "a.json", rows({"segmentation": {"counts": [3], "size": [50, 100]}}), "mask_unreadable"),
    "box without area": ("coco", "a.json", rows({"bbox": [1, 1, 0, 5]}), "no_area"),
    "brush": ("label_studio", "a.json", studio(region("brushlabels", rle=[1], format="rle")), "brush"),
    "point": ("label_studio", "a.json", studio(region("keypointlabels", x=1, y=1, width=1)), "points"),
    "no class": ("label_studio", "a.json", studio(region("rectangle", x=1, y=1, width=5, height=5)), "no_class"),
    "voc without area": ("voc", "a.xml", FLAT, "no_area"),
    "voc without a box": ("voc", "a.xml", XML.replace("bndbox", "mask"), "no_box"),
    "kitti without area": ("kitti", "a.txt", "car 0 0 0 10 5 10 25 1 1 1 1 1 1 1", "no_area"),
    "yolo without area": ("yolo", "a.txt", "0 0.5 0.5 0 0.2", "no_area"),
    "labelme line": ("labelme", "a.json", labelme({"shape_type": "line", "points": [[1, 1], [5, 5]]}), "line"),
    "labelme other": ("labelme", "a.json", labelme({"shape_type": "cone", "points": [[1, 1]]}), "shape_unknown"),
    "cvat cuboid": ("cvat", "a.xml", HEAD + "<cuboid label='car'/></image></annotations>", "cuboid"),
    "another size": ("voc", "a.xml", XML.replace("100", "99"), "size_differs"),
}


def told(name: str, path: str, text: str, *, keep: bool = False, kind: str = OBJECTS) -> Reading:
    batch = Batch({"a.jpg": SIZE}, {path: text.encode()}, ["car", "dog"], kind, keep_partial=keep)
    found = recognise(batch)
    assert found is not None
    assert found.format == name
    return read(name, batch)


@pytest.mark.parametrize("case", LOST)
@pytest.mark.parametrize("keep", [False, True])
def test_an_image_whose_objects_are_lost_is_no_image_without_objects(case: str, *, keep: bool) -> None:
    name, path, text, reason = LOST[case]
    reading = told(name, path, text, keep=keep)
    assert reading.samples["a.jpg"].label is None
    (row,) = reading.notes.incomplete.reasons()
    assert (row["code"], row["objects"], row["images"], row["examples"]) == (reason, 1, 1, ["a.jpg"])


def test_an_image_with_objects_that_are_kept_and_one_that_is_not_is_labelled_only_when_asked() -> None:
    text = studio(BOX, region("brushlabels", rle=[1]))
    assert told("label_studio", "a.json", text).samples["a.jpg"].label is None
    label = told("label_studio", "a.json", text, keep=True).samples["a.jpg"].label
    assert label is not None
    assert [one["box"] for one in label["boxes"]] == [[10, 5, 30, 25]]


def test_an_annotation_without_any_object_is_an_image_on_which_nothing_is() -> None:
    assert told("label_studio", "a.json", studio()).samples["a.jpg"].label == {"boxes": []}
    assert told("coco", "a.json", rows()).samples["a.jpg"].label == {"boxes": []}


def polygon(reading: Reading) -> list[list[float]]:
    label = reading.samples["a.jpg"].label
    assert label is not None
    assert not label["boxes"]
    (one,) = label["polygons"]
    points: list[list[float]] = one["points"]
    return points


def test_a_mask_is_its_outlines_and_a_mask_with_a_hole_its_box() -> None:
    reading = told("coco", "a.json", rows({"segmentation": RLE}))
    assert sorted(polygon(reading)) == [[10, 5], [10, 25], [30, 5], [30, 25]]
    assert reading.notes.lines() == ["masks were kept as their outlines (1; the first: a.json)"]
    pieces = {"counts": [0, 10, 4980, 10], "size": [50, 100]}
    reading = told("coco", "a.json", rows({"segmentation": pieces}))
    parts = [[[0, 0], [0, 10], [1, 10], [1, 0]], [[99, 40], [99, 50], [100, 50], [100, 40]]]
    assert reading.samples["a.jpg"].label == {"boxes": [], "polygons": [{"class": "car", "parts": parts, "id": "1"}]}
    assert reading.notes.lines() == ["masks were kept as their outlines, of several parts (1; the first: a.json)"]
    holed = {"counts": [0, 70, 10, 70, 4850], "size": [50, 100]}
    reading = told("coco", "a.json", rows({"segmentation": holed}))
    assert reading.samples["a.jpg"].label == {"boxes": [{"class": "car", "box": [0, 0, 3, 50], "id": "1"}]}
    assert "boxes around them: they have holes" in reading.notes.lines()[0]


def test_turned_rectangles_and_ellipses_become_polygons_with_a_number() -> None:
    turned = region("rectanglelabels", x=50, y=20, width=20, height=20, rotation=90)
    reading = told("label_studio", "a.json", studio(turned))
    corners = [[round(x, 6), round(y, 6)] for x, y in polygon(reading)]
    assert corners == [[50, 10], [50, 30], [40, 30], [40, 10]]
    assert reading.notes.lines()[0].startswith("turned rectangles were kept as polygons (1;")
    oval = polygon(told("label_studio", "a.json", studio(region("ellipselabels", x=50, y=50, radiusX=20, radiusY=20))))
    assert area(oval) == pytest.approx(3.14159 * 20 * 10, rel=0.002)


def test_shapes_whose_labels_are_a_result_of_their_own() -> None:
    shape = region("rectangle", x=10, y=10, width=20, height=40, rotation=0)
    named = shape | {"type": "labels", "value": shape["value"] | {"labels": ["dog"]}}
    reading = told("label_studio", "a.json", studio(shape, named))
    assert reading.samples["a.jpg"].label == {"boxes": [{"class": "dog", "box": [10, 5, 30, 25], "id": "r"}]}


def test_the_xml_of_labelme_is_not_that_of_voc() -> None:
    assert polygon(told("labelme_xml", "a.xml", LABELME_XML)) == [[10, 5], [30, 5], [30, 25]]


def test_regions_alone_do_not_say_that_no_class_fits() -> None:
    assert told("label_studio", "a.json", studio(BOX), kind=MANY_CLASSES).samples["a.jpg"].label is None
    assert told("label_studio", "a.json", studio(), kind=MANY_CLASSES).samples["a.jpg"].label == {"classes": []}
