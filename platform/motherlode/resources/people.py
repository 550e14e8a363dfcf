"""`/people`: who may use the platform, as what, with which tokens. Mostly for owners."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from motherlode.transport import Transport, segment

if TYPE_CHECKING:
    from motherlode.documents import AddedPerson, IssuedToken, Person, RoleEnum, Token, TokenScopeEnum


ME = "me"


class People:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def all(self, *, search: str | None = None) -> Iterator[Person]:
        """Everybody, the newest first; `search` looks in the names."""
        return self._transport.pages("/people", q=search)

    def get(self, person: str | int = ME) -> Person:
        """One person, by id or name; whoever asks, by default."""
        document: Person = self._transport.get(f"/people/{segment(person)}")
        return document

    def add(
        self,
        username: str,
        *,
        role: RoleEnum = "annotator",
        project: str | None = None,
        service: bool = False,
        expires_in_days: int | None = None,
        email: str | None = None,
    ) -> AddedPerson:
        """A new person; `token` of the answer is what they sign in with, and is told this once. The role is one in the
        project, or in the only one there is; `owner` without a project owns the platform. A `service` account is a
        program's: it signs in nowhere, and its tokens expire, in 90 days unless told. Whoever has the `email` at the
        identity provider signs in as this person."""
        body = {
            "username": username,
            "role": role,
            "project": project,
            "expires_in_days": expires_in_days,
            "email": email,
        }
        body |= {"service": True} if service else {}
        document: AddedPerson = self._transport.post("/people", body).json()
        return document

    def change(
        self,
        person: str | int,
        *,
        role: RoleEnum | None = None,
        project: str | None = None,
        active: bool | None = None,
        email: str | None = None,
    ) -> Person:
        """Another role, read as by `add`, another `email`, which ends sessions ("": none), or off the platform, which
        ends sessions and tokens at once. Raises `last_owner` (409)."""
        told = {"role": role, "project": project, "active": active, "email": email}
        body = {name: value for name, value in told.items() if value is not None}
        document: Person = self._transport.patch(f"/people/{segment(person)}", body)
        return document

    def tokens(self, person: str | int = ME) -> Iterator[Token]:
        """The tokens somebody holds, without their secrets."""
        return self._transport.pages(f"/people/{segment(person)}/tokens")

    def issue_token(
        self,
        name: str,
        *,
        person: str | int = ME,
        scope: TokenScopeEnum = "all",
        expires_in_days: int | None = None,
        project: str | None = None,
    ) -> IssuedToken:
        """One more token, for all that the person may do or, with scope `read`, for reading alone, in all their
        projects or in one; its `secret` is told this once. It never expires unless told; a service account's does."""
        body = {"name": name, "scope": scope, "expires_in_days": expires_in_days, "project": project}
        document: IssuedToken = self._transport.post(f"/people/{segment(person)}/tokens", body).json()
        return document

    def revoke_token(self, token: int, *, person: str | int = ME) -> None:
        """The token is worth nothing from now on."""
        self._transport.delete(f"/people/{segment(person)}/tokens/{segment(token)}")
