"""What a deletion would do."""

from typing import TypedDict


class Dependent(TypedDict):
    name: str
    count: int
    names: list[str]


class Deletion(TypedDict):
    """`needs` and `busy` stand in the way; `allowed` says whether it could be done now."""

    name: str
    archived: bool
    allowed: bool
    goes: list[Dependent]
    stays: list[Dependent]
    needs: list[Dependent]
    busy: list[Dependent]
