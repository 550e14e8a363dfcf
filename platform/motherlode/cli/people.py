"""`lode people`: who may use the platform. Mostly for owners."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, cast

import typer

from motherlode.cli.terminal import answered, client, group, out, show_table

if TYPE_CHECKING:
    from motherlode.documents import Person, RoleEnum, TokenScopeEnum


commands = group("Who may use the platform, and the tokens they hold.")
RoleOption = Annotated[str, typer.Option(help="owner, engineer, reviewer, annotator or viewer")]
ProjectOption = Annotated[
    str | None,
    typer.Option(
        help="project in which they get the role; by default the only one, but `owner` then owns the platform"
    ),
]


@commands.command()
def add(
    name: str,
    role: RoleOption = "annotator",
    project: ProjectOption = None,
    service: Annotated[bool, typer.Option("--service", help="account for a program, which can't sign in")] = False,
    days: Annotated[int | None, typer.Option(help="days until the token expires; 90 by default for a service")] = None,
    email: Annotated[str | None, typer.Option(help="email at the identity provider, to sign in with")] = None,
) -> None:
    """Add somebody, or an account for a program, and print their first token."""
    kind = cast("RoleEnum", role)
    made = client().people.add(name, role=kind, project=project, service=service, expires_in_days=days, email=email)
    if answered(made):
        return
    out.print(f"{made['username']} is {made['role']}; this token is told once:", highlight=False)
    _print_secret(made["token"])


@commands.command("list")
def list_people(search: Annotated[str | None, typer.Option(help="a part of the name")] = None) -> None:
    """List everybody, the newest first."""
    found = client().people.all(search=search)
    if answered(found):
        return
    rows = (
        (one["id"], one["username"], "service" if one["service"] else "person", _roles(one),
         "yes" if one["active"] else "no", one["tokens"], one["last_seen"])
        for one in found
    )  # fmt: skip
    show_table("id", "name", "kind", "role", "active", "tokens", "last seen", rows=rows)


@commands.command()
def token(
    person: Annotated[str, typer.Argument(help="whose token it is; `me` for your own")] = "me",
    name: Annotated[str, typer.Option(help="what the token is for")] = "lode",
    scope: Annotated[str, typer.Option(help="`all` that they may do, or only `read`")] = "all",
    days: Annotated[int | None, typer.Option(help="days until it expires; by default never")] = None,
    project: Annotated[
        str | None, typer.Option(help="only project the token works in; by default all of theirs")
    ] = None,
) -> None:
    """Issue one more token and print it."""
    good_for = cast("TokenScopeEnum", scope)
    made = client().people.issue_token(name, person=person, scope=good_for, expires_in_days=days, project=project)
    if answered(made):
        return
    where = "" if made["project"] is None else f", in {made['project']} alone"
    ends = "" if made["expires"] is None else f", until {made['expires'][:16]}"
    what = f"{made['name']}, scope {made['scope']}{where}{ends}"
    out.print(f"token {made['id']} ({what}); it is told once:", highlight=False)
    _print_secret(made["secret"])


@commands.command()
def role(person: str, role: str, project: ProjectOption = None) -> None:
    """Make somebody an owner, engineer, reviewer, annotator or viewer."""
    changed = client().people.change(person, role=cast("RoleEnum", role), project=project)
    if not answered(changed):
        out.print(f"{changed['username']} is {changed['role']}", highlight=False)


@commands.command()
def email(
    person: str,
    address: Annotated[str, typer.Argument(help="email at the identity provider; leave it out for none")] = "",
) -> None:
    """Set the verified address by which somebody signs in with the identity provider; a new one signs them out."""
    changed = client().people.change(person, email=address)
    if answered(changed):
        return
    where = f"signs in as {changed['email']}" if changed["email"] else "has no email to sign in with"
    out.print(f"{changed['username']} {where}", highlight=False)


@commands.command()
def deactivate(person: str) -> None:
    """Deactivate somebody: their sessions and tokens end at once, their work stays."""
    changed = client().people.change(person, active=False)
    if not answered(changed):
        out.print(f"{changed['username']} can no longer sign in; their labels stay", highlight=False)


@commands.command()
def activate(person: str) -> None:
    """Let somebody back in; they need a new token (`lode people token`)."""
    changed = client().people.change(person, active=True)
    if answered(changed):
        return
    name = changed["username"]
    out.print(f"{name} may sign in again; next: lode people token {name}", highlight=False)


def _roles(person: Person) -> str:
    """Describe somebody's role; in several projects, the role in each."""
    if len(person["projects"]) > 1:
        return ", ".join(f"{one['role']} in {one['project']}" for one in person["projects"])
    return person["role"] or "in no project"


def _print_secret(secret: str) -> None:
    out.print(secret, highlight=False, soft_wrap=True)
