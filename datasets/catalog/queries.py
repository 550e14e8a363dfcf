"""Reads that the API composes: windows of a version's samples, facets, histories."""

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import orjson
from django.core.cache import cache
from django.db.models import Count, Q

from catalog import tallies
from catalog.filters import Filter
from catalog.models import Dataset, Mention, Revision, RevisionQuerySet, Sample, Split, Version, lines
from catalog.slices import chosen_filter
from core.errors import Invalid, NotFound
from core.references import MAX_ID_DIGITS, as_number

KEPT_SECONDS = 3600
BOOLEANS = {"true": True, "false": False}
MOST_IDS = 1000


@dataclass(frozen=True, slots=True)
class SampleFilter:
    """Which samples of a version; None filters nothing. `boxes`: a sample's label may name several classes."""

    split: str | None = None
    label: str | None = None
    labelled: bool | None = None
    q: str | None = None
    boxes: bool = False
    slice: Filter | None = None
    ids: tuple[int, ...] | None = None

    @classmethod
    def of(cls, query: Mapping[str, str], dataset: Dataset) -> "SampleFilter":
        """From query parameters; others than these six are not looked at. Raises Invalid naming the parameter."""
        split, label, labelled = query.get("split"), query.get("label"), query.get("labelled")
        if split is not None and split not in Split.values:
            raise Invalid.field("split", f"must be one of {', '.join(Split.values)}")
        if label is not None and label not in dataset.classes:
            raise Invalid.field("label", f"unknown class {label!r}", code="unknown_class")
        if labelled is not None and labelled not in BOOLEANS:
            raise Invalid.field("labelled", "must be true or false")
        if "\0" in query.get("q", ""):
            raise Invalid.field("q", "must be a text without null characters")
        boxes = dataset.names_several
        told = BOOLEANS[labelled] if labelled is not None else None
        chosen = chosen_filter({"slice": query["slice"]}, dataset, field="") if "slice" in query else None
        return cls(split, label, told, query.get("q") or None, boxes, chosen, _ids(query.get("ids")))

    @property
    def cells(self) -> dict[str, object] | None:
        """The cells of the tally that hold the samples that pass; None when it can't tell them apart."""
        if self.q is not None or self.slice is not None or self.ids is not None:
            return None
        wanted = {"split": self.split, "labelled": self.labelled}
        return {"class_name": self.label or ""} | {name: value for name, value in wanted.items() if value is not None}

    def apply(self, rows: RevisionQuerySet) -> RevisionQuerySet:
        """Only the revisions that pass."""
        wanted = {"split": self.split, "sample__key__icontains": self.q}
        rows = rows.filter(**{name: value for name, value in wanted.items() if value is not None})
        if self.label is not None:
            rows = rows.filter(mentions__class_name=self.label) if self.boxes else rows.filter(class_name=self.label)
        if self.labelled is not None:
            rows = rows.filter(label__isnull=not self.labelled)
        if self.ids is not None:
            rows = rows.filter(sample_id__in=self.ids)
        return rows if self.slice is None else self.slice.apply(rows)

    def place(self, version: Version) -> str | None:
        """Under which name a count of what passes may be kept: a version does not change, but predictions come in."""
        if self.slice is None or "prediction" in self.slice.document:
            return None
        told = (self.split, self.label, self.labelled, self.q, self.slice.document, self.ids)
        of = (version.pk, version.created.isoformat(), version.counts["samples"], told)
        return hashlib.sha256(orjson.dumps(of, option=orjson.OPT_SORT_KEYS)).hexdigest()

    @property
    def order(self) -> str:
        """The column by which the chosen rows lie in an index in the order of their sample ids."""
        return "mentions__sample_id" if self.boxes and self.label is not None else "sample_id"


def _ids(text: str | None) -> tuple[int, ...] | None:
    if text is None:
        return None
    words = [word for word in text.split(",") if word]
    numbers = [as_number(word, digits=MAX_ID_DIGITS) for word in words]
    if len(words) > MOST_IDS or None in numbers:
        raise Invalid.field("ids", f"must be at most {MOST_IDS} sample ids with commas between them, like 3,5")
    return tuple(number for number in numbers if number is not None)


def total(version: Version, chosen: SampleFilter) -> int:
    """How many samples of the version pass."""
    cells = chosen.cells
    if cells is not None:
        return sum(tallies.count(version, cells).values())
    count, place = chosen.apply(version.revisions).count, chosen.place(version)
    kept: int | None = cache.get_or_set(f"total:{place}", count, KEPT_SECONDS) if place else None
    return count() if kept is None else kept


def window(
    version: Version, chosen: SampleFilter, *, offset: int, limit: int, after: int | None = None
) -> list[Revision]:
    """Up to `limit` revisions by sample id, from `offset`, or those `after` a sample id."""
    cells = chosen.cells
    if offset >= tallies.BUCKET and after is None and cells is not None:
        after, offset = tallies.place(version, cells, offset)
    # First the ids from the index alone, then the rows: skipping an offset then joins nothing. Each line of a fork is
    # read by itself, in the order of its own index.
    found: list[tuple[int, int]] = []
    for line in lines(version.path):
        rows = chosen.apply(Revision.objects.filter(line)).order_by(chosen.order)
        if after is not None:
            rows = rows.filter(**{f"{chosen.order}__gt": after})
        found += rows.values_list("sample_id", "pk")[: offset + limit] if version.dataset.ancestry else (
            rows.values_list("sample_id", "pk")[offset : offset + limit]
        )  # fmt: skip
    if version.dataset.ancestry:
        found = sorted(found)[offset : offset + limit]
    full = Revision.objects.filter(pk__in=[pk for _, pk in found]).select_related("sample", "blob", "label")
    return list(full.order_by("sample_id"))


def facets(version: Version, chosen: SampleFilter) -> dict[str, Any]:
    """`{total, split: {..}, label: {..}, labelled: {"true", "false"}}` of the samples that pass."""
    cells = chosen.cells
    by_split, by_class, told = Counter[str](), Counter[str](), 0
    for split, labelled, n in _split_counts(version, chosen, cells):
        by_split[split] += n
        told += n if labelled else 0
    if cells is not None and chosen.label is None:
        others = {name: value for name, value in cells.items() if name != "class_name"}
        mentions = tallies.count(version, others, "class_name")
        by_class.update({str(name): n for (name,), n in mentions.items() if name})
    elif cells is not None and not chosen.boxes:
        by_class[str(chosen.label)] = sum(by_split.values())
    else:
        by_class.update(_class_counts(version, chosen))
    found = sum(by_split.values())
    return {
        "total": found,
        "split": {name: n for name, n in by_split.items() if n},
        "label": {name: n for name, n in by_class.items() if n},
        "labelled": {"true": told, "false": found - told},
    }


def _split_counts(
    version: Version, chosen: SampleFilter, cells: dict[str, object] | None
) -> Iterator[tuple[str, bool, int]]:
    if cells is not None:
        for (split, labelled), n in tallies.count(version, cells, "split", "labelled").items():
            yield str(split), bool(labelled), n
        return
    told = Count("pk", filter=Q(label__isnull=False))
    rows = chosen.apply(version.revisions).order_by().values_list("split")
    for split, n, with_label in rows.annotate(n=Count("pk"), told=told):
        yield split, True, with_label
        yield split, False, n - with_label


def _class_counts(version: Version, chosen: SampleFilter) -> dict[str, int]:
    """Counted from the rows: what a search by key lets through, and the classes beside a chosen one."""
    rows = chosen.apply(version.revisions).order_by()
    if not chosen.boxes:
        return dict(rows.exclude(class_name="").values_list("class_name").annotate(n=Count("pk")))
    mentions = Mention.objects.filter(revision__in=rows.values("pk")).order_by()
    return dict(mentions.values_list("class_name").annotate(n=Count("pk")))


def find_revision(version: Version, key: str) -> Revision:
    """A sample as it is in a version. Raises NotFound."""
    # First the sample, by the index of keys: joined, a database without statistics looks through the whole version.
    lines_of = [line for line, _ in version.path]
    named = list(Sample.objects.filter(dataset__in=lines_of, key=key).values_list("pk", flat=True))
    rows = version.revisions.filter(sample__in=named).select_related("sample", "blob", "label")
    if (found := rows.first()) is None:
        raise NotFound(f"There is no sample {key!r} in {version}.", code="sample_unknown")
    return found


def find_sample(dataset: Dataset, key: str) -> Sample:
    """A sample that is or was in the dataset, or in what it was forked from. Raises NotFound."""
    nearest = [dataset.pk, *(line for line, _ in dataset.ancestry)]
    rows = Sample.objects.filter(dataset__in=nearest, key=key)
    found = min(rows, key=lambda row: nearest.index(row.dataset_id), default=None)
    if found is None or not Revision.objects.ever(dataset).filter(sample=found).exists():
        raise NotFound(f"There is no sample {key!r} in dataset {dataset.name!r}.", code="sample_unknown")
    return found


def history(dataset: Dataset, sample: Sample) -> list[tuple[Revision, Version]]:
    """What a sample has been, oldest first, each with the version that made it so; a fork's begins in its origin."""
    rows = list(Revision.objects.ever(dataset).filter(sample=sample).select_related("blob", "label"))
    wanted = Q(pk=None)
    for row in rows:
        wanted |= Q(dataset=row.dataset_id, number=row.since)
    made = {
        (one.dataset_id, one.number): one for one in Version.objects.filter(wanted).select_related("author", "dataset")
    }
    return [(row, made[row.dataset_id, row.since]) for row in rows]
