"""What samples are labelled with now, as what annotators begin with."""

from collections.abc import Sequence
from typing import Any

from catalog.models import Dataset
from core.list_parameters import listed


def present_labels(dataset: Dataset, samples: Sequence[int]) -> dict[int, dict[str, Any]]:
    """By sample the label that it has at the dataset's head, in the form of a suggestion whose `model` is that version.
    Nothing where labels have no objects: a class is not begun with, it is said."""
    head = dataset.head
    if head is None or not dataset.task_type.labels.has_objects:
        return {}
    rows = head.revisions.filter(sample__in=listed(list(samples))).exclude(label=None)
    return {pk: {**value, "model": str(head)} for pk, value in rows.values_list("sample_id", "label__value")}
