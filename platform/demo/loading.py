"""Real digits into a dataset: a test split, a few labelled images, the rest an unlabelled pool."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import cv2
import numpy as np
from numpy.typing import NDArray

from demo.mnist import Digits
from demo.plan import CLASSES, Arm, Plan
from motherlode.archives import write_tar
from motherlode.bars import JobBar
from motherlode.client import Motherlode
from motherlode.errors import JobFailedError, MotherlodeError
from motherlode.transport import Upload

if TYPE_CHECKING:
    from motherlode.documents import Commit, LabelValue, SplitEnum


Images = NDArray[np.uint8]
Labels = NDArray[np.int64]


@dataclass(frozen=True)
class Part:
    """One upload: images (N, H, W) with their keys, and labels (N,) where they are to be known from the start."""

    split: SplitEnum
    message: str
    keys: list[str]
    images: Images
    labels: Labels | None

    @cached_property
    def archive(self) -> bytes:
        """A tar archive of PNG files; made once, though two datasets get it."""
        stream = io.BytesIO()
        write_tar(stream, zip(self.keys, _pngs(self.images), strict=True))
        return stream.getvalue()

    def annotations(self) -> bytes | None:
        """JSON lines with each label and split; None where nothing is labelled."""
        if self.labels is None:
            return None
        rows = (
            {"key": key, "label": label_of(digit), "split": self.split} for key, digit in self._labelled(self.labels)
        )
        return "".join(json.dumps(row) + "\n" for row in rows).encode()

    def _labelled(self, labels: Labels) -> Iterable[tuple[str, int]]:
        return zip(self.keys, labels.tolist(), strict=True)


def label_of(digit: int) -> LabelValue:
    """A digit as a label."""
    return {"class": CLASSES[digit]}


def parts(digits: Digits, plan: Plan) -> list[Part]:
    """The three uploads of a dataset. The seed decides which training images start with a label."""
    chosen = first_labelled(digits.train_labels, count=plan.labelled, seed=plan.seed)
    pool = np.setdiff1d(np.arange(len(digits.train_labels)), chosen)
    test_keys = [f"test-{index:05}.png" for index in range(len(digits.test_labels))]
    return [
        Part("test", f"Test split: {len(test_keys):,} digits", test_keys, digits.test_images, digits.test_labels),
        Part("train", f"First labels: {len(chosen):,} digits", _train_keys(chosen), digits.train_images[chosen],
             digits.train_labels[chosen]),
        Part("pool", f"Unlabelled pool: {len(pool):,} digits", _train_keys(pool), digits.train_images[pool], None),
    ]  # fmt: skip


def first_labelled(labels: Labels, *, count: int, seed: int) -> NDArray[np.int64]:
    """Sorted indices of `count` images, the same number of each class, drawn at random."""
    generator = np.random.default_rng(seed)
    each = count // len(CLASSES)
    drawn = [generator.choice(np.flatnonzero(labels == digit), each, replace=False) for digit in range(len(CLASSES))]
    return np.sort(np.concatenate(drawn)).astype(np.int64)


def write_truth(digits: Digits, path: Path) -> dict[str, LabelValue]:
    """The recorded truth of all training images, kept in a file for stand-in annotators; the platform never sees it."""
    truth = {f"train-{index:05}.png": label_of(digit) for index, digit in enumerate(digits.train_labels.tolist())}
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps({"key": key, "label": label}) + "\n" for key, label in truth.items())
    return truth


def ensure_dataset(client: Motherlode, arm: Arm, source: str) -> None:
    """Create the arm's dataset where it is missing. Raises `other_digits` where it holds digits of another source."""
    description = f"Handwritten digits for the {arm.title} arm: {source}"
    found = next((one for one in client.datasets.all() if one["name"] == arm.dataset), None)
    if found is None:
        client.datasets.create(arm.dataset, classes=CLASSES, description=description)
    elif found["description"] != description:
        detail = (
            f"Dataset {arm.dataset!r} holds something else ({found['description']!r}): `make clean`, or use --suffix"
        )
        raise MotherlodeError(status=0, code="other_digits", detail=detail)


def missing_parts(client: Motherlode, arm: Arm, wanted: list[Part]) -> list[Part]:
    """Those that no version of the dataset brought yet."""
    there = {version["message"] for version in client.datasets.versions(arm.dataset)}
    return [part for part in wanted if part.message not in there]


def push_part(client: Motherlode, arm: Arm, part: Part, bar: JobBar) -> Commit:
    """Upload one part. Sent again after an interruption, it is recognised by its key and not taken twice."""
    archive, annotations = part.archive, part.annotations()
    digest = hashlib.sha256(archive + (annotations or b"")).hexdigest()

    def push(key: str | None) -> Commit:
        return client.datasets.push(
            arm.dataset,
            Upload(f"{part.split}.tar", archive, "application/x-tar"),
            annotations=Upload("annotations.jsonl", annotations, "application/jsonl") if annotations else None,
            allow_near_duplicates=True,  # the images' own split, as everybody uses them
            form="jsonl" if annotations else "auto",
            split=part.split,
            message=part.message,
            key=key,
            on_progress=bar.show,
        )

    try:
        commit = push(f"demo-{arm.dataset}-{part.split}-{digest[:32]}")
    except JobFailedError:  # perhaps that of an earlier run, which this key answers with: once more, under a new one
        commit = push(None)
    bar.finish(len(part.keys))
    if commit["rejected"]:
        first = commit["rejected"][0]
        detail = f"{len(commit['rejected'])} digits were rejected; the first is {first['key']}: {first['detail']}"
        raise MotherlodeError(status=0, code=first["code"], detail=detail)
    return commit


def _train_keys(indices: NDArray[np.int64]) -> list[str]:
    return [f"train-{index:05}.png" for index in indices.tolist()]


def _pngs(images: Images) -> Iterator[bytes]:
    for image in images:
        _, data = cv2.imencode(".png", image)
        yield data.tobytes()
