"""Whom a queue is for: the people it is assigned to, or everybody who may label."""

from collections.abc import Iterable, Mapping, Sequence

from accounts.models import User
from accounts.projects import known_people
from accounts.rights import Right, has_right
from catalog.models import Dataset
from core.errors import Invalid, NotAllowed
from labeling.models import Queue


def assignees_of(dataset: Dataset, names: Sequence[str]) -> list[int]:
    """Ids of these people, in their order. Raises Invalid (`assignees.{place}`) for one who is not known or may not
    label in the dataset's project."""
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
    """Whether this person is given tasks of the queue."""
    return not queue.assignees or user.pk in queue.assignees


def check_assigned(queue: Queue, user: User) -> None:
    """Raises NotAllowed (`not_assigned`) for somebody whom the queue is not for."""
    if not is_for(queue, user):
        names = ", ".join(names_of([queue])[queue.pk])
        words = f"This queue is assigned to {names}: ask a reviewer to add you, or label in another one."
        raise NotAllowed(words, code="not_assigned")


def names_of(queues: Iterable[Queue]) -> Mapping[int, list[str]]:
    """The names of the people that queues are assigned to, by queue id; one query for all."""
    rows = list(queues)
    wanted = {pk for queue in rows for pk in queue.assignees}
    known = dict(User.objects.filter(pk__in=wanted).values_list("pk", "username")) if wanted else {}
    return {queue.pk: [known[pk] for pk in queue.assignees if pk in known] for queue in rows}
