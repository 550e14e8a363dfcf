"""`rename`, `archive`, `restore` and `delete` of every noun that has names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from motherlode.cli.terminal import FAILED, answered, client, err, out, watch_job
from motherlode.client import Motherlode
from motherlode.resources.lifecycle import Lifecycle

if TYPE_CHECKING:
    from motherlode.documents import Dependent


Archived = Annotated[bool, typer.Option("--archived", help="list archived ones only")]
WORDS = {"goes": "is deleted", "stays": "stays", "needs": "still needs it", "busy": "is under way"}


def add_lifecycle(commands: typer.Typer, noun: str, of: Callable[[Motherlode], Lifecycle]) -> None:
    """Add `rename`, `release-name`, `archive`, `restore` and `delete` to a noun's commands."""

    @commands.command(help=f"Rename a {noun}; the old name still finds it, and is reserved for it.")
    def rename(name: str, to: Annotated[str, typer.Argument(help="the new name")]) -> None:
        renamed = of(client()).rename(name, to)
        if not answered(renamed):
            out.print(f"{noun} {name} is {renamed['name']} now")

    @commands.command(
        "release-name", help=f"Let others take a former name of a {noun}; until they do it leads nowhere."
    )
    def release_name(name: str, former: Annotated[str, typer.Argument(help="the former name")]) -> None:
        if not answered(of(client()).release_name(name, former)):
            out.print(f"{former} is no longer reserved for the {noun} {name}")

    @commands.command(help=f"Archive a {noun}: it leaves the lists and becomes read-only.")
    def archive(name: str) -> None:
        if not answered(of(client()).archive(name)):
            out.print(f"{noun} {name} is archived")

    @commands.command(help=f"Restore an archived {noun}.")
    def restore(name: str) -> None:
        if not answered(of(client()).restore(name)):
            out.print(f"{noun} {name} is restored")

    @commands.command(help=f"Delete an archived {noun} for good; without --confirm, only show what would be deleted.")
    def delete(
        name: str,
        confirm: Annotated[str | None, typer.Option(help="the name again, to confirm; this can't be undone")] = None,
    ) -> None:
        _delete(of(client()), noun, name, confirm)


def listed(things: Lifecycle, archived: bool) -> Iterator[Any]:
    """Return the items that a `list` command shows."""
    return things.archived() if archived else things.all()


def _delete(things: Lifecycle, noun: str, name: str, confirm: str | None) -> None:
    if confirm is not None:
        job = watch_job(things.delete(name, confirm=confirm)["job"]["id"])
        if not answered(job):
            out.print(f"{noun} {name} is deleted" if job["state"] == "succeeded" else f"job {job['state']}")
        return
    told = things.deletion(name)
    if not answered(told):
        for fate in ("goes", "stays", "needs", "busy"):
            _show(WORDS[fate], told[fate])
    if told["allowed"]:
        err.print(f"Nothing was deleted. To do it: --confirm {told['name']}")
    elif not told["archived"]:
        err.print(f"Nothing was deleted: archive the {noun} first.")
    raise typer.Exit(FAILED)


def _show(words: str, found: Sequence[Dependent]) -> None:
    for one in found:
        named = f": {', '.join(one['names'])}" if one["names"] else ""
        out.print(f"{words}: {one['count']:,} {one['name']}{named}", soft_wrap=True)
