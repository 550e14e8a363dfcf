"""`/projects`: what people work on together, and who is in it as what."""

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
        """Those you are in, and all for owners of the platform; the newest first."""
        return self._transport.pages("/projects")

    def get(self, project: str | int) -> Project:
        """One project, by id or name."""
        document: Project = self._transport.get(f"/projects/{segment(project)}")
        return document

    def create(self, name: str, *, description: str = "") -> Project:
        """A new project without members; owners of the platform may."""
        document: Project = self._transport.post("/projects", {"name": name, "description": description}).json()
        return document

    def change(self, project: str | int, *, name: str | None = None, description: str | None = None) -> Project:
        """Another name or description; None leaves it."""
        told = {"name": name, "description": description}
        body = {field: value for field, value in told.items() if value is not None}
        document: Project = self._transport.patch(f"/projects/{segment(project)}", body)
        return document

    def delete(self, project: str | int) -> None:
        """End a project in which nothing was ever made. Raises `project_in_use` (409) for others."""
        self._transport.delete(f"/projects/{segment(project)}")

    def quota(self, project: str | int) -> Quota:
        """What a project may have beside the others of slots, storage and requests, and what it has."""
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
        """Another share, or at most so many `slots` at once, bytes of `storage`, `requests` a minute (`all`: no bound);
        None leaves it. Owners of the platform may. Raises `requests_uncounted` (409) where there is no Redis."""
        told = {"share": share, "slots": slots, "storage": storage, "requests": requests}
        body = {name: None if value == "all" else value for name, value in told.items() if value is not None}
        document: Quota = self._transport.patch(f"/projects/{segment(project)}/quota", body)
        return document

    def members(self, project: str | int) -> Iterator[Member]:
        """Who is in it and as what; owners of the platform are in it without being listed."""
        return self._transport.pages(f"/projects/{segment(project)}/members")

    def set_role(self, project: str | int, person: str | int, role: RoleEnum) -> Member:
        """Make somebody a member, or give a member another role."""
        document: Member = self._transport.put(
            f"/projects/{segment(project)}/members/{segment(person)}", {"role": role}
        )
        return document

    def remove(self, project: str | int, person: str | int) -> None:
        """Take somebody out of it."""
        self._transport.delete(f"/projects/{segment(project)}/members/{segment(person)}")
