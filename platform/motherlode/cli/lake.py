"""`lode lake`."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from motherlode.bars import JobBar, amount, progress_bars
from motherlode.cli.terminal import (
    MOST_ROWS,
    SOME_REFUSED,
    Limit,
    NamesEncoding,
    Needs,
    answered,
    aside,
    client,
    err,
    group,
    needs_told,
    out,
    show_rejected,
    show_table,
    typed_path,
    watch_job,
)
from worker_programs.filekinds import HIDDEN_FILE
from worker_programs.wording import plural

if TYPE_CHECKING:
    from motherlode.documents import LakeScan


commands = group("Frames without a row each, by the hundred million, until a scan picks some of them.")
Prefix = Annotated[str, typer.Option(help="only frames whose keys begin with this")]
Where = Annotated[
    list[str] | None, typer.Option(help="condition that frames must pass, like speed>=30 or night=true; repeatable")
]


@commands.command()
def push(
    dataset: str,
    source: Annotated[
        Path, typer.Argument(parser=typed_path, help="a folder of images, an archive of them, or a manifest (.parquet)")
    ],
    names_encoding: NamesEncoding = None,
) -> None:
    """Add frames to the lake. After an interruption, run it again: it continues where it stopped. Exit code 3: some
    frames were refused, or left behind."""
    if not (source.is_dir() or source.is_file()):
        what = "is not a regular file: save it as one" if source.exists() else "is not there: no folder, no file"
        raise typer.BadParameter(f"{source} {what}")
    lakes, refused = client().lakes, 0
    with progress_bars(aside()) as bars:
        sending, job = bars.add_task("send", total=None, unit="bytes"), JobBar(bars)

        def sent(done: int, total: int) -> None:
            bars.update(sending, completed=done, total=total)

        if source.is_dir():
            done, known, left = lakes.push_folder(dataset, source, on_sent=sent, on_job=job.show)
        else:
            done, known, left = (
                [lakes.push_file(dataset, source, names_encoding=names_encoding, on_sent=sent, on_job=job.show)],
                0,
                [],
            )
    for one in done:
        told: Any = one["result"] or {}
        refused += told.get("refused", 0)
        left += told.get("first_refused", [])
    frames = sum((one["result"] or {}).get("frames", 0) for one in done)
    counts = {"frames": frames, "known": known, "refused": refused, "rejected": left}
    if not answered(counts | {"jobs": [one["id"] for one in done]}):
        show_rejected(left)
        told = f", {refused:,} refused" if refused else ""
        out.print(
            f"{plural(frames, 'frame')} added{told}; the lake of {dataset} holds {lakes.get(dataset)['frames']:,}"
        )
        if known:
            out.print(f"{plural(known, 'image')} of the folder {'was' if known == 1 else 'were'} there already")
        out.print(f"next: lode lake scan {dataset} --model NAME@production")
    if refused or any(item["code"] != HIDDEN_FILE for item in left):
        raise typer.Exit(SOME_REFUSED)


@commands.command()
def show(dataset: str) -> None:
    """Show what the lake holds, and its parts."""
    found, parts = client().lakes.get(dataset), client().lakes.parts(dataset)
    if answered({"lake": found, "parts": parts}):
        return
    out.print(
        f"{plural(found['frames'], 'frame')} ({amount(found['bytes'])}) in {plural(found['parts'], 'part')}; "
        f"{found['brought_in']:,} of them among the dataset's {plural(found['samples'], 'sample')}"
    )
    show_table("part", "from", "frames", "bytes", "first key", "last key", "metadata", rows=(
        (one["id"], one["source"], f"{one['frames']:,}", amount(one["bytes"]), one["first"], one["last"],
         ", ".join(one["columns"]) or None)
        for one in parts
    ))  # fmt: skip


@commands.command()
def frames(
    dataset: str,
    after: Annotated[str, typer.Option(help="only frames after this key")] = "",
    prefix: Prefix = "",
    where: Where = None,
    limit: Annotated[int, typer.Option(min=1, max=MOST_ROWS, help="how many to list")] = 50,
) -> None:
    """List frames by key."""
    pages = client().lakes.frames(dataset, after=after, prefix=prefix, where=where or (), limit=min(limit, 500))
    found = islice(pages, limit)
    if answered(found):
        return
    show_table("key", "size", "pixels", "sample", "metadata", rows=(
        (one["key"], amount(one["size"]), f"{one['width']} x {one['height']}", "yes" if one["sample"] else None,
         ", ".join(f"{name} {value}" for name, value in one["meta"].items()) or None)
        for one in found
    ))  # fmt: skip


@commands.command()
def scan(
    dataset: str,
    model: Annotated[str, typer.Option(help="model version that scores the frames: name@production or name@3")],
    strategy: Annotated[
        str, typer.Option(help="a strategy that judges each frame by itself; `lode lake show --json` lists them")
    ] = "margin",
    count: Annotated[int, typer.Option(help="frames to pick")] = 100,
    control: Annotated[float, typer.Option(help="share of the picks that is drawn at random")] = 0.1,
    seed: Annotated[int, typer.Option(help="the same seed gives the same picks")] = 0,
    prefix: Prefix = "",
    where: Where = None,
    queue: Annotated[str | None, typer.Option(help="put the picks into a new queue of this name")] = None,
    needs: Needs = None,
    wait: Annotated[bool, typer.Option("--wait", help="follow it to its end")] = False,
) -> None:
    """Score frames of the lake and commit the most informative ones to the dataset's pool, in one commit."""
    made = client().lakes.scan(
        dataset, model=model, strategy=strategy, count=count, control=control, seed=seed, prefix=prefix,
        where=where or [], queue=queue, needs=needs_told(needs),
    )  # fmt: skip
    if wait:
        watch_job(made["job"]["id"])
        made = client().lakes.get_scan(dataset, made["id"])
    if answered(made):
        return
    out.print(f"scan {made['id']} is job {made['job']['id']}: {_words(made)}")
    if made["stats"].get("queue_refused"):
        err.print(f"  the queue was not made: {made['stats']['queue_refused']}")


@commands.command()
def scans(dataset: str, limit: Limit = 20) -> None:
    """List the newest scans and their results."""
    found = islice(client().lakes.scans(dataset), limit)
    if answered(found):
        return
    rows = (
        (one["id"], one["job"]["state"], one["model"], one["strategy"]["name"], one["prefix"] or None, _words(one))
        for one in found
    )
    show_table("scan", "state", "model", "strategy", "prefix", "result", rows=rows)


@commands.command()
def remove(dataset: str, part: int) -> None:
    """Remove a part from the lake. Frames that have become samples stay samples."""
    client().lakes.remove(dataset, part)
    if answered({"dataset": dataset, "part": part}):
        return
    out.print(f"part {part} is out of the lake; what nothing else needs of it is collected")


def _words(made: LakeScan) -> str:
    stats = made["stats"]
    if not stats:
        return "not chosen yet"
    words = f"{stats['picked']:,} of {plural(stats['eligible'], 'frame')} picked"
    if made["version"] is not None:
        words += f" and brought in as version {made['version']}; lode mine picks {made['mining']}"
    if stats.get("refused"):
        words += f"; {stats['refused']:,} refused"
    if stats.get("without_value"):
        words += f"; {stats['without_value']:,} left out, as they have no value that a condition asks for"
    return words
