"""Comments on tasks: who reads and writes them, whom they may mention, and which are open."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from accounts import rights
from accounts.audit import note
from accounts.models import User
from accounts.rights import GRANTED, Right, check, has_right
from core.errors import Invalid, NotAllowed, NotFound
from jobs.lifecycle.finding import refuse_archived
from labeling.assigning import check_discusses, for_others
from labeling.models import Answer, Comment, Queue, Task
from labeling.reviewing.flags import can_review

MENTION = re.compile(r"(?<![\w.@+-])@([\w.@+-]+)")
ENDS = ".@+-"
"""Characters that can end a name as well as a sentence."""
MOST_NAMES = 10
RELATED = ("task__queue__dataset", "author", "resolved_by")


def people_of(queue: Queue) -> QuerySet[User]:
    """Return the people who can read a queue's comments, and so can be mentioned: those who may label in its project
    and can get its tasks, and reviewers and up."""
    member = {"memberships__project": queue.project_of}
    leads = Q(is_owner=True) | Q(**member, memberships__role__in=GRANTED[Right.REVIEW])
    labels = Q(**member, memberships__role__in=GRANTED[Right.LABEL])
    if queue.assignees:
        labels &= Q(pk__in=queue.assignees)
    people = User.objects.filter(leads | labels, is_active=True, is_service=False)
    return people.distinct().order_by("username")


class Counted(NamedTuple):
    """The numbers of a task's comments: open and resolved ones that a user can see, and those still hidden from
    them."""

    open: int = 0
    resolved: int = 0
    hidden: int = 0


def count_comments(tasks: Sequence[int], queue: Queue, user: User) -> dict[int, Counted]:
    """Count the comments on tasks of this queue, by task id; tasks without comments are left out."""
    hidden = _hidden_from(user, queue)
    rows = Comment.objects.filter(task__in=tasks).order_by().values("task").annotate(
        open=Count("pk", filter=~hidden & Q(resolved_at=None)),
        resolved=Count("pk", filter=~hidden & Q(resolved_at__isnull=False)),
        hidden=Count("pk", filter=hidden),
    )  # fmt: skip
    return {row.pop("task"): Counted(**row) for row in rows} if tasks else {}


def comments_on(task: Task, user: User) -> QuerySet[Comment]:
    """Return the comments on a task that this user can see now."""
    return _told(task.comments.exclude(_hidden_from(user, task.queue)))


def _told(rows: QuerySet[Comment]) -> QuerySet[Comment]:
    return rows.select_related(*RELATED).prefetch_related("mentions")


def _hidden_from(user: User, queue: Queue) -> Q:
    """Match comments that are hidden from the user (see `_others_before_my_answer`): none for reviewers and up."""
    return Q(pk__in=[]) if can_review(user, queue) else _others_before_my_answer(user)


def _others_before_my_answer(user: User) -> Q:
    """Match other people's comments on tasks that this user must answer independently and hasn't yet: tasks of queues
    that ask several people, and blind tasks. Committed queues don't match, because nobody answers them any more."""
    said = Answer.objects.verdicts().filter(task=OuterRef("task"), author=user)
    alone = Q(task__blind=True) | Q(task__queue__answers_per_task__gt=1)
    return alone & ~Q(author=user) & ~Q(task__queue__state=Queue.State.COMMITTED) & ~Q(Exists(said))


def find_comment(pk: int, user: User) -> Comment:
    """Return a comment by id if this user may read it now. Raises NotFound, NotAllowed."""

    def unknown() -> NotFound:
        return NotFound(f"There is no comment {pk}.", code="comment_unknown")

    found = _told(Comment.objects.filter(pk=pk)).first()
    if found is None:
        raise unknown()
    queue = found.task.queue
    check(queue.project_of, unknown)
    check_discusses(queue, user)
    if not comments_on(found.task, user).filter(pk=pk).exists():
        raise unknown()
    return found


@transaction.atomic
def write_comment(task: Task, author: User, *, text: str, x: float | None, y: float | None) -> Comment:
    """Comment on a task, or on a place in its image. Raises Invalid (`text`) for a mention of somebody who can't read
    the comment, NotAllowed, Conflict (`archived`)."""
    refuse_archived(task.queue, task.queue.dataset)
    check_discusses(task.queue, author)
    mentioned = _mentioned(text, list(people_of(task.queue)))
    made = Comment.objects.create(task=task, author=author, text=text, x=x, y=y)
    made.mentions.set(mentioned)
    return made


def resolve_comment(comment: Comment, user: User, *, resolved: bool) -> Comment:
    """Resolve or reopen a comment; the first person to resolve it is recorded. Raises Conflict (`archived`)."""
    refuse_archived(comment.task.queue, comment.task.queue.dataset)
    rows = Comment.objects.filter(pk=comment.pk)
    if resolved:
        rows.filter(resolved_at=None).update(resolved_by=user, resolved_at=Now())
    else:
        rows.update(resolved_by=None, resolved_at=None)
    return find_comment(comment.pk, user)


@transaction.atomic
def delete_comment(comment: Comment, user: User) -> None:
    """Delete the user's own comment; an engineer or owner can delete any. Raises NotAllowed (`not_your_comment`),
    Conflict (`archived`)."""
    queue = comment.task.queue
    refuse_archived(queue, queue.dataset)
    if not may_delete(comment, user):
        words = f"{comment.author.username} wrote this: ask them, an engineer or an owner to delete it, or resolve it."
        raise NotAllowed(words, code="not_your_comment")
    if comment.author_id != user.pk:
        told = {"author": comment.author.username, "task": comment.task_id}
        note("deleted", "comment", f"{comment.pk} in {queue.name}", project=queue.project_of, before=told)
    comment.delete()


def may_delete(comment: Comment, user: User) -> bool:
    """Whether this user may delete the comment."""
    return comment.author_id == user.pk or has_right(user, Right.BUILD, comment.task.queue.project_of)


def listed_comments(user: User, wanted: Q, query: Mapping[str, Any]) -> QuerySet[Comment]:
    """Return the comments that match `wanted` in all queues whose comments this user can read. Leaves out archived
    queues and datasets, and comments still hidden from the user."""
    present = Q(task__queue__deleted=None, task__queue__archived=None, task__queue__dataset__archived=None)
    rows = _told(Comment.objects.filter(wanted & present)).select_related("task__sample")
    if (leading := rights.projects_of(user, Right.REVIEW)) is not None:
        elsewhere = ~Q(task__queue__dataset__project__in=leading)
        rows = rows.exclude(elsewhere & for_others(user, "task__queue"))
        rows = rows.exclude(elsewhere & _others_before_my_answer(user))
    return rights.listed(rows, "task__queue__dataset__project", query)


def _mentioned(text: str, people: Sequence[User]) -> list[User]:
    known = {person.username.casefold(): person for person in people}
    found: list[User] = []
    for name in MENTION.findall(text):
        person = next((known[one] for one in _readings(name.casefold()) if one in known), None)
        if person is None:
            raise Invalid.field("text", _nobody(name.rstrip(ENDS), people))
        found.append(person)
    return found


def _readings(name: str) -> Iterator[str]:
    """Yield the name, then the name with ever more of its trailing punctuation removed, which may end the sentence."""
    yield name
    while name and name[-1] in ENDS:
        name = name[:-1]
        yield name


def _nobody(name: str, people: Sequence[User]) -> str:
    names = [f"@{person.username}" for person in people]
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    known = ", ".join(names[:MOST_NAMES]) + more
    return f"nobody called {name!r} reads the comments of this queue: mention {known}, or leave out the @"
