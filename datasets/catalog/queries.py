"""Reads that the API composes: windows of a version's samples, facets, histories."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Q

from catalog.models import Dataset, Revision, RevisionQuerySet, Sample, Split, Task, Version
from core.errors import Invalid, NotFound

BOOLEANS = {"true": True, "false": False}


@dataclass(frozen=True, slots=True)
class SampleFilter:
    """Which samples of a version; None filters nothing."""

    split: str | None = None
    label: str | None = None
    labelled: bool | None = None
    q: str | None = None

    @classmethod
    def of(cls, query: Mapping[str, str], dataset: Dataset) -> "SampleFilter":
        """From query parameters; others than these four are not looked at. Raises Invalid naming the parameter."""
        split, label, labelled = query.get("split"), query.get("label"), query.get("labelled")
        if split is not None and split not in Split.values:
            raise Invalid.field("split", f"must be one of {', '.join(Split.values)}")
        if label is not None and dataset.task == Task.DETECTION:
            raise Invalid.field("label", "only classification datasets are filtered by label")
        if label is not None and label not in dataset.classes:
            raise Invalid.field("label", f"unknown class {label!r}", code="unknown_class")
        if labelled is not None and labelled not in BOOLEANS:
            raise Invalid.field("labelled", "must be true or false")
        return cls(split, label, BOOLEANS[labelled] if labelled is not None else None, query.get("q") or None)

    @property
    def is_open(self) -> bool:
        """It lets everything through."""
        return self == SampleFilter()

    def apply(self, rows: RevisionQuerySet) -> RevisionQuerySet:
        """Only the revisions that pass."""
        wanted = {"split": self.split, "class_name": self.label, "sample__key__icontains": self.q}
        rows = rows.filter(**{name: value for name, value in wanted.items() if value is not None})
        return rows if self.labelled is None else rows.filter(label__isnull=not self.labelled)


def total(version: Version, chosen: SampleFilter) -> int:
    """How many samples of the version pass; costs nothing when all do."""
    return int(version.counts["samples"]) if chosen.is_open else chosen.apply(version.revisions).count()


def window(
    version: Version, chosen: SampleFilter, *, offset: int, limit: int, after: int | None = None
) -> list[Revision]:
    """Up to `limit` revisions by sample id, from `offset`, or those `after` a sample id."""
    rows = chosen.apply(version.revisions).order_by("sample_id")
    if after is not None:
        rows = rows.filter(sample_id__gt=after)
    # First the ids from the index alone, then the rows: skipping an offset then joins nothing.
    ids = list(rows.values_list("pk", flat=True)[offset : offset + limit])
    full = Revision.objects.filter(pk__in=ids).select_related("sample", "blob", "label")
    return list(full.order_by("sample_id"))


def facets(version: Version, chosen: SampleFilter) -> dict[str, Any]:
    """`{total, split: {..}, label: {..}, labelled: {"true", "false"}}` of the samples that pass, in one query."""
    labelled = Q(label__isnull=False)
    rows = chosen.apply(version.revisions).order_by().values_list("split", "class_name")
    by_split, by_class, told = Counter[str](), Counter[str](), 0
    for split, name, count, with_label in rows.annotate(count=Count("pk"), with_label=Count("pk", filter=labelled)):
        by_split[split] += count
        by_class[name] += count
        told += with_label
    del by_class[""]
    found = sum(by_split.values())
    return {
        "total": found,
        "split": dict(by_split),
        "label": dict(by_class),
        "labelled": {"true": told, "false": found - told},
    }


def find_revision(version: Version, key: str) -> Revision:
    """A sample as it is in a version. Raises NotFound."""
    rows = version.revisions.filter(sample__key=key).select_related("sample", "blob", "label")
    if (found := rows.first()) is None:
        raise NotFound(f"There is no sample {key!r} in {version}.", code="sample_unknown")
    return found


def find_sample(dataset: Dataset, key: str) -> Sample:
    """A sample that is or was in the dataset. Raises NotFound."""
    if (found := dataset.samples.filter(key=key).first()) is None:
        raise NotFound(f"There is no sample {key!r} in dataset {dataset.name!r}.", code="sample_unknown")
    return found
