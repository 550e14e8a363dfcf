"""Which formats can hold the labels of a dataset."""

from catalog.models import Dataset
from formats import format_names


def misfit(name: str, dataset: Dataset) -> str | None:
    """Return why the format can't be used for the dataset, in words, or None."""
    if name in (fitting := format_names(dataset.task_type.labels.form)):
        return None
    return f"{name} holds no {dataset.task} labels: use one of {', '.join(fitting)}"
