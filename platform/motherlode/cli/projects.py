"""`lode project`: projects, their members and the members' roles."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

import typer

from motherlode.bars import amount
from motherlode.cli.terminal import Description, answered, client, group, out, show_table

if TYPE_CHECKING:
    from motherlode.documents import RoleEnum


commands = group("What people work on together, and who is in it.")
UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}
SIZE = re.compile(r"(?P<amount>\d{1,15}(\.\d{1,6})?) ?(?P<unit>([kmgt]?b)?)", re.IGNORECASE)
ROLES = "owner, engineer, reviewer, annotator or viewer"


@commands.command()
def create(name: str, description: Description = "") -> None:
    """Create a new project, without members yet."""
    made = client().projects.create(name, description=description)
    if not answered(made):
        out.print(
            f"project {made['name']}; next: lode project add {made['name']} PERSON --role engineer", highlight=False
        )


@commands.command("list")
def list_projects() -> None:
    """List the projects you are in, the newest first."""
    found = client().projects.all()
    if answered(found):
        return
    rows = ((one["id"], one["name"], one["members"], one["description"]) for one in found)
    show_table("id", "name", "members", "description", rows=rows)


@commands.command()
def members(project: str) -> None:
    """List the members of a project; owners of the platform are in every project without being listed."""
    found = client().projects.members(project)
    if answered(found):
        return
    rows = ((one["id"], one["username"], one["role"], "yes" if one["active"] else "no", one["since"]) for one in found)
    show_table("id", "name", "role", "active", "since", rows=rows)


@commands.command()
def add(project: str, person: str, role: Annotated[str, typer.Option(help=ROLES)] = "annotator") -> None:
    """Make somebody a member, or give a member another role."""
    made = client().projects.set_role(project, person, cast("RoleEnum", role))
    if not answered(made):
        out.print(f"{made['username']} is {made['role']} in {project}", highlight=False)


@commands.command()
def remove(project: str, person: str) -> None:
    """Remove a member: they lose access to the project at once, their work stays."""
    client().projects.remove(project, person)
    if not answered({"project": project, "person": person}):
        out.print(f"{person} is not a member of {project} any more; their labels stay", highlight=False)


@commands.command()
def quota(
    project: str,
    share: Annotated[
        int | None, typer.Option(help="weight by which slots are shared out; every project has 1 at first")
    ] = None,
    slots: Annotated[str | None, typer.Option(help="most slots at once in each queue, or `all`")] = None,
    storage: Annotated[str | None, typer.Option(help="most storage: `500GB`, a number of bytes, or `all`")] = None,
    requests: Annotated[str | None, typer.Option(help="most requests per minute, or `all`")] = None,
) -> None:
    """Show a project's share and limits of slots, storage and requests, and what it uses; the options change them."""
    told = {"share": share, "slots": _bound("--slots", slots), "requests": _bound("--requests", requests)}
    changes = cast("dict[str, Any]", told | {"storage": _size(storage)})
    changed = any(one is not None for one in changes.values())
    found = client().projects.set_quota(project, **changes) if changed else client().projects.quota(project)
    if answered(found):
        return
    most = "as many slots as there are" if found["slots"] is None else f"slots at once: at most {found['slots']}"
    out.print(f"project {found['project']}: share {found['share']}, {most}", highlight=False)
    now = f"shards that run: {found['running']}, jobs that wait: {found['waiting']}"
    out.print(f"{now}; {found['seconds']:.0f} s of slots count against its share", highlight=False)
    held = "not counted yet" if found["held"] is None else amount(found["held"])
    out.print(f"storage: {held}, {_most(found['storage'], amount)}", highlight=False)
    asked = "" if found["requested"] is None else f"{found['requested']:,} in this minute, "
    out.print(f"requests: {asked}{_most(found['requests'], '{:,} a minute'.format)}", highlight=False)


def _most(bound: int | None, words: Callable[[int], str]) -> str:
    return "no bound" if bound is None else f"at most {words(bound)}"


def _bound(option: str, told: str | None) -> int | Literal["all"] | None:
    """Parse a limit: a number, `all`, or None if not given. Raises typer.BadParameter for anything else."""
    if told is None:
        return None
    if told == "all":
        return "all"
    if not told.isdecimal():
        raise typer.BadParameter(f"must be a number or `all`, not {told!r}", param_hint=option)
    return int(told)


def _size(told: str | None) -> int | Literal["all"] | None:
    """Parse a limit in bytes, such as `500GB` or `1.5 TB`, like `_bound`."""
    found = None if told in {None, "all"} else SIZE.fullmatch(str(told))
    if found is not None:
        return round(float(found["amount"]) * UNITS[found["unit"].upper()])
    if told not in {None, "all"}:
        words = f"must be bytes, or like 500GB or 1.5TB, or `all`, not {told!r}"
        raise typer.BadParameter(words, param_hint="--storage")
    return "all" if told else None


@commands.command()
def rename(project: str, name: str) -> None:
    """Rename a project."""
    changed = client().projects.change(project, name=name)
    if not answered(changed):
        out.print(f"project {changed['name']}", highlight=False)


@commands.command()
def delete(project: str) -> None:
    """Delete a project in which nothing was ever made."""
    client().projects.delete(project)
    if not answered({"project": project}):
        out.print(f"project {project} is gone", highlight=False)
