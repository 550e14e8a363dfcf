"""Find and delete erased samples that the JSON of a row lists as neighbours of other samples."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from django.db.models import Model, Q, QuerySet, TextField
from django.db.models.functions import Cast

from blobs.services import chunks

M = TypeVar("M", bound=Model)
AT_ONCE = 50


def naming(rows: QuerySet[M], field: str, digests: Sequence[str]) -> Iterator[M]:
    """Yield the rows whose JSON `field` contains one of these md5s. Reads the whole table."""
    for names in chunks(digests, AT_ONCE):
        wanted = Q()
        for md5 in names:
            wanted |= Q(as_text__contains=md5)
        yield from rows.annotate(as_text=Cast(field, TextField())).filter(wanted)


def without_them(
    neighbours: Sequence[Mapping[str, Any]], keys: Collection[str], digests: Collection[str]
) -> list[dict[str, Any]]:
    """Return a list of `{key, thumb, ..}` without the samples that match both a key and the bytes."""
    thumbs = {f"/thumbs/{md5}" for md5 in digests}
    return [dict(one) for one in neighbours if not (one.get("key") in keys and one.get("thumb") in thumbs)]
