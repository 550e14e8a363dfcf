"""Assignment of queues: a queue is for its assignees, or for everybody who may label if it has none."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import BooleanField, Func, Q, Value
from django.db.models.sql.compiler import SQLCompiler

from accounts.models import User
from accounts.projects import known_people
from accounts.rights import Right, has_right
from catalog.models import Dataset
from core.errors import Invalid, NotAllowed
from labeling.models import Queue, Task


def assignees_of(dataset: Dataset, names: Sequence[str]) -> list[int]:
    """Return the ids of the people with these names, in order. Raises Invalid (`assignees.{place}`) for a name that is
    unknown or may not label in the dataset's project."""
    found = {
        person.username: person for person in known_people(Right.REVIEW).filter(username__in=names, is_active=True)
    }
    for place, name in enumerate(names):
        if name not in found or not has_right(found[name], Right.LABEL, dataset.project_id):
            words = (
                f"nobody called {name!r} may label in the project {dataset.project.name!r}: `lode project` adds people"
            )
            raise Invalid.field(f"assignees.{place}", words)
    return [found[name].pk for name in dict.fromkeys(names)]


def is_for(queue: Queue, user: User) -> bool:
    """Whether this person can get tasks from the queue."""
    return not queue.assignees or user.pk in queue.assignees


class _Names(Func):
    """Whether a column of assignees names a person."""

    output_field = BooleanField()
    template = "(%(expressions)s::bigint))"
    arg_joiner = " @> to_jsonb("

    def as_sqlite(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **extra: Any) -> tuple[str, Any]:
        template = "EXISTS (SELECT 1 FROM json_each(%(expressions)s))"
        return self.as_sql(compiler, connection, template=template, arg_joiner=") WHERE (value = ", **extra)


def for_others(user: User, path: str) -> Q:
    """Match rows whose queue is assigned to other people; `path` is the lookup from a row to its queue."""
    return ~Q(**{f"{path}__assignees": []}) & ~Q(_Names(f"{path}__assignees", Value(user.pk)))


def check_assigned(queue: Queue, user: User) -> None:
    """Raise NotAllowed (`not_assigned`) if the queue is assigned to other people."""
    if not is_for(queue, user):
        names = ", ".join(names_of([queue])[queue.pk])
        words = f"This queue is assigned to {names}: ask a reviewer to add you, or label in another one."
        raise NotAllowed(words, code="not_assigned")


def check_discusses(queue: Queue, user: User) -> None:
    """Raise NotAllowed (`not_assigned`) if the queue is assigned to other people. Reviewers and up discuss, flag and
    hold every queue. The queue's dataset must be loaded."""
    if not has_right(user, Right.REVIEW, queue.project_of):
        check_assigned(queue, user)


def check_lists(queue: Queue, user: User) -> None:
    """Raise NotAllowed (`not_assigned`) for an annotator if the queue is assigned to other people. Viewers, who label
    nothing, read the tasks of every queue. The queue's dataset must be loaded."""
    if not has_right(user, Right.READ, queue.project_of):
        check_assigned(queue, user)


def check_answers(task: Task, queue: Queue, user: User) -> None:
    """Raise NotAllowed (`not_assigned`) if the queue is assigned to other people, unless the user still holds the task
    from before it was."""
    if (task.state, task.holder_id) != (Task.State.LEASED, user.pk):
        check_assigned(queue, user)


def names_of(queues: Iterable[Queue]) -> Mapping[int, list[str]]:
    """Map each queue's id to the names of its assignees, with one query for all queues."""
    rows = list(queues)
    wanted = {pk for queue in rows for pk in queue.assignees}
    known = dict(User.objects.filter(pk__in=wanted).values_list("pk", "username")) if wanted else {}
    return {queue.pk: [known[pk] for pk in queue.assignees if pk in known] for queue in rows}
