"""Which tasks go to review once they are answered."""

from collections.abc import Iterable, Mapping, Sequence

from django.db.models import Count, Exists, OuterRef, Q
from django.utils.crypto import salted_hmac

from accounts.models import User
from accounts.rights import GRANTED, Right, has_right
from core.errors import Conflict
from labeling.models import Answer, Gold, Queue, Review, Task
from labeling.quality.answer_table import Value, same

SALT = "labeling.review"
ENDED = Q(task__state__in=[Task.State.DONE, Task.State.SKIPPED])
"""Matches reviews of tasks that people have finished. A task flagged before can be decided only then."""
WORD = 8  # bytes of the hash that are looked at


def open_reviews_for(queue: Queue, answered: Iterable[tuple[Task, Sequence[Answer]]]) -> None:
    """Open the reviews that the done tasks among these need. The queue must be locked."""
    if queue.answers_per_task == 1 and not queue.review_share and not queue.gold_share:
        return
    deciders = may_review(queue.project_of)
    ended = [(task, _counted(answers)) for task, answers in answered if task.state == Task.State.DONE]
    # A review that only the answer's author could decide would block the queue for ever.
    decidable = [(task, labels) for task, labels in ended if deciders - _sole_author(labels)]
    done = {task.pk: [one.value for one in labels if one.value is not None] for task, labels in decidable}
    gold: dict[int, Value] = dict(Gold.objects.filter(task__in=done).values_list("task", "value"))
    reasons = ((task, _reason(queue, task, labels, gold)) for task, labels in done.items())
    new = [Review(queue=queue, task_id=task, reason=reason) for task, reason in reasons if reason]
    Review.objects.bulk_create(new, ignore_conflicts=True)


def may_review(project: int) -> set[int]:
    """Return the ids of the people who may decide reviews of a project's queues now."""
    members = Q(memberships__project=project, memberships__role__in=GRANTED[Right.REVIEW])
    return set(User.objects.filter(Q(is_owner=True) | members, is_active=True).values_list("pk", flat=True))


def drop_review(task: Task) -> None:
    """Delete the open review of a task that is to be answered again, unless a flag opened it. Raises Conflict
    (`task_reviewed`) if it is decided."""
    if is_decided(task):
        raise Conflict("A reviewer has decided this task: ask them to reopen it.", code="task_reviewed")
    Review.objects.filter(task=task).exclude(reason=Review.Reason.FLAG).delete()


def is_decided(task: Task) -> bool:
    """Whether a reviewer has decided the task's label."""
    return Review.objects.filter(task=task, state=Review.State.DONE).exists()


def open_reviews(queues: Sequence[int]) -> dict[int, int]:
    """Count the open reviews of each queue, by queue id; queues with none are left out."""
    found: dict[int, int] = {}
    for queue in Review.objects.filter(queue__in=queues, state=Review.State.OPEN).values_list("queue", flat=True):
        found[queue] = found.get(queue, 0) + 1
    return found


def decidable(queues: Sequence[int], user: User) -> dict[int, int]:
    """Count the reviews of each queue that this user may decide now, by queue id; queues with none are left out. Nobody
    may decide a task whose only answers are their own, unless they are the only reviewer."""
    of_project: dict[int, list[int]] = {}
    for queue, project in Queue.everything.filter(pk__in=queues).values_list("pk", "dataset__project"):
        of_project.setdefault(project, []).append(queue)
    theirs = {project: ids for project, ids in of_project.items() if has_right(user, Right.REVIEW, project)}
    if not theirs:
        return {}
    alone = [queue for project, ids in theirs.items() if may_review(project) == {user.pk} for queue in ids]
    rows = Review.objects.filter(ENDED, queue__in=[queue for ids in theirs.values() for queue in ids])
    labels = Answer.objects.verdicts().filter(task=OuterRef("task"), value__isnull=False)
    own = ~Q(queue__in=alone) & Exists(labels.filter(author=user)) & ~Exists(labels.exclude(author=user))
    open_ones = rows.filter(state=Review.State.OPEN).exclude(own).order_by()
    return dict(open_ones.values_list("queue").annotate(n=Count("pk")))


def is_drawn(task_id: int, share: float) -> bool:
    """Whether this task is picked for review at random: always the same for a task, by a keyed hash that outsiders
    can't compute."""
    digest: bytes = salted_hmac(SALT, str(task_id), algorithm="sha256").digest()
    place: int = int.from_bytes(digest[:WORD])
    return bool(place < share * 2 ** (8 * WORD))


def _reason(queue: Queue, task: int, labels: Sequence[Value], gold: Mapping[int, Value]) -> str | None:
    """Return why a task needs review, or None. Gold that most people get wrong may be wrong itself."""
    agreement = queue.dataset.task_type.agreement
    if task in gold:
        wrong = int((~same(agreement, ((value, gold[task]) for value in labels))).sum())
        return Review.Reason.GOLD if 2 * wrong > len(labels) else None
    if not same(agreement, ((labels[0], value) for value in labels[1:])).all():
        return Review.Reason.DISAGREEMENT
    return Review.Reason.RANDOM if is_drawn(task, queue.review_share) else None


def _counted(answers: Sequence[Answer]) -> list[Answer]:
    return [one for one in answers if one.value is not None and not one.opinion and not one.withdrawn]


def _sole_author(labels: Sequence[Answer]) -> set[int]:
    authors = {one.author_id for one in labels}
    return authors if len(authors) == 1 else set()
