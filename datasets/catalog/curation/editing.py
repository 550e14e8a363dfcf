"""Edits of existing samples: label, unlabel, move to a split or remove the samples of a filter, in one commit."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from accounts.models import User
from catalog.changes.plan import Plan
from catalog.changes.sets import ChangeSet, SampleChange
from catalog.filtering.filters import Filter
from catalog.intake.ingest import commit_upload
from catalog.models import Dataset, Label, Revision
from catalog.versions.datasets import find_version
from catalog.versions.planning import plan_commit
from core.errors import Invalid
from jobs.models import Job
from jobs.services import ShardSpec, create_job

AT_ONCE = 20_000
"""A job edits more samples than this."""
SHOWN_KEYS = 5


@dataclass(frozen=True, slots=True)
class Edit:
    """The change to each sample: set its label, clear it, or add classes to it and remove classes from it; set its
    split; or both; or remove the sample."""

    label: Mapping[str, Any] | None = None
    split: str | None = None
    remove: bool = False
    clear: bool = False
    add_classes: Sequence[str] = ()
    remove_classes: Sequence[str] = ()

    @classmethod
    def of(cls, given: Mapping[str, Any], dataset: Dataset) -> "Edit":
        """Build an edit from a validated body. Raises Invalid (label, clear, add_classes, remove_classes, remove)."""
        edit = cls(**{name: given[name] for name in cls.__slots__ if name in given})
        if edit.clear and edit.label is not None:
            raise Invalid.field("clear", "takes labels away, and `label` gives one: say one of the two")
        if edit.changes_classes and (edit.clear or edit.label is not None):
            raise Invalid.field(edit._asked, "changes the labels that are there: leave out `label` and `clear`")
        relabels = edit.label is not None or edit.clear or edit.changes_classes
        if edit.remove == (relabels or edit.split is not None):
            what = "`label`, `clear`, or `add_classes` and `remove_classes`; `split`; or one of each"
            raise Invalid.field("remove", f"say what shall change: {what}; or `remove` alone")
        if edit.label is not None:
            dataset.task_type.labels.check(edit.label, classes=dataset.classes, size=None)
        if edit.changes_classes:
            edit._check_classes(dataset)
        return edit

    @property
    def changes_classes(self) -> bool:
        """Whether the edit adds classes to labels, or removes classes from them."""
        return bool(self.add_classes or self.remove_classes)

    @property
    def words(self) -> str:
        """The edit in words, for the version's message."""
        if self.remove:
            return "Remove samples"
        said = [self._label_words] if self._label_words else []
        said += [f"move to {self.split}"] if self.split is not None else []
        words = " and ".join(said)
        return words[0].upper() + words[1:]

    @property
    def _label_words(self) -> str:
        if self.clear:
            return "clear labels"
        if self.changes_classes:
            signed = [f"+{name}" for name in self.add_classes] + [f"-{name}" for name in self.remove_classes]
            return f"classes {', '.join(signed)}"[:400]
        if self.label is None:
            return ""
        name = self.label.get("class")
        return "relabel" if name is None else f"relabel as {name}"

    @property
    def _asked(self) -> str:
        return "add_classes" if self.add_classes else "remove_classes"

    def _check_classes(self, dataset: Dataset) -> None:
        for field, names in (("add_classes", self.add_classes), ("remove_classes", self.remove_classes)):
            if unknown := [name for name in names if name not in dataset.classes]:
                raise Invalid.field(field, f"{unknown[0]!r} is not a class of {dataset.name}", code="unknown_class")
        if both := set(self.add_classes) & set(self.remove_classes):
            raise Invalid.field("remove_classes", f"{min(both)!r} is in `add_classes` as well")
        dataset.task_type.labels.with_classes(None, add=self.add_classes, remove=self.remove_classes)


@dataclass(frozen=True, slots=True)
class Terms:
    """Options of the edit's commit, the same as for any commit."""

    message: str = ""
    parent: int | None = None
    strict: bool = False


def edit_samples(dataset: Dataset, chosen: Filter, edit: Edit, terms: Terms, *, author: User) -> dict[str, Any] | Job:
    """Commit an edit to the samples of the head that pass, or return a job that does (the caller wakes it) if many do.

    Raises Invalid (filter; `nothing_accepted`, `not_all_accepted`) and Conflict (`stale_parent`).
    """
    changes = edit_changes(dataset, chosen, edit, terms, author=author)
    count = len(changes.samples) + len(changes.remove)
    if count <= AT_ONCE:
        return commit_upload(dataset, changes, author=author)
    params = {
        "dataset": dataset.pk, "filter": chosen.document, "edit": asdict(edit), "terms": asdict(terms),
        "author": author.pk,
    }  # fmt: skip
    title = f"{changes.message} in {dataset.name}"[:200]
    shard = ShardSpec(params, units=count)
    return create_job("edit", title, shards=[shard], unit="samples", created_by=author, project=dataset.project_id)


def edit_changes(dataset: Dataset, chosen: Filter, edit: Edit, terms: Terms, *, author: User) -> ChangeSet:
    """The change set of an edit. Raises Invalid (filter, `nothing_chosen`)."""
    head = find_version(dataset, "head")
    rows = chosen.apply(head.revisions).order_by("sample_id")
    labels = dict(rows.values_list("sample__key", "label__value")) if edit.changes_classes else {}
    keys = list(labels or rows.values_list("sample__key", flat=True))
    if not keys:
        raise Invalid.field("filter", f"no sample of version {head.number} passes it", code="nothing_chosen")
    told: dict[str, Any] = {"message": terms.message or edit.words, "parent": terms.parent, "strict": terms.strict}
    if edit.remove:
        return ChangeSet(remove=keys, **told)
    said: dict[str, Any] = {
        "source": Label.Source.HUMAN,
        "author_id": author.pk,
        "clear_label": edit.clear,
        "split": edit.split,
    }
    with_classes = dataset.task_type.labels.with_classes
    changed = {
        key: with_classes(held, add=edit.add_classes, remove=edit.remove_classes) for key, held in labels.items()
    }
    return ChangeSet([SampleChange(key, **said, label=changed.get(key, edit.label)) for key in keys], **told)


@dataclass(frozen=True, slots=True)
class Preview:
    """The changes that an edit would make to the head, from the plan of its commit."""

    plan: Plan
    samples: int

    def document(self) -> dict[str, Any]:
        """The preview as a JSON object for the API."""
        rows, result = self.plan.rows, self.plan.result
        moves = Counter(
            (row.before.split, row.after.split)
            for row in rows
            if row.before and row.after and row.before.split != row.after.split
        )
        return {
            "version": self.plan.head.number if self.plan.head else None,
            "samples": self.samples,
            "changed": len(rows),
            "unchanged": result.unchanged,
            "by_split": dict(Counter(row.before.split for row in rows if row.before)),
            "by_class": self._classes([row.before for row in rows if row.before]),
            "unlabelled": sum(row.before is not None and row.before.label is None for row in rows),
            "moves": [{"from": old, "to": new, "samples": n} for (old, new), n in moves.items()],
            "refused": self._refused(),
            "held_out": result.held_out,
            "leaks": len(result.leaks),
        }

    def _classes(self, before: list[Revision]) -> dict[str, int]:
        counts = Counter[str]()
        for revision in before:
            counts.update(dict.fromkeys(self.plan.dataset.class_counts(revision.label), 1))
        return dict(counts.most_common())

    def _refused(self) -> list[dict[str, Any]]:
        found: dict[str, dict[str, Any]] = {}
        for item in self.plan.result.rejected:
            row = found.setdefault(item.code, {"code": item.code, "detail": item.detail, "samples": 0, "keys": []})
            row["samples"] += 1
            if len(row["keys"]) < SHOWN_KEYS:
                row["keys"].append(item.key)
        return list(found.values())


def preview_edit(dataset: Dataset, chosen: Filter, edit: Edit, *, author: User) -> Preview:
    """Preview an edit; nothing is written. Raises Invalid (filter, `nothing_chosen`)."""
    changes = edit_changes(dataset, chosen, edit, Terms(), author=author)
    plan = plan_commit(dataset, changes, head=dataset.head)
    return Preview(plan, len(changes.samples) + len(changes.remove))
