"""The best version that an alias has pointed to, by the test split of a new one."""

from registry.evidence import Evidence, Uncomputable
from registry.models import Model, ModelVersion
from tasktypes.predictions import common

SAME_SPLIT = 0.9
"""Two test splits are the same if this share of the samples of each is in the other, under the same label."""
LOOKED_AT = 20
"""The most versions whose predictions are read, the best by their own figures first."""


def best_promoted(model: Model, alias: str, new: Evidence) -> Evidence | None:
    """Return the version with the highest headline among those that the alias has pointed to and that were evaluated on
    the test split of `new`; None where there is none. `new` itself is left out. Reads the object store.

    Where the predictions of `new` are gone, versions of the same test size count.
    """
    headline = model.task_type.metrics.headline
    promoted = model.promotions.filter(alias=alias, overridden=False).values("version")
    rows = ModelVersion.objects.filter(pk__in=promoted).exclude(pk=new.version.pk)
    known = [row for row in rows.select_related("model", "precisions_job") if _figure(row, headline) is not None]
    known.sort(key=lambda row: (_figure(row, headline) or 0.0, row.number), reverse=True)
    for row in known[:LOOKED_AT]:
        evidence = Evidence(row)
        if _same_split(new, evidence):
            return evidence
    return None


def _figure(version: ModelVersion, headline: str) -> float | None:
    value = version.metrics.get(headline)
    return None if isinstance(value, bool) or not isinstance(value, int | float) else float(value)


def _same_split(new: Evidence, other: Evidence) -> bool:
    try:
        ours, theirs = new.file(), other.file()
    except Uncomputable:
        return bool(new.version.metrics.get("samples") == other.version.metrics.get("samples"))
    shared = len(common(ours, theirs)[0])
    return bool(shared >= SAME_SPLIT * max(len(ours), len(theirs)))
