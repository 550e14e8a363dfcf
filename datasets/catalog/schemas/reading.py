"""Read the label schema of a dataset (see `models.SchemaVersion`)."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from catalog.models import Dataset, SchemaExample, SchemaVersion
from catalog.schemas import palette
from core.errors import NotFound

SHOWN = 100


def document(dataset: Dataset) -> dict[str, Any]:
    """Return the current schema: `{version, classes, guideline, multi_label}`."""
    return version_document(dataset, dataset.schema_version)


def version_document(dataset: Dataset, number: int) -> dict[str, Any]:
    """Return a version of the schema. Raises NotFound (`schema_version_unknown`)."""
    stored = SchemaVersion.objects.filter(dataset=dataset, number=number).first()
    if stored is None and (number != 1 or dataset.schema_version != 1):
        raise NotFound(
            f"The schema of dataset {dataset.name!r} has no version {number}.", code="schema_version_unknown"
        )
    examples = _examples(stored) if stored else {}
    classes = stored.classes if stored else palette.first(dataset.classes)
    return {
        "version": number,
        "classes": [one | {"examples": examples.get(one["name"], [])} for one in classes],
        "guideline": stored.guideline if stored else "",
        "multi_label": dataset.multi_label,
    }


def history(dataset: Dataset) -> list[dict[str, Any]]:
    """Return who changed the schema, when and why, newest first: the last SHOWN changes."""
    rows = SchemaVersion.objects.filter(dataset=dataset).order_by("-number")
    told = rows.values_list("number", "created", "author__username", "message")[:SHOWN]
    found = [dict(zip(("version", "created", "author", "message"), row, strict=True)) for row in told]
    first = {"version": 1, "created": dataset.created, "author": dataset.created_by.username, "message": ""}
    return found or [first]


def _examples(schema: SchemaVersion) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in schema.examples.select_related("sample", "blob").order_by("pk"):
        found[row.class_name].append(_shown(row))
    return found


def _shown(row: SchemaExample) -> dict[str, Any]:
    md5 = row.blob.md5
    return {"key": row.sample.key, "digest": md5, "thumb": f"/thumbs/{md5}", "note": row.note}


def names(classes: Sequence[dict[str, Any]]) -> list[str]:
    """The names of classes, in their order."""
    return [one["name"] for one in classes]
