"""`/projects`: what people work on together, its members and their roles."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts import projects
from accounts.models import Role, User
from accounts.people_serializers import (
    MemberListSerializer,
    MemberRoleSerializer,
    MemberSerializer,
    NewProjectSerializer,
    ProjectChangeSerializer,
    ProjectListSerializer,
    ProjectSerializer,
    member_document,
    project_document,
)
from accounts.permissions import needs
from accounts.rights import Right
from core.errors import NotFound
from core.forms import validated
from core.pagination import NAMED, PAGE, each, named, paged
from core.references import by_id_or_name


class Projects(APIView):
    rights = needs(GET=Right.SEE, POST=Right.ADMINISTER)

    @extend_schema(operation_id="projects_list", parameters=[NAMED, *PAGE], responses=ProjectListSerializer)
    def get(self, request: Request) -> Response:
        """List the projects you are in, or all for owners of the platform, newest first."""
        rows = named(request, projects.my_projects(), "name", "description")
        return Response(paged(request, rows, each(project_document)))

    @extend_schema(operation_id="projects_create", request=NewProjectSerializer, responses={201: ProjectSerializer})
    def post(self, request: Request) -> Response:
        """Create a project without members. Owners of the platform only."""
        made = projects.create_project(**validated(NewProjectSerializer, request))
        return Response(project_document(projects.find_project(str(made.pk))), status=201)


class Project(APIView):
    rights = needs(GET=Right.SEE, PATCH=Right.OWN, DELETE=Right.ADMINISTER)

    @extend_schema(operation_id="projects_get", responses=ProjectSerializer)
    def get(self, request: Request, reference: str) -> Response:  # noqa: ARG002 - DRF's signature
        """Get one project, by id or name."""
        return Response(project_document(projects.find_project(reference)))

    @extend_schema(operation_id="projects_change", request=ProjectChangeSerializer, responses=ProjectSerializer)
    def patch(self, request: Request, reference: str) -> Response:
        """Change a project's name or description. For its owners."""
        found = projects.find_project(reference)
        return Response(project_document(projects.change_project(found, **validated(ProjectChangeSerializer, request))))

    @extend_schema(operation_id="projects_delete", request=None, responses={204: None})
    def delete(self, request: Request, reference: str) -> Response:  # noqa: ARG002 - DRF's signature
        """Delete a project in which nothing was ever made; 409 for others. Owners of the platform only."""
        projects.delete_project(projects.find_project(reference))
        return Response(status=204)


class Members(APIView):
    rights = needs(GET=Right.SEE)

    @extend_schema(operation_id="projects_members", parameters=[NAMED, *PAGE], responses=MemberListSerializer)
    def get(self, request: Request, reference: str) -> Response:
        """List a project's members and their roles, newest first. Owners of the platform have access without being
        listed."""
        rows = projects.find_project(reference).memberships.select_related("user")
        found = named(request, rows, "user__username", "role")
        return Response(paged(request, found, each(member_document)))


class Member(APIView):
    rights = needs(PUT=Right.OWN, DELETE=Right.OWN)

    @extend_schema(operation_id="projects_set_member", request=MemberRoleSerializer, responses=MemberSerializer)
    def put(self, request: Request, reference: str, person: str) -> Response:
        """Make a person a member, or change a member's role. For the project's owners."""
        project, role = projects.find_project(reference), validated(MemberRoleSerializer, request)["role"]
        return Response(member_document(projects.set_role(project, _person(person), Role(role))))

    @extend_schema(operation_id="projects_remove_member", request=None, responses={204: None})
    def delete(self, request: Request, reference: str, person: str) -> Response:  # noqa: ARG002 - DRF's signature
        """Remove a member from the project: they lose access to it at once. For the project's owners."""
        projects.remove_member(projects.find_project(reference), _person(person))
        return Response(status=204)


def _person(reference: str) -> User:
    """Return any user of the platform, by id or name: the owner of a project may add anybody. Raises NotFound."""
    found = by_id_or_name(lambda **place: User.objects.filter(**_named(place)), reference)
    if found is None:
        raise NotFound(f"There is nobody called {reference!r}.", code="person_unknown")
    return found


def _named(place: dict[str, int | str]) -> dict[str, int | str]:
    return {"username" if name == "name" else name: value for name, value in place.items()}
