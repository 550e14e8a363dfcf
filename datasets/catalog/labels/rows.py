"""The objects of a label as rows that filters and statistics can query."""

from collections.abc import Iterator

from catalog.models import Label, LabelObject
from core.bulk import build
from tasktypes import Labels


def object_rows(labels: Labels, label: Label) -> Iterator[LabelObject]:
    """Build the unsaved object rows of a label, which must have its id."""
    for facts in labels.objects(label.value):
        yield build(LabelObject, label=label, **facts._asdict())
