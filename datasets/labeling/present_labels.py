"""The present labels of samples, as suggestions that annotators start from."""

from collections.abc import Sequence
from typing import Any

from catalog.models import Dataset
from core.list_parameters import listed


def present_labels(dataset: Dataset, samples: Sequence[int]) -> dict[int, dict[str, Any]]:
    """Map each sample to its label at the dataset's head, in the form of a suggestion whose `model` is that version.
    Empty if labels have no objects, because annotators choose a class rather than edit one."""
    head = dataset.head
    if head is None or not dataset.task_type.labels.has_objects:
        return {}
    rows = head.revisions.filter(sample__in=listed(list(samples))).exclude(label=None)
    return {pk: {**value, "model": str(head)} for pk, value in rows.values_list("sample_id", "label__value")}
