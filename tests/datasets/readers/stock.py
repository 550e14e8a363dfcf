"""Reads exports with the stock readers of other projects; run by the Python of their own environment.

    python stock.py FOLDER FORMAT READER

prints `{image's stem: [[class, x1, y1, x2, y2], ..]}` as JSON, every image there, boxes in pixels. A class of a whole
image has no corners; `datumaro-attributes` prints `[name, value]` of boxes instead. It imports nothing of Motherlode.
"""

import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

Found = dict[str, list[list[Any]]]


def stem(path: str) -> str:
    return Path(path).stem


def pycocotools(folder: Path, form: str) -> Found:
    from pycocotools.coco import COCO

    found: Found = {}
    for file in sorted((folder / "annotations").glob("*.json")):
        coco = COCO(str(file))
        split = file.stem.rpartition("_")[2]
        for number, image in coco.imgs.items():
            assert (folder / "images" / split / image["file_name"]).is_file(), image
            rows = coco.loadAnns(coco.getAnnIds(imgIds=[number]))
            found[stem(image["file_name"])] = [
                [coco.cats[row["category_id"]]["name"], *corners(row["bbox"])] for row in rows
            ]
    return found


def corners(box: list[float]) -> list[float]:
    x, y, width, height = box
    return [x, y, x + width, y + height]


def datumaro(folder: Path, form: str) -> Found:
    import datumaro

    names = {
        "yolo": "yolo",
        "kitti": "kitti",
        "voc": "voc",
        "coco": "coco",
        "cvat": "cvat",
        "labelme_xml": "label_me",
        "open_images": "open_images",
    }
    data = datumaro.Dataset.import_from(str(folder), names[form])
    labels = data.categories()[datumaro.AnnotationType.label]
    found: Found = {}
    for item in data:
        rows = [one for one in item.annotations if one.type.name == "bbox"]
        # Its VOC reader also makes classes of whole images of the boxes.
        found[stem(item.id + ".x")] = [[labels[one.label].name, *one.points] for one in rows]
    return found


def datumaro_attributes(folder: Path, form: str) -> Found:
    """What it reads of the attributes of every box: `[name, value]` each, in the order of boxes and names."""
    import datumaro

    found: Found = {}
    for item in datumaro.Dataset.import_from(str(folder), form):
        marks = [sorted(one.attributes.items()) for one in item.annotations if one.type.name == "bbox"]
        found[stem(item.id + ".x")] = [[name, str(value)] for each in marks for name, value in each]
    return found


def supervision(folder: Path, form: str) -> Found:
    import supervision as sv

    parts: list[Any] = []
    if form == "coco":
        for file in sorted((folder / "annotations").glob("*.json")):
            split = file.stem.rpartition("_")[2]
            parts.append(sv.DetectionDataset.from_coco(str(folder / "images" / split), str(file)))
    elif form == "yolo":
        for images in sorted((folder / "images").iterdir()):
            texts = folder / "labels" / images.name
            texts.mkdir(exist_ok=True, parents=True)
            parts.append(sv.DetectionDataset.from_yolo(str(images), str(texts), str(folder / "data.yaml")))
    elif form == "voc":
        parts.append(sv.DetectionDataset.from_pascal_voc(str(folder / "JPEGImages"), str(folder / "Annotations")))
    elif form == "image_folder":
        return _folders(folder, sv)
    found: Found = {}
    for part in parts:
        for path, _, boxes in part:
            found.setdefault(stem(path), []).extend(
                [part.classes[number], *map(float, box)] for box, number in zip(boxes.xyxy, boxes.class_id, strict=True)
            )
    return found


def _folders(folder: Path, sv: Any) -> Found:
    found: Found = {}
    for split in sorted(folder.iterdir()):
        if any(one.is_dir() for one in split.iterdir()):
            data = sv.ClassificationDataset.from_folder_structure(str(split))
            for path, _, classes in data:
                found[stem(path)] = [[data.classes[int(classes.class_id[0])]]]
    return found


def label_studio(folder: Path, form: str) -> Found:
    from label_studio_sdk.converter import Converter

    converter = Converter(config=str(folder / "label_config.xml"), project_dir=str(folder), download_resources=False)
    with tempfile.TemporaryDirectory() as out:
        converter.convert_to_coco(str(folder / "tasks.json"), out, output_image_dir=f"{out}/images", is_dir=False)
        document = json.loads((Path(out) / "result.json").read_text())
    names = {row["id"]: row["name"] for row in document["categories"]}
    # It puts a digest and two underscores before the names of images.
    images = {row["id"]: stem(row["file_name"]).rpartition("__")[2] for row in document["images"]}
    found: Found = {name: [] for name in images.values()}
    for row in document["annotations"]:
        found[images[row["image_id"]]].append([names[row["category_id"]], *corners(row["bbox"])])
    return found


READERS: dict[str, Callable[[Path, str], Found]] = {
    "pycocotools": pycocotools,
    "datumaro": datumaro,
    "supervision": supervision,
    "label-studio-sdk": label_studio,
    "datumaro-attributes": datumaro_attributes,
}

if __name__ == "__main__":
    out, sys.stdout = sys.stdout, sys.stderr  # readers talk
    result = READERS[sys.argv[3]](Path(sys.argv[1]), sys.argv[2])
    json.dump(result, out)
