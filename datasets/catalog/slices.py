"""Slices: saved filters, evaluated over any version."""

import re
from typing import Any

from accounts.models import User
from catalog.filters import Filter
from catalog.models import NAME, NAME_PATTERN, Dataset, RevisionQuerySet, Slice, Version
from core.errors import Conflict, Invalid, NotAllowed, NotFound


def create_slice(dataset: Dataset, name: str, document: Any, *, author: User) -> Slice:
    """Save a filter under a name. Raises Invalid (name, filter..), Conflict (`name_taken`)."""
    if not re.fullmatch(NAME_PATTERN, name):
        raise Invalid.field("name", str(NAME.message))
    checked = Filter.of(document, dataset)
    values = {"filter": dict(checked.document), "created_by": author}
    made, created = Slice.objects.get_or_create(dataset=dataset, name=name, defaults=values)
    if not created:
        raise Conflict(f"There is a slice {name!r} already: choose another name.", code="name_taken")
    return made


def find_slice(dataset: Dataset, name: str) -> Slice:
    """A slice of the dataset. Raises NotFound."""
    found = Slice.objects.filter(dataset=dataset, name=name).select_related("dataset", "created_by").first()
    if found is None:
        raise NotFound(f"Dataset {dataset.name!r} has no slice {name!r}.", code="slice_unknown")
    return found


def replace_slice(found: Slice, document: Any, *, author: User) -> Slice:
    """Let the name mean another filter. Raises Invalid (filter..), NotAllowed for who is neither owner nor author."""
    _check_may_change(found, author)
    found.filter = dict(Filter.of(document, found.dataset).document)
    found.save(update_fields=["filter", "changed"])
    return found


def remove_slice(found: Slice, *, author: User) -> None:
    """Take a slice away. Raises NotAllowed for who is neither owner nor author."""
    _check_may_change(found, author)
    found.delete()


def members(found: Slice, version: Version) -> RevisionQuerySet:
    """The revisions of a version that are in the slice. Raises Invalid for a model that is gone."""
    return checked(found).apply(version.revisions)


def checked(found: Slice) -> Filter:
    """The slice's filter. Raises Invalid for a model that is gone."""
    return Filter.of(found.filter, found.dataset)


def chosen_filter(document: Any, dataset: Dataset, *, field: str = "filter") -> Filter:
    """A filter as other requests name one: `{"slice": NAME}` or the conditions themselves. Raises Invalid."""
    if isinstance(document, dict) and set(document) == {"slice"}:
        found = Slice.objects.filter(dataset=dataset, name=document["slice"]).first()
        if found is None:
            raise Invalid.field(f"{field}.slice".lstrip("."), f"the dataset has no slice {document['slice']!r}")
        document = found.filter
    return Filter.of(document, dataset, field=field)


def _check_may_change(found: Slice, author: User) -> None:
    if not author.is_owner and author.pk != found.created_by_id:
        raise NotAllowed("Only its author or an owner changes a slice.", code="owners_only")
