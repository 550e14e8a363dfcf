"""The labels that a queue's answers and reviews become in the dataset, and a record of how they came about."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Max, Q

from accounts.models import User
from blobs.services import chunks
from catalog.changes.plan import CommitResult
from catalog.changes.sets import ChangeSet, SampleChange
from catalog.models import Dataset, Label, Revision, Split
from catalog.versions.pieces import Prepared
from labeling.models import Answer, Gold, Queue, Review, Task
from labeling.quality.answer_table import AnswerTable, answers_of, same
from labeling.quality.consensus import Consensus, TaskOutcome, consensus
from labeling.quality.figures import overall, rounded
from labeling.quality.people import Work, work_of

DECIDED, AGREED, UNREVIEWED = "decided", "agreed", "unreviewed"
ENDED_GOLD = Q(task__state=Task.State.DONE) | Q(task__review__state=Review.State.DONE)
Row = tuple[int, int, str]  # task, sample, its key


@dataclass(frozen=True, slots=True)
class _Sources:
    """The sources of labels, by task; `known` holds the labels that gold samples have already."""

    answers: AnswerTable
    agreed: Consensus
    reviews: Mapping[int, Review]
    known: Mapping[int, Any]


def change_set(queue: Queue, *, message: str) -> ChangeSet:
    """Return the labels of the queue's done tasks, in its order: a reviewer's decision, or else the consensus.

    Leaves out tasks that wait for a review, and gold, unless a reviewer corrected it.
    """
    answers = answers_of(queue)
    reviews = {one.task_id: one for one in queue.reviews.all()}
    known = dict(Gold.objects.filter(queue=queue).values_list("task", "value"))
    sources = _Sources(answers, consensus(queue, answers), reviews, known)
    changes = ChangeSet(message=message)
    ended = queue.tasks.filter(Q(state=Task.State.DONE) | Q(review__state=Review.State.DONE)).order_by("position")
    for rows in chunks(ended.values_list("pk", "sample_id", "sample__key").iterator()):
        changes.samples += _labelled(queue.dataset, rows, sources)
    changes.labelling = _summary(queue, sources)
    return changes


@dataclass(frozen=True, slots=True)
class WrittenLabels:
    """The labels of a large queue, written up to the last step of their commit, with the `state` they were read in."""

    state: tuple[Any, ...]
    prepared: Prepared[CommitResult]


def answers_state(queue: Queue) -> tuple[Any, ...]:
    """Return what differs whenever a queue's `change_set` may: counts and newest rows of answers, reviews, gold and
    tasks."""
    withdrawn, decided = Count("pk", filter=Q(withdrawn=True)), Count("pk", filter=Q(state=Review.State.DONE))
    answers = Answer.objects.filter(task__queue=queue).aggregate(Max("pk"), Count("pk"), withdrawn=withdrawn)
    reviews = queue.reviews.aggregate(Max("pk"), Count("pk"), Max("decided"), done=decided)
    gold = Gold.objects.filter(queue=queue).aggregate(Max("pk"), Count("pk"))
    tasks = queue.tasks.aggregate(done=Count("pk", filter=Q(state=Task.State.DONE)))
    return tuple(value for row in (answers, reviews, gold, tasks) for value in row.values())


def labels_of(queues: Sequence[Queue]) -> dict[int, int]:
    """Count the labels that each queue's `change_set` would hold now, by queue id.

    Starts from each queue's own count and reads only its reviews and gold, which are fewer than its tasks.
    """
    found = {queue.pk: queue.done for queue in queues}
    reviews = Review.objects.filter(queue__in=found).order_by().values_list("queue", "state", "task__state")
    for queue, state, task, count in reviews.annotate(n=Count("pk")):
        if task == Task.State.DONE and state == Review.State.OPEN:
            found[queue] -= count
        elif task != Task.State.DONE and state == Review.State.DONE:
            found[queue] += count
    gold = Gold.objects.filter(ENDED_GOLD, queue__in=found).exclude(task__review__state=Review.State.OPEN)
    for queue, known, decision in gold.values_list("queue", "value", "task__review__decision"):
        found[queue] -= decision in (None, known)
    return found


def _labelled(dataset: Dataset, rows: Iterable[Row], sources: _Sources) -> list[SampleChange]:
    found = [(sample, change) for task, sample, key in rows if (change := _change(task, key, sources)) is not None]
    pool = _in_pool(dataset, [sample for sample, _ in found])
    for sample, change in found:
        change.split = Split.TRAIN if sample in pool else None
    return [change for _, change in found]


def _change(task: int, key: str, sources: _Sources) -> SampleChange | None:
    review, outcome = sources.reviews.get(task), sources.agreed.outcomes.get(task)
    if review is not None and review.state == Review.State.DONE:
        if review.decision == sources.known.get(task):
            return None
        change = SampleChange(key, label=review.decision, source=Label.Source.HUMAN, author_id=review.decided_by_id)
        change.facts = _facts(DECIDED, outcome, sources.answers.by_task.get(task, ()))
        change.seconds = _seconds(task, sources.answers)
        return change
    if review is not None or outcome is None or task in sources.known:
        return None
    return _agreed(key, outcome, task, sources.answers)


def _agreed(key: str, outcome: TaskOutcome, task: int, answers: AnswerTable) -> SampleChange:
    places = answers.by_task[task]
    change = SampleChange(key, label=outcome.value, source=Label.Source.HUMAN)
    change.author_id = None if outcome.answer is None else answers.authors[outcome.answer]
    change.facts = _facts(AGREED if len(places) > 1 else UNREVIEWED, outcome, places)
    change.seconds = _seconds(task, answers)
    return change


def _facts(state: str, outcome: TaskOutcome | None, places: Sequence[int]) -> dict[str, Any]:
    return {
        "review_state": state,
        "answers": len(places),
        "agreement": rounded(outcome.agreement) if outcome and len(places) > 1 else None,
        "confidence": rounded(outcome.confidence) if outcome else None,
    }


def _seconds(task: int, answers: AnswerTable) -> float | None:
    """Return the total seconds that people spent on the task."""
    places = answers.by_task.get(task)
    return round(sum(answers.seconds[at] for at in places), 3) if places else None


def _summary(queue: Queue, sources: _Sources) -> dict[str, Any]:
    """Summarise how the labels came about: people, method, agreement, reviews and gold."""
    work = work_of(Answer.objects.verdicts().filter(task__queue=queue))
    names = dict(User.objects.filter(pk__in=work).values_list("pk", "username"))
    decided: dict[int, Any] = {
        task: one.decision for task, one in sources.reviews.items() if one.state == Review.State.DONE
    }
    agreed = sources.agreed.outcomes
    kept = same(
        sources.answers.agreement,
        ((value, agreed[task].value) for task, value in decided.items() if task in agreed),
    )
    told = [yes for one in work.values() for yes in one.gold]
    return {
        "queue": queue.name,
        "people": [_labeller(names[pk], one) for pk, one in sorted(work.items(), key=lambda item: names[item[0]])],
        "method": sources.agreed.method,
        "agreement": rounded(overall(sources.answers)),
        "reviewed": len(decided),
        "overruled": int((~kept).sum()),
        "gold": {"tasks": len(sources.known), "answers": len(told), "correct": sum(told)},
    }


def _labeller(name: str, work: Work) -> dict[str, Any]:
    figures = work.document({})
    kept = ("answers", "accuracy", "interval", "median_seconds")
    return {"username": name} | {field: figures[field] for field in kept}


def _in_pool(dataset: Dataset, samples: Sequence[int]) -> set[int]:
    head = dataset.versions.order_by("number").last()
    rows = head.revisions.filter(sample__in=samples, split=Split.POOL) if head else Revision.objects.none()
    return set(rows.values_list("sample_id", flat=True))
