"""From bytes to a sample that has them."""

from collections.abc import Iterable

from accounts.rights import visible
from blobs.services import chunks
from catalog.models import Revision


def named(digests: Iterable[str]) -> dict[str, dict[str, str]]:
    """`{sample: key, dataset: name}` of one sample by md5, the newest of the projects of whoever asks that has or had
    those bytes."""
    found: dict[str, dict[str, str]] = {}
    for part in chunks(digests):
        rows = visible(Revision.objects.filter(blob__md5__in=part), "dataset__project").order_by("pk")
        for md5, key, dataset in rows.values_list("blob__md5", "sample__key", "sample__dataset__name"):
            found[md5] = {"sample": key, "dataset": dataset}
    return found
