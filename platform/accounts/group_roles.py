"""Roles given by groups of the identity provider; read from the settings before there are models."""

import json
from typing import NamedTuple

ROLES = ("owner", "engineer", "reviewer", "annotator", "viewer")
"""The roles of `accounts.models.Role`, from the most powerful to the least."""


class GroupRole(NamedTuple):
    """A role in a project; an empty project name means the project that new people join."""

    project: str
    role: str


def read_group_roles(text: str) -> dict[str, list[GroupRole]]:
    """Parse `{"ml-leads": "engineer", "roads": ["roads:annotator", "rail:viewer"]}` into roles by group. Raises
    ValueError."""
    if not text:
        return {}
    told = json.loads(text)
    if not isinstance(told, dict):
        raise ValueError("must be a JSON object of groups and their roles")  # noqa: TRY004 - a wrong text, no defect
    return {group: [_role(group, one) for one in (said if isinstance(said, list) else [said])]
            for group, said in told.items()}  # fmt: skip


def _role(group: str, said: object) -> GroupRole:
    project, _, role = str(said).rpartition(":")
    if role not in ROLES:
        raise ValueError(f"group {group!r}: {said!r} is not a role: write one of {', '.join(ROLES)}, or PROJECT:ROLE")
    if role == "owner" and not project:
        raise ValueError(f"group {group!r}: nobody owns the platform by a group: name a project, as in PROJECT:owner")
    return GroupRole(project, role)
