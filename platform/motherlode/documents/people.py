"""People and their tokens."""

from typing import Literal, TypedDict

Role = Literal["owner", "reviewer", "annotator"]


class Person(TypedDict):
    id: int
    username: str
    role: Role
    active: bool
    created: str
    last_seen: str | None
    tokens: int


class AddedPerson(Person):
    token: str


class TokenFacts(TypedDict):
    id: int
    name: str
    created: str
    last_used: str | None


class IssuedToken(TokenFacts):
    secret: str
