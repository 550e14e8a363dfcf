"""What refers to a blob: every foreign key to it, found from the models themselves, and the references inside JSON,
which are registered.

A new app that points to blobs by a foreign key (PROTECT) need do nothing. One that stores an md5 inside JSON registers
a query for it in its AppConfig.ready, or its blobs are collected.
"""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from django.db.models import CASCADE, Exists, ForeignKey, Model, OuterRef, Q, QuerySet
from django.db.models.functions import Concat, Substr

from blobs.models import Blob, PlainObject, StoredObject

M = TypeVar("M", bound=Model)
Query = Callable[[], Iterable[str | None]]
_registered: dict[str, Query] = {}


def register(name: str, query: Query) -> None:
    """Register a query for the md5s of blobs to keep (None is skipped). Raises ValueError for a name used before."""
    if name in _registered:
        raise ValueError(f"references named {name!r} are registered already")
    _registered[name] = query


def registered() -> list[str]:
    """Return the names of all registered references inside JSON."""
    return sorted(_registered)


def referring(target: type[Model]) -> list["ForeignKey[Any, Any]"]:
    """Return every foreign key to a model, those of many-to-many tables included."""
    relations = target._meta.get_fields(include_hidden=True)  # noqa: SLF001 - the documented way to ask a model
    fields = (relation.field for relation in relations if relation.auto_created and hasattr(relation, "field"))
    return [field for field in fields if isinstance(field, ForeignKey)]


def without_references(rows: QuerySet[M]) -> QuerySet[M]:
    """Filter rows to those that no foreign key refers to. One that cascades does not count: its row belongs to the
    other and is deleted with it."""
    for field in referring(rows.model):
        if not _belongs(field):
            pointing = field.model._base_manager.filter(**{field.name: OuterRef("pk")})  # noqa: SLF001 - as above
            rows = rows.filter(~Exists(pointing))
    return rows


def unreachable(rows: QuerySet[Blob]) -> QuerySet[Blob]:
    """Filter blobs to those that nothing refers to. Ask again inside the transaction that acts on the answer."""
    held = {md5 for query in _registered.values() for md5 in query() if md5}
    return without_references(rows).exclude(md5__in=held)


def unused(rows: QuerySet[StoredObject]) -> QuerySet[StoredObject]:
    """Filter objects to those that hold no blob's bytes, are no copy of one in DVC's layout, and that no row refers
    to."""
    holding = Blob.objects.filter(key=OuterRef("key"))
    # files/md5/<2>/<30>, and for listings .dir behind it
    md5 = Concat(Substr(OuterRef("key"), 11, 2), Substr(OuterRef("key"), 14, 30))
    plain = Q(key__startswith="files/md5/") & Q(Exists(PlainObject.objects.filter(blob__md5=md5)))
    listing = Q(key__endswith=".dir") & Q(Exists(Blob.objects.filter(md5=md5)))
    return without_references(rows).filter(~Q(Exists(holding))).exclude(plain).exclude(listing)


def _belongs(field: "ForeignKey[Any, Any]") -> bool:
    many_to_many = field.model._meta.auto_created  # noqa: SLF001 - as above
    return field.remote_field.on_delete is CASCADE and not many_to_many
