"""Flags: a person's request that somebody look at a task."""

from accounts.models import User
from accounts.rights import Right, has_right
from labeling.assigning import check_discusses
from labeling.models import Flag, Queue, Task
from labeling.reviewing import reviews


def flag(task: Task, user: User, *, note: str) -> Flag:
    """Flag the task, or change the note of this user's flag on it. Raises NotAllowed (`not_assigned`) unless the user
    may read the queue or holds the task."""
    _check_flags(task, user)
    made = Flag.objects.update_or_create(task=task, author=user, defaults={"note": note})[0]
    reviews.flagged(task)
    return made


def unflag(task: Task, user: User) -> None:
    """Remove this user's flag from the task; reviewers and up remove everybody's. Raises NotAllowed (`not_assigned`) as
    `flag` does."""
    _check_flags(task, user)
    flags = Flag.objects.filter(task=task)
    (flags if can_review(user, task.queue) else flags.filter(author=user)).delete()
    reviews.unflagged(task)


def _check_flags(task: Task, user: User) -> None:
    if (task.state, task.holder_id) != (Task.State.LEASED, user.pk):
        check_discusses(task.queue, user)


def can_review(user: User, queue: Queue) -> bool:
    """Whether the user is a reviewer or higher in the queue's project: they see everybody's answers and reopen tasks.
    The queue's dataset must be loaded."""
    return has_right(user, Right.REVIEW, queue.project_of)
