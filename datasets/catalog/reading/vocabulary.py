"""The vocabulary of a dataset's filters: the fields, and the names and values of its samples."""

from collections.abc import Iterator, Mapping
from typing import Any

from accounts.models import User
from catalog.filtering.expressions import (
    CHOICE,
    FLAG,
    IDS,
    OBJECT_FIELDS,
    OBJECTS,
    OPERATORS,
    SAMPLE_FIELDS,
    Field,
)
from catalog.models import Dataset, Label, LabelObject, Revision, Split

LOOKED_AT = 500
"""How many samples at each end of the head have their metadata and attributes read."""
MOST_NAMES = 200
MOST_VALUES = 30
MAX_LEVELS = 4
COMPARISONS = ("=", "!=", "in", "not in")


def vocabulary(dataset: Dataset) -> dict[str, Any]:
    """Return `{fields, objects, object_fields}`, each a list of `{name, kind, words, operators, values}`.

    Names below `meta` and `attributes`, and values, are those of some samples at both ends of the head.
    """
    meta, attributes, tags = _seen(dataset)
    values: dict[str, list[Any]] = {
        "split": Split.values,
        "class": list(dataset.classes),
        "source": Label.Source.values,
        "author": list(User.objects.filter(is_active=True).order_by("username").values_list("username", flat=True)),
        "slice": list(dataset.slices.order_by("name").values_list("name", flat=True)),
        "tag": sorted(tags),
        "media_type": ["image/jpeg", "image/png", "image/webp"],
    }
    objects = dataset.task_type.labels.has_objects
    return {
        "fields": list(_fields(SAMPLE_FIELDS, values, {"meta": meta})),
        "objects": [{"name": name, "words": words} for name, words in OBJECTS.items()] if objects else [],
        "object_fields": list(_fields(OBJECT_FIELDS, values, {"attributes": attributes})) if objects else [],
    }


Values = dict[str, list[Any]]


def _fields(
    fields: Mapping[str, Field], values: Mapping[str, list[Any]], names: Mapping[str, Values]
) -> Iterator[dict[str, Any]]:
    for name, field in fields.items():
        if field.kind == IDS:
            continue
        below = names.get(name, {}) if field.nested else {"": values.get(name, [])}
        for inner, known in below.items():
            yield {
                "name": f"{name}.{inner}" if inner else name,
                "kind": field.kind,
                "words": field.words,
                "operators": _operators(field),
                "values": known[:MOST_VALUES] if name != "class" else known,
            }


def _operators(field: Field) -> list[str]:
    if field.kind == FLAG:
        return ["="]
    own = [operator for operator in OPERATORS[field.kind] if field.kind != CHOICE and operator not in COMPARISONS]
    return [*COMPARISONS, *own]


def _seen(dataset: Dataset) -> tuple[Values, Values, set[str]]:
    """Collect the names and values of metadata and of attributes, and the tags."""
    meta, attributes, tags = Values(), Values(), set[str]()
    if dataset.head is None:
        return meta, attributes, tags
    rows, labels = Revision.objects.at(dataset.head), dataset.task_type.labels
    for order in ("sample_id", "-sample_id"):
        for told, label in rows.order_by(order).values_list("meta", "label__value")[:LOOKED_AT]:
            _note(meta, told, "", 1)
            tags.update(tag for tag in _listed(told.get("tags")) if isinstance(tag, str))
            for one in labels.objects(label) if label else ():
                if one.kind != LabelObject.Kind.IGNORED:
                    _note(attributes, one.attributes or {}, "", 1)
    return _sorted(meta), _sorted(attributes), tags


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _note(found: Values, told: Mapping[str, Any], place: str, level: int) -> None:
    for name, value in told.items():
        path = f"{place}{_quoted(name)}"
        if isinstance(value, Mapping):
            if level < MAX_LEVELS:
                _note(found, value, f"{path}.", level + 1)
        elif not isinstance(value, list) and not any(sign in name for sign in '."\\') and len(found) < MOST_NAMES:
            known = found.setdefault(path, [])
            if isinstance(value, str) and len(known) < MOST_VALUES and value not in known:
                known.append(value)


def _quoted(name: str) -> str:
    return name if name.replace("-", "_").isidentifier() or name.isalnum() else f'"{name}"'


def _sorted(found: Values) -> Values:
    return {name: sorted(values) for name, values in sorted(found.items())}
