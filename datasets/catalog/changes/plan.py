"""The plan of a commit and the result for its caller: the data that planning fills and committing writes."""

from dataclasses import dataclass, field

from blobs.models import Blob
from catalog.changes.duplicate_pairs import ExactDuplicates, NearDuplicatePair
from catalog.changes.sets import Rejection
from catalog.changes.split_counts import SplitCount, split_counts
from catalog.models import Dataset, NearDuplicate, Revision, Sample, Version, no_counts
from formats import SplitSource


@dataclass(slots=True)
class CommitResult:
    """The result of a commit. `version` is None only for a dataset that is still empty."""

    version: Version | None
    parent: int | None
    added: int = 0
    updated: int = 0
    removed: int = 0
    labelled: int = 0
    unchanged: int = 0
    corrected: int = 0  # samples that left test, as no model had been judged by them
    splits: list[SplitCount] = field(default_factory=list)
    converted: int = 0  # added and updated samples whose image was converted from the uploaded file
    rejected: list[Rejection] = field(default_factory=list)
    near_duplicates: list[dict[str, object]] = field(default_factory=list)
    leaks: list[dict[str, object]] = field(default_factory=list)
    likeness: dict[str, object] | None = None  # the rule for test images that most of the set resembles
    held_out: int = 0
    held_out_labelled: int = 0
    exact_duplicates: ExactDuplicates = field(default_factory=ExactDuplicates)

    @property
    def accepted(self) -> int:
        """The number of accepted items of the batch, including those that changed nothing."""
        return self.added + self.updated + self.removed + self.unchanged

    def document(self) -> dict[str, object]:
        """The result as a JSON object for the API."""
        names = ("parent", "added", "updated", "removed", "labelled", "unchanged", "converted", "corrected",
                 "near_duplicates", "leaks")  # fmt: skip
        return {"version": self.version.number if self.version else None} | {
            name: getattr(self, name) for name in names
        } | {
            "splits": [row.document() for row in self.splits],
            "rejected": [item.document() for item in self.rejected],
            "held_out": self._held_out(),
            "likeness": self.likeness,
            "exact_duplicates": self.exact_duplicates.document(),
        }  # fmt: skip

    def _held_out(self) -> dict[str, object] | None:
        if not self.held_out:
            return None
        detail = (
            f"{self.held_out} of these images show nearly what a test image shows, {self.held_out_labelled} of them "
            "labelled: they stay in pool, where nothing is trained on them, or the figures on test would flatter. See "
            "GET /datasets/{id}/near-duplicates; POST there `decision`: allow to train on them all the same."
        )
        return {"samples": self.held_out, "labelled": self.held_out_labelled, "detail": detail}


@dataclass(slots=True)
class Row:
    """One revision to write, and the one it replaces."""

    sample: Sample
    before: Revision | None
    after: Revision | None
    source: SplitSource | None = None  # what decided on the split of `after`
    leaves_test: bool = False  # it is in test, or was when it was removed, and goes into another split

    @property
    def brings(self) -> list[Blob]:
        """The new blobs of the row: the image and its original, unless the sample had them just before."""
        after = [] if self.after is None else [self.after.blob, self.after.original]
        had = set() if self.before is None else {self.before.blob_id, self.before.original_id}
        return [blob for blob in after if blob is not None and blob.pk not in had]

    @property
    def brings_original(self) -> bool:
        """Whether the image has an original that the sample did not have before."""
        before, after = self.before, self.after
        if after is None or after.original is None:
            return False
        return before is None or before.original is None or before.original.md5 != after.original.md5


@dataclass(slots=True)
class Plan:
    """All rows of a commit on `head`, and the result for the caller."""

    dataset: Dataset
    head: Version | None
    result: CommitResult
    rows: list[Row] = field(default_factory=list)
    near_duplicates: list[NearDuplicatePair] = field(default_factory=list)
    allowed: list[NearDuplicate] = field(default_factory=list)
    allows: bool = False  # near-duplicates of test samples may go to train

    @property
    def number(self) -> int:
        """The number of the new version."""
        return (self.head.number if self.head else 0) + 1

    def note_splits(self) -> None:
        """Count for the caller where the samples go that are new or change their split, and how many leave test."""
        moved = [
            (row.after.split, row.source)
            for row in self.rows
            if row.after and row.source and (row.before is None or row.before.split != row.after.split)
        ]
        self.result.splits = split_counts(moved)
        self.result.corrected = sum(row.leaves_test for row in self.rows)

    def counts(self) -> dict[str, object]:
        """The head's counts plus what the plan changes."""
        old = self.head.counts if self.head else no_counts()
        samples, labelled = old["samples"], old["labelled"]
        by_split, by_class = dict(old["by_split"]), dict(old["by_class"])
        for row in self.rows:
            for sign, revision in ((-1, row.before), (1, row.after)):
                if revision is None:
                    continue
                samples += sign
                labelled += sign * (revision.label is not None)
                by_split[revision.split] = by_split.get(revision.split, 0) + sign
                for name, count in self.dataset.class_counts(revision.label).items():
                    by_class[name] = by_class.get(name, 0) + sign * count
        kept = ({name: count for name, count in counts.items() if count} for counts in (by_split, by_class))
        return {"samples": samples, "labelled": labelled, "by_split": next(kept), "by_class": next(kept)}
