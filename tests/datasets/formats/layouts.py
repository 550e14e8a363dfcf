"""The layouts people really have: what tools write, with their quirks. Images are named, their bytes don't matter."""

import json
from dataclasses import dataclass, field
from typing import Any

from formats import OBJECTS, ONE_CLASS, Batch, Size

SIZE: Size = (100, 50)
CLASSES = ("car", "dog")
BOX = {"class": "car", "box": [10.0, 5.0, 30.0, 25.0]}
KITTI = "car 0.5 1 -1.57 10 5 30 25 1.5 1.6 3.7 -2.1 1.5 11.2 -1.6\n"
XML = (
    "<annotation><folder>x</folder><filename>a.jpg</filename><size><width>100</width><height>50</height></size>"
    "<object><name>car</name><bndbox><xmin>10</xmin><ymin>5</ymin><xmax>30</xmax><ymax>25</ymax></bndbox></object>"
    "</annotation>"
)


@dataclass
class Layout:
    """Images and documents, the format they should be recognised as, and what should be read."""

    format: str
    images: list[str]
    documents: dict[str, str]
    told: dict[str, tuple[Any, str | None]]
    form: str = OBJECTS
    notes: list[str] = field(default_factory=list)

    @property
    def task(self) -> str:
        """What a dataset asks that holds such labels."""
        return {ONE_CLASS: "classification", OBJECTS: "detection"}[self.form]

    @property
    def batch(self) -> Batch:
        texts = {path: text.encode() for path, text in self.documents.items()}
        return Batch(dict.fromkeys(self.images, SIZE), texts, CLASSES, self.form)


RECTANGLE = [[10, 5, 30, 5, 30, 25, 10, 25]]


def coco(*names: str, segmentation: Any = RECTANGLE, **more: Any) -> str:
    """A COCO file with one car in each image, outlined by the corners of its box as most tools for boxes do it."""
    images = [{"id": number, "file_name": name, "width": 100, "height": 50} for number, name in enumerate(names, 1)]
    shape = {"bbox": [10, 5, 20, 20], "area": 400, "iscrowd": 0, "segmentation": segmentation}
    rows = [{"id": row["id"], "image_id": row["id"], "category_id": 1} | shape for row in images]
    return json.dumps({"images": images, "annotations": rows, "categories": [{"id": 1, "name": "car"}]} | more)


def side(name: str, **annotation: Any) -> str:
    """A COCO file that tells another side of an image than its boxes."""
    rows = [{"id": 1, "image_id": 1} | annotation] if annotation else []
    return coco(name, annotations=rows, categories=[{"id": 1, "name": "car"}])


def task(address: str, **more: Any) -> dict[str, Any]:
    """A task of Label Studio with one car."""
    value = {"x": 10, "y": 10, "width": 20, "height": 40, "rotation": 0, "rectanglelabels": ["car"]}
    item = {"id": "x", "from_name": "label", "to_name": "image", "type": "rectanglelabels", "value": value,
            "original_width": 100, "original_height": 50, "image_rotation": 0}  # fmt: skip
    return {"id": 1, "data": {"image": address}, "annotations": [{"id": 1, "result": [item]}]} | more


CAR = {"boxes": [BOX]}
RING = {"class": "car", "points": [[10.0, 5.0], [30.0, 5.0], [30.0, 25.0]], "id": "1"}
OUTLINED = {"boxes": [], "polygons": [RING]}
SEEN = {"truncated": 0.5, "occluded": 1.0, "alpha": -1.57, "dimensions": [1.5, 1.6, 3.7], "location": [-2.1, 1.5, 11.2],
        "rotation_y": -1.6}  # fmt: skip
KITTI_CAR = {"boxes": [BOX | {"attributes": SEEN}]}
DONT_CARE = {"ignore": [{"class": "DontCare", "box": [1.0, 2.0, 3.0, 4.0]}]}


def called(own: str) -> dict[str, Any]:
    """The car with an id."""
    return {"boxes": [BOX | {"id": own}]}


NOTHING: dict[str, Any] = {"boxes": []}
MASKS = ["masks that are empty, can't be decoded or have another size were left out"]
LAYOUTS = {
    "coco as published": Layout(
        "coco", ["train2017/000001.jpg", "val2017/000002.jpg"],
        {"annotations/instances_train2017.json": coco("000001.jpg", segmentation=[[10, 5, 30, 5, 30, 25]]),
         "annotations/instances_val2017.json": coco("000002.jpg", segmentation={"counts": [9], "size": [50, 100]})},
        {"train2017/000001.jpg": (OUTLINED, "train"), "val2017/000002.jpg": (called("1"), "val")}, notes=MASKS,
    ),
    "coco whose splits share names": Layout(
        "coco", ["images/train/1.jpg", "images/val/1.jpg"],
        {"annotations/train.json": coco("1.jpg"), "annotations/val.json": coco("1.jpg")},
        {"images/train/1.jpg": (called("1"), "train"), "images/val/1.jpg": (called("1"), "val")},
    ),
    "coco as Roboflow writes it": Layout(
        "coco", ["train/a.jpg", "test/a.jpg"],
        {"train/_annotations.coco.json": coco("a.jpg"), "test/_annotations.coco.json": coco("a.jpg")},
        {"train/a.jpg": (called("1"), "train"), "test/a.jpg": (called("1"), "test")},
    ),
    "coco as datumaro writes it": Layout(
        "coco", ["images/train/a/1.jpg", "images/val/2.jpg"],
        {"annotations/instances_train.json": coco("a/1.jpg"),
         "annotations/stuff_train.json": coco("a/1.jpg"),
         "annotations/labels_train.json": side("a/1.jpg", category_id=1),
         "annotations/captions_train.json": side("a/1.jpg", category_id=0, caption="a car"),
         "annotations/image_info_train.json": side("a/1.jpg"), "annotations/image_info_val.json": side("2.jpg")},
        {"images/train/a/1.jpg": (called("1"), "train"), "images/val/2.jpg": (None, "val")},
        notes=["files of captions were passed over", "files of labels were passed over",
               "files of stuff were passed over"],
    ),
    "coco for classification": Layout(
        "coco", ["a.jpg"], {"labels.json": coco("a.jpg")}, {"a.jpg": ({"class": "car"}, None)}, ONE_CLASS,
        ["boxes are not kept by a classification dataset"],
    ),
    "yolo as Ultralytics has it": Layout(
        "yolo", ["d/images/train/a.jpg", "d/images/val/b.jpg", "d/images/val/c.jpg"],
        {"d/data.yaml": "path: d\ntrain: images/train\nval: images/val\nnames:\n  0: dog\n  1: car\n",
         "d/labels/train/a.txt": "1 0.2 0.3 0.2 0.4\n", "d/labels/val/b.txt": ""},
        {"d/images/train/a.jpg": (CAR, "train"), "d/images/val/b.jpg": (NOTHING, "val"),
         "d/images/val/c.jpg": (None, "val")},
    ),
    "yolo as Roboflow writes it": Layout(
        "yolo", ["train/images/a.jpg", "valid/images/a.jpg"],
        {"data.yaml": "train: ../train/images\nval: ../valid/images\nnc: 2\nnames: ['car', 'dog']\n",
         "train/labels/a.txt": "0 0.2 0.3 0.2 0.4", "valid/labels/a.txt": "0 0.1 0.1 0.3 0.1 0.3 0.5 0.1 0.5"},
        {"train/images/a.jpg": (CAR, "train"), "valid/images/a.jpg": (CAR, "val")},
        notes=["polygons are kept as the boxes around them"],
    ),
    "yolo as darknet has it": Layout(
        "yolo", ["obj_train_data/a.jpg", "obj_train_data/b.jpg"],
        {"obj.data": "classes = 2\ntrain = data/train.txt\nvalid = data/valid.txt\nnames = obj.names\n",
         "obj.names": "car\ndog\n", "train.txt": "data/obj_train_data/a.jpg\n",
         "valid.txt": "data/obj_train_data/b.jpg\n",
         "obj_train_data/a.txt": "0 0.2 0.3 0.2 0.4\n", "obj_train_data/b.txt": "0 0.2 0.3 0.2 0.4\n"},
        {"obj_train_data/a.jpg": (CAR, "train"), "obj_train_data/b.jpg": (CAR, "val")},
    ),
    "csv as Kaggle has it": Layout(
        "csv", ["train/0a.jpg", "train/0b.jpg", "test/0c.jpg"],
        {"train.csv": "image_id,label,age\n0a,car,7\n0b.jpg,dog,\n"},
        {"train/0a.jpg": ({"class": "car"}, "train"), "train/0b.jpg": ({"class": "dog"}, "train"),
         "test/0c.jpg": (None, "test")}, ONE_CLASS,
    ),
    "csv with a column for each class": Layout(
        "csv", ["1.jpg", "2.jpg", "3.jpg"],
        {"truth.csv": "image,car,dog\r\n1,1.0,0.0\r\n2,0,1\r\n3,0,0\r\n"},
        {"1.jpg": ({"class": "car"}, None), "2.jpg": ({"class": "dog"}, None), "3.jpg": (None, None)}, ONE_CLASS,
    ),
    "csv as a spreadsheet saves it": Layout(
        "csv", ["a b.jpg", "c.jpg"],
        {"labels.csv": '\ufeffFilename;Class;Split\n"a b.jpg";car;Training\nc.jpg; dog ;\n;;\n'},
        {"a b.jpg": ({"class": "car"}, "train"), "c.jpg": ({"class": "dog"}, None)}, ONE_CLASS,
    ),
    "csv as Roboflow and TensorFlow write it": Layout(
        "csv", ["train/a.jpg", "test/a.jpg", "test/b.jpg"],
        {"train/_annotations.csv": "filename,width,height,class,xmin,ymin,xmax,ymax\na.jpg,100,50,car,10,5,30,25\n",
         "test/_annotations.csv": "filename,width,height,class,xmin,ymin,xmax,ymax\na.jpg,100,50,car,10,5,30,25\n"
                                  "b.jpg,,,,,,,\n"},
        {"train/a.jpg": (CAR, "train"), "test/a.jpg": (CAR, "test"), "test/b.jpg": (NOTHING, "test")},
    ),
    "yolo without a list of classes": Layout(
        "yolo", ["a.jpg"], {"a.txt": "0 0.2 0.3 0.2 0.4\n"}, {"a.jpg": (CAR, None)},
        notes=["class numbers were taken as positions in the dataset's list: there is no list of names"],
    ),
    "yolo as LabelImg writes it": Layout(
        "yolo", ["a.jpg"], {"a.txt": "1 0.2 0.3 0.2 0.4\n", "classes.txt": "dog\ncar\n"}, {"a.jpg": (CAR, None)},
    ),
    "kitti as published": Layout(
        "kitti", ["training/image_2/000000.png", "testing/image_2/000000.png"],
        {"training/label_2/000000.txt": KITTI + "DontCare -1 -1 -10 1 2 3 4 -1 -1 -1 -1000 -1000 -1000 -10\n"},
        {"training/image_2/000000.png": (KITTI_CAR | DONT_CARE, "train"),
         "testing/image_2/000000.png": (None, "test")},
        notes=["DontCare regions are kept as regions to ignore, not as boxes"],
    ),
    "kitti with the usual lists": Layout(
        "kitti", ["training/image_2/000000.png", "training/image_2/000001.png", "testing/image_2/000001.png"],
        {"training/label_2/000000.txt": KITTI, "training/label_2/000001.txt": KITTI,
         "ImageSets/train.txt": "000000\n", "ImageSets/val.txt": "000001\n"},
        {"training/image_2/000000.png": (KITTI_CAR, "train"), "training/image_2/000001.png": (KITTI_CAR, "val"),
         "testing/image_2/000001.png": (None, "test")},
    ),
    "kitti as DIGITS has it": Layout(
        "kitti", ["train/images/1.png", "val/images/1.png"],
        {"train/labels/1.txt": KITTI, "val/labels/1.txt": KITTI},
        {"train/images/1.png": (KITTI_CAR, "train"), "val/images/1.png": (KITTI_CAR, "val")},
    ),
    "voc as published": Layout(
        "voc", ["VOC2012/JPEGImages/a.jpg", "VOC2012/JPEGImages/b.jpg"],
        {"VOC2012/Annotations/a.xml": XML, "VOC2012/ImageSets/Main/train.txt": "a\n",
         "VOC2012/ImageSets/Main/val.txt": "b\n", "VOC2012/ImageSets/Main/car_train.txt": "a  1\n"},
        {"VOC2012/JPEGImages/a.jpg": (CAR, "train"), "VOC2012/JPEGImages/b.jpg": (None, "val")},
        notes=["lists of images that are no split were passed over"],
    ),
    "voc as LabelImg writes it": Layout("voc", ["a.jpg"], {"a.xml": XML}, {"a.jpg": (CAR, None)}),
    "label studio with uploads": Layout(
        "label_studio", ["photos/a b.jpg"], {"project.json": json.dumps([task("/data/upload/3/1a2b3c4d-a b.jpg")])},
        {"photos/a b.jpg": (called("x"), None)},
    ),
    "label studio with local files": Layout(
        "label_studio", ["photos/a b.jpg"],
        {"x.json": json.dumps([task("/data/local-files/?d=photos/a%20b.jpg", predictions=[{}])])},
        {"photos/a b.jpg": (called("x"), None)}, notes=["predictions are not labels and were left out"],
    ),
    "label studio with a bucket": Layout(
        "label_studio", ["photos/a.jpg", "photos/b.jpg"],
        {"x.json": json.dumps([task("s3://bucket/photos/a.jpg"), task("s3://bucket/photos/b.jpg", annotations=[])])},
        {"photos/a.jpg": (called("x"), None), "photos/b.jpg": (None, None)},
    ),
    "label studio with choices": Layout(
        "label_studio", ["a.jpg"],
        {"x.json": json.dumps([{"data": {"image": "http://host/a.jpg"}, "annotations": [
            {"result": [{"type": "choices", "value": {"choices": ["dog"]}}]}]}])},
        {"a.jpg": ({"class": "dog"}, None)}, ONE_CLASS,
    ),
    "image folders": Layout(
        "image_folder", ["data/train/dog/1.jpg", "dog/2.jpg"], {},
        {"data/train/dog/1.jpg": ({"class": "dog"}, "train"), "dog/2.jpg": ({"class": "dog"}, None)}, ONE_CLASS,
    ),
    "json lines": Layout(
        "jsonl", ["a.jpg"], {"labels.jsonl": json.dumps({"key": "a.jpg", "label": CAR, "split": "val"}) + "\n"},
        {"a.jpg": (CAR, "val")},
    ),
}  # fmt: skip
