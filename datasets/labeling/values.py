"""What an answer may say: the dataset's own rules for labels."""

from typing import Any

from catalog.labels import check_label
from catalog.models import Revision
from catalog.models import Task as TaskKind
from core.errors import Invalid
from labeling.models import Task


def checked(task: Task, value: Any) -> dict[str, Any]:
    """The label in its normal form. Raises Invalid naming `value`, the field of an answer."""
    dataset = task.queue.dataset
    try:
        rules = {"task": dataset.task, "classes": dataset.classes, "multi_label": dataset.multi_label}
        return check_label(value, size=_size(task), **rules)
    except Invalid as error:
        raise Invalid.field("value", error.errors["label"][0], code=error.code) from error


def _size(task: Task) -> tuple[int, int] | None:
    """(width, height) of the image that boxes must lie in; a class needs none."""
    if task.queue.dataset.task == TaskKind.CLASSIFICATION:
        return None
    past = Revision.objects.ever(task.queue.dataset).filter(sample=task.sample_id)
    revision = past.select_related("blob").last()
    blob = revision.blob if revision else None
    return (blob.width, blob.height) if blob and blob.width and blob.height else None
