"""The dataset on disk: JPEG files and COCO's JSON, made once for each number of images and seed."""

import json
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from demo.signs.coco import annotations_path, document, image_name, image_path
from demo.signs.scene import Annotations, Scene, render
from demo.signs.sources import SPLITS, Sources, load_sources

FORMAT = 1  # raised whenever the same seed would give other images
SHARES = {"train": 0.7, "val": 0.1, "test": 0.2}
MADE_BY = "Traffic signs on photographs, by demo.signs"


class SignsError(Exception):
    """The folder can't hold the set."""

    code = "signs_folder_unusable"


@dataclass(frozen=True, slots=True)
class SignsDataset:
    """The dataset in a folder. `lode dataset push FOLDER` accepts the folder as it is."""

    folder: Path
    images: int
    seed: int
    classes: tuple[str, ...]

    def coco(self, split: str) -> dict[str, Any]:
        """Read COCO's document of one split."""
        document: dict[str, Any] = json.loads(annotations_path(self.folder, split).read_text(encoding="utf-8"))
        return document

    def images_of(self, split: str) -> list[Path]:
        """List the images of one split, in order."""
        return [image_path(self.folder, split, row["file_name"]) for row in self.coco(split)["images"]]

    def labels(self, split: str) -> dict[str, dict[str, Any]]:
        """Map each image's file name to its label on the platform: the answers of a stand-in annotator."""
        coco = self.coco(split)
        names = {row["id"]: row["name"] for row in coco["categories"]}
        files = {row["id"]: row["file_name"] for row in coco["images"]}
        labels: dict[str, dict[str, Any]] = {name: {"boxes": []} for name in files.values()}
        for row in coco["annotations"]:
            x, y, width, height = row["bbox"]
            one = {"class": names[row["category_id"]], "box": [x, y, x + width, y + height]}
            labels[files[row["image_id"]]].setdefault("ignore" if row["iscrowd"] else "boxes", []).append(one)
        return labels

    def summary(self) -> dict[str, Any]:
        """Count by split: images, images without signs, boxes by class, ignored regions, quartiles of the longer
        sides."""
        return {split: _counted(self.coco(split)) for split in SPLITS}


def signs_dataset(
    folder: Path, images: int = 1200, seed: int = 0, *,
    sources: Sources | None = None, progress: Callable[[int], object] = int,
) -> SignsDataset:  # fmt: skip
    """Return the dataset in `folder`, rendered unless it is there already; the same arguments give the same bytes.

    `sources` defaults to those of `sources.json`, from npm; raises NpmError if npm can't fetch them. `progress`
    receives the number of images made so far. Raises SignsError if `folder` holds something else.
    """
    info = {"description": MADE_BY, "version": FORMAT, "images": images, "seed": seed}
    if annotations_path(folder, SPLITS[0]).exists():
        return _known(folder, info)
    if folder.exists() and any(folder.iterdir()):
        raise SignsError(f"{folder} is not empty: the set needs a folder of its own")
    sources = sources or load_sources()
    partial = folder.with_name(f".{folder.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)  # of a run that was ended
    done = 0
    for split, count in split_counts(images).items():
        rows = []
        for row in _written(partial, split, count, seed, sources):
            rows.append(row)
            progress(done := done + 1)
        path = annotations_path(partial, split)
        path.parent.mkdir(exist_ok=True)
        path.write_text(document(rows, sources.classes, info), encoding="utf-8")
    if folder.exists():
        folder.rmdir()
    partial.rename(folder)
    return SignsDataset(folder, images, seed, sources.classes)


def _known(folder: Path, info: Mapping[str, Any]) -> SignsDataset:
    coco = json.loads(annotations_path(folder, SPLITS[0]).read_text(encoding="utf-8"))
    if coco.get("info") != info:
        raise SignsError(f"{folder} holds another set, {coco.get('info')}: take another folder, or remove it")
    return SignsDataset(folder, info["images"], info["seed"], tuple(row["name"] for row in coco["categories"]))


def split_counts(images: int) -> dict[str, int]:
    """Return the number of images of each split; at least one each."""
    counts = {split: max(1, round(images * share)) for split, share in SHARES.items()}
    counts["train"] = images - counts["val"] - counts["test"]
    if counts["train"] < 1:
        raise SignsError(f"{images} images are too few for three splits: at least {len(SPLITS)} are needed")
    return counts


def scenes(split: str, count: int, seed: int, sources: Sources) -> Iterator[tuple[Scene, int]]:
    """Yield the images of one split with their JPEG quality; each has its own random seed, independent of those before
    it."""
    for number in range(count):
        rng = np.random.default_rng([seed, SPLITS.index(split), number])
        yield render(sources.splits[split], sources.classes, rng), int(rng.integers(40, 91))


def _written(folder: Path, split: str, count: int, seed: int, sources: Sources) -> Iterator[tuple[str, Annotations]]:
    image_path(folder, split, "").mkdir(parents=True, exist_ok=True)
    for number, (scene, quality) in enumerate(scenes(split, count, seed, sources)):
        name = image_name(split, number)
        encoded, data = cv2.imencode(".jpg", scene.pixels, [cv2.IMWRITE_JPEG_QUALITY, quality])
        if not encoded:
            raise SignsError(f"{name} could not be encoded")
        image_path(folder, split, name).write_bytes(data.tobytes())
        yield name, scene.annotations


def _counted(coco: dict[str, Any]) -> dict[str, Any]:
    names = {row["id"]: row["name"] for row in coco["categories"]}
    signs = [row for row in coco["annotations"] if not row["iscrowd"]]
    sides = [max(row["bbox"][2:]) for row in signs]
    return {
        "images": len(coco["images"]),
        "without_signs": len(coco["images"]) - len({row["image_id"] for row in coco["annotations"]}),
        "boxes": dict(sorted(Counter(names[row["category_id"]] for row in signs).items())),
        "ignored": len(coco["annotations"]) - len(signs),
        "sides": [round(float(side)) for side in np.percentile(sides, (0, 25, 50, 75, 100))] if sides else [],
    }
