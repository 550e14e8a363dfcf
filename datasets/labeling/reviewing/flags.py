"""Flags: a person wants somebody to look at a task."""

from accounts.models import User
from labeling.models import Flag, Task
from labeling.reviewing import reviews


def flag(task: Task, user: User, *, note: str) -> Flag:
    """Flag the task, or change the note of this user's flag on it."""
    made = Flag.objects.update_or_create(task=task, author=user, defaults={"note": note})[0]
    reviews.flagged(task)
    return made


def unflag(task: Task, user: User) -> None:
    """Take away this user's flag; a lead's hand takes away all of them."""
    flags = Flag.objects.filter(task=task)
    (flags if can_review(user) else flags.filter(author=user)).delete()
    reviews.unflagged(task)


def can_review(user: User) -> bool:
    """Owners and reviewers see what everybody said, and bring tasks back."""
    return user.reviews
