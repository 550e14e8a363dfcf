"""`lode audit`: who changed what. For owners."""

from __future__ import annotations

import sys
from itertools import islice
from typing import TYPE_CHECKING, Annotated

import typer

from motherlode.cli.terminal import Limit, answered, client, show_table

if TYPE_CHECKING:
    from motherlode.documents import AuditEvent

Search = Annotated[str | None, typer.Option(help="a part of the person, the action or the name")]
Project = Annotated[str | None, typer.Option(help="only events of this project")]
Export = Annotated[bool, typer.Option("--export", help="all of it as JSON lines, the oldest first")]


def audit(
    search: Search = None,
    project: Project = None,
    limit: Limit = 50,
    export: Export = False,
) -> None:
    """Show who changed what, when, from where: people, tokens, projects, names, aliases, gates, pipelines,
    deletions."""
    if export:
        for piece in client().audit.export():
            sys.stdout.buffer.write(piece)
        return
    found = islice(client().audit.all(search=search, project=project), limit)
    if answered(found):
        return
    rows = (
        (one["created"][:19], one["who"] or "-", one["action"], one["kind"], one["name"], one["project"], _change(one))
        for one in found
    )
    show_table("when", "who", "did", "to", "name", "project", "change", rows=rows)


def _change(event: AuditEvent) -> str:
    """Format an event's changes by field: `before -> after` of a changed field, the value alone of one that is new or
    gone."""
    before, after = event["before"] or {}, event["after"] or {}
    told = {name: [one[name] for one in (before, after) if name in one] for name in {**before, **after}}
    return ", ".join(f"{name} {' -> '.join(map(str, values))}" for name, values in told.items())
