"""Read the label schema of a dataset (see `models.SchemaVersion`)."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import Any

from django.db.models import F

from catalog.models import Dataset, SchemaExample, SchemaVersion
from catalog.schemas import palette
from core.errors import NotFound

SHOWN = 100
Examples = dict[tuple[int | None, str], list[dict[str, Any]]]
"""By the id of a version of a schema and the name of a class."""


def document(dataset: Dataset) -> dict[str, Any]:
    """Return the current schema: `{version, classes, guideline, multi_label}`."""
    return documents([dataset])[dataset.pk]


def documents(datasets: Collection[Dataset]) -> dict[int, dict[str, Any]]:
    """Return the current schema of each dataset by its id, in as many queries as for one."""
    rows = SchemaVersion.objects.filter(dataset__in=datasets, number=F("dataset__schema_version"))
    stored = {row.dataset_id: row for row in rows}
    examples = _examples(stored.values())
    return {
        dataset.pk: _document(dataset, dataset.schema_version, stored.get(dataset.pk), examples) for dataset in datasets
    }


def version_document(dataset: Dataset, number: int) -> dict[str, Any]:
    """Return a version of the schema. Raises NotFound (`schema_version_unknown`)."""
    stored = SchemaVersion.objects.filter(dataset=dataset, number=number).first()
    if stored is None and (number != 1 or dataset.schema_version != 1):
        raise NotFound(
            f"The schema of dataset {dataset.name!r} has no version {number}.", code="schema_version_unknown"
        )
    return _document(dataset, number, stored, _examples([stored] if stored else []))


def _document(dataset: Dataset, number: int, stored: SchemaVersion | None, examples: Examples) -> dict[str, Any]:
    classes = stored.classes if stored else palette.first(dataset.classes)
    shown = [one | {"examples": examples.get((stored.pk if stored else None, one["name"]), [])} for one in classes]
    return {
        "version": number,
        "classes": shown,
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


def _examples(schemas: Collection[SchemaVersion]) -> Examples:
    found: Examples = defaultdict(list)
    rows = SchemaExample.objects.filter(schema__in=[schema.pk for schema in schemas])
    for row in rows.select_related("sample", "blob").order_by("pk"):
        found[row.schema_id, row.class_name].append(_shown(row))
    return found


def _shown(row: SchemaExample) -> dict[str, Any]:
    md5 = row.blob.md5
    return {"key": row.sample.key, "digest": md5, "thumb": f"/thumbs/{md5}", "note": row.note}


def names(classes: Sequence[dict[str, Any]]) -> list[str]:
    """The names of classes, in their order."""
    return [one["name"] for one in classes]
