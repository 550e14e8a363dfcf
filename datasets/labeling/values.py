"""Checking the values of answers by the dataset's own rules for labels."""

from collections.abc import Mapping, Sequence
from typing import Any

from catalog.models import Dataset, Revision
from core.errors import Invalid
from labeling.models import Task
from tasktypes import Labels

Size = tuple[int, int]


class Sizes:
    """The sizes (width, height) of the images that labels must lie in; not queried if labels are not in pixels."""

    def __init__(self, dataset: Dataset, samples: Sequence[int]) -> None:
        self._known: dict[int, Size] = {}
        if not dataset.task_type.labels.in_pixels:
            return
        past = Revision.objects.ever(dataset).filter(sample__in=samples)
        for sample, width, height in past.values_list("sample", "blob__width", "blob__height"):
            if width and height:
                self._known[sample] = (width, height)

    def of(self, sample_id: int) -> Size | None:
        """Return the sample's image size as last known to the dataset, or None."""
        return self._known.get(sample_id)


def checked(task: Task, value: Any, *, sizes: Sizes | None = None) -> dict[str, Any]:
    """Check a label and return it in its normal form. Raises Invalid naming `value`, the field of an answer."""
    dataset = task.queue.dataset
    known = Sizes(dataset, [task.sample_id]) if sizes is None else sizes
    try:
        return dataset.task_type.labels.check(value, classes=dataset.classes, size=known.of(task.sample_id))
    except Invalid as error:
        raise Invalid.field("value", error.errors["label"][0], code=error.code) from error


def differs(labels: Labels, value: Mapping[str, Any] | None, suggestion: Mapping[str, Any] | None) -> bool | None:
    """Whether a label gives an image other classes than the suggestion; None if they can't be compared."""
    suggested = labels.suggested(suggestion) if suggestion else None
    if value is None or suggested is None or labels.has_objects:
        return None
    return labels.class_counts(value) != labels.class_counts(suggested)
