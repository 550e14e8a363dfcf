"""Ranges of samples that are scored together."""

from django.conf import settings

from catalog.models import RevisionQuerySet


def sample_spans(rows: RevisionQuerySet, *, each: int | None = None) -> list[tuple[dict[str, int], int]]:
    """Return ranges of sample ids, `{first, last}`, with the number of revisions in each: at most `each`, or
    SHARD_SAMPLES of the settings."""
    each = each or settings.SHARD_SAMPLES
    ids = list(rows.order_by("sample_id").values_list("sample_id", flat=True))
    chunks = [ids[at : at + each] for at in range(0, len(ids), each)]
    return [({"first": chunk[0], "last": chunk[-1]}, len(chunk)) for chunk in chunks]
