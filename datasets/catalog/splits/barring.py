"""Samples that are kept out of train, because they are near-duplicates of a test sample of the version."""

from collections.abc import Iterable

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from catalog.models import Dataset, NearDuplicate, RevisionQuerySet, Split, Version

BATCH = 1000


def barring(version: Version) -> QuerySet[NearDuplicate]:
    """The near-duplicates that keep a sample out of train: not allowed, with a test sample that is still in test.

    A fork reads those of its origin, except where it has its own decision.
    """
    rows = NearDuplicate.objects.filter(_nearest(version.path), allowed=False)
    return rows.filter(of__in=version.revisions.filter(split=Split.TEST).values("sample"))


def known(version: Version) -> QuerySet[NearDuplicate]:
    """All near-duplicates that a version's dataset knows of, with the dataset's own decisions."""
    return NearDuplicate.objects.filter(_nearest(version.path))


def trainable(rows: RevisionQuerySet, version: Version) -> RevisionQuerySet:
    """Exclude from `rows`, revisions of a version, those in pool that are kept out of train."""
    return rows.exclude(split=Split.POOL, sample__in=barring(version).values("sample"))


def barred(version: Version) -> RevisionQuerySet:
    """The revisions of the pool that are kept out of train."""
    return _near_duplicates_in(version, Split.POOL)


def leaking(version: Version) -> RevisionQuerySet:
    """The revisions in train whose sample is a near-duplicate of a test sample, and not allowed: they are trained on
    until somebody decides to keep them out."""
    return _near_duplicates_in(version, Split.TRAIN)


def _near_duplicates_in(version: Version, split: str) -> RevisionQuerySet:
    return version.revisions.filter(split=split, sample__in=barring(version).values("sample"))


def decide(dataset: Dataset, rows: Iterable[NearDuplicate], *, allowed: bool) -> None:
    """Save a decision for this dataset alone: near-duplicates found by an origin are copied to rows of the dataset."""
    mine: list[NearDuplicate] = []
    inherited: list[NearDuplicate] = []
    for row in rows:
        (mine if row.dataset_id == dataset.pk else inherited).append(row)
    for at in range(0, len(mine), BATCH):
        NearDuplicate.objects.filter(pk__in=[row.pk for row in mine[at : at + BATCH]]).update(allowed=allowed)
    names = ("sample_id", "of_id", "distance", "found_by", "since", "confirmed")
    copies = [
        NearDuplicate(dataset=dataset, allowed=allowed, **{name: getattr(row, name) for name in names})
        for row in inherited
    ]
    NearDuplicate.objects.bulk_create(copies, batch_size=BATCH)


def _nearest(path: list[tuple[int, int]]) -> Q:
    """Select, among rows about the same sample with the same `found_by`, those of the nearest ancestor, as of its
    fork point."""
    chosen = Q(dataset=path[0][0], since__lte=F("dataset__head__number"))  # not of a commit that is being written
    for depth, (ancestor, number) in enumerate(path[1:], start=1):
        nearer = NearDuplicate.objects.filter(
            dataset__in=[one for one, _ in path[:depth]], sample=OuterRef("sample"), found_by=OuterRef("found_by")
        )
        chosen |= Q(~Exists(nearer), dataset=ancestor, since__lte=number)
    return chosen
