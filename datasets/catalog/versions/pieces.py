"""Commit a large change set in pieces, so that nobody waits for it longer than a piece takes.

It is planned outside of any lock. Its rows get the number after the head as their `since` and `until`, so that no
version shows them, and are written in short transactions; the last one, short as well, makes them a version. Meanwhile
the dataset has an `OpenWrite`, which refuses other commits (`busy`), and so the head doesn't move. A job that was
killed goes on with what it had written; what was given up is undone (`undoing`).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now

from accounts.models import User
from catalog.busy import locked
from catalog.changes.plan import CommitResult, Plan, Row
from catalog.changes.sets import ChangeSet
from catalog.models import Dataset, ForkOverride, OpenWrite, Revision, Split
from catalog.versions.commit import (
    Check,
    Last,
    commit,
    look_ahead,
    makes_version,
    message_of,
    no_check,
    settle,
    take_settings,
)
from catalog.versions.pace import Pace
from catalog.versions.planning import plan_commit
from catalog.versions.rows import write_rows
from catalog.versions.undoing import undo, undo_abandoned
from core import gc_pause
from core.errors import Conflict, MotherlodeError, Unavailable
from core.list_parameters import listed
from jobs.errors import JobCancelled, LeaseLost
from jobs.lifecycle.finding import refuse_archived
from jobs.models import Job

AT_ONCE = 2000
"""Changes that are committed in one transaction: it takes less than half a second."""

TRIES = 5
R = TypeVar("R")
S = TypeVar("S")
OnStep = Callable[[int, int], None]
"""Called with the samples written so far and their total, 0 while pictures are compared; may raise to stop."""


def no_step(_done: int, _total: int) -> None:
    """Go on."""


class _Diverged(Exception):  # noqa: N818 - it is caught here
    """What was written before a kill is not what is planned now."""


def _nothing() -> None: ...


@dataclass(frozen=True, slots=True)
class Prepared(Generic[R]):
    """A commit whose large part is done. `finish` makes it a version, inside a transaction of the caller; `give_up`
    undoes it, unless it is a version."""

    finish: Callable[[], R]
    give_up: Callable[[], None] = _nothing

    def complete(self) -> R:
        """Finish in a transaction of its own; if that is refused, nothing of the commit stays."""
        try:
            with transaction.atomic():
                return self.finish()
        except BaseException:
            self.give_up()
            raise

    def then(self, make: Callable[[R], S]) -> "Prepared[S]":
        """The same, with what `make` makes of its result in the same transaction."""
        return Prepared(lambda: make(self.finish()), self.give_up)


def commit_in_pieces(dataset: Dataset, changes: ChangeSet, *, author: User, check: Check = no_check) -> CommitResult:
    """Commit a change set of any size, outside of a transaction. Raises as `commit` does."""
    return prepare(dataset, changes, author=author, check=check).complete()


def prepare(
    dataset: Dataset,
    changes: ChangeSet,
    *,
    author: User,
    job: Job | None = None,
    check: Check = no_check,
    on_step: OnStep = no_step,
) -> Prepared[CommitResult]:
    """Compare the pictures of a change set, and write it up to its last step if it is large, outside of a transaction.

    `job` is the job that does it: a later attempt of it goes on where this one was killed. Raises as `commit` does;
    what was written is undone then, also when `on_step` raises JobCancelled.
    """
    if len(changes.samples) + len(changes.remove) <= AT_ONCE:
        look_ahead(dataset, changes, on_pairs=lambda _: on_step(0, 0))
        return Prepared(lambda: commit(dataset, changes, author=author, check=check))
    undo_abandoned(dataset)
    changes.looks.on_pairs = lambda _: on_step(0, 0)
    large = _Large(dataset, changes, author, job, check, on_step)
    try:
        return large.prepared()
    except _Diverged:
        large.give_up()
        return large.prepared()


def on_the_head(attempt: Callable[[], R]) -> R:
    """Call what computes changes of the head and names it as their parent; again if the head has moved meanwhile.
    Raises Conflict (`stale_parent`) if it moves each time."""
    for _ in range(TRIES - 1):
        try:
            return attempt()
        except Conflict as error:
            if error.code != "stale_parent":
                raise
    return attempt()


class _Large:
    """One large commit on its way."""

    def __init__(
        self, dataset: Dataset, changes: ChangeSet, author: User, job: Job | None, check: Check, on_step: OnStep
    ) -> None:
        self._dataset, self._changes, self._author = dataset, changes, author
        self._job, self._check, self._on_step = job, check, on_step
        self._write: OpenWrite | None = None

    def prepared(self) -> Prepared[CommitResult]:
        """Plan and write all pieces."""
        try:
            return self._prepared()
        except (JobCancelled, MotherlodeError) as error:
            # A job that will be tried again goes on then.
            if self._job is None or not isinstance(error, Unavailable):
                self.give_up()
            raise
        except Exception:
            if self._job is None:
                self.give_up()
            raise

    def give_up(self) -> None:
        """Undo what is written."""
        if self._write is not None:
            undo(self._write)
            self._write = None

    def _prepared(self) -> Prepared[CommitResult]:
        self._write = self._taken_up()
        resumed = self._write is not None
        plan = self._plan()
        if self._write is None and makes_version(plan, self._changes):
            self._write = self._opened(plan)
            if self._is_outdated(plan):
                plan = self._plan()
                OpenWrite.objects.filter(pk=self._write.pk).update(total=len(plan.rows))
        if self._write is None:
            return Prepared(lambda: plan.result)
        if not makes_version(plan, self._changes):
            self.give_up()
            return Prepared(lambda: plan.result)
        with gc_pause.paused():  # a search through all objects of a large plan takes longer than a piece
            self._write_pieces(plan, self._write, resumed=resumed)
            last = Last.of(plan)
        return Prepared(lambda: self._finish(plan, last), self.give_up)

    def _plan(self) -> Plan:
        row = Dataset.everything.select_related("head__dataset").get(pk=self._dataset.pk)
        refuse_archived(row)
        take_settings(self._dataset, row)
        with gc_pause.paused():
            plan = plan_commit(self._dataset, self._changes, head=row.head)
        self._check(plan.result)
        return plan

    def _taken_up(self) -> OpenWrite | None:
        """Return what an earlier attempt of the job left, ours now; None if there is nothing."""
        if self._job is None:
            return None
        mine = OpenWrite.objects.filter(dataset=self._dataset, job=self._job, undoing=False)
        if not mine.update(token=F("token") + 1, done=0, beat=Now()):
            return None
        return OpenWrite.objects.get(dataset=self._dataset)

    def _opened(self, plan: Plan) -> OpenWrite:
        """Keep other commits out from now on. Raises Busy (`dataset_busy`)."""
        with transaction.atomic(durable=True):
            head = locked(self._dataset).head
            return OpenWrite.objects.create(
                dataset=self._dataset,
                number=(head.number if head else 0) + 1,
                author=self._author,
                message=message_of(plan, self._changes),
                job=self._job,
                total=len(plan.rows),
            )

    def _is_outdated(self, plan: Plan) -> bool:
        """Whether somebody changed what the plan rests on before the write was opened."""
        assert self._write is not None  # noqa: S101 - it was opened just now
        row = Dataset.everything.get(pk=self._dataset.pk)
        known = ("split_rule", "classes", "schema_version")
        same = all(getattr(row, name) == getattr(self._dataset, name) for name in known)
        return not same or plan.number != self._write.number

    def _write_pieces(self, plan: Plan, write: OpenWrite, *, resumed: bool) -> None:
        pace, done = Pace(), 0
        for rows in _pieces(plan, pace):
            with pace.piece(), transaction.atomic(durable=True):
                self._hold(write, len(rows))
                write_rows(plan, _missing(plan, rows) if resumed else rows)
            done += len(rows)
            self._on_step(done, len(plan.rows))
        if resumed:
            _check_whole(plan)

    def _hold(self, write: OpenWrite, count: int) -> None:
        """Note a piece, in its transaction. Raises LeaseLost if the write is another's, or undone."""
        mine = OpenWrite.objects.filter(pk=write.pk, token=write.token, undoing=False)
        if not mine.update(done=F("done") + count, beat=Now()):
            raise self._lost()

    def _finish(self, plan: Plan, last: Last) -> CommitResult:
        assert self._write is not None  # noqa: S101 - its rows are written
        refuse_archived(Dataset.everything.select_for_update(no_key=True).get(pk=self._dataset.pk))
        mine = OpenWrite.objects.filter(pk=self._write.pk, token=self._write.token, undoing=False)
        if not mine.delete()[0]:
            raise self._lost()
        settle(plan, self._changes, last, author=self._author)
        return plan.result

    def _lost(self) -> Exception:
        if self._job is not None:
            return LeaseLost()
        return Unavailable("This commit was given up, as it wrote nothing for a minute; nothing of it was kept.")


def _pieces(plan: Plan, pace: Pace) -> Iterator[Sequence[Row]]:
    """Cut the rows, those of test first: a near-duplicate refers to its sample of test."""
    rows = sorted(plan.rows, key=lambda row: row.after is None or row.after.split != Split.TEST)
    at = 0
    while at < len(rows):
        piece = rows[at : at + pace.size]
        yield piece
        at += len(piece)


def _missing(plan: Plan, rows: Sequence[Row]) -> list[Row]:
    """The rows that no earlier attempt wrote. Raises _Diverged if it wrote another state of one."""
    ids = [row.sample.pk for row in rows if row.sample.pk]
    mine = Revision.objects.filter(dataset=plan.dataset, since=plan.number, sample__in=listed(ids))
    written = {one.sample_id: one for one in mine.select_related("blob", "original", "label")}
    for row in rows:
        there = written.get(row.sample.pk) if row.sample.pk else None
        if there is not None and (row.after is None or not there.says_the_same(row.after)):
            raise _Diverged
    ended = _ended(plan, rows)
    return [row for row in rows if row.sample.pk not in (ended if row.after is None else written)]


def _ended(plan: Plan, rows: Sequence[Row]) -> set[int]:
    """The samples that an earlier attempt removed."""
    removed = [row.before for row in rows if row.after is None and row.before is not None]
    own = Revision.objects.filter(pk__in=listed([row.pk for row in removed]), until=plan.number)
    overrides = ForkOverride.objects.filter(
        dataset=plan.dataset, since=plan.number, sample__in=listed([row.sample_id for row in removed])
    )
    return {*own.values_list("sample_id", flat=True), *overrides.values_list("sample_id", flat=True)}


def _check_whole(plan: Plan) -> None:
    """Raise _Diverged unless what is written is the plan: an earlier attempt may have written more."""
    mine = Revision.objects.filter(dataset=plan.dataset)
    added = mine.filter(since=plan.number).count()
    ended = mine.filter(until=plan.number).count()
    ended += ForkOverride.objects.filter(dataset=plan.dataset, since=plan.number).count()
    if added != sum(row.after is not None for row in plan.rows) or ended != sum(
        row.before is not None for row in plan.rows
    ):
        raise _Diverged
