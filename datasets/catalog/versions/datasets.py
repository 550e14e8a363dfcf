"""Create datasets, and find datasets and versions."""

from typing import Any

from django.db import transaction

from accounts import audit
from accounts.models import Project, User
from accounts.projects import project_for
from catalog.models import Dataset, Version, VersionName
from catalog.schemas.changing import check_names
from catalog.splits.rules import SplitRule
from catalog.versions.names import check_own_name
from core.errors import Conflict, Invalid, NotFound
from core.references import as_number
from formats.class_lists import composed
from jobs.lifecycle.finding import find_named
from tasktypes import names, task_type


def create_dataset(
    name: str,
    *,
    task: str,
    classes: list[str],
    description: str,
    author: User,
    split_rule: Any = None,
    project: Project | None = None,
) -> Dataset:
    """Create an empty dataset, in `project` or else the one that `project_for` chooses. Raises Invalid (name, task,
    classes, split_rule, project) or Conflict (the name is taken)."""
    check_own_name(name)
    if task not in names():
        raise Invalid.field("task", f"must be one of {', '.join(names())}")
    check_names(classes)
    classes = [composed(name) for name in classes]
    rule = SplitRule.of(split_rule).document() if split_rule is not None else None
    values = {"task": task, "classes": classes, "description": description, "created_by": author, "split_rule": rule}
    values["project"] = project or project_for(author, None)
    dataset, created = Dataset.objects.get_or_create(name=name, defaults=values)
    if not created:
        raise Conflict(f"There is a dataset {name!r} already: choose another name, or add to it.", code="name_taken")
    return dataset


def several(task: str) -> str:
    """Return the variant of a task type that takes any number of classes. Raises Invalid (`multi_label`)."""
    for name in names():
        if (told := task_type(name).several_of) is not None and task in {name, told}:
            return name
    raise Invalid.field("multi_label", f"is not for {task}: leave it out")


def find_dataset(reference: str) -> Dataset:
    """Return a dataset by id, name or former name. Raises NotFound."""
    rows = Dataset.everything.select_related("head", "archived_by", "project")
    found: Dataset = find_named("dataset", "dataset", rows.filter, reference)
    return found


def describe(dataset: Dataset, description: str) -> None:
    """Change the description of a dataset."""
    before, after = {"description": dataset.description}, {"description": description}
    with transaction.atomic():
        Dataset.objects.filter(pk=dataset.pk).update(description=description)
        audit.note("changed", "dataset", dataset.name, project=dataset.project_id, before=before, after=after)


def find_version(dataset: Dataset, reference: str) -> Version:
    """Return a version by number, `v3`, `head`, tag or alias. Raises NotFound."""
    if reference == "head":
        if dataset.head is None:
            raise NotFound(f"Dataset {dataset.name!r} is empty: push images to it first.", code="version_unknown")
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
