"""The dataset in COCO's file layout, with regions to ignore as `iscrowd`."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from demo.signs.scene import Annotations, Sign


def image_name(split: str, number: int) -> str:
    """Return the file name of an image, unique across splits."""
    return f"{split}-{number:05d}.jpg"


def image_path(folder: Path, split: str, name: str) -> Path:
    """Return the path of an image."""
    return folder / "images" / split / name


def annotations_path(folder: Path, split: str) -> Path:
    """Return the path of a split's annotations."""
    return folder / "annotations" / f"instances_{split}.json"


def document(rows: Sequence[tuple[str, Annotations]], classes: Sequence[str], info: Mapping[str, Any]) -> str:
    """Format COCO's JSON of one split: the file name and the annotations of each image; `info` says how the set was
    made."""
    numbers = {name: number for number, name in enumerate(classes, start=1)}
    images: list[dict[str, Any]] = []
    annotations: list[dict[str, Any]] = []
    for number, (name, image) in enumerate(rows, start=1):
        width, height = image.size
        meta = {"photograph": image.photograph}
        images.append({"id": number, "file_name": name, "width": width, "height": height, "meta": meta})
        for sign in image.signs:
            row = {"id": len(annotations) + 1, "image_id": number, "category_id": numbers[sign.kind]}
            annotations.append(row | _shape(sign))
    categories = [{"id": number, "name": name, "supercategory": "traffic sign"} for name, number in numbers.items()]
    whole = {"info": info, "licenses": [], "categories": categories, "images": images, "annotations": annotations}
    return json.dumps(whole, separators=(",", ":"))


def _shape(sign: Sign) -> dict[str, Any]:
    x1, y1, x2, y2 = sign.box
    return {
        "bbox": [x1, y1, x2 - x1, y2 - y1],
        "area": (x2 - x1) * (y2 - y1),
        "segmentation": [],
        "iscrowd": int(sign.ignored),
        "attributes": {"sign": sign.name, "hidden": sign.hidden},
    }
