"""Every layout that tools really write is recognised and read."""

import json
import re

import pytest
from tests.datasets.formats.datasets import batch_of, fault_in, write
from tests.datasets.formats.layouts import BOX, CAR, KITTI, LAYOUTS, SIZE, XML, coco, task

import formats
from embedded.layout import project_root
from formats import MANY_CLASSES, OBJECTS, Batch, FormatError, Item, Notes, read, recognise
from formats.batch import fault_of
from formats.kinds.table import CLASSES, CORNERS, FILES

ROOT = project_root()


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
    return Batch(images, {path: text.encode() for path, text in documents.items()}, ["car", "dog"], OBJECTS)


def test_two_images_that_fit_one_name_are_both_named() -> None:
    told = fault_in("coco", detection({"a/1.jpg": SIZE, "b/1.jpg": SIZE}, {"x.json": coco("1.jpg")}))
    assert "'1.jpg' fits 'a/1.jpg' and 'b/1.jpg'" in str(told)
    assert told.code == "annotations_ambiguous"


def test_a_name_of_another_folder_is_another_image() -> None:
    with pytest.raises(FormatError, match=r"name 1 image, none of which is here, the first is 'val/1.jpg'"):
        read("coco", detection({"train/1.jpg": SIZE}, {"x.json": coco("val/1.jpg")}))


def test_annotations_that_come_alone_are_matched_with_earlier_images() -> None:
    batch = Batch({}, {"1.txt": b"0 0.2 0.3 0.2 0.4"}, ["car"], OBJECTS, earlier=lambda: {"front/1.jpg": SIZE})
    assert read("yolo", batch).samples["front/1.jpg"].label == CAR


def test_relative_boxes_of_an_image_of_unknown_size_are_refused() -> None:
    told = fault_in("yolo", detection({"a.jpg": None}, {"a.txt": "0 0.2 0.3 0.2 0.4"}))
    assert "size of 'a.jpg' is not known" in str(told)


def test_crowds_of_coco_are_regions_to_ignore() -> None:
    document = coco("a.jpg").replace('"iscrowd": 0', '"iscrowd": 1, "attributes": {"dense": true}')
    told = read("coco", detection({"a.jpg": SIZE}, {"x.json": document})).samples["a.jpg"]
    assert told.label == {"boxes": [], "ignore": [BOX | {"attributes": {"dense": True}}]}
    assert told.meta == {}


def test_a_track_and_a_score_are_read_where_coco_s_tools_write_them() -> None:
    for more in ('"track_id": 7, "score": 0.5', '"attributes": {"track_id": 7, "score": 0.5}'):
        document = coco("a.jpg").replace('"iscrowd": 0', '"iscrowd": 0, ' + more)
        told = read("coco", detection({"a.jpg": SIZE}, {"x.json": document})).samples["a.jpg"].label
        assert told == {"boxes": [BOX | {"id": "1", "track": "7", "attributes": {"score": 0.5}}]}


def test_what_is_answered_of_a_region_of_label_studio_is_its_attribute() -> None:
    asked = task("a.jpg", meta={"ignore": [{"box": [0, 0, 9, 9]}]})
    region = {"id": "x", "to_name": "image", "original_width": 100, "original_height": 50}
    asked["annotations"][0]["result"][0]["meta"] = {"text": ["blurred", "far"]}
    asked["annotations"][0]["result"] += [
        region | {"from_name": "side", "type": "choices", "value": {"choices": ["left"]}},
        region | {"from_name": "note", "type": "textarea", "value": {"text": ["no plate"]}},
        region | {"from_name": "doors", "type": "number", "value": {"number": 4}},
        region | {"id": "y", "from_name": "side", "type": "choices", "value": {"choices": ["right"]}},
    ]
    reading = read("label_studio", detection({"a.jpg": SIZE}, {"x.json": json.dumps([asked])}))
    found = {"text": "blurred\nfar", "side": "left", "note": "no plate", "doors": 4}
    assert reading.samples["a.jpg"].label == {
        "boxes": [BOX | {"id": "x", "attributes": found}], "ignore": [{"box": [0.0, 0.0, 9.0, 9.0]}]
    }  # fmt: skip
    assert [line.partition(" (")[0] for line in reading.notes.lines()] == ["results of type 'choices' are not kept"]


def test_an_attribute_that_a_label_can_not_hold_is_left_out_and_counted() -> None:
    more = {"nested": {"a": 1}, "none": None, "long": "x" * 1001, "many": [1] * 17, "good": [1, 2.5], "": 1}
    document = coco("a.jpg").replace('"iscrowd": 0', '"iscrowd": 0, "attributes": ' + json.dumps(more))
    reading = read("coco", detection({"a.jpg": SIZE}, {"x.json": document}))
    assert reading.samples["a.jpg"].label == {"boxes": [BOX | {"id": "1", "attributes": {"good": [1, 2.5]}}]}
    assert reading.notes.lines() == [
        "attributes that are no text, number, truth value or short list of numbers were left out (4; the first: a.jpg)",
        "attributes without a value were left out (1; the first: a.jpg)",
    ]


def test_two_objects_of_an_image_with_one_id_are_kept_without_the_second_id() -> None:
    document = json.loads(coco("a.jpg"))
    document["annotations"] *= 2
    reading = read("coco", detection({"a.jpg": SIZE}, {"x.json": json.dumps(document)}))
    assert reading.samples["a.jpg"].label == {"boxes": [BOX | {"id": "1"}, BOX]}
    assert reading.notes.lines() == [
        "ids that another object of the same image has were left out (1; the first: a.jpg)"
    ]


def test_what_coco_says_and_no_label_holds_is_named_and_counted() -> None:
    document = json.loads(coco("a.jpg", "b.jpg", licenses=[{"id": 3, "name": "CC BY"}]))
    for row in document["images"]:
        row |= {"license": 3, "flickr_url": "", "date_captured": 0}
    document["annotations"][1] |= {"caption": "a red one", "keypoints": []}
    document["categories"][0] |= {"supercategory": "vehicle"}
    reading = read("coco", detection({"a.jpg": SIZE, "b.jpg": SIZE}, {"x.json": json.dumps(document)}))
    assert reading.notes.lines() == [
        "the field 'supercategory' of a category is not kept (1; the first: x.json)",
        "the field 'licenses' of a file is not kept (1; the first: x.json)",
        "the field 'license' of an image is not kept (2; the first: a.jpg)",
        "the field 'caption' of an annotation is not kept (1; the first: b.jpg)",
    ]


def test_what_voc_and_labelme_say_and_no_label_holds_is_named_and_counted() -> None:
    more = "<object><deleted>0</deleted><actions><walking>1</walking></actions><pose>Left</pose><point></point>"
    reading = read("voc", detection({"a.jpg": SIZE}, {"a.xml": XML.replace("<object>", more)}))
    assert reading.notes.lines() == [
        "the field 'deleted' of an object is not kept (1; the first: a.xml)",
        "the field 'actions' of an object is not kept (1; the first: a.xml)",
    ]
    shape = {"label": "car", "shape_type": "rectangle", "points": [[10, 5], [30, 25]], "group_id": 0, "flags": {}}
    document = {"shapes": [shape], "imagePath": "a.jpg", "flags": {"blurred": True, "dark": False}}
    reading = read("labelme", detection({"a.jpg": SIZE}, {"a.json": json.dumps(document)}))
    assert reading.samples["a.jpg"].label == {"boxes": [BOX]}
    assert reading.notes.lines() == [
        "the field 'group_id' of a shape is not kept (1; the first: a.json, shapes[0])",
        "the field 'flags' of an image is not kept (1; the first: a.jpg)",
    ]


def test_fields_without_end_are_counted_under_few_names() -> None:
    document = json.loads(coco("a.jpg"))
    document["annotations"][0] |= {f"x{number:03}": 1 for number in range(500)}
    reading = read("coco", detection({"a.jpg": SIZE}, {"x.json": json.dumps(document)}))
    lines = reading.notes.lines()
    assert len(lines) == 41
    assert lines[-1] == "a further field of an annotation is not kept (460; the first: a.jpg)"


def test_ids_of_coco_may_be_whole_numbers_written_with_a_point() -> None:
    document = coco("a.jpg").replace('"id": 1', '"id": 1.0').replace('_id": 1,', '_id": 1.0,')
    reading = read("coco", detection({"a.jpg": SIZE}, {"x.json": document}))
    assert reading.samples["a.jpg"].label == {"boxes": [BOX | {"id": "1"}]}
    halves = document.replace('"image_id": 1.0', '"image_id": 1.5')
    told = fault_in("coco", detection({"a.jpg": SIZE}, {"x.json": halves}))
    assert "x.json, annotations[0].image_id: must be a whole number" in str(told)


def test_what_is_no_number_in_json_is_named() -> None:
    told = fault_in("coco", detection({"a.jpg": SIZE}, {"x.json": coco("a.jpg").replace("400", "NaN")}))
    assert "NaN is not a number in JSON, write null or a number" in str(told)


@pytest.mark.parametrize("order", [("train", "val"), ("val", "train")])
def test_one_folder_of_two_splits_is_for_training_and_that_is_noted(order: tuple[str, str]) -> None:
    """As in small examples of Ultralytics, which validate on what they train on."""
    data = "".join(f"{split}: images\n" for split in order) + "names: [car, dog]\n"
    batch = detection({"images/a.jpg": SIZE}, {"data.yaml": data, "labels/a.txt": "0 0.2 0.3 0.2 0.4\n"})
    reading = read("yolo", batch)
    assert reading.samples["images/a.jpg"].split == "train"
    first, second = order
    assert reading.notes.lines() == [f"what {first} and {second} both name was taken as train (1; the first: images)"]


def test_a_label_file_of_yolo_without_its_image_is_told_once() -> None:
    documents = {"a.txt": "0 0.5 0.5 0.2 0.2\n", "b.txt": "0 0.5 0.5 0.2 0.2\n", "words.txt": "read me\n"}
    reading = read("yolo", detection({"a.jpg": SIZE}, documents))
    assert reading.notes.lines()[1:] == ["annotated images that are not here were passed over (1; the first: b.txt)"]
    assert reading.used == {"a.txt", "b.txt"}


def test_a_box_beyond_its_image_is_cut_and_noted() -> None:
    reading = read("yolo", detection({"a.jpg": SIZE}, {"a.txt": "0 0.0 0.0 0.4 0.4\n"}))
    assert reading.samples["a.jpg"].label == {"boxes": [{"class": "car", "box": [0.0, 0.0, 20.0, 10.0]}]}
    assert reading.notes.lines()[1:] == ["boxes reach beyond their image and were cut to it (1; the first: a.jpg)"]


@pytest.mark.parametrize(
    ("name", "document"), [("voc", XML), ("coco", coco("a.jpg")), ("label_studio", "[" + str(task("a.jpg")) + "]")]
)
def test_annotations_made_for_another_size_are_not_used(name: str, document: str) -> None:
    """An image that was turned or scaled since: its boxes would be wrong without anybody noticing."""
    path = "a.xml" if name == "voc" else "a.json"
    batch = detection({"a.jpg": (50, 100)}, {path: document.replace("'", '"')})
    reading = read(name, batch)
    assert reading.samples["a.jpg"].label is None
    assert [row["code"] for row in reading.notes.incomplete.reasons()] == ["size_differs"]


def test_spaces_in_a_class_survive_kitti() -> None:
    line = KITTI.replace("car", "traffic_light")
    batch = Batch({"a.png": SIZE}, {"a.txt": line.encode()}, ["traffic light"], OBJECTS)
    label = read("kitti", batch).samples["a.png"].label
    assert label is not None
    assert label["boxes"][0]["class"] == "traffic light"


@pytest.mark.parametrize(("name", "score"), [("traffic light", ""), ("a, b c", " 0.5"), ("7", ""), ("7", " 0.5")])
def test_spaces_in_a_class_that_others_wrote_into_kitti_are_read(name: str, score: str) -> None:
    line = KITTI.replace("car", name).strip() + score
    batch = Batch({"a.png": SIZE}, {"a.txt": line.encode()}, [name], OBJECTS)
    found = recognise(batch)
    assert found is not None
    assert found.format == "kitti"
    label = read("kitti", batch).samples["a.png"].label
    assert label is not None
    assert label["boxes"][0]["class"] == name
    assert ("score" in label["boxes"][0].get("attributes", {})) == bool(score)


@pytest.mark.parametrize("score", ["", " 0.5"])
@pytest.mark.parametrize(
    ("name", "classes"),
    [("class 7", ["class"]), ("class 7", ["class", "class 7"]), ("class 1", ["car", "class 1"]), ("7 8", []),
     ("class", ["class", "car"]), ("class 2 9", [])],
)  # fmt: skip
def test_a_number_at_the_end_of_a_class_of_kitti_belongs_to_it(name: str, classes: list[str], score: str) -> None:
    """As other tools write it: the line is as long as that of a shorter class with a score."""
    line = KITTI.replace("car", name).strip() + score
    batch = Batch({"a.png": SIZE}, {"a.txt": line.encode()}, classes, OBJECTS)
    assert recognise(batch) is not None
    (box,) = (read("kitti", batch).samples["a.png"].label or {})["boxes"]
    assert (box["class"], box["box"]) == (name, BOX["box"])
    assert ("score" in box["attributes"]) == bool(score)


def test_a_class_of_kitti_that_the_dataset_does_not_have_keeps_its_name() -> None:
    batch = Batch({"a.png": SIZE}, {"a.txt": KITTI.replace("car", "tram").encode()}, ["car"], OBJECTS)
    label = read("kitti", batch).samples["a.png"].label
    assert label is not None
    assert label["boxes"][0]["class"] == "tram"


def test_classification_takes_one_category_of_an_image() -> None:
    document = coco("a.jpg", categories=[{"id": 1, "name": "car"}, {"id": 2, "name": "dog"}])
    document = document.replace('"annotations": [', '"annotations": [{"id": 9, "image_id": 1, "category_id": 2}, ')
    told = fault_in("coco", Batch({"a.jpg": SIZE}, {"x.json": document.encode()}, ["car", "dog"]))
    assert "'a.jpg' has the categories 'car' and 'dog'" in str(told)


MARKED = XML.replace(
    "</bndbox>",
    "</bndbox><truncated>1</truncated><occluded>0</occluded><attributes>"
    "<attribute><name>colour</name><value>red &amp; blue</value></attribute>"
    "<attribute><name>parked</name><value>True</value></attribute>"
    "<attribute><name>doors</name><value>4</value></attribute>"
    "<attribute><name>truncated</name><value>0.25</value></attribute></attributes>",
)


def test_attributes_of_voc_are_read_as_cvat_and_datumaro_write_them() -> None:
    told = read("voc", detection({"a.jpg": SIZE}, {"a.xml": MARKED})).samples["a.jpg"].label
    marks = {"colour": "red & blue", "parked": True, "doors": "4", "truncated": 0.25}
    assert told == {"boxes": [CAR["boxes"][0] | {"attributes": marks}]}


@pytest.mark.parametrize("tag", ["name", "value"])
def test_an_attribute_of_voc_without_its_name_or_value_is_named(tag: str) -> None:
    text = MARKED.replace(f"<{tag}>parked</{tag}>", "").replace(f"<{tag}>True</{tag}>", "")
    told = fault_in("voc", detection({"a.jpg": SIZE}, {"a.xml": text}))
    assert f"<attribute> has no <{tag}>" in str(told)


def test_other_columns_of_a_table_are_metadata_or_attributes() -> None:
    table = b"file,class,age,code,note\na.jpg,car,7,007,\n"
    assert read("csv", Batch({"a.jpg": SIZE}, {"x.csv": table}, ["car"])).samples["a.jpg"].meta == {
        "age": 7, "code": "007"
    }  # fmt: skip
    boxes = b"file,class,x1,y1,x2,y2,speed\na.jpg,car,10,5,30,25,0.5\n"
    told = read("csv", Batch({"a.jpg": SIZE}, {"x.csv": boxes}, ["car"], OBJECTS)).samples["a.jpg"].label
    assert told == {"boxes": [CAR["boxes"][0] | {"attributes": {"speed": 0.5}}]}


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_table_is_read_whatever_ends_its_lines(end: str) -> None:
    table = end.join(["file,class", "a.jpg,car", "b.jpg,dog", ""]).encode()
    reading = read("csv", Batch({"a.jpg": SIZE, "b.jpg": SIZE}, {"x.csv": table}, ["car", "dog"]))
    assert [reading.samples[key].label for key in ("a.jpg", "b.jpg")] == [{"class": "car"}, {"class": "dog"}]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("a.jpg,train", "x.csv, line 2: 2 values instead of 3"),
        ("a.jpg,monday,car", "x.csv, line 2: split: 'monday' is not a split: use train, val, test or pool"),
        ('a.jpg,train,"car', "x.csv, line 2: not CSV"),
        ("a.jpg,val,car\na.jpg,train,car", "x.csv, line 4: 'a.jpg' is in train here and in val in a line before"),
        (
            "a.jpg,train,car\na.jpg,train,dog",
            "'a.jpg' has the classes 'car' and 'dog': a sample of this dataset has one",
        ),
    ],
)
def test_a_line_of_a_table_that_can_t_be_read_is_named(line: str, words: str) -> None:
    batch = Batch(
        {"a.jpg": SIZE, "b.jpg": SIZE}, {"x.csv": f"file,split,class\nb.jpg,val,dog\n{line}".encode()}, ["car"]
    )
    reading = read("csv", batch)
    assert words.replace("line 2", "line 3") in str(reading.faults[0].error)
    assert reading.samples["b.jpg"].label == {"class": "dog"}
    assert "a.jpg" not in reading.samples or reading.samples["a.jpg"].label is None


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("a.jpg,car,10,5,x,25", "x.csv, line 2, xmax: 'x' is not a number"),
        ("a.jpg,,10,5,30,25", "x.csv, line 2: class: the box has no class"),
        ("a.jpg,car,,,,", "x.csv, line 2, xmin: '' is not a number"),
        ("a.jpg,car,10,5", "x.csv, line 2: 4 values instead of 6"),
    ],
)
def test_a_box_of_a_table_that_can_t_be_read_costs_its_image_its_label(line: str, words: str) -> None:
    table = f"file,class,xmin,ymin,xmax,ymax\n{line}\na.jpg,car,1,1,2,2\n"
    reading = read("csv", detection({"a.jpg": SIZE}, {"x.csv": table}))
    assert words in str(reading.faults[0].error)
    assert reading.samples["a.jpg"].label is None


def test_a_table_that_says_nothing_a_dataset_holds_is_none() -> None:
    for form, table in (("class", "file,class,xmin,ymin,xmax,ymax\n"), (OBJECTS, "file,class\n"), ("class", "a,b\n")):
        batch = Batch({"a.jpg": SIZE}, {"x.csv": table.encode()}, ["car"], form)
        assert recognise(batch) is None
        with pytest.raises(FormatError, match="csv needs a table whose first line names a column for the image"):
            read("csv", batch)


def test_a_class_that_is_called_like_a_column_can_t_have_a_column() -> None:
    item = Item("a.jpg", SIZE, "train", {"classes": ["File"]})
    with pytest.raises(FormatError, match="the class 'File' is called like a column"):
        list(formats.write("csv", [item], classes=["File"], form=MANY_CLASSES, losses=Notes()))


def test_images_of_coco_that_share_an_id_cost_themselves_alone() -> None:
    document = json.loads(coco("a.jpg", "b.jpg", "c.jpg"))
    document["images"][1]["id"] = 1
    reading = read(
        "coco", detection(dict.fromkeys(["a.jpg", "b.jpg", "c.jpg"], SIZE), {"x.json": json.dumps(document)})
    )
    assert [str(one.error) for one in reading.faults] == [
        "x.json, images[1].id: 1 is another image's too: neither gets a label"
    ]
    assert reading.samples.keys() == {"c.jpg"}
    assert reading.samples["c.jpg"].label is not None
    assert [line.partition(" (")[0] for line in reading.notes.lines()] == [
        "annotations of images that their file does not list were left out"
    ]


@pytest.mark.parametrize(
    ("name", "known"),
    [("imageColumns", FILES), ("classColumns", CLASSES), ("cornerColumns", tuple(sides[0] for sides in CORNERS))],
)
def test_the_page_that_makes_a_dataset_knows_the_same_columns(name: str, known: tuple[str, ...]) -> None:
    source = (ROOT / "frontend/src/features/datasets/create/known-classes.ts").read_text()
    said = re.search(rf"^const {name} = \[(.*)\]$", source, re.MULTILINE)
    assert said is not None
    assert tuple(re.findall(r"'(\w+)'", said[1])) == known


def test_an_id_of_coco_may_be_a_number_in_one_place_and_a_text_in_another() -> None:
    document = coco("a.jpg").replace('_id": 1', '_id": "1"')
    assert document.count('_id": "') == 2
    reading = read("coco", detection({"a.jpg": SIZE}, {"x.json": document}))
    assert reading.samples["a.jpg"].label == {"boxes": [BOX | {"id": "1"}]}
    assert reading.notes.lines() == []


def test_outlines_that_coco_s_file_does_not_draw_are_counted() -> None:
    short = coco("a.jpg", segmentation=[[1, 1, 9, 9]])
    reading = read("coco", detection({"a.jpg": SIZE}, {"x.json": short}))
    assert reading.samples["a.jpg"].label == {"boxes": [BOX | {"id": "1"}]}
    assert reading.notes.lines() == ["outlines of fewer than 3 points were left out (1; the first: a.jpg)"]
    word = detection({"a.jpg": SIZE}, {"x.json": coco("a.jpg", segmentation="1 1 9 9")})
    assert "segmentation: must be a list, not a string" in str(fault_in("coco", word))


def test_a_crowd_of_coco_is_one_or_none() -> None:
    document = coco("a.jpg").replace('"iscrowd": 0', '"iscrowd": "1"')
    told = fault_in("coco", detection({"a.jpg": SIZE}, {"x.json": document}))
    assert "annotations[0].iscrowd: must be 0 or 1" in str(told)


@pytest.mark.parametrize("columns", ["filename,class,Class", "filename,class,note,note"])
def test_a_column_of_a_table_that_stands_twice_is_named(columns: str) -> None:
    table = detection({"a.jpg": SIZE}, {"x.csv": f"{columns},xmin,ymin,xmax,ymax\na.jpg,car,dog,1,10,5,30,25\n"})
    told = fault_in("csv", table)
    assert f"x.csv, line 1: the column {columns.rpartition(',')[2].lower()!r} stands twice: keep one" in str(told)


@pytest.mark.parametrize("name", ["voc", "cvat", "labelme_xml"])
def test_xml_in_utf_16_is_read_as_any(name: str) -> None:
    item = Item("a.jpg", SIZE, "train", {"boxes": [BOX]})
    archive = write(name, [item], classes=["car"], form=OBJECTS)
    for path in [path for path in archive.documents if path.endswith(".xml")]:
        text = archive.documents[path].decode().replace("utf-8", "utf-16")
        archive.documents[path] = text.encode("utf-16")
    batch = batch_of(archive, [item], classes=["car"], form=OBJECTS)
    found = recognise(batch)
    assert found is not None
    assert found.format == name
    assert read(name, batch).samples[archive.paths["a.jpg"]].label == {"boxes": [BOX]}


def test_json_in_utf_16_is_told_as_what_it_is() -> None:
    batch = Batch({"a.jpg": SIZE}, {"x.json": coco("a.jpg").encode("utf-16")}, ["car"], OBJECTS)
    assert fault_of(batch, "x.json") == "x.json: not UTF-8 text; save it as UTF-8"


def test_the_masks_of_voc_are_counted_when_they_come_in_as_images() -> None:
    item = Item("a.jpg", SIZE, "train", {"boxes": [BOX]})
    archive = write("voc", [item], classes=["car"], form=OBJECTS)
    masks = {f"{folder}/a.png": SIZE for folder in ("SegmentationClass", "SegmentationObject")}
    reading = read("voc", Batch({"JPEGImages/a.jpg": SIZE} | masks, archive.documents, ["car"], OBJECTS))
    assert reading.samples["JPEGImages/a.jpg"].label == {"boxes": [BOX]}
    words = "masks came in as images without a label: remove them, or push without them"
    assert reading.notes.lines() == [f"{words} (2; the first: SegmentationClass/a.png)"]
