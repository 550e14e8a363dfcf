"""`lode queue` and `lode annotate`."""

from pathlib import Path
from typing import Annotated

import typer

from motherlode import annotator
from motherlode.bars import progress_bars
from motherlode.cli.terminal import client, group, out, show_commit, show_table

commands = group("Samples that wait for labels.")


@commands.command("list")
def list_queues() -> None:
    """All queues."""
    rows = (
        (
            one["name"],
            one["dataset"],
            one["state"],
            one["counts"]["done"],
            one["counts"]["total"],
            one["committed_version"],
        )
        for one in client().queues.all()
    )
    show_table("name", "dataset", "state", "done", "of", "committed as", rows=rows)


@commands.command()
def commit(
    queue: str,
    message: str = "",
    partial: Annotated[bool, typer.Option("--partial", help="although tasks are still open")] = False,
) -> None:
    """Commit a queue's answers as a new dataset version."""
    dataset = client().queues.get(queue)["dataset"]
    show_commit(dataset, client().queues.commit(queue, message=message, partial=partial))


def annotate(
    queue: str,
    truth: Annotated[Path, typer.Option(help='JSON lines {"key": .., "label": {..}}', exists=True, dir_okay=False)],
) -> None:
    """Let a stand-in annotator answer a queue from recorded truth, through the calls that a person's page makes."""
    known = annotator.read_truth(truth)
    todo = client().queues.get(queue)["counts"]
    with progress_bars(out) as bars:
        row = bars.add_task(f"Answering {queue}", total=todo["todo"] + todo["leased"])

        def show(tally: annotator.Tally) -> None:
            bars.update(row, completed=tally.answered + tally.skipped + tally.opinions)

        tally = annotator.annotate(client(), queue, truth=known, on_answer=show)
    out.print(f"{tally.answered} answered, {tally.skipped} skipped, {tally.opinions} kept as further opinions")
