"""Find a sample by its bytes."""

from collections.abc import Collection, Iterable

from accounts.rights import visible
from blobs.models import Blob
from catalog.models import Revision, SchemaExample
from core.list_parameters import listed


def known_among(blobs: Collection[Blob], among: frozenset[int] | None) -> list[Blob]:
    """Filter `blobs` to those that a sample of one of these projects has or had, or that an example of a class shows;
    None: all of them."""
    if among is None:
        return list(blobs)
    ids = listed([blob.pk for blob in blobs])
    revisions = Revision.objects.committed().filter(dataset__project__in=among).order_by()
    found = {
        *revisions.filter(blob__in=ids).values_list("blob", flat=True).distinct(),
        *revisions.filter(original__in=ids).values_list("original", flat=True).distinct(),
        *SchemaExample.objects.filter(blob__in=ids, schema__dataset__project__in=among).values_list("blob", flat=True),
    }
    return [blob for blob in blobs if blob.pk in found]


def named(digests: Iterable[str]) -> dict[str, dict[str, str]]:
    """Map md5s to `{sample: key, dataset: name}` of the newest sample with those bytes, now or before, in the projects
    that the caller may see."""
    rows = visible(
        Revision.objects.committed().filter(blob__md5__in=listed(list(digests))), "dataset__project"
    ).order_by("pk")
    facts = rows.values_list("blob__md5", "sample__key", "sample__dataset__name")
    return {md5: {"sample": key, "dataset": dataset} for md5, key, dataset in facts}
