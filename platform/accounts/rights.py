"""What a role in a project allows, and what whoever asks may do, project by project, while their request is answered.

A request begins as nobody's: nothing is found and lists are empty. `HasRole` says who asks and which right the
operation needs; from then on whatever is looked up by reference is held against that (`check`), and lists show what is
left (`visible`). Work that no request waits for is the platform's own and sees everything.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from enum import Enum
from typing import Any, TypeVar

from django.db.models import Model, QuerySet
from django.http import HttpRequest, HttpResponseBase

from accounts.models import Membership, Project, Role, User
from core.errors import NotAllowed, NotFound

M = TypeVar("M", bound=Model)


class Right(Enum):
    """What an operation asks of whoever calls it, in the project of the thing it is about."""

    SEE = "see"
    READ = "read"
    LABEL = "label"
    REVIEW = "review"
    BUILD = "build"
    OWN = "own"
    ADMINISTER = "administer"


GRANTED: Mapping[Right, frozenset[Role]] = {
    Right.SEE: frozenset(Role),
    Right.READ: frozenset(Role) - {Role.ANNOTATOR},
    Right.LABEL: frozenset(Role) - {Role.VIEWER},
    Right.REVIEW: frozenset({Role.REVIEWER, Role.ENGINEER, Role.OWNER}),
    Right.BUILD: frozenset({Role.ENGINEER, Role.OWNER}),
    Right.OWN: frozenset({Role.OWNER}),
    Right.ADMINISTER: frozenset(),
}
"""The roles that have a right. Owners of the platform have all of them, `ADMINISTER` they alone."""
REFUSALS: Mapping[Right, tuple[str, str]] = {
    Right.READ: ("readers_only", "Annotators don't read this: ask an owner for the role viewer or reviewer."),
    Right.LABEL: ("annotators_only", "Viewers only read: ask an owner for the role annotator."),
    Right.REVIEW: ("reviewers_only", "Only a reviewer, an engineer or an owner may do this: ask one for it."),
    Right.BUILD: ("engineers_only", "Only an engineer or an owner may do this: ask one for it."),
    Right.OWN: ("owners_only", "Only an owner of the project may do this: ask one for it."),
    Right.ADMINISTER: ("owners_only", "Only an owner of the platform may do this: ask one for it."),
}
"""Code and words for who lacks a right. Who may not even see a thing is told that it is not there."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Somebody's roles by project id, None for who may do everything, and the right that the operation needs."""

    roles: Mapping[int, Role] | None
    right: Right = Right.SEE
    user: int | None = None

    def has(self, right: Right, project: int | None) -> bool:
        """Whether the right is theirs in this project; None is the platform's own."""
        return self.roles is None or (project is not None and self.roles.get(project) in GRANTED[right])

    def anywhere(self, right: Right) -> bool:
        """Whether the right is theirs in some project; everybody may see what is theirs."""
        return self.roles is None or right == Right.SEE or any(role in GRANTED[right] for role in self.roles.values())


EVERYTHING = Standing(None)
NOBODY = Standing({})
_standing: ContextVar[Standing] = ContextVar("standing", default=EVERYTHING)
_uncounted: ContextVar[bool] = ContextVar("uncounted", default=False)
_counters: list[Callable[[int], None]] = []


class BeginAsNobody:
    """Until a request says whose it is, it sees nothing; with its end goes what it could see."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        token, uncounted = _standing.set(NOBODY), _uncounted.set(False)
        try:
            return self.get_response(request)
        finally:
            _standing.reset(token)
            _uncounted.reset(uncounted)


def stand(user: User, right: Right, *, project: int | None = None) -> None:
    """Go on as this user, who needs the right for what they ask; with a `project`, in that one alone, and not as an
    owner of the platform. Raises NotAllowed where they have it nowhere: whether a thing is there, they don't learn."""
    standing = Standing(_within(project, roles_of(user)), right, user.pk)
    if not standing.anywhere(right):
        raise refusal(right)
    _standing.set(standing)
    _uncounted.set(right is not Right.ADMINISTER)


def count_requests(counter: Callable[[int], None]) -> None:
    """Call this with a project's id, once for a request of somebody's that is about something in it; what it raises
    refuses the request. A list counts where it shows one project alone, and what only owners of the platform may do
    does not count."""
    _counters.append(counter)


def count_no_request() -> None:
    """What is asked now counts for no project, whatever it is about."""
    _uncounted.set(False)


def stand_as_platform() -> None:
    """Go on with something that proved itself by a secret of its own."""
    _standing.set(EVERYTHING)


@contextmanager
def platform_work() -> Iterator[None]:
    """What is done in between is the platform's own work, whoever asks."""
    token = _standing.set(EVERYTHING)
    try:
        yield
    finally:
        _standing.reset(token)


def roles_of(user: User) -> Mapping[int, Role] | None:
    """Their role by project id; None for owners of the platform."""
    if user.is_owner:
        return None
    return {project: Role(role) for project, role in Membership.objects.role_of(user)}


def _within(project: int | None, roles: Mapping[int, Role] | None) -> Mapping[int, Role] | None:
    """Of these roles the one in this project; all of them where there is none."""
    if project is None:
        return roles
    role = Role.OWNER if roles is None else roles.get(project)
    return {} if role is None else {project: role}


def my_roles(user: User) -> Mapping[int, Role] | None:
    """The same for whoever asks, as far as their token goes; of anybody else all."""
    standing = _standing.get()
    return standing.roles if standing.user == user.pk else roles_of(user)


def check(project: int | None, missing: Callable[[], NotFound]) -> None:
    """Raise `missing` where whoever asks is no member of this project, NotAllowed where their role is too little."""
    standing = _standing.get()
    if not standing.has(Right.SEE, project):
        raise missing()
    if not standing.has(standing.right, project):
        raise refusal(standing.right)
    _count_for(project)


def _count_for(project: int | None) -> None:
    if project is None or not _uncounted.get():
        return
    _uncounted.set(False)
    for counter in _counters:
        counter(project)


def is_member(project: int | None) -> bool:
    """Whether whoever asks may know of what is in this project."""
    return _standing.get().has(Right.SEE, project)


def has_right(user: User, right: Right, project: int | None) -> bool:
    """Whether a user has this right in the project, asked for by them or not."""
    return Standing(my_roles(user)).has(right, project)


def demand(user: User, right: Right, project: int) -> None:
    """Raise NotAllowed where the user has not this right in the project."""
    if not has_right(user, right, project):
        raise refusal(right)


def refusal(right: Right) -> NotAllowed:
    """What somebody without the right is told."""
    code, words = REFUSALS[right]
    return NotAllowed(words, code=code)


def projects(right: Right | None = None) -> frozenset[int] | None:
    """The projects in which whoever asks has the right, by default the one their operation needs; None: all of them."""
    standing = _standing.get()
    if standing.roles is None:
        return None
    return frozenset(project for project in standing.roles if standing.has(right or standing.right, project))


def visible(rows: QuerySet[M], path: str, *, right: Right | None = None) -> QuerySet[M]:
    """Of these rows those that whoever asks may have; `path` leads from a row to its project."""
    return _among(rows, path, projects(right))


def listed(rows: QuerySet[M], path: str, query: Mapping[str, Any]) -> QuerySet[M]:
    """The same, of the project alone that the query names, if it names one. Raises as `asked_projects`."""
    return _among(rows, path, asked_projects(query))


def _among(rows: QuerySet[M], path: str, among: frozenset[int] | None) -> QuerySet[M]:
    if among is None:
        return rows
    if len(among) == 1:
        _count_for(*among)
    return rows.filter(**{f"{path}__in": among})


def asked_projects(query: Mapping[str, Any], right: Right | None = None) -> frozenset[int] | None:
    """As `projects`, of these the one alone that the query names, if it names one. Raises NotFound for one that whoever
    asks may not know of."""
    among, name = projects(right), query.get("project")
    if not name:
        return among
    found = Project.objects.filter(name=name).values_list("pk", flat=True).first()
    if found is None or not is_member(found):
        raise NotFound(f"There is no project {name!r}.", code="project_unknown")
    return frozenset({found}) if among is None or found in among else frozenset()
