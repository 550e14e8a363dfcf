"""Slices: saved filters, evaluated over any version."""

from typing import Any

from django.db import IntegrityError, transaction

from accounts import audit
from accounts.models import User
from accounts.rights import Right, has_right
from catalog.filtering.filters import Filter
from catalog.models import Dataset, RevisionQuerySet, Slice, Version
from catalog.signals import slice_asked
from core.errors import Conflict, Invalid, NotAllowed, NotFound
from worker_programs.names import name_fault


def create_slice(dataset: Dataset, name: str, document: Any, *, author: User) -> Slice:
    """Save a filter under a name; other slices that it names are written out. Raises Invalid (name, filter..),
    Conflict (`name_taken`)."""
    _check_name(name)
    values = {"filter": Filter.of(document, dataset).document, "created_by": author}
    with transaction.atomic():
        made, created = Slice.objects.get_or_create(dataset=dataset, name=name, defaults=values)
        if not created:
            raise _taken(name)
        _note("created", made, after=_told(made))
    return made


def find_slice(dataset: Dataset, name: str) -> Slice:
    """A slice of the dataset. Raises NotFound."""
    found = Slice.objects.filter(dataset=dataset, name=name).select_related("dataset", "created_by").first()
    if found is None:
        raise NotFound(f"Dataset {dataset.name!r} has no slice {name!r}.", code="slice_unknown")
    return found


def change_slice(found: Slice, *, name: str | None = None, chosen: Any = None, author: User) -> Slice:
    """Change the name of a slice, its filter, or both.

    Raises Invalid (name, filter..), Conflict (`name_taken`, or `slice_in_use` for a name that something relies on),
    NotAllowed if `author` is neither an owner nor the slice's author.
    """
    _check_may_change(found, author)
    before = _told(found)
    if name is not None and name != found.name:
        _check_name(name)
        _check_unused(found, "renamed")
        found.name = name
    if chosen is not None:
        found.filter = Filter.of(chosen, found.dataset).document
    try:
        with transaction.atomic():
            found.save(update_fields=["name", "filter", "changed"])
            _note("changed", found, before=before, after=_told(found))
    except IntegrityError as error:
        raise _taken(found.name) from error
    return found


def remove_slice(found: Slice, *, author: User) -> None:
    """Delete a slice. Raises NotAllowed if `author` is neither an owner nor the slice's author, Conflict
    (`slice_in_use`)."""
    _check_may_change(found, author)
    _check_unused(found, "deleted")
    with transaction.atomic():
        _note("deleted", found, before=_told(found))
        found.delete()


def members(found: Slice, version: Version) -> RevisionQuerySet:
    """The revisions of a version that are in the slice. Raises Invalid for a model that is gone."""
    return checked(found).apply(version.revisions)


def checked(found: Slice) -> Filter:
    """The slice's filter. Raises Invalid for a model that is gone."""
    return Filter.of(found.filter, found.dataset)


def _told(found: Slice) -> dict[str, Any]:
    return {"name": found.name, "filter": found.filter}


def _note(action: str, found: Slice, **values: Any) -> None:
    dataset = found.dataset
    audit.note(action, "slice", f"{found.name} of {dataset.name}", project=dataset.project_id, **values)


def _taken(name: str) -> Conflict:
    return Conflict(f"There is a slice {name!r} already: choose another name.", code="name_taken")


def _check_name(name: str) -> None:
    if (fault := name_fault(name)) is not None:
        raise Invalid.field("name", fault)


def _check_unused(found: Slice, done: str) -> None:
    """Raise Conflict if gates or pipelines name the slice: without it they would fail later, far from here."""
    answers = slice_asked.send(Slice, found=found)
    if users := [user for _, named in answers for user in named or ()]:
        words = f"The slice {found.name!r} can't be {done} while {', '.join(users)} name it: change those first."
        raise Conflict(words, code="slice_in_use", extra={"used_by": users})


def _check_may_change(found: Slice, author: User) -> None:
    if author.pk != found.created_by_id and not has_right(author, Right.OWN, found.dataset.project_id):
        raise NotAllowed("Only its author or an owner changes a slice.", code="owners_only")
