"""The rules of labelling: queues and answers; leases are in `leasing`. Every decision about time uses the database's
clock.

All code that may end or reopen a queue locks the row of the queue before the row of a task, always in this order: two
people who give the last two answers at once must not each see the other's task as still open.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import Count, Max, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce, Now
from django.dispatch import Signal

from accounts.models import User
from accounts.rights import check
from catalog.changes.plan import CommitResult
from catalog.changes.split_counts import REQUEST, split_counts
from catalog.models import Dataset, Revision, Version
from catalog.versions.commit import commit
from catalog.versions.names import check_own_name
from catalog.versions.pieces import AT_ONCE, prepare
from core import gc_pause
from core.bulk import insert_columns
from core.errors import Busy, Conflict, Invalid, NotFound
from core.list_parameters import listed
from core.prepared import prepared
from core.rows import insert_row, save_fields
from formats import SplitSource
from jobs.lifecycle.finding import find_named, refuse_archived
from labeling.assigning import check_answers
from labeling.blinding import blind_and_cluster
from labeling.grace import check_hold, restart
from labeling.leasing import holder, is_live, lease_out, lost
from labeling.models import Answer, Queue, Task, TaskQuerySet
from labeling.quality import routing
from labeling.quality.committing import WrittenLabels, answers_state, change_set
from labeling.values import checked, differs
from labeling.verifying import note_verification
from worker_programs.wording import plural

# Sent with `queue` after a queue's last task ended, and after its commit. Receivers may miss it: it only
# triggers work early.
queue_completed = Signal()


@dataclass(frozen=True, slots=True)
class QueueItem:
    """One sample to label, with what the model suggests and why it was picked (both kept and shown as they are)."""

    sample_id: int
    suggestion: Mapping[str, Any] | None = None
    why: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class AnswerReceipt:
    """The result of an answer or a skip: its task and stored row, and the queue's counts and state after it."""

    task: Task
    answer: Answer
    counts: dict[str, int]
    queue_state: str


@dataclass(slots=True)
class LockedQueue:
    """The row of a queue, locked until the transaction ends, and the number of its tasks under a live lease."""

    queue: Queue
    leased: int

    @property
    def counts(self) -> dict[str, int]:
        return tally(self.queue, self.leased)

    def moved(self, before: str, after: str, *, was_live: bool) -> None:
        """Update the counts for a task that went from one state to another."""
        for state, by in ((before, -1), (after, 1)):
            if state == Task.State.DONE:
                self.queue.done += by
            elif state == Task.State.SKIPPED:
                self.queue.skipped += by
        self.leased += (after == Task.State.LEASED) - was_live


@transaction.atomic
def create_queue(
    dataset: Dataset,
    name: str,
    *,
    items: Sequence[QueueItem],
    known: bool = False,
    answers_per_task: int = 1,
    created_by: User,
    terms: Mapping[str, Any] | None = None,
) -> Queue:
    """Create a queue of samples of the dataset, in the order of `items`.

    `known`: the caller has just read the items as different samples of the dataset. `terms`: more fields of the queue,
    such as `kind`, `mode` and `blind_share`. A queue without items is complete from the start. Raises Invalid (name,
    items, answers_per_task, kind, mode), or Conflict (`name_taken`).
    """
    check_own_name(name)
    refuse_archived(dataset)
    if answers_per_task < 1:
        raise Invalid.field("answers_per_task", "must be at least 1")
    state = Queue.State.OPEN if items else Queue.State.COMPLETE
    values: dict[str, Any] = {
        "dataset": dataset,
        "answers_per_task": answers_per_task,
        "created_by": created_by,
        "state": state,
    }
    values |= {"answers_per_task": answers_per_task, "total": len(items), **(terms or {})}
    values["kind"] = checked_kind(dataset, values.get("kind"))
    check_mode(dataset, values.get("mode"), suggested=any(item.suggestion is not None for item in items))
    queue, created = Queue.objects.get_or_create(name=name, defaults=values)
    if not created:
        raise Conflict(f"There is a queue {name!r} already: choose another name.", code="name_taken")
    if not known:
        _check_samples(dataset, [item.sample_id for item in items])
    if items:
        with gc_pause.paused():
            insert_columns(Task, _new_tasks(queue, items), queue_id=queue.pk)
    else:
        _announce(queue)
    return queue


def put_behind(queue: Queue, items: Sequence[QueueItem]) -> None:
    """Append tasks to a locked queue; none of the samples may be in it already."""
    if not items:
        return
    last = queue.tasks.aggregate(last=Max("position"))["last"]
    with gc_pause.paused():
        values = _new_tasks(queue, items, first=0 if last is None else last + 1)
        insert_columns(Task, values, queue_id=queue.pk)
    settle_queue(queue)


def checked_kind(dataset: Dataset, kind: str | None) -> str:
    """Check that `kind` is a way to label this dataset's samples; None returns the default one. Raises Invalid
    (`kind`)."""
    known = dataset.task_type.labels.editors
    if kind is not None and kind not in known:
        raise Invalid.field("kind", f"a {dataset.task} dataset is labelled by {' or '.join(known)}")
    return kind or known[0]


def check_mode(dataset: Dataset, mode: str | None, *, suggested: bool) -> None:
    """Raise Invalid (`mode`) where there is nothing to verify: the labels have no objects, or no task has a suggestion
    (`suggested`)."""
    if mode != Queue.Mode.VERIFY:
        return
    if not dataset.task_type.labels.has_objects:
        raise Invalid.field("mode", f"a label of a {dataset.task} dataset has no objects to verify: use label")
    if not suggested:
        words = "verify asks about objects that are suggested or labelled, and none of these samples has any: "
        raise Invalid.field("mode", f"{words}queue a mining job's picks or labelled samples, or use label")


def _new_tasks(queue: Queue, items: Sequence[QueueItem], *, first: int = 0) -> dict[str, Sequence[Any]]:
    """Return the values of the items' tasks, by field."""
    shown = [blind_and_cluster(queue, item.sample_id, item.suggestion) for item in items]
    return {
        "position": range(first, first + len(items)),
        "sample_id": [item.sample_id for item in items],
        "suggestion": [item.suggestion for item in items],
        "why": [item.why for item in items],
        "blind": [hidden for hidden, _ in shown],
        "cluster": [cluster for _, cluster in shown],
    }


def find_queue(reference: str) -> Queue:
    """Return a queue by id, name or former name, with its dataset. Raises NotFound."""
    return find_named("queue", "queue", _queues, reference)


def find_task(pk: int) -> Task:
    """Return a task by id, with its queue and dataset. Raises NotFound."""
    task = next(iter(_tasks(pk=pk)), None)
    if task is None:
        raise _unknown(pk)
    check(task.queue.project_of, lambda: _unknown(pk))
    return task


def _unknown(task_id: int) -> NotFound:
    return NotFound(f"There is no task {task_id}.", code="task_unknown")


@prepared("pk", "name")
def _queues(**place: int | str) -> QuerySet[Queue]:
    return Queue.everything.select_related("dataset").filter(**place)


@prepared("pk")
def _tasks(pk: int) -> QuerySet[Task]:
    return Task.objects.select_related("queue__dataset").filter(pk=pk)


def counts(queue: Queue) -> dict[str, int]:
    """Return `{total, todo, leased, done, skipped}` of a queue; a task whose lease has run out counts as todo."""
    return counts_of([queue.pk])[queue.pk]


def counts_of(queue_ids: Sequence[int]) -> dict[int, dict[str, int]]:
    """Return the `counts` of many queues, by queue id, in one query."""
    rows = Queue.everything.filter(pk__in=queue_ids).annotate(leased=leased_now())
    return {queue.pk: tally(queue, queue.leased) for queue in rows}


def tally(queue: Queue, leased: int) -> dict[str, int]:
    """Return the counts of a queue from its own counters and the number of its `leased` tasks."""
    todo = queue.total - queue.done - queue.skipped - leased
    return {"total": queue.total, "todo": todo, "leased": leased, "done": queue.done, "skipped": queue.skipped}


def leased_now() -> Coalesce:
    """Return an expression for querysets of queues: how many of the queue's tasks are under a live lease."""
    live = Task.objects.filter(queue=OuterRef("pk"), lease_until__gt=Now()).order_by().values("queue")
    return Coalesce(Subquery(live.annotate(n=Count("pk")).values("n")), 0)


def answer(
    task_id: int,
    user: User,
    *,
    value: Any,
    seconds: float,
    shown_suggestion: bool,
    changed: bool | None = None,
    verification: Mapping[str, Any] | None = None,
    lease_token: int | None = None,
) -> AnswerReceipt:
    """Record a label for a task this user holds; for `verification` see `labeling.verifying`.

    Repeating an answer changes nothing; another one from the same person, such as from a second tab, replaces theirs.
    Raises NotFound, NotAllowed (`not_assigned`), Invalid (`value`, `verification..`), or Conflict (`lease_lost`) when
    the user no longer holds the task: then the answer is kept as a further opinion.
    """

    def build_answer(task: Task) -> Answer:
        given = new_answer(task, user, value=checked(task, value), seconds=seconds)
        note_suggestion(given, shown=shown_suggestion, changed=changed)
        return note_verification(given, verification)

    return record_answer(task_id, user, build_answer, lease_token)


def skip(
    task_id: int,
    user: User,
    *,
    reason: str = "",
    seconds: float = 0.0,
    shown_suggestion: bool = False,
    changed: bool | None = None,
    lease_token: int | None = None,
) -> AnswerReceipt:
    """Record that this user can't label the task. Raises NotFound, NotAllowed (`not_assigned`), or Conflict
    (`lease_lost`) as `answer` does."""

    def build_answer(task: Task) -> Answer:
        given = new_answer(task, user, value=None, seconds=seconds, reason=reason)
        return note_suggestion(given, shown=shown_suggestion, changed=changed)

    return record_answer(task_id, user, build_answer, lease_token)


def new_answer(task: Task, user: User, *, value: dict[str, Any] | None, seconds: float, reason: str = "") -> Answer:
    """Build an unsaved answer, or a skip if the checked `value` is None."""
    return Answer(task=task, author=user, value=value, seconds=seconds, reason=reason[:200])


def note_suggestion(given: Answer, *, shown: bool, changed: bool | None) -> Answer:
    """Record whether the person saw the suggestion, which is never so on a blind task, and whether they changed it: if
    the client does not say, a class is compared with the suggested one."""
    task = given.task
    given.shown_suggestion = shown and task.shown_suggestion is not None
    given.changed = (
        differs(task.queue.dataset.task_type.labels, given.value, task.suggestion) if changed is None else changed
    )
    return given


def undo(task: Task, user: User) -> dict[str, int]:
    """Withdraw the user's answer to, or skip of, the task, and lease it to them again. Returns the queue's counts.

    Raises NotAllowed (`not_assigned`), or Conflict: `queue_committed`, `nothing_to_undo`, or `task_leased` when
    somebody else holds it.
    """
    with transaction.atomic():
        locked = lock_queue(task.queue_id)
        refuse_archived(locked.queue, task.queue.dataset)
        ((task, live),) = lock_tasks([task.pk])
        check_answers(task, locked.queue, user)
        if locked.queue.state == Queue.State.COMMITTED:
            raise Conflict("The queue has been committed: correct the label in the dataset.", code="queue_committed")
        mine = task.answers.verdicts().filter(author=user).last()
        if live and task.holder_id != user.pk:
            raise Conflict(f"{holder(task)} is labelling this task just now.", code="task_leased")
        if mine is not None:
            routing.drop_review(task)
            _withdraw(mine)
            lease_out([task.pk], user)
            locked.moved(task.state, Task.State.LEASED, was_live=live)
            close(locked)
        elif not live:
            raise Conflict("You have no answer to this task that could be taken back.", code="nothing_to_undo")
    return locked.counts


def commit_queue(queue: Queue, *, message: str, author: User, partial: bool = False) -> CommitResult:
    """Commit the labels of the done tasks on the dataset's head; samples of the pool move to train.

    Commits only once: a second call returns the version that the first one made. Raises Conflict (`queue_incomplete`)
    while tasks are open, unless `partial`: then the leases of open tasks end and the tasks stay unlabelled; NotAllowed
    (`hold_of_another`).
    """
    written = write_labels(queue, message=message, author=author, partial=partial)
    try:
        return finish_commit(queue, written, message=message, author=author, partial=partial)
    finally:
        give_up(written)


def write_labels(queue: Queue, *, message: str, author: User, partial: bool = False) -> WrittenLabels | None:
    """Write the labels of a queue up to the last step of their commit, outside of a transaction, if there are more than
    one transaction should hold. Raises as `commit_queue` does."""
    queue = Queue.objects.select_related("dataset", "held_by", "committed_version__parent").get(pk=queue.pk)
    if queue.done <= AT_ONCE or queue.state == Queue.State.COMMITTED:
        return None
    _check_commit(queue, author, partial=partial)
    state = answers_state(queue)
    changes = change_set(queue, message=_message(queue, message))
    return WrittenLabels(state, prepare(queue.dataset, changes, author=author))


@transaction.atomic
def finish_commit(
    queue: Queue, written: WrittenLabels | None, *, message: str, author: User, partial: bool = False
) -> CommitResult:
    """Commit as `commit_queue` does, in one transaction, with what `write_labels` wrote. Raises Busy
    (`answers_changed`) if somebody answered in between."""
    related = ("dataset", "held_by", "committed_version__parent")
    queue = Queue.objects.select_for_update(no_key=True, of=("self",)).select_related(*related).get(pk=queue.pk)
    if queue.state == Queue.State.COMMITTED:
        return _recall(queue.committed_version)
    _check_commit(queue, author, partial=partial)
    if written is not None:
        if written.state != answers_state(queue):
            detail = f"Answers of queue {queue.name} changed while its labels were committed."
            raise Busy(detail, wait=1, code="answers_changed")
        result = written.prepared.finish()
    else:
        changes = change_set(queue, message=_message(queue, message))
        result = commit(queue.dataset, changes, author=author)
    queue.tasks.filter(state=Task.State.LEASED).update(state=Task.State.TODO, holder=None, lease_until=None)
    queue.state = Queue.State.COMMITTED
    queue.committed_version = result.version
    queue.commit_at, queue.held, queue.held_by = None, None, None
    queue.save(update_fields=["state", "committed_version", "commit_at", "held", "held_by"])
    _announce(queue)
    return result


def give_up(written: WrittenLabels | None) -> None:
    """Undo what `write_labels` wrote, unless it is a version."""
    if written is not None:
        written.prepared.give_up()


def _message(queue: Queue, message: str) -> str:
    return message or f"Labels of queue {queue.name}"


def _check_commit(queue: Queue, author: User, *, partial: bool) -> None:
    check_hold(queue, author)
    if queue.state != Queue.State.COMPLETE and not partial:
        tally = counts(queue)
        still = tally["todo"] + tally["leased"]
        reviews = routing.open_reviews([queue.pk]).get(queue.pk, 0)
        detail = (
            f"Not done: {plural(still, 'task')} of {tally['total']}, and {plural(reviews, 'review')} to be decided. "
            "Finish them, or send `partial`: true to leave them out."
        )
        raise Conflict(detail, code="queue_incomplete", extra={"counts": tally, "reviews_open": reviews})


def record_answer(task_id: int, user: User, build_answer: Callable[[Task], Answer], token: int | None) -> AnswerReceipt:
    with transaction.atomic():
        locked = _lock_queue_of(task_id)
        ((task, live),) = lock_tasks([task_id])
        task.queue = locked.queue
        refuse_archived(locked.queue, locked.queue.dataset)
        check_answers(task, locked.queue, user)
        given = build_answer(task)
        answers = earlier_answers(given, locked, task, token)
        stored = apply_answer(given, locked, task, answers, token=token, live=live)
        if stored is given:
            insert_row(given)
            if not given.opinion:
                save_fields(task, "state", "holder", "lease_until")
                routing.open_reviews_for(locked.queue, [(task, answers)])
                close(locked)
        receipt = AnswerReceipt(task, stored, locked.counts, locked.queue.state)
    if stored.opinion:
        raise lease_lost(receipt, given.author)
    return receipt


def earlier_answers(given: Answer, locked: LockedQueue, task: Task, token: int | None) -> list[Answer]:
    """Return the task's answers that are not withdrawn; an empty list where one answer of its holder ends the task."""
    if locked.queue.answers_per_task == 1 and _holds(task, locked.queue, given.author_id, token):
        return []
    return list(task.answers.filter(withdrawn=False).order_by("pk"))


def apply_answer(
    given: Answer, locked: LockedQueue, task: Task, answers: list[Answer], *, token: int | None, live: bool
) -> Answer:
    """Apply a new answer to its locked task, whose earlier answers are `answers`. Returns the new answer, or the
    earlier one that it repeats. Changes the task, the counts and `answers`; the caller saves them."""
    given.opinion = not _holds(task, locked.queue, given.author_id, token)
    before = next((old for old in answers if _repeats(old, given)), None)
    if before is not None:
        return before
    if given.opinion and (earlier := _corrected(given, locked.queue, answers)) is not None:
        given.opinion = False
        answers.remove(earlier)
        routing.drop_review(task)
        _withdraw(earlier)
    answers.append(given)
    if not given.opinion and _ends(task, given.author_id):
        state = task.state
        _end_or_return(task, locked.queue, answers)
        locked.moved(state, task.state, was_live=live)
    return given


def lease_lost(receipt: AnswerReceipt, user: User) -> Conflict:
    """Build the error for an answer that was given after the lease was lost; it includes that answer."""
    late = {"id": receipt.answer.pk, "value": receipt.answer.value, "opinion": True}
    detail = f"{lost(receipt.task, user)} Your answer is kept as a further opinion."
    return Conflict(detail, code="lease_lost", extra={"answer": late})


def _repeats(old: Answer, new: Answer) -> bool:
    """Whether the new answer repeats an old one, as when a client that missed our reply resends it after its lease has
    ended."""
    return new.opinion and (old.author_id, old.value) == (new.author_id, new.value)


def _corrected(new: Answer, queue: Queue, answers: Sequence[Answer]) -> Answer | None:
    """Return the same person's earlier answer for the new one to replace; None once a reviewer has decided or the queue
    is committed."""
    if queue.state == Queue.State.COMMITTED or routing.is_decided(new.task):
        return None
    return next((old for old in answers if old.author_id == new.author_id and not old.opinion), None)


def _withdraw(answer: Answer) -> None:
    """Withdraw an answer. It has no row yet if a later answer of the same batch corrects it."""
    answer.withdrawn = True
    if answer.pk is not None:
        answer.save(update_fields=["withdrawn"])


def _ends(task: Task, user_id: int) -> bool:
    """Whether this person's answer can end the task: not while another person holds it."""
    return task.state != Task.State.LEASED or task.holder_id == user_id


def _holds(task: Task, queue: Queue, user_id: int, token: int | None) -> bool:
    """Whether the user holds the task. A lease that ran out is still theirs while nobody else has taken the task."""
    held = (task.state, task.holder_id) == (Task.State.LEASED, user_id) and token in {None, task.token}
    return held and queue.state == Queue.State.OPEN


def _end_or_return(task: Task, queue: Queue, answers: Sequence[Answer]) -> None:
    """End the task if as many people have answered as the queue asks for, else return it to the queue for the next
    person.

    A skip counts as an answer, or a queue could wait for ever; a task that ends with too few labels is skipped.
    """
    verdicts = [item for item in answers if not item.opinion]
    labels = {item.author_id for item in verdicts if item.value is not None}
    people = {item.author_id for item in verdicts}
    if len(labels) >= queue.answers_per_task:
        task.state = Task.State.DONE
    else:
        task.state = Task.State.SKIPPED if len(people) >= queue.answers_per_task else Task.State.TODO
    task.holder = None
    task.lease_until = None


def settle_queue(queue: Queue) -> dict[str, int]:
    """Recount a locked queue's tasks and update its state to match. Returns its counts."""
    states = dict(queue.tasks.order_by().values_list("state").annotate(n=Count("pk")))
    queue.total = sum(states.values())
    queue.done, queue.skipped = states.get(Task.State.DONE, 0), states.get(Task.State.SKIPPED, 0)
    return close(LockedQueue(queue, queue.tasks.live().count()))


def close(locked: LockedQueue) -> dict[str, int]:
    """Save a locked queue's counters, and the state that follows from them unless it is committed. Returns its
    counts."""
    queue, counted = locked.queue, locked.counts
    if queue.state != Queue.State.COMMITTED:
        ended = counted["todo"] + counted["leased"] == 0 and not routing.open_reviews([queue.pk])
        if ended and queue.state == Queue.State.OPEN:
            _announce(queue)
        queue.state = Queue.State.COMPLETE if ended else Queue.State.OPEN
        restart(queue)
    save_fields(queue, "total", "done", "skipped", "state")
    return counted


def _announce(queue: Queue) -> None:
    transaction.on_commit(lambda: queue_completed.send(Queue, queue=queue), robust=True)


def lock_queue(pk: int) -> LockedQueue:
    """Lock a queue's row; call it before locking rows of its tasks."""
    (queue,) = _locked_queue(pk=pk)
    return LockedQueue(queue, vars(queue)["leased"])


def _lock_queue_of(task_id: int) -> LockedQueue:
    """Lock the row of a task's queue and load its dataset. Raises NotFound."""
    rows = _locked_queue_of(task=task_id)
    if not rows:
        raise _unknown(task_id)
    check(rows[0].project_of, lambda: _unknown(task_id))
    return LockedQueue(rows[0], vars(rows[0])["leased"])


@prepared("pk")
def _locked_queue(pk: int) -> QuerySet[Queue]:
    return _locked_queues().filter(pk=pk)


@prepared("task")
def _locked_queue_of(task: int) -> QuerySet[Queue]:
    return _locked_queues().select_related("dataset").filter(tasks=task)


def _locked_queues() -> QuerySet[Queue]:
    return Queue.objects.select_for_update(no_key=True, of=("self",)).annotate(leased=leased_now())


def lock_tasks(ids: Sequence[int]) -> list[tuple[Task, bool]]:
    """Lock tasks and return their present rows, always in the same order, each with whether its lease is live."""
    rows = _locked_task(pk=ids[0]) if len(ids) == 1 else _locked_tasks().filter(pk__in=ids).order_by("pk")
    return [(task, bool(vars(task)["live"])) for task in rows]


@prepared("pk")
def _locked_task(pk: int) -> QuerySet[Task]:
    return _locked_tasks().filter(pk=pk)


def _locked_tasks() -> TaskQuerySet:
    return Task.objects.select_for_update(no_key=True, of=("self",)).annotate(live=is_live())


def _check_samples(dataset: Dataset, ids: Sequence[int]) -> None:
    ever = Revision.objects.ever(dataset)
    if len(set(ever.filter(sample__in=listed(ids)).values_list("sample_id", flat=True))) != len(ids):
        raise Invalid.field("items", f"must be different samples of the dataset {dataset.name!r}")


def _recall(version: Version | None) -> CommitResult:
    """Rebuild the result of an earlier commit."""
    if version is None:
        return CommitResult(None, None)
    parent = version.parent.number if version.parent else None
    done = {name: getattr(version, name) for name in ("added", "updated", "removed", "labelled")}
    rows = Revision.objects.filter(dataset=version.dataset_id)
    before = dict(rows.filter(until=version.number).values_list("sample", "split"))
    after = rows.filter(since=version.number).values_list("sample", "split")
    moved = [(split, SplitSource(REQUEST)) for sample, split in after if before.get(sample) != split]
    return CommitResult(version, parent, **done, splits=split_counts(moved))
