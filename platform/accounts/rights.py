"""What a role in a project allows, and what the caller may do, project by project, while their request is answered.

A request begins without a user: nothing is found and lists are empty. `HasRole` sets the user and the right that the
operation needs; from then on each object looked up by reference is checked against that (`check`), and lists show only
what passes (`visible`). Work outside of any request is the platform's own and sees everything.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
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
    """The right that an operation requires in the project of its object."""

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
"""The roles that have a right. Owners of the platform have all rights, and only they have `ADMINISTER`."""
REFUSALS: Mapping[Right, tuple[str, str]] = {
    Right.READ: ("readers_only", "Annotators don't read this: ask an owner for the role viewer or reviewer."),
    Right.LABEL: ("annotators_only", "Viewers only read: ask an owner for the role annotator."),
    Right.REVIEW: ("reviewers_only", "Only a reviewer, an engineer or an owner may do this: ask one for it."),
    Right.BUILD: ("engineers_only", "Only an engineer or an owner may do this: ask one for it."),
    Right.OWN: ("owners_only", "Only an owner of the project may do this: ask one for it."),
    Right.ADMINISTER: ("owners_only", "Only an owner of the platform may do this: ask one for it."),
}
"""The error code and message for a caller who lacks a right. A caller who may not even see an object gets NotFound."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A user's roles by project id, None for a user who may do everything, and the right that the operation needs."""

    roles: Mapping[int, Role] | None
    right: Right = Right.SEE
    user: int | None = None

    def has(self, right: Right, project: int | None) -> bool:
        """Whether the user has the right in this project; None stands for the platform's own objects."""
        return self.roles is None or (project is not None and self.roles.get(project) in GRANTED[right])

    def projects(self, right: Right) -> frozenset[int] | None:
        """Return the projects in which the user has the right; None means all."""
        return None if self.roles is None else frozenset(one for one in self.roles if self.has(right, one))

    def anywhere(self, right: Right) -> bool:
        """Whether the user has the right in any project; everybody may see what is theirs."""
        return self.roles is None or right == Right.SEE or any(role in GRANTED[right] for role in self.roles.values())


EVERYTHING = Standing(None)
NOBODY = Standing({})
_standing: ContextVar[Standing] = ContextVar("standing", default=EVERYTHING)
_uncounted: ContextVar[bool] = ContextVar("uncounted", default=False)
_counters: list[Callable[[int], None]] = []
_used: ContextVar[set[tuple[int | None, str]] | None] = ContextVar("used", default=None)
"""The rights that this request was allowed by."""


class RightsUsed:
    """The rights that a request was allowed by, so that its stored answer is given again only to who still has them."""

    def __init__(self) -> None:
        self.rights: set[tuple[int | None, str]] = set()

    def used(self) -> Sequence[tuple[int | None, str]]:
        return sorted(self.rights, key=lambda need: (need[0] is not None, need[0] or 0, need[1]))

    def hold(self, needs: Sequence[tuple[int | None, str]]) -> bool:
        standing = _standing.get()
        return all(standing.has(Right(right), project) for project, right in needs)


class BeginAsNobody:
    """Start each request without a user, so that it sees nothing until it is authenticated; reset this at its end."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        token, uncounted = _standing.set(NOBODY), _uncounted.set(False)
        request.rights = rights = RightsUsed()  # type: ignore[attr-defined]  # for `core.middleware.Idempotency`
        used = _used.set(rights.rights)
        try:
            return self.get_response(request)
        finally:
            _used.reset(used)
            _standing.reset(token)
            _uncounted.reset(uncounted)


def stand(user: User, right: Right, *, project: int | None = None) -> None:
    """Act as this user, who needs this right; with a `project`, only in that one, and not as an owner of the platform.
    Raises NotAllowed if they have the right in no project: they don't learn whether an object exists."""
    standing = Standing(_within(project, roles_of(user)), right, user.pk)
    if not standing.anywhere(right):
        raise refusal(right)
    _standing.set(standing)
    _uncounted.set(right is not Right.ADMINISTER)


def count_requests(counter: Callable[[int], None]) -> None:
    """Register a function to call with a project's id, once per request of a user that concerns the project; an
    exception it raises refuses the request. A list counts if it shows one project alone; operations for owners of the
    platform don't count."""
    _counters.append(counter)


def count_no_request() -> None:
    """Don't count the current request for any project, whatever it concerns."""
    _uncounted.set(False)


def stand_as_platform() -> None:
    """Act as the platform, for a caller that proved itself by a secret of its own."""
    _standing.set(EVERYTHING)


@contextmanager
def platform_work() -> Iterator[None]:
    """Do the work inside this block as the platform, whoever calls."""
    token = _standing.set(EVERYTHING)
    try:
        yield
    finally:
        _standing.reset(token)


@contextmanager
def acting_as(user: User) -> Iterator[None]:
    """Do the work inside this block as this person, who needs to see what it is about."""
    token = _standing.set(Standing(roles_of(user), Right.SEE, user.pk))
    try:
        yield
    finally:
        _standing.reset(token)


def roles_of(user: User) -> Mapping[int, Role] | None:
    """Return the user's role by project id; None for owners of the platform."""
    if user.is_owner:
        return None
    return {project: Role(role) for project, role in Membership.objects.role_of(user)}


def _within(project: int | None, roles: Mapping[int, Role] | None) -> Mapping[int, Role] | None:
    """Limit roles to those in this project (an owner of the platform is its owner); return all if there is no
    project."""
    if project is None:
        return roles
    role = Role.OWNER if roles is None else roles.get(project)
    return {} if role is None else {project: role}


def my_roles(user: User) -> Mapping[int, Role] | None:
    """Return the user's roles as `roles_of` does; for the caller, only as far as their token allows."""
    standing = _standing.get()
    return standing.roles if standing.user == user.pk else roles_of(user)


def check(project: int | None, missing: Callable[[], NotFound]) -> None:
    """Raise `missing` if the caller is not a member of this project, NotAllowed if their role is too weak."""
    standing = _standing.get()
    if not standing.has(Right.SEE, project):
        raise missing()
    if not standing.has(standing.right, project):
        raise refusal(standing.right)
    _note_use(project, standing.right)
    _count_for(project)


def _note_use(project: int | None, right: Right) -> None:
    if (used := _used.get()) is not None:
        used.add((project, right.value))


def _count_for(project: int | None) -> None:
    if project is None or not _uncounted.get():
        return
    _uncounted.set(False)
    for counter in _counters:
        counter(project)


def is_member(project: int | None) -> bool:
    """Whether the caller may see what is in this project."""
    member = _standing.get().has(Right.SEE, project)
    if member:
        _note_use(project, Right.SEE)
    return member


def has_right(user: User, right: Right, project: int | None) -> bool:
    """Whether a user, who need not be the caller, has this right in the project."""
    return Standing(my_roles(user)).has(right, project)


def demand(user: User, right: Right, project: int) -> None:
    """Raise NotAllowed if the user lacks this right in the project."""
    if not has_right(user, right, project):
        raise refusal(right)
    _note_use(project, right)


def refusal(right: Right) -> NotAllowed:
    """Return the error for a user without the right."""
    code, words = REFUSALS[right]
    return NotAllowed(words, code=code)


def projects(right: Right | None = None) -> frozenset[int] | None:
    """Return the projects in which the caller has the right, by default the one the operation needs; None means all."""
    standing = _standing.get()
    return standing.projects(right or standing.right)


def projects_of(user: User, right: Right) -> frozenset[int] | None:
    """Return the projects in which a user, who need not be the caller, has this right; None means all."""
    return Standing(my_roles(user)).projects(right)


def visible(rows: QuerySet[M], path: str, *, right: Right | None = None) -> QuerySet[M]:
    """Filter rows to those that the caller may see; `path` is the lookup from a row to its project."""
    return _among(rows, path, projects(right), right)


def listed(rows: QuerySet[M], path: str, query: Mapping[str, Any]) -> QuerySet[M]:
    """Filter rows as `visible` does, and to the project that the query names, if any. Raises as `asked_projects`."""
    return _among(rows, path, asked_projects(query))


def _among(rows: QuerySet[M], path: str, among: frozenset[int] | None, right: Right | None = None) -> QuerySet[M]:
    for project in [None] if among is None else among:
        _note_use(project, right or _standing.get().right)
    if among is None:
        return rows
    if len(among) == 1:
        _count_for(*among)
    return rows.filter(**{f"{path}__in": among})


def asked_projects(query: Mapping[str, Any], right: Right | None = None) -> frozenset[int] | None:
    """Return `projects`, limited to the one that the query names, if any. Raises NotFound for one that the caller may
    not see."""
    among, name = projects(right), query.get("project")
    if not name:
        return among
    found = Project.objects.filter(name=name).values_list("pk", flat=True).first()
    if found is None or not is_member(found):
        raise NotFound(f"There is no project {name!r}.", code="project_unknown")
    return frozenset({found}) if among is None or found in among else frozenset()
