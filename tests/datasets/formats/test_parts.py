"""An object in several parts is one object; a mask that CVAT marks as a crowd is an object; a frame that nobody has
opened has no label."""

import json
from typing import Any

import pytest
from tests.datasets.formats.datasets import write
from tests.datasets.formats.test_incomplete import HEAD, labelme, region, rows, studio, told

from formats import MANY_CLASSES, OBJECTS, Item, Reading

LEFT, RIGHT = [[10, 5], [20, 5], [20, 15]], [[40, 10], [60, 10], [60, 30], [40, 30]]
GROUPED = "shapes of a group were kept as one object of several parts (1; the first: a.jpg)"


def flat(ring: list[list[int]]) -> list[int]:
    return [number for point in ring for number in point]


def percents(ring: list[list[int]]) -> list[list[float]]:
    return [[x, y * 2] for x, y in ring]


def points(ring: list[list[int]], **more: str) -> str:
    said = "".join(f" {name}='{value}'" for name, value in more.items())
    text = ";".join(f"{x},{y}" for x, y in ring)
    return f"<polygon label='car' occluded='0'{said} points='{text}'/>"


def marked(ring: list[list[int]], number: int, **parts: str) -> str:
    outline = "".join(f"<pt><x>{x}</x><y>{y}</y></pt>" for x, y in ring)
    linked = "".join(f"<{name}>{value}</{name}>" for name, value in parts.items())
    return (
        f"<object><name>car</name><deleted>0</deleted><id>{number}</id><parts>{linked}</parts>"
        f"<polygon><username>x</username>{outline}</polygon></object>"
    )


def of_studio(ring: list[list[int]], own: str, **meta: str) -> dict[str, Any]:
    return region("polygonlabels", points=percents(ring)) | {"id": own, "meta": meta}


SIZE = "<annotation><filename>a.jpg</filename><imagesize><nrows>50</nrows><ncols>100</ncols></imagesize>"


def cvat(*groups: str) -> str:
    drawn = (points(ring, group_id=group) for ring, group in zip((LEFT, RIGHT), groups, strict=True))
    return HEAD + "".join(drawn) + "</image></annotations>"


def linked(first: dict[str, str], second: dict[str, str]) -> str:
    return SIZE + marked(LEFT, 4, **first) + marked(RIGHT, 9, **second) + "</annotation>"


ONE = {
    "coco polygons": ("coco", "a.json", rows({"segmentation": [flat(LEFT), flat(RIGHT)], "bbox": [10, 5, 50, 25]})),
    "labelme group": ("labelme", "a.json", labelme(
        {"shape_type": "polygon", "points": LEFT, "group_id": 3},
        {"shape_type": "polygon", "points": RIGHT, "group_id": 3},
    )),
    "labelme group of texts": ("labelme", "a.json", labelme(
        {"shape_type": "polygon", "points": LEFT, "group_id": "a"},
        {"shape_type": "rectangle", "points": [[60, 30], [40, 10]], "group_id": "a"},
    )),
    "cvat group": ("cvat", "a.xml", cvat("2", "2")),
    "labelme xml": ("labelme_xml", "a.xml", linked({"hasparts": "9"}, {"ispartof": "4"})),
    "labelme xml, one way": ("labelme_xml", "a.xml", linked({}, {"ispartof": "4"})),
    "label studio": ("label_studio", "a.json", studio(
        of_studio(LEFT, "r", part_of="r"), of_studio(RIGHT, "s", part_of="r"),
    )),
}  # fmt: skip


def polygons(reading: Reading) -> list[dict[str, Any]]:
    label = reading.samples["a.jpg"].label
    assert label is not None
    assert label["boxes"] == []
    found: list[dict[str, Any]] = label["polygons"]
    return found


@pytest.mark.parametrize("case", ONE)
def test_an_object_in_several_parts_is_one_object(case: str) -> None:
    (car,) = polygons(told(*ONE[case]))
    assert car["class"] == "car"
    assert car["parts"] == [LEFT, RIGHT]


SEVERAL = {
    "cvat, two groups": ("cvat", "a.xml", cvat("2", "3")),
    "cvat, no group": ("cvat", "a.xml", cvat("0", "0")),
    "labelme, one in a group": ("labelme", "a.json", labelme(
        {"shape_type": "polygon", "points": LEFT, "group_id": 3}, {"shape_type": "polygon", "points": RIGHT},
    )),
    "label studio, a hierarchy": ("label_studio", "a.json", studio(
        of_studio(LEFT, "r"), of_studio(RIGHT, "s") | {"parentID": "r"},
    )),
}  # fmt: skip


@pytest.mark.parametrize("case", SEVERAL)
def test_what_is_not_said_to_be_one_object_stays_several(case: str) -> None:
    assert [one["points"] for one in polygons(told(*SEVERAL[case]))] == [LEFT, RIGHT]


def test_the_same_group_of_another_class_is_another_object() -> None:
    shapes = [{"label": name, "shape_type": "polygon", "points": LEFT, "group_id": 1} for name in ("car", "dog", "car")]
    reading = told("labelme", "a.json", labelme(*shapes))
    assert [(one["class"], "parts" in one) for one in polygons(reading)] == [("car", True), ("dog", False)]
    assert GROUPED in reading.notes.lines()


def test_boxes_of_a_group_of_cvat_stay_apart_and_are_counted() -> None:
    box = "<box label='car' occluded='0' xtl='{}' ytl='1' xbr='{}' ybr='9' group_id='5'/>"
    reading = told("cvat", "a.xml", HEAD + box.format(1, 9) + box.format(20, 30) + "</image></annotations>")
    label = reading.samples["a.jpg"].label
    assert label is not None
    assert [one["box"] for one in label["boxes"]] == [[1, 1, 9, 9], [20, 1, 30, 9]]
    assert reading.notes.lines() == ["groups of boxes are not kept (2; the first: a.xml)"]


def test_attributes_in_which_parts_differ_are_counted() -> None:
    def part(ring: list[list[int]], **flags: bool) -> dict[str, Any]:
        return {"shape_type": "polygon", "points": ring, "group_id": 1, "flags": flags}

    reading = told("labelme", "a.json", labelme(part(LEFT, lit=True, old=True), part(RIGHT, lit=False, wet=True)))
    (car,) = polygons(reading)
    assert car["attributes"] == {"lit": True, "old": True, "wet": True}
    assert any("in which the parts of an object differ" in line for line in reading.notes.lines())


def test_a_coco_file_has_one_annotation_for_an_object_in_several_parts() -> None:
    label = {"boxes": [], "polygons": [{"class": "car", "parts": [LEFT, RIGHT], "id": "4"}]}
    archive = write("coco", [Item("a.jpg", (100, 50), "train", label)], classes=["car"], form=OBJECTS)
    (row,) = json.loads(archive.documents["annotations/instances_train.json"])["annotations"]
    assert row["segmentation"] == [flat(LEFT), flat(RIGHT)]
    assert (row["id"], row["bbox"], row["area"]) == (4, [10, 5, 50, 25], 50 + 400)


# What CVAT writes of a brush stroke: runs, and `iscrowd` for every mask.
BRUSH = {"segmentation": {"counts": [505, 20, 30, 20, 4425], "size": [50, 100]}, "bbox": [10, 5, 2, 20], "iscrowd": 1}
OUTLINE = {"segmentation": [flat(LEFT)], "bbox": [10, 5, 10, 10], "iscrowd": 0}
SAYS = {"attributes": {"occluded": False}}
OF_CVAT = {"licenses": [{"name": "", "id": 0, "url": ""}], "info": {"contributor": "", "year": ""}}


def coco_of(*given: dict[str, Any], **more: Any) -> str:
    return json.dumps(json.loads(rows(*given)) | more)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (coco_of(BRUSH | SAYS, OUTLINE | SAYS, **OF_CVAT), "their file is as CVAT writes it"),
        (coco_of(BRUSH, BRUSH), "every annotation of their file is marked so"),
    ],
)
def test_masks_that_a_tool_marks_as_crowds_are_objects(text: str, why: str) -> None:
    reading = told("coco", "a.json", text)
    label = reading.samples["a.jpg"].label
    assert label is not None
    assert label.keys() == {"boxes", "polygons"}
    assert label["polygons"][0]["points"] == [[10, 5], [10, 25], [12, 25], [12, 5]]
    assert len(label["polygons"]) == 2
    assert any(line.startswith("masks marked `iscrowd` were read as objects") and why in line
               for line in reading.notes.lines())  # fmt: skip


def test_a_crowd_among_objects_of_coco_is_a_region_to_ignore() -> None:
    for text in (coco_of(OUTLINE, BRUSH), coco_of(OUTLINE | SAYS, BRUSH | SAYS), coco_of(OUTLINE, BRUSH, **OF_CVAT)):
        reading = told("coco", "a.json", text)
        label = reading.samples["a.jpg"].label
        assert label is not None
        assert label["ignore"][0]["box"] == [10, 5, 12, 25]
        assert (
            "crowd regions (`iscrowd`: 1) were kept as regions to ignore (1; the first: a.jpg)" in reading.notes.lines()
        )


NOTHING = "<image id='1' name='b.jpg' width='100' height='50'></image></annotations>"


@pytest.mark.parametrize("kind", [OBJECTS, MANY_CLASSES])
def test_a_frame_without_shapes_has_no_label_unless_the_file_says_that_it_is_negative(kind: str) -> None:
    text = HEAD.replace("a.jpg", "c.jpg") + "</image>" + NOTHING.replace("b.jpg", "a.jpg")
    reading = told("cvat", "a.xml", text, kind=kind)
    assert reading.samples["a.jpg"].label is None
    assert any(line.startswith("images without shapes were read as unlabelled") for line in reading.notes.lines())
    asked = text.replace("<version>", "<meta><images_without_shapes>negative</images_without_shapes></meta><version>")
    assert told("cvat", "a.xml", asked, kind=kind).samples["a.jpg"].label in ({"boxes": []}, {"classes": []})


def test_a_coco_file_of_cvat_lists_frames_that_nobody_has_opened() -> None:
    document = json.loads(coco_of(OUTLINE | SAYS, **OF_CVAT))
    document["annotations"][0]["image_id"] = 9
    document["images"].append(document["images"][0] | {"id": 9, "file_name": "other.jpg"})
    reading = told("coco", "a.json", json.dumps(document))
    assert reading.samples["a.jpg"].label is None
    assert any(line.startswith("images without shapes were read as unlabelled") for line in reading.notes.lines())
    del document["licenses"]
    assert told("coco", "a.json", json.dumps(document)).samples["a.jpg"].label == {"boxes": []}
