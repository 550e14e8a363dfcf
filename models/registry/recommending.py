"""Recommend an architecture for the task and the images of a dataset."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import median
from typing import Any

from blobs.errors import BlobError
from blobs.images import decode_rgb
from blobs.models import Blob
from blobs.services import store
from catalog.models import Dataset, Version
from registry.configs import merged_config
from tasktypes.model_parts import BOXES
from training.auto import AUTO, SMALL_SIDE, Auto, own_network
from worker_programs.wording import plural

RECOMMENDED = "architecture to train; by default what `GET /datasets/{id}/recommended-architecture` says"
"""The description of a field that `architecture_for` completes."""
RECOMMENDED_LEARNER = (
    "architecture to train, or `auto`; by default the `learner` of `GET /datasets/{id}/recommended-architecture`"
)
"""The description of a field that `learner_for` completes."""
RECOMMENDED_COUNT = (
    "labels asked for in each round; by default the `labels_per_round` of `GET /datasets/{id}/recommended-architecture`"
)
CHOOSES = (
    "A pretrained network's features while labels are few, a whole network once cross-validation shows that it is "
    "better."
)
LABELS_PER_CLASS = 4
FEWEST_LABELS, MOST_LABELS = 40, 400
"""The fewest and the most labels that are recommended for a round: fewer than 40 are hardly worth a training, and of
more than 400 the last ones are picked by a model that knows little of the first."""
MEASURED = 500
LOOKED_AT = 8


@dataclass(frozen=True, slots=True)
class Recommendation:
    """An architecture, or the learner `auto`, with the `config` that fits the images, and why."""

    architecture: str
    reason: str
    config: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RecommendedCount:
    """How many labels a round of a pipeline asks for, and why."""

    count: int
    reason: str


def recommend_count(dataset: Dataset) -> RecommendedCount:
    """Recommend four labels for each class in a round, at least 40 and at most 400."""
    classes = plural(len(dataset.classes), "class", "classes")
    wanted = LABELS_PER_CLASS * len(dataset.classes)
    count = min(max(wanted, FEWEST_LABELS), MOST_LABELS)
    words = f"{LABELS_PER_CLASS} labels for each of {classes}"
    if count == FEWEST_LABELS != wanted:
        words += f", and at least {FEWEST_LABELS}, for a round with fewer is hardly worth a training"
    if count == MOST_LABELS != wanted:
        words += f", and at most {MOST_LABELS}, so that a new model picks the next"
    return RecommendedCount(count, f"{words}.")


def recommend_learner(dataset: Dataset) -> Recommendation:
    """Recommend what a run or a pipeline trains: `auto` where it learns the task type, else the architecture that
    `recommend_architecture` names."""
    if dataset.task in Auto.tasks():
        return Recommendation(AUTO, CHOOSES)
    suited = recommend_architecture(dataset)
    return replace(suited, reason=f"{suited.reason} ({AUTO} is for one class an image.)")


def recommend_architecture(dataset: Dataset) -> Recommendation:
    """Recommend by the task type, the size of the images at the head, and for small ones by whether they are gray.
    Reads a few of them."""
    if "training" not in dataset.task_type.lacks and dataset.task_type.outputs.form == BOXES:
        return Recommendation(
            "centre_lite0", "Boxes are asked for: it finds objects by their centres, with few labels."
        )
    blobs = _some_images(dataset.head)
    if not blobs:
        return Recommendation(
            "efficientnet_lite0", "There are no images yet: a network pretrained on photographs suits most of them."
        )
    side = _longer_side(blobs)
    found = own_network(side, gray=side <= SMALL_SIDE and _are_gray(blobs[:LOOKED_AT]))
    if found is None:
        return Recommendation(
            "efficientnet_lite0",
            f"The images are about {side:.0f} pixels wide or high: a network pretrained on photographs needs "
            "few labels.",
        )
    name, params = found
    colours = "gray" if params["channels"] == 1 else "in colour"
    return Recommendation(
        name,
        f"The images are about {side:.0f} pixels wide or high and {colours}: a small network of its own size learns "
        "them best.",
        {"params": params},
    )


def learner_for(dataset: Dataset, architecture: str | None, config: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return what a run or a pipeline trains and its config, as `architecture_for` does for an architecture."""
    return _completed(recommend_learner, dataset, architecture, config)


def architecture_for(
    dataset: Dataset, architecture: str | None, config: Mapping[str, Any]
) -> tuple[str, dict[str, Any]]:
    """Return the architecture to train and its config: what is asked, else the recommended one with the changes of
    `config` on its own."""
    return _completed(recommend_architecture, dataset, architecture, config)


def _completed(
    recommend: Callable[[Dataset], Recommendation],
    dataset: Dataset,
    architecture: str | None,
    config: Mapping[str, Any],
) -> tuple[str, dict[str, Any]]:
    if architecture:
        return architecture, dict(config)
    suited = recommend(dataset)
    return suited.architecture, merged_config(suited.config, config)


def longer_side(version: Version) -> float | None:
    """Return the longer side of most images of a version in pixels; None where that is known of none."""
    blobs = _some_images(version)
    return _longer_side(blobs) if blobs else None


def _longer_side(blobs: Sequence[Blob]) -> float:
    return median(max(blob.width or 0, blob.height or 0) for blob in blobs)


def _some_images(version: Version | None) -> list[Blob]:
    if version is None:
        return []
    rows = version.revisions.filter(blob__width__isnull=False).select_related("blob").order_by("sample_id")
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
