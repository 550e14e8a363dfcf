"""Projects and their members."""

from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator
from django.db import IntegrityError, transaction
from django.db.models import Count, ProtectedError, Q, QuerySet

from accounts.audit import note
from accounts.models import Membership, Project, Role, User
from accounts.rights import GRANTED, Right, check, demand, my_roles, projects, visible
from accounts.services import FIRST, first_project
from accounts.signals import rights_lost
from core.errors import Conflict, Invalid, NotFound
from core.references import by_id_or_name

NAME = RegexValidator(r"^[A-Za-z0-9][A-Za-z0-9._-]{0,99}\Z", "must be letters, digits and . _ - only, at most 100")


@transaction.atomic
def create_project(name: str, *, description: str = "") -> Project:
    """Create a project without members. Raises Invalid (`name`), Conflict (`name_taken`)."""
    _check_name(name)
    made, created = Project.objects.get_or_create(name=name, defaults={"description": description})
    if not created:
        raise Conflict(f"There is a project {name!r} already: choose another name.", code="name_taken")
    note("created", "project", name, project=made.pk)
    return made


def my_projects() -> QuerySet[Project]:
    """Return the projects that the caller may see, each with its number of members."""
    return visible(Project.objects.annotate(members=Count("memberships")), "pk", right=Right.SEE)


def find_project(reference: str) -> Project:
    """Return a project by id or name, in which the caller has the right they need. Raises NotFound, NotAllowed."""
    found = by_id_or_name(Project.objects.annotate(members=Count("memberships")).filter, reference)

    def missing() -> NotFound:
        return NotFound(f"There is no project {reference!r}.", code="project_unknown")

    if found is None:
        raise missing()
    check(found.pk, missing)
    return found


def project_for(user: User, named: str | None) -> Project:
    """Return the project for a user's new object: the named one, else the only one in which they may build, else the
    one called `default`. Raises Invalid (`project`) if they must name one, NotFound, NotAllowed."""
    found = _named_or_only(user, named)
    demand(user, Right.BUILD, found.pk)
    return found


def _named_or_only(user: User, named: str | None) -> Project:
    if named is not None:
        return find_project(named)
    among = _where_they_build(user)
    if len(among) == 1:
        return among[0]
    first = next((one for one in among if one.name == FIRST), None)
    if first is None:
        names = ", ".join(one.name for one in among) or "none, so ask an owner for one"
        raise Invalid.field("project", f"name the project it belongs to; yours are {names}")
    return first


def _where_they_build(user: User) -> list[Project]:
    roles = my_roles(user)
    if roles is None:
        first_project()
        return list(Project.objects.order_by("pk"))
    theirs = [pk for pk, role in roles.items() if role in GRANTED[Right.BUILD]]
    return list(Project.objects.filter(pk__in=theirs).order_by("pk"))


@transaction.atomic
def change_project(project: Project, *, name: str | None = None, description: str | None = None) -> Project:
    """Change a project's name or description; None leaves it unchanged. Raises Invalid (`name`), Conflict
    (`name_taken`)."""
    before = {"name": project.name, "description": project.description}
    if name is not None:
        _check_name(name)
        project.name = name
    if description is not None:
        project.description = description
    try:
        with transaction.atomic():
            project.save(update_fields=["name", "description"])
    except IntegrityError as error:
        raise Conflict(f"There is a project {name!r} already: choose another name.", code="name_taken") from error
    after = {"name": project.name, "description": project.description}
    note("changed", "project", before["name"], project=project.pk, before=before, after=after)
    return project


@transaction.atomic
def delete_project(project: Project) -> None:
    """Delete a project and its memberships. Raises Conflict (`project_in_use`) while there is anything in it, including
    deleted objects that still have rows."""
    members = [one.user for one in project.memberships.select_related("user")]
    try:
        project.delete()
    except ProtectedError as error:
        kinds = sorted({str(one._meta.verbose_name_plural) for one in error.protected_objects})  # noqa: SLF001 - Django's documented name
        words = f"The project {project.name!r} holds {', '.join(kinds)}: a project that held something stays."
        raise Conflict(words, code="project_in_use") from error
    note("deleted", "project", project.name)
    for member in members:
        rights_lost.send(User, person=member)


@transaction.atomic
def set_role(project: Project, person: User, role: Role, *, by: User | None = None) -> Membership:
    """Make a person a member, or change a member's role; `by` is the user to record where there is no request."""
    before = Membership.objects.select_for_update().filter(project=project, user=person).first()
    row, _ = Membership.objects.update_or_create(project=project, user=person, defaults={"role": role})
    was = None if before is None else {"role": before.role}
    note("role given", "person", person.username, project=project.pk, before=was, after={"role": role}, by=by)
    if before is not None and before.role != role:
        rights_lost.send(User, person=person)
    return row


@transaction.atomic
def remove_member(project: Project, person: User, *, by: User | None = None) -> None:
    """Remove a person from a project and end what they hold there; `by` is the user to record where there is no
    request. Raises NotFound."""
    held = Membership.objects.select_for_update().filter(project=project, user=person).first()
    if held is None:
        raise NotFound(f"{person.username!r} is not a member of {project.name!r}.", code="member_unknown")
    held.delete()
    note("removed", "person", person.username, project=project.pk, before={"role": held.role}, by=by)
    rights_lost.send(User, person=person)


def known_people(right: Right) -> QuerySet[User]:
    """Return the people that the caller may see: everybody for owners of the platform; for others those owners, and
    members of projects in which the caller has this right."""
    among = projects(right)
    shared = User.objects.filter(memberships__project__in=among or ()).values("pk")
    return User.objects.all() if among is None else User.objects.filter(Q(is_owner=True) | Q(pk__in=shared))


def _check_name(name: str) -> None:
    if name.isdecimal():
        raise Invalid.field("name", "must not be a number, which would be read as an id")
    try:
        NAME(name)
    except ValidationError as error:
        raise Invalid.field("name", str(error.message)) from error
