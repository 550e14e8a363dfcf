"""Recommend an architecture for the task and the images of a dataset."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from blobs.errors import BlobError
from blobs.images import decode_rgb
from blobs.models import Blob
from blobs.services import store
from catalog.models import Dataset
from registry.configs import merged_config
from tasktypes.model_parts import BOXES

RECOMMENDED = "architecture to train; by default what `GET /datasets/{id}/recommended-architecture` says"
"""The description of a field that `architecture_for` completes."""
SMALL_SIDE = 64
"""Longest side in pixels of images too small for pretrained networks, which take 224 pixels and more."""
MEASURED = 500
LOOKED_AT = 8
SIDES = (16, 28, 32, 48, 64)


@dataclass(frozen=True, slots=True)
class Recommendation:
    """An architecture with the `config` that fits the images, and why."""

    architecture: str
    reason: str
    config: dict[str, Any] = field(default_factory=dict)


def recommend_architecture(dataset: Dataset) -> Recommendation:
    """Recommend by the task type, the size of the images at the head, and for small ones by whether they are gray.
    Reads a few of them."""
    if "training" not in dataset.task_type.lacks and dataset.task_type.outputs.form == BOXES:
        return Recommendation(
            "centre_lite0", "Boxes are asked for: it finds objects by their centres, with few labels."
        )
    blobs = _some_images(dataset)
    if not blobs:
        return Recommendation(
            "efficientnet_lite0", "There are no images yet: a network pretrained on photographs suits most of them."
        )
    side = median(max(blob.width or 0, blob.height or 0) for blob in blobs)
    if side > SMALL_SIDE:
        return Recommendation(
            "efficientnet_lite0",
            f"The images are about {side:.0f} pixels wide or high: a network pretrained on photographs needs "
            "few labels.",
        )
    channels = 1 if _are_gray(blobs[:LOOKED_AT]) else 3
    size = next(one for one in SIDES if one >= side)
    return Recommendation(
        "small_cnn",
        f"The images are about {side:.0f} pixels wide or high and {'gray' if channels == 1 else 'in colour'}: a small "
        "network of its own size learns them best.",
        {"params": {"size": size, "channels": channels}},
    )


def architecture_for(
    dataset: Dataset, architecture: str | None, config: Mapping[str, Any]
) -> tuple[str, dict[str, Any]]:
    """Return the architecture to train and its config: what is asked, else the recommended one with the changes of
    `config` on its own."""
    if architecture:
        return architecture, dict(config)
    suited = recommend_architecture(dataset)
    return suited.architecture, merged_config(suited.config, config)


def _some_images(dataset: Dataset) -> list[Blob]:
    if dataset.head is None:
        return []
    rows = dataset.head.revisions.filter(blob__width__isnull=False).select_related("blob").order_by("sample_id")
    return [row.blob for row in rows[:MEASURED]]


def _are_gray(blobs: Sequence[Blob]) -> bool:
    """Whether the images have no colour; those that can't be read don't count."""
    for blob in blobs:
        try:
            pixels = decode_rgb(store().get(blob.ref))
        except BlobError:
            continue
        if (pixels[..., 0] != pixels[..., 1]).any() or (pixels[..., 1] != pixels[..., 2]).any():
            return False
    return True
