"""What an answer may say: the dataset's own rules for labels."""

from collections.abc import Sequence
from typing import Any

from catalog.labels.values import check_label
from catalog.models import Dataset, Revision
from catalog.models import Task as TaskKind
from core.errors import Invalid
from labeling.models import Task

Size = tuple[int, int]


class Sizes:
    """(width, height) of the images that boxes must lie in; a class needs none, so nothing is asked for it."""

    def __init__(self, dataset: Dataset, samples: Sequence[int]) -> None:
        self._known: dict[int, Size] = {}
        if dataset.task == TaskKind.CLASSIFICATION:
            return
        past = Revision.objects.ever(dataset).filter(sample__in=samples)
        for sample, width, height in past.values_list("sample", "blob__width", "blob__height"):
            if width and height:
                self._known[sample] = (width, height)

    def of(self, sample_id: int) -> Size | None:
        """As the dataset last knew it, when it is known."""
        return self._known.get(sample_id)


def checked(task: Task, value: Any, *, sizes: Sizes | None = None) -> dict[str, Any]:
    """The label in its normal form. Raises Invalid naming `value`, the field of an answer."""
    dataset = task.queue.dataset
    known = Sizes(dataset, [task.sample_id]) if sizes is None else sizes
    try:
        rules = {"task": dataset.task, "classes": dataset.classes, "multi_label": dataset.multi_label}
        return check_label(value, size=known.of(task.sample_id), **rules)
    except Invalid as error:
        raise Invalid.field("value", error.errors["label"][0], code=error.code) from error


def differs(value: Any, suggestion: Any) -> bool | None:
    """Whether a label names other classes than the suggestion, where both name some; None where that can't be told."""
    said, suggested = (_classes(one) for one in (value, suggestion))
    return None if said is None or suggested is None else said != suggested


def _classes(label: Any) -> set[str] | None:
    if not isinstance(label, dict):
        return None
    if isinstance(label.get("classes"), list):
        return set(label["classes"])
    return {label["class"]} if isinstance(label.get("class"), str) else None
