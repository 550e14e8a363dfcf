"""Names for versions: tags never move, aliases do. Also the check of names of datasets and queues."""

import re

from django.core.exceptions import ValidationError
from django.db import transaction

from accounts.models import User
from accounts.rights import Right, has_right
from catalog.models import OWN_NAME, Dataset, Version, VersionName
from core.errors import Conflict, Invalid, NotAllowed, NotFound
from versioning.mirror import NO_BRANCH, is_branch
from worker_programs.names import NAME_RULE, name_fault

TAG, ALIAS = VersionName.Kind.TAG, VersionName.Kind.ALIAS
TAKEN = re.compile(r"v?[0-9]+|head")


def tag(dataset: Dataset, name: str, version: Version, *, by: User) -> VersionName:
    """Tag a version. A tag never moves; the same tag on the same version returns the existing one.

    Raises Invalid (name) or Conflict (`name_taken`).
    """
    _check(name, field="name")
    values = {"kind": TAG, "version": version, "by": by}
    named, created = VersionName.objects.select_related("version", "by").get_or_create(
        dataset=dataset, name=name, defaults=values
    )
    if not created and (named.kind, named.version_id) != (TAG, version.pk):
        raise Conflict(
            f"{name!r} names version {named.version.number} already: choose another name.", code="name_taken"
        )
    return named


@transaction.atomic
def set_alias(dataset: Dataset, name: str, version: Version, *, protected: bool | None, by: User) -> VersionName:
    """Point an alias to a version, creating it if it is missing. `protected` None keeps its protection.

    Raises Invalid (alias), Conflict (`name_taken`: it is a tag) or NotAllowed: only owners can set a protected alias.
    """
    _check(name, field="alias")
    if not is_branch(name):
        raise Invalid.field("alias", NO_BRANCH)
    named = VersionName.objects.select_for_update().filter(dataset=dataset, name=name).first()
    if named is None:
        named = VersionName(dataset=dataset, name=name, kind=ALIAS)
    if named.kind == TAG:
        raise Conflict(f"{name!r} is a tag, and tags do not move: choose another name.", code="name_taken")
    if (named.protected or protected) and not has_right(by, Right.OWN, dataset.project_id):
        raise NotAllowed(f"The alias {name!r} is protected: an owner can move it.", code="alias_protected")
    named.version, named.by = version, by
    named.protected = named.protected if protected is None else protected
    named.save()
    return named


def remove_name(dataset: Dataset, name: str, *, kind: str) -> None:
    """Delete a tag or an alias. Raises NotFound."""
    named = VersionName.objects.filter(dataset=dataset, name=name, kind=kind)
    if not named.exists():
        raise NotFound(f"Dataset {dataset.name!r} has no {kind} {name!r}.", code="name_unknown")
    named.delete()


def check_own_name(name: str, *, field: str = "name") -> None:
    """Raise Invalid for a name that can't be used in a URL in place of an id."""
    try:
        OWN_NAME(name)
    except ValidationError as error:
        raise Invalid.field(field, error.messages[0]) from error


def _check(name: str, *, field: str) -> None:
    if (fault := name_fault(name)) is not None or TAKEN.fullmatch(name):
        raise Invalid.field(field, f"{fault or NAME_RULE}; `head`, numbers and `v1` are versions already")
