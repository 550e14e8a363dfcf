"""`lode gc` and `lode dataset erase`: deleting stored bytes."""

from typing import Annotated, Any

import typer

from motherlode.bars import amount
from motherlode.cli import datasets
from motherlode.cli.lineage import show_contained
from motherlode.cli.terminal import answered, as_json, client, out, show_table, watch_job
from worker_programs.wording import plural


def gc(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="only show what would be deleted")] = False,
    grace: Annotated[float | None, typer.Option(help="hours; bytes that were asked for within them are kept")] = None,
) -> None:
    """Delete stored bytes that nothing refers to."""
    result: Any = watch_job(client().upkeep.collect(dry_run=dry_run, grace=grace)["id"])["result"]
    if answered(result):
        return
    if dry_run:
        show_table("object", "bytes", "what", rows=((row["key"], row["size"], row["what"]) for row in result["list"]))
    would = "would go" if dry_run else "gone"
    out.print(
        f"{plural(result['blobs'], 'blob')}, {plural(result['objects'], 'object')}, {amount(result['bytes'])} {would}; "
        f"{plural(result['rewritten'], 'pack')} {'would be ' if dry_run else ''}rewritten, "
        f"{plural(result['kept'], 'blob')} kept"
    )


@datasets.commands.command()
def erase(
    name: str,
    keys: Annotated[list[str], typer.Argument(help="the samples' keys")],
    reason: Annotated[str, typer.Option(help="reason, which is kept for ever")],
    everywhere: Annotated[
        bool, typer.Option("--everywhere", help="also erase other samples with the same bytes")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="do not ask for confirmation")] = False,
) -> None:
    """Remove samples from all versions, labels and tasks, and their bytes from the store."""
    asked = f"This can't be undone. Type the dataset's name to erase {plural(len(keys), 'sample')}"
    confirm = name if yes else typer.prompt(asked, err=as_json())
    job = client().upkeep.erase(name, keys, reason=reason, confirm=confirm, everywhere=everywhere)
    result: Any = watch_job(job["id"])["result"]
    if answered(result):
        return
    out.print(f"{plural(result['samples'], 'sample')} erased, {amount(result['bytes'])} taken out of the store")
    if frames := result.get("lake_frames"):
        out.print(f"{plural(frames, 'frame')} with the same keys or bytes left the lakes")
    for erasure in result["erasures"]:
        _show(erasure)
    if result["blobs_kept"]:
        out.print("Some bytes stay, because other samples have the same: --everywhere erases those too.")


def _show(erasure: dict[str, Any]) -> None:
    out.print(f"\nerasure {erasure['id']} in {erasure['dataset']}; it was contained in")
    show_contained(erasure)
    for other in erasure["shared_with"]:
        out.print(f"  the same bytes are in {other}")
