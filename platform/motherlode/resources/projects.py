"""`/projects`: projects, their members and the members' roles."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from motherlode.transport import Transport, segment

if TYPE_CHECKING:
    from motherlode.documents import Member, Project, Quota, RoleEnum


class Projects:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def all(self) -> Iterator[Project]:
        """List the projects you are in, all of them for owners of the platform; the newest first."""
        return self._transport.pages("/projects")

    def get(self, project: str | int) -> Project:
        """Return a project by id or name."""
        document: Project = self._transport.get(f"/projects/{segment(project)}")
        return document

    def create(self, name: str, *, description: str = "") -> Project:
        """Create a project without members. Only owners of the platform may."""
        document: Project = self._transport.post("/projects", {"name": name, "description": description}).json()
        return document

    def change(self, project: str | int, *, name: str | None = None, description: str | None = None) -> Project:
        """Change the name or the description; None leaves it."""
        told = {"name": name, "description": description}
        body = {field: value for field, value in told.items() if value is not None}
        document: Project = self._transport.patch(f"/projects/{segment(project)}", body)
        return document

    def delete(self, project: str | int) -> None:
        """Delete a project in which nothing was ever made. Raises `project_in_use` (409) for others."""
        self._transport.delete(f"/projects/{segment(project)}")

    def quota(self, project: str | int) -> Quota:
        """Return a project's share of slots and its limits of slots, storage and requests, and what it uses."""
        document: Quota = self._transport.get(f"/projects/{segment(project)}/quota")
        return document

    def set_quota(
        self,
        project: str | int,
        *,
        share: int | None = None,
        slots: int | Literal["all"] | None = None,
        storage: int | Literal["all"] | None = None,
        requests: int | Literal["all"] | None = None,
    ) -> Quota:
        """Set the share, or the limits of `slots` at once, bytes of `storage` and `requests` a minute (`all`: no
        limit); None leaves one as it is. Only owners of the platform may. Raises `requests_uncounted` (409) if there is
        no Redis."""
        told = {"share": share, "slots": slots, "storage": storage, "requests": requests}
        body = {name: None if value == "all" else value for name, value in told.items() if value is not None}
        document: Quota = self._transport.patch(f"/projects/{segment(project)}/quota", body)
        return document

    def members(self, project: str | int) -> Iterator[Member]:
        """List the members with their roles; owners of the platform have access without being listed."""
        return self._transport.pages(f"/projects/{segment(project)}/members")

    def set_role(self, project: str | int, person: str | int, role: RoleEnum) -> Member:
        """Set a person's role in the project, making them a member if needed."""
        document: Member = self._transport.put(
            f"/projects/{segment(project)}/members/{segment(person)}", {"role": role}
        )
        return document

    def remove(self, project: str | int, person: str | int) -> None:
        """Remove a member from the project."""
        self._transport.delete(f"/projects/{segment(project)}/members/{segment(person)}")
