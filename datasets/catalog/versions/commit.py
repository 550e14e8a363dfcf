"""Commit a change set: write its plan as rows, in one transaction. `pieces` commits large ones."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.db import transaction
from django.dispatch import Signal

from accounts import audit
from accounts.models import User
from catalog.busy import locked
from catalog.changes.plan import CommitResult, Plan, Row
from catalog.changes.sets import ChangeSet
from catalog.duplicates.near import LatePairs, late_pairs, settle_pairs
from catalog.models import Dataset, Split, Version
from catalog.versions.planning import plan_commit
from catalog.versions.rows import write_rows
from core import gc_pause
from worker_programs.wording import plural

# Sent after the transaction that made a version, with `version`. Receivers only wake something: the signal may be lost.
version_committed = Signal()

Check = Callable[[CommitResult], None]
"""Looks at the result of a plan before anything is written, and raises to refuse it."""
MESSAGE_LENGTH = 500
SHOWN_KEYS = 20


def no_check(_: CommitResult) -> None:
    """Accept every result."""


def look_ahead(dataset: Dataset, changes: ChangeSet, *, on_pairs: Callable[[int], None] = lambda _: None) -> None:
    """Compare the pictures that a commit on the current head will need, before its transaction begins.

    `on_pairs` is called with the number of pairs compared. If the head moves meanwhile, the commit compares the rest.
    """
    if any(change.blob is not None or change.split == Split.TEST for change in changes.samples):
        changes.looks.on_pairs = on_pairs
        plan_commit(dataset, changes, head=head_of(dataset))


def head_of(dataset: Dataset) -> Version | None:
    """The dataset's head as it is now."""
    row: Dataset = Dataset.everything.select_related("head__dataset").get(pk=dataset.pk)
    return row.head


@transaction.atomic
def commit(dataset: Dataset, changes: ChangeSet, *, author: User, check: Check = no_check) -> CommitResult:
    """Commit a change set on the head in one transaction; the items in `rejected` are left out. It keeps others from
    committing meanwhile, and on SQLite from writing: whatever may be large is committed in pieces (`pieces.prepare`).

    A change set that names a parent other than the head raises Conflict (`stale_parent`) and writes nothing; one
    without a parent goes on top of the current head. A commit that changes nothing makes no version, unless it settles
    a merge. Blobs of the change set may be unsaved rows: accepted ones are saved in the same transaction. A commit
    whose images exceed the project's storage limit raises Conflict (`storage_quota`) and writes nothing; so does one
    beside a commit that is being written in pieces, which raises Busy (`dataset_busy`).
    """
    # The row's lock serialises commits of a dataset (SQLite's IMMEDIATE transaction does that for the whole database).
    row = locked(dataset)
    take_settings(dataset, row)
    with gc_pause.paused():
        plan = plan_commit(dataset, changes, head=row.head)
        check(plan.result)
        if makes_version(plan, changes):
            write_rows(plan, plan.rows)
            settle(plan, changes, Last.of(plan), author=author)
    return plan.result


def take_settings(dataset: Dataset, row: Dataset) -> None:
    """Copy from the dataset's locked row what planning depends on."""
    for name in ("split_rule", "classes", "schema_version"):
        setattr(dataset, name, getattr(row, name))


def makes_version(plan: Plan, changes: ChangeSet) -> bool:
    """Whether a commit of this plan makes a version."""
    return bool(plan.rows) or (changes.settles and not plan.result.rejected)


@dataclass(frozen=True, slots=True)
class Last:
    """What the last step of a commit writes: computed before it, as a plan may have a million rows."""

    counts: dict[str, object]
    pairs: LatePairs
    leaving: Sequence[Row]
    """Samples that leave test."""

    @classmethod
    def of(cls, plan: Plan) -> "Last":
        """For a plan whose rows are written."""
        return cls(plan.counts(), late_pairs(plan), [row for row in plan.rows if row.leaves_test])


def settle(plan: Plan, changes: ChangeSet, last: Last, *, author: User) -> None:
    """Make the plan's rows, all of them written, a version and the dataset's head: the last step of a commit, inside
    its transaction."""
    result = plan.result
    result.version = Version.objects.create(
        dataset=plan.dataset,
        number=plan.number,
        parent=plan.head,
        merged=changes.merged,
        message=message_of(plan, changes),
        author=author,
        added=result.added,
        updated=result.updated,
        removed=result.removed,
        labelled=result.labelled,
        counts=last.counts,
        labelling=changes.labelling,
        schema_version=plan.dataset.schema_version,
    )
    settle_pairs(plan, last.pairs)
    _note_corrections(plan, last.leaving, author)
    Dataset.objects.filter(pk=plan.dataset.pk).update(head=result.version)
    plan.dataset.head = result.version
    announce(result.version)


def message_of(plan: Plan, changes: ChangeSet) -> str:
    """Return the version's message; it says how many samples left test."""
    if not plan.result.corrected:
        return changes.message[:MESSAGE_LENGTH]
    words = f"{plural(plan.result.corrected, 'sample')} taken out of test, as no model was judged by them"
    return f"{changes.message[: MESSAGE_LENGTH - len(words) - 3]} ({words})" if changes.message else words.capitalize()


def _note_corrections(plan: Plan, leaving: Sequence[Row], author: User) -> None:
    """Put into the audit log which samples left test, and where to; their first few by key."""
    if not leaving:
        return
    splits = dict(Counter(row.after.split for row in leaving if row.after))
    keys = sorted(row.sample.key for row in leaving)[:SHOWN_KEYS]
    after = {"version": plan.number, "splits": splits, "keys": keys}
    before = {"splits": {Split.TEST.value: len(leaving)}}
    project = plan.dataset.project_id
    audit.note("test_corrected", "dataset", plan.dataset.name, by=author, project=project, before=before, after=after)


def announce(version: Version) -> None:
    """Send `version_committed` once the transaction that made the version has committed."""
    transaction.on_commit(lambda: version_committed.send(Version, version=version), robust=True)
