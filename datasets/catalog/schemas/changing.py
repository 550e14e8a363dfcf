"""Change a label schema by adding a version on top of the one that the caller saw.

A class is identified by its name. It keeps its place, key and look whatever else changes; new classes come after the
others and take the next free key. A class that a label has ever named can't be removed, only archived.
"""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from django.db import transaction

from accounts import audit
from accounts.models import User
from catalog.busy import refuse_busy
from catalog.models import Dataset, Revision, RevisionClass, Sample, SchemaExample, SchemaVersion
from catalog.schemas import palette
from catalog.schemas import reading as schemas
from core.errors import Conflict, Invalid
from formats.class_lists import composed

MAX_CLASS = 200
MAX_CLASSES = 10_000
SHOWN = 40  # characters of an invalid name that the error shows
MOST_EXAMPLES = 12
TOLD = ("key", "colour", "dash", "guideline", "archived")
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")


def check_names(names: Sequence[str], *, known: Collection[str] = ()) -> None:
    """Raise Invalid for class names that no dataset can have. `known` are those that it has already."""
    if not names or len(names) > MAX_CLASSES or len(set(names)) != len(names):
        raise Invalid.field("classes", f"must be different names, 1 to {MAX_CLASSES}")
    for place, name in enumerate(names, start=1):
        if not (0 < len(name) <= MAX_CLASS and name.isprintable()):
            shown = name if len(name) <= SHOWN else f"{name[:SHOWN]}…"
            raise Invalid.field(
                "classes", f"number {place}, {shown!r}, must have 1 to {MAX_CLASS} printable characters"
            )
    places: dict[str, int] = {}
    for place, name in enumerate(names, start=1):
        same = places.setdefault(composed(name), place)
        if same != place and not {name, names[same - 1]} <= set(known):
            words = f"numbers {same} and {place} are {name!r} in two Unicode forms, which look the same: keep one"
            raise Invalid.field("classes", words)


@transaction.atomic
def change_schema(
    dataset: Dataset,
    classes: Sequence[Mapping[str, Any]],
    *,
    parent: int,
    author: User,
    guideline: str | None = None,
    message: str = "",
) -> None:
    """Set the dataset's classes; properties that a class leaves out stay as they are.

    Raises Conflict (`stale_parent`) if the schema is no longer at version `parent`, Invalid naming the invalid class.
    If nothing differs, no version is made.
    """
    locked = Dataset.objects.select_for_update().select_related("created_by").get(pk=dataset.pk)
    refuse_busy(locked)
    if parent != locked.schema_version:
        raise _stale(parent, locked.schema_version)
    before = schemas.document(locked)
    known = {one["name"]: one for one in before["classes"]}
    check_names([str(one["name"]) for one in classes], known=dataset.classes)
    classes = _as_known(classes, known)
    after = _merged(known, classes)
    _check(after)
    _check_removed(locked, known.keys() - {one["name"] for one in after})
    pictures = _pictures(locked, known, classes)
    text = before["guideline"] if guideline is None else guideline
    if _same(before, after, text, pictures):
        return
    _keep_first(locked)
    made = SchemaVersion.objects.create(
        dataset=locked, number=parent + 1, classes=after, guideline=text, message=message, author=author
    )
    SchemaExample.objects.bulk_create(_rows(made, after, pictures))
    dataset.schema_version, dataset.classes = made.number, schemas.names(after)
    dataset.save(update_fields=["schema_version", "classes"])
    was = {"version": parent, "classes": schemas.names(before["classes"]), "guideline": before["guideline"]}
    now = {"version": made.number, "classes": dataset.classes, "guideline": text}
    audit.note("changed", "label schema", locked.name, project=locked.project_id, before=was, after=now, by=author)


def copy_schema(origin: Dataset, fork: Dataset, *, author: User) -> None:
    """Give a new fork the schema of its origin, as its own first version."""
    stored = SchemaVersion.objects.filter(dataset=origin, number=origin.schema_version).first()
    if stored is None:
        return
    mine = SchemaVersion.objects.create(
        dataset=fork, number=1, classes=stored.classes, guideline=stored.guideline, author=author
    )
    copies = [
        SchemaExample(schema=mine, class_name=row.class_name, sample_id=row.sample_id, blob_id=row.blob_id,
                      note=row.note)
        for row in stored.examples.order_by("pk")
    ]  # fmt: skip
    SchemaExample.objects.bulk_create(copies)


def _as_known(classes: Sequence[Mapping[str, Any]], known: Collection[str]) -> list[dict[str, Any]]:
    """Return the classes under the names that they have already, whatever Unicode form was sent; new ones in composed
    form (NFC)."""
    forms = {composed(name): name for name in known}
    names = [str(one["name"]) for one in classes]
    same = [name if name in known else forms.get(composed(name), composed(name)) for name in names]
    return [{**one, "name": name} for one, name in zip(classes, same, strict=True)]


def _merged(known: Mapping[str, Mapping[str, Any]], wanted: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the kept classes in their old order, then the new ones in the given order."""
    told = {one["name"]: {name: one[name] for name in TOLD if name in one} for one in wanted}
    kept = [{name: value for name, value in one.items() if name != "examples"} | told[one["name"]]
            for one in known.values() if one["name"] in told]  # fmt: skip
    fresh: list[dict[str, Any]] = []
    for name in told:
        if name not in known:
            # A key that another new class asks for is reserved for it.
            asked = [one for one in wanted if one["name"] not in known and "key" in one]
            reserved = [{"key": one["key"], "colour": "", "dash": -1} for one in asked]
            fresh.append(palette.fresh(name, [*kept, *fresh, *reserved]) | told[name])
    return kept + fresh


def _check(classes: Sequence[Mapping[str, Any]]) -> None:
    if all(one["archived"] for one in classes):
        raise Invalid.field("classes", "at least one class must not be archived")
    used = Counter(one["key"] for one in classes if one["key"] is not None)
    for place, one in enumerate(classes):
        if one["key"] is not None and one["key"] not in palette.KEYS:
            raise Invalid.field(f"classes.{place}.key", "must be 1 to 9, 0, or shift+ and one of them, or null")
        if used[one["key"]] > 1:
            others = " and ".join(repr(other["name"]) for other in classes if other["key"] == one["key"])
            raise Invalid.field(
                f"classes.{place}.key", f"{one['key']} is the key of {others}: give one of them another"
            )
        if not _COLOUR.fullmatch(one["colour"]):
            raise Invalid.field(f"classes.{place}.colour", "must be like #0072B2")


def _check_removed(dataset: Dataset, names: set[str]) -> None:
    dataset_ids = [dataset.pk, *(ancestor for ancestor, _ in dataset.ancestry)]
    for name in sorted(names):
        ever = Revision.objects.filter(dataset__in=dataset_ids, class_name=name)
        if ever.exists() or RevisionClass.objects.filter(dataset__in=dataset_ids, class_name=name).exists():
            raise Invalid.field(
                "classes", f"there are labels that say {name!r}: archive it instead of removing it", code="class_in_use"
            )


def _stale(parent: int, head: int) -> Conflict:
    return Conflict(
        f"parent: the schema is at version {head}, not {parent}; nothing was changed. Look at what it says now, then "
        "change that.",
        code="stale_parent",
        extra={"head": head},
    )


Pictures = dict[str, list[tuple[Sample, int, str, str]]]  # class: (sample, id of the blob, its md5, note)


def _pictures(
    dataset: Dataset, known: Mapping[str, Mapping[str, Any]], classes: Sequence[Mapping[str, Any]]
) -> Pictures:
    """Return the examples by class. A class without `examples` keeps its own."""
    asked = {one["name"]: one.get("examples", known.get(one["name"], {}).get("examples", ())) for one in classes}
    for place, one in enumerate(classes):
        if len({example["key"] for example in asked[one["name"]]}) < len(asked[one["name"]]):
            raise Invalid.field(f"classes.{place}.examples", "names a sample twice")
        if len(asked[one["name"]]) > MOST_EXAMPLES:
            raise Invalid.field(f"classes.{place}.examples", f"must be {MOST_EXAMPLES} pictures at most")
    there = _samples(dataset, {example["key"] for examples in asked.values() for example in examples})
    for place, one in enumerate(classes):
        for example in asked[one["name"]]:
            if example["key"] not in there:
                raise Invalid.field(
                    f"classes.{place}.examples", f"there is no sample {example['key']!r}", code="sample_unknown"
                )
    return {
        name: [(*there[example["key"]], example.get("note", "")) for example in examples]
        for name, examples in asked.items()
    }


def _samples(dataset: Dataset, keys: set[str]) -> dict[str, tuple[Sample, int, str]]:
    """Map keys to (sample, id of its blob, md5) in the newest revision, even if the sample was removed."""
    dataset_ids = [dataset.pk, *(ancestor for ancestor, _ in dataset.ancestry)]
    samples = list(Sample.objects.filter(dataset__in=dataset_ids, key__in=keys).values_list("pk", flat=True))
    past = Revision.objects.ever(dataset).filter(sample__in=samples).select_related("sample", "blob")
    return {row.sample.key: (row.sample, row.blob_id, row.blob.md5) for row in past}


def _same(before: Mapping[str, Any], after: Sequence[Mapping[str, Any]], guideline: str, pictures: Pictures) -> bool:
    shown = {
        name: [(sample.key, md5, note) for sample, _, md5, note in told] for name, told in pictures.items() if told
    }
    was = {one["name"]: [(row["key"], row["digest"], row["note"]) for row in one["examples"]]
           for one in before["classes"] if one["examples"]}  # fmt: skip
    bare = [{name: value for name, value in one.items() if name != "examples"} for one in before["classes"]]
    return (bare, before["guideline"], was) == (list(after), guideline, shown)


def _keep_first(dataset: Dataset) -> None:
    """Save the implicit version 1 as a row, before the dataset's classes change and it can no longer be derived."""
    if dataset.schema_version > 1:
        return
    told = {"classes": list(palette.first(dataset.classes)), "author": dataset.created_by, "created": dataset.created}
    SchemaVersion.objects.get_or_create(dataset=dataset, number=1, defaults=told)


def _rows(schema: SchemaVersion, classes: Sequence[Mapping[str, Any]], pictures: Pictures) -> list[SchemaExample]:
    return [
        SchemaExample(schema=schema, class_name=one["name"], sample=sample, blob_id=blob, note=note)
        for one in classes
        for sample, blob, _, note in pictures.get(one["name"], ())
    ]
