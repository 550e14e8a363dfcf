"""Unlabelled samples whose bytes a labelled sample of the version has: nobody needs to label them again."""

from django.db.models import QuerySet

from catalog.models import Revision, RevisionQuerySet, Version


def labelled_bytes(version: Version) -> "QuerySet[Revision, int | None]":
    """Return the blob ids of the labelled samples of a version, for a subquery."""
    return version.revisions.exclude(label=None).order_by().values_list("blob", flat=True)


def without_labelled_bytes(rows: RevisionQuerySet, version: Version) -> RevisionQuerySet:
    """Exclude from `rows`, revisions of a version, unlabelled samples whose bytes are labelled."""
    return rows.exclude(label=None, blob__in=labelled_bytes(version))


def of_labelled_bytes(rows: RevisionQuerySet, version: Version) -> RevisionQuerySet:
    """Filter `rows`, revisions of a version, to the unlabelled samples whose bytes are labelled."""
    return rows.filter(label=None, blob__in=labelled_bytes(version))
