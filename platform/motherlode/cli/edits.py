"""`lode dataset edit` and `revert`: change many samples at once, and undo such a change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from motherlode.cli.filters import FilterText, SliceName
from motherlode.cli.terminal import Message, answered, as_json, client, err, out, show_commit
from motherlode.resources.filters import both
from worker_programs.wording import plural

if TYPE_CHECKING:
    from motherlode.documents import EditPreview


def edit(
    name: str,
    slice_: SliceName = None,
    filter_: FilterText = None,
    label: Annotated[
        list[str] | None,
        typer.Option(help="class to label them all with; repeat it for labels of exactly these classes"),
    ] = None,
    add_class: Annotated[list[str] | None, typer.Option(help="class to add to their labels; repeatable")] = None,
    remove_class: Annotated[
        list[str] | None, typer.Option(help="class to remove from their labels; repeatable")
    ] = None,
    no_label: Annotated[bool, typer.Option("--no-label", help="remove their labels")] = False,
    split: Annotated[str | None, typer.Option(help="split to move them to: pool, train, val or test")] = None,
    remove: Annotated[bool, typer.Option("--remove", help="remove them from the dataset")] = False,
    message: Message = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="show what would change, without changing it")] = False,
) -> None:
    """Give the samples of the head that pass a filter a class, a split or both, clear their labels, or remove them.

    Where a label may name several classes, you can also add classes to each label and remove others.
    """
    chosen = both(slice_, filter_)
    if chosen is None:
        raise typer.BadParameter("say which samples: --filter or --slice")
    if no_label and label:
        raise typer.BadParameter("--label gives a label and --no-label takes it away: say one of the two")
    what: dict[str, Any] = {"label": _label(label or []), "clear": no_label, "split": split, "remove": remove}
    what |= {"add_classes": add_class or [], "remove_classes": remove_class or []}
    if dry_run:
        told = client().edits.preview(name, chosen, **what)
        if not answered(told):
            _show(told, cleared=no_label)
        return
    done = client().edits.commit(name, chosen, message=message, **what)
    show_commit(name, done)
    if not as_json() and done["version"] != done["parent"]:
        out.print(f"to take it back: lode dataset revert {name} {done['version']}")


def revert(
    name: str,
    version: Annotated[str, typer.Argument(help="version whose changes are undone: a number, a tag, an alias or head")],
    message: Message = "",
) -> None:
    """Undo what a version changed, by one more commit: every sample becomes what it was before."""
    show_commit(name, client().edits.revert(name, version, message=message))


COMMANDS = (edit, revert)


def _label(classes: list[str]) -> dict[str, Any] | None:
    if not classes:
        return None
    return {"class": classes[0]} if len(classes) == 1 else {"classes": classes}


def _show(told: EditPreview, *, cleared: bool) -> None:
    out.print(f"of {plural(told['samples'], 'sample')} of version {told['version']}, {told['changed']:,} would change")
    now = [f"{count:,} {name}" for name, count in told["by_class"].items()]
    now += [f"{told['unlabelled']:,} without a label"] if told["unlabelled"] else []
    if now:
        out.print(f"  their labels now: {', '.join(now)}")
    used = [f"{count:,} in {split}" for split, count in told["by_split"].items() if split != "pool"]
    if cleared and used and not told["moves"]:
        out.print(f"  {', '.join(used)} are neither trained on nor evaluated without a label")
    for move in told["moves"]:
        out.print(f"  {move['samples']:,} go from {move['from']} to {move['to']}")
    if told["held_out"]:
        out.print(f"  {told['held_out']:,} stay in pool: they show nearly what a test image shows")
    if told["leaks"]:
        out.print(f"  of train and val, {plural(told['leaks'], 'sample')} nearly like these")
    for row in told["refused"]:
        err.print(f"  {row['samples']:,} can't be changed so, like {row['keys'][0]}: {row['detail']}")
