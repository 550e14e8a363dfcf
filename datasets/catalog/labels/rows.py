"""The objects of a label as rows that filters and statistics can ask for."""

from collections.abc import Iterator

from catalog.models import Label, LabelObject
from core.bulk import build
from tasktypes import Labels


def object_rows(labels: Labels, label: Label) -> Iterator[LabelObject]:
    """The rows of a label that has its id, unsaved."""
    for facts in labels.objects(label.value):
        yield build(LabelObject, label=label, **facts._asdict())
