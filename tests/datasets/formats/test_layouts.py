"""Every layout that tools really write is recognised and read."""

import pytest
from tests.datasets.formats.layouts import BOX, CAR, KITTI, LAYOUTS, SIZE, XML, coco, task

from formats import DETECTION, Batch, FormatError, read, recognise


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_layout_is_recognised_and_read(name: str) -> None:
    layout = LAYOUTS[name]
    found = recognise(layout.batch)
    assert found is not None
    assert found.format == layout.format
    reading = read(found.format, layout.batch)
    assert {key: (one.label, one.split) for key, one in reading.samples.items()} == layout.told
    assert [line.partition(" (")[0] for line in reading.notes.lines()] == layout.notes
    assert reading.used == set(layout.documents)


def detection(images: dict[str, tuple[int, int] | None], documents: dict[str, str]) -> Batch:
    return Batch(images, {path: text.encode() for path, text in documents.items()}, ["car", "dog"], DETECTION)


def test_two_images_that_fit_one_name_are_both_named() -> None:
    with pytest.raises(FormatError, match=r"'1.jpg' fits 'a/1.jpg' and 'b/1.jpg'") as told:
        read("coco", detection({"a/1.jpg": SIZE, "b/1.jpg": SIZE}, {"x.json": coco("1.jpg")}))
    assert told.value.code == "annotations_ambiguous"


def test_a_name_of_another_folder_is_another_image() -> None:
    with pytest.raises(FormatError, match=r"none of the 1 images .* the first is 'val/1.jpg'"):
        read("coco", detection({"train/1.jpg": SIZE}, {"x.json": coco("val/1.jpg")}))


def test_annotations_that_come_alone_are_matched_with_earlier_images() -> None:
    batch = Batch({}, {"1.txt": b"0 0.2 0.3 0.2 0.4"}, ["car"], DETECTION, earlier=lambda: {"front/1.jpg": SIZE})
    assert read("yolo", batch).samples["front/1.jpg"].label == CAR


def test_relative_boxes_of_an_image_of_unknown_size_are_refused() -> None:
    with pytest.raises(FormatError, match=r"size of 'a.jpg' is not known"):
        read("yolo", detection({"a.jpg": None}, {"a.txt": "0 0.2 0.3 0.2 0.4"}))


def test_three_dimensional_values_of_kitti_are_kept() -> None:
    meta = read("kitti", detection({"a.png": SIZE}, {"a.txt": KITTI})).samples["a.png"].meta
    assert meta["attributes"] == [
        {"truncated": 0.5, "occluded": 1.0, "alpha": -1.57, "dimensions": [1.5, 1.6, 3.7],
         "location": [-2.1, 1.5, 11.2], "rotation_y": -1.6}
    ]  # fmt: skip


def test_crowds_of_coco_are_regions_to_ignore() -> None:
    document = coco("a.jpg").replace('"iscrowd": 0', '"iscrowd": 1')
    told = read("coco", detection({"a.jpg": SIZE}, {"x.json": document})).samples["a.jpg"]
    assert told.label == {"boxes": []}
    assert told.meta == {"ignore": [BOX]}


def test_a_box_beyond_its_image_is_cut_and_noted_and_one_without_area_left_out() -> None:
    reading = read("yolo", detection({"a.jpg": SIZE}, {"a.txt": "0 0.0 0.0 0.4 0.4\n0 0.5 0.5 0 0.1\n"}))
    assert reading.samples["a.jpg"].label == {"boxes": [{"class": "car", "box": [0.0, 0.0, 20.0, 10.0]}]}
    assert reading.notes.lines()[1:] == [
        "boxes reach beyond their image and were cut to it (1; the first: a.jpg)",
        "boxes without area inside their image were left out (1; the first: a.jpg)",
    ]


@pytest.mark.parametrize(
    ("name", "document"), [("voc", XML), ("coco", coco("a.jpg")), ("label_studio", "[" + str(task("a.jpg")) + "]")]
)
def test_annotations_made_for_another_size_are_not_used(name: str, document: str) -> None:
    """An image that was turned or scaled since: its boxes would be wrong without anybody noticing."""
    path = "a.xml" if name == "voc" else "a.json"
    batch = detection({"a.jpg": (50, 100)}, {path: document.replace("'", '"')})
    reading = read(name, batch)
    assert reading.samples["a.jpg"].label is None
    assert "another size" in reading.notes.lines()[-1]


def test_spaces_in_a_class_survive_kitti() -> None:
    line = KITTI.replace("car", "traffic_light")
    batch = Batch({"a.png": SIZE}, {"a.txt": line.encode()}, ["traffic light"], DETECTION)
    label = read("kitti", batch).samples["a.png"].label
    assert label == {"boxes": [BOX | {"class": "traffic light"}]}


def test_classification_takes_one_category_of_an_image() -> None:
    document = coco("a.jpg", categories=[{"id": 1, "name": "car"}, {"id": 2, "name": "dog"}])
    document = document.replace('"annotations": [', '"annotations": [{"id": 9, "image_id": 1, "category_id": 2}, ')
    with pytest.raises(FormatError, match=r"'a.jpg' has the categories 'car' and 'dog'"):
        read("coco", Batch({"a.jpg": SIZE}, {"x.json": document.encode()}, ["car", "dog"]))
