"""Editing samples that are there: what a filter chooses gets a label, none or a split, or is removed, in one commit."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from accounts.models import User
from catalog.changes.plan import Plan
from catalog.changes.sets import ChangeSet, SampleChange
from catalog.filtering.filters import Filter
from catalog.intake.ingest import look_and_commit
from catalog.models import Dataset, Label, Revision
from catalog.versions.datasets import find_version
from catalog.versions.planning import plan_commit
from core.errors import Invalid
from jobs.models import Job
from jobs.services import ShardSpec, create_job

AT_ONCE = 20_000
"""More samples than these are a job."""
SHOWN_KEYS = 5


@dataclass(frozen=True, slots=True)
class Edit:
    """What becomes of each sample: it gets a label or loses the one it has, gets a split, or both; or it is removed."""

    label: Mapping[str, Any] | None = None
    split: str | None = None
    remove: bool = False
    clear: bool = False

    @classmethod
    def of(cls, given: Mapping[str, Any], dataset: Dataset) -> "Edit":
        """From a validated body. Raises Invalid (label, clear, remove)."""
        edit = cls(given.get("label"), given.get("split"), given.get("remove", False), given.get("clear", False))
        if edit.clear and edit.label is not None:
            raise Invalid.field("clear", "takes labels away, and `label` gives one: say one of the two")
        if edit.remove == (edit.label is not None or edit.clear or edit.split is not None):
            words = "say what shall change: `label` or `clear`, `split`, or one of each; or `remove` alone"
            raise Invalid.field("remove", words)
        if edit.label is not None:
            dataset.task_type.labels.check(edit.label, classes=dataset.classes, size=None)
        return edit

    @property
    def words(self) -> str:
        """What a version's message says of it."""
        if self.remove:
            return "Remove samples"
        if self.label is None and not self.clear:
            return f"Move to {self.split}"
        name = self.label.get("class") if self.label is not None else None
        words = "Clear labels" if self.clear else "Relabel" if name is None else f"Relabel as {name}"
        return words if self.split is None else f"{words} and move to {self.split}"


@dataclass(frozen=True, slots=True)
class Terms:
    """How an edit is committed, as of any commit."""

    message: str = ""
    parent: int | None = None
    strict: bool = False


def edit_samples(dataset: Dataset, chosen: Filter, edit: Edit, terms: Terms, *, author: User) -> dict[str, Any] | Job:
    """Commit an edit to the samples of the head that pass; a job (to be woken by the caller's edge) of many.

    Raises Invalid (filter; `nothing_accepted`, `not_all_accepted`) and Conflict (`stale_parent`).
    """
    changes = edit_changes(dataset, chosen, edit, terms, author=author)
    count = len(changes.samples) + len(changes.remove)
    if count <= AT_ONCE:
        return look_and_commit(dataset, changes, author=author)
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
    rows = chosen.apply(head.revisions).order_by("sample_id").values_list("sample__key", flat=True)
    keys = list(rows)
    if not keys:
        raise Invalid.field("filter", f"no sample of version {head.number} passes it", code="nothing_chosen")
    told: dict[str, Any] = {"message": terms.message or edit.words, "parent": terms.parent, "strict": terms.strict}
    if edit.remove:
        return ChangeSet(remove=keys, **told)
    said: dict[str, Any] = {
        "source": Label.Source.HUMAN,
        "author_id": author.pk,
        "label": edit.label,
        "clear_label": edit.clear,
        "split": edit.split,
    }
    return ChangeSet([SampleChange(key, **said) for key in keys], **told)


@dataclass(frozen=True, slots=True)
class Preview:
    """What an edit would do to the head, as the plan of its commit tells."""

    plan: Plan
    samples: int

    def document(self) -> dict[str, Any]:
        """As the API shows it."""
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
    """What the edit would do now; nothing is written. Raises Invalid (filter, `nothing_chosen`)."""
    changes = edit_changes(dataset, chosen, edit, Terms(), author=author)
    plan = plan_commit(dataset, changes, head=dataset.head)
    return Preview(plan, len(changes.samples) + len(changes.remove))
