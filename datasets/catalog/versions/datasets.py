"""Datasets by name, and their versions: make one, find one."""

from typing import Any

from accounts.models import User
from catalog.models import Dataset, Task, Version, VersionName
from catalog.schemas.changing import check_names
from catalog.splits.rules import SplitRule
from catalog.versions.names import check_own_name
from core.errors import Conflict, Invalid, NotFound
from core.references import as_number
from jobs.lifecycle.finding import find_named


def create_dataset(
    name: str,
    *,
    task: str,
    classes: list[str],
    description: str,
    author: User,
    split_rule: Any = None,
    multi_label: bool = False,
) -> Dataset:
    """A new, empty dataset. Raises Invalid (name, task, classes, multi_label, split_rule) or Conflict (the name is
    taken)."""
    check_own_name(name)
    if task not in Task.values:
        raise Invalid.field("task", f"must be one of {', '.join(Task.values)}")
    check_names(classes)
    if multi_label and task != Task.CLASSIFICATION:
        raise Invalid.field("multi_label", "is for classification alone: a detection label holds many objects anyway")
    rule = SplitRule.of(split_rule).document() if split_rule is not None else None
    values = {
        "task": task, "classes": classes, "description": description, "created_by": author, "split_rule": rule,
        "multi_label": multi_label,
    }  # fmt: skip
    dataset, created = Dataset.objects.get_or_create(name=name, defaults=values)
    if not created:
        raise Conflict(f"There is a dataset {name!r} already: choose another name, or add to it.", code="name_taken")
    return dataset


def find_dataset(reference: str) -> Dataset:
    """A dataset by id, name or former name. Raises NotFound."""
    rows = Dataset.everything.select_related("head", "archived_by")
    found: Dataset = find_named("dataset", "dataset", rows.filter, reference)
    return found


def describe(dataset: Dataset, description: str) -> None:
    """Say something else of it."""
    Dataset.objects.filter(pk=dataset.pk).update(description=description)


def find_version(dataset: Dataset, reference: str) -> Version:
    """A version by number, `v3`, `head`, tag or alias. Raises NotFound."""
    if reference == "head" and dataset.head is not None:
        return dataset.head
    number = as_number(reference.removeprefix("v"))
    if number is None:
        named = VersionName.objects.filter(dataset=dataset, name=reference).values("version")
        found = dataset.versions.filter(pk__in=named).first()
    else:
        found = dataset.versions.filter(number=number).first()
    if found is None:
        raise NotFound(f"Dataset {dataset.name!r} has no version {reference!r}.", code="version_unknown")
    return found
