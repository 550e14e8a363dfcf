"""`/people`: the users of the platform, their roles and tokens. Mostly for owners."""

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
        """List people, the newest first; `search` looks in the names."""
        return self._transport.pages("/people", q=search)

    def get(self, person: str | int = ME) -> Person:
        """Return a person by id or name; by default the caller."""
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
        """Add a person; they sign in with the `token` of the answer, which is shown only this once. The role applies to
        the project, or to the only one there is; `owner` without a project owns the platform. A `service` account is
        for a program: it can't sign in, and its tokens expire, after 90 days by default. Whoever has the `email` at the
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
        """Change the role (as in `add`) or the `email` ("": none), which ends sessions, or deactivate the person, which
        ends sessions and tokens at once. Raises `last_owner` (409)."""
        told = {"role": role, "project": project, "active": active, "email": email}
        body = {name: value for name, value in told.items() if value is not None}
        document: Person = self._transport.patch(f"/people/{segment(person)}", body)
        return document

    def tokens(self, person: str | int = ME) -> Iterator[Token]:
        """List a person's tokens, without their secrets."""
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
        """Issue a token, for everything the person may do or, with scope `read`, for reading only, in all their
        projects or in one; its `secret` is shown only this once. It never expires by default; a service account's
        does."""
        body = {"name": name, "scope": scope, "expires_in_days": expires_in_days, "project": project}
        document: IssuedToken = self._transport.post(f"/people/{segment(person)}/tokens", body).json()
        return document

    def revoke_token(self, token: int, *, person: str | int = ME) -> None:
        """Revoke a token at once."""
        self._transport.delete(f"/people/{segment(person)}/tokens/{segment(token)}")
