"""The documents of a published version: `labels.jsonl`, with a line for each sample, and `schema.json`.

The same samples give the same bytes in any version: the documents have no version number, time or author.
"""

import json
from collections.abc import Iterator
from typing import Any

import orjson

from catalog.models import RevisionQuerySet, Version
from catalog.schemas.reading import version_document

CHUNK = 5000
FIELDS = ("key", "split", "label", "meta")
COLUMNS = ("sample__key", "split", "label__value", "meta")


def label_lines(rows: RevisionQuerySet) -> Iterator[bytes]:
    """Yield `{"key", "label", "meta", "split"}` for each revision, in the order of the rows; `label` may be null."""
    for values in rows.values_list(*COLUMNS).iterator(chunk_size=CHUNK):
        yield line_of(*values)


def schema_text(version: Version) -> bytes:
    """Return the task, the class names, and the label schema as of the version's commit."""
    dataset = version.dataset
    schema = version_document(dataset, version.schema_version)
    told = [{name: value for name, value in one.items() if name != "examples"} for one in schema["classes"]]
    document = {
        "task": dataset.task_type.several_of or dataset.task,
        "multi_label": dataset.multi_label,
        "classes": [one["name"] for one in told],
        "label_schema": {"classes": told, "guideline": schema["guideline"]},
    }
    return (json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False) + "\n").encode()


def line_of(*values: Any) -> bytes:
    """Return the line of a revision, from the values of COLUMNS."""
    row = dict(zip(FIELDS, values, strict=True))
    try:
        return orjson.dumps(row, option=orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE)
    except TypeError:  # metadata may hold integers beyond 64 bits
        return json.dumps(row, sort_keys=True, separators=(",", ":")).encode() + b"\n"
