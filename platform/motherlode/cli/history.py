"""`lode dataset log`, `diff`, `tag`, `alias`, `fork`, `merge`: versions and how they relate."""

from itertools import islice
from typing import Annotated, Literal, cast

import typer

from motherlode.cli.datasets import show_versions
from motherlode.cli.terminal import (
    MOST_ROWS,
    Limit,
    Message,
    VersionName,
    answered,
    client,
    out,
    show_commit,
    show_table,
)
from worker_programs.wording import plural


def log(name: str, limit: Limit = 20) -> None:
    """List the versions of a dataset."""
    versions = islice(client().datasets.versions(name), limit)
    if not answered(versions):
        show_versions(versions)


def diff(
    name: str,
    old: Annotated[str, typer.Argument(help="a version: a number, a tag, an alias or head")],
    new: Annotated[str, typer.Argument(help="another version")] = "head",
    limit: Annotated[int, typer.Option(min=0, max=MOST_ROWS, help="how many keys of each kind to show")] = 10,
) -> None:
    """Show what differs between two versions: counts by kind, class and split, and the first keys of each."""
    found = client().histories.diff(name, old, new)
    if answered(found):
        return
    rows = [(kind.replace("_", " "), count) for kind, count in found["counts"].items() if count]
    out.print(f"{name} {found['from']} → {found['to']}{'' if rows else ': no difference'}\n")
    if rows:
        show_table("samples", "count", rows=rows)
    for words, deltas in (("class", found["by_class"]), ("split", found["by_split"])):
        if deltas:
            out.print()
            show_table(words, "more or less", rows=((one, f"{delta:+d}") for one, delta in deltas.items()))
    for kind, count in found["counts"].items():
        if limit and count:
            changes = client().histories.changes(name, kind, old, new)
            out.print(f"\n{kind.replace('_', ' ')}: {', '.join(one['key'] for one in islice(changes, limit))}")


def tag(name: str, tag: str, version: VersionName = "head") -> None:
    """Give a version a name that never moves."""
    made = client().histories.tag(name, tag, version)
    if answered(made):
        return
    out.print(f"{name} {made['name']} is version {made['version']}")


def alias(
    name: str,
    alias: str,
    version: VersionName = "head",
    protected: Annotated[bool | None, typer.Option(help="whether only owners may move it from now on")] = None,
) -> None:
    """Give a version a name that may move."""
    made = client().histories.alias(name, alias, version, protected=protected)
    if answered(made):
        return
    out.print(f"{name} {made['name']} is version {made['version']}")


def fork(
    name: str, new: Annotated[str, typer.Argument(help="the new dataset's name")], version: VersionName = "head"
) -> None:
    """Create a dataset that begins as a version of this one, without copying anything."""
    made = client().histories.fork(name, new, version)
    if answered(made):
        return
    out.print(f"{made['name']} begins as {name} {version}: {plural(made['counts']['samples'], 'sample')}")


def merge(
    name: str,
    other: Annotated[str, typer.Argument(help="a fork of the dataset, or the dataset it was forked from")],
    version: Annotated[str | None, typer.Option(help="version of the other dataset; by default its head")] = None,
    message: Message = "",
    prefer: Annotated[str | None, typer.Option(help="side that wins where both changed a key: ours or theirs")] = None,
) -> None:
    """Commit what another dataset changed since the two diverged."""
    side = cast("Literal['ours', 'theirs'] | None", prefer)  # the platform says which there are
    commit = client().histories.merge(name, other, version=version, message=message, prefer=side)
    show_commit(name, commit)


COMMANDS = (log, diff, tag, alias, fork, merge)
