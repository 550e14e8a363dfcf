"""Flags: a person's request that somebody look at a task."""

from accounts.models import User
from accounts.rights import Right, has_right
from labeling.models import Flag, Queue, Task
from labeling.reviewing import reviews


def flag(task: Task, user: User, *, note: str) -> Flag:
    """Flag the task, or change the note of this user's flag on it."""
    made = Flag.objects.update_or_create(task=task, author=user, defaults={"note": note})[0]
    reviews.flagged(task)
    return made


def unflag(task: Task, user: User) -> None:
    """Remove this user's flag from the task; reviewers and up remove everybody's."""
    flags = Flag.objects.filter(task=task)
    (flags if can_review(user, task.queue) else flags.filter(author=user)).delete()
    reviews.unflagged(task)


def can_review(user: User, queue: Queue) -> bool:
    """Whether the user is a reviewer or higher in the queue's project: they see everybody's answers and reopen tasks.
    The queue's dataset must be loaded."""
    return has_right(user, Right.REVIEW, queue.project_of)
