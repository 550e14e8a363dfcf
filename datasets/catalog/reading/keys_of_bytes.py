"""From bytes to a sample that has them."""

from collections.abc import Iterable

from accounts.rights import visible
from catalog.models import Revision
from core.list_parameters import listed


def named(digests: Iterable[str]) -> dict[str, dict[str, str]]:
    """`{sample: key, dataset: name}` of one sample by md5, the newest of the projects of whoever asks that has or had
    those bytes."""
    rows = visible(Revision.objects.filter(blob__md5__in=listed(list(digests))), "dataset__project").order_by("pk")
    facts = rows.values_list("blob__md5", "sample__key", "sample__dataset__name")
    return {md5: {"sample": key, "dataset": dataset} for md5, key, dataset in facts}
