"""`python -m demo.signs OUT`: render the traffic-sign dataset into a folder."""

from pathlib import Path
from time import perf_counter
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from demo.npm import NpmError
from demo.signs import SignsDataset, signs_dataset
from demo.signs.dataset import SignsError


def signs(
    out: Annotated[Path, typer.Argument(help="a folder that is new, or holds this set already")],
    images: Annotated[int, typer.Option(help="of all splits together", min=3)] = 1200,
    seed: Annotated[int, typer.Option(help="decides all that is random", min=0)] = 0,
) -> None:
    """Traffic signs on photographs, with exact boxes, as JPEG files and COCO's JSON."""
    console, began = Console(), perf_counter()
    try:
        with Progress(console=console, transient=True) as bar:
            task = bar.add_task("rendering", total=images)
            dataset = signs_dataset(out, images, seed, progress=lambda done: bar.update(task, completed=done))
    except (NpmError, SignsError) as fault:
        console.print(str(fault), style="red", markup=False)
        raise typer.Exit(1) from fault
    _print_summary(console, dataset)
    console.print(f"{out} holds {images:,} images ({perf_counter() - began:.0f} s)", markup=False)


def _print_summary(console: Console, dataset: SignsDataset) -> None:
    summary = dataset.summary()
    table = Table("", *summary)
    table.add_row("images", *(str(counts["images"]) for counts in summary.values()))
    table.add_row("images without signs", *(str(counts["without_signs"]) for counts in summary.values()))
    for name in dataset.classes:
        table.add_row(f"boxes: {name}", *(str(counts["boxes"].get(name, 0)) for counts in summary.values()))
    table.add_row("regions to ignore", *(str(counts["ignored"]) for counts in summary.values()))
    table.add_row("longer sides, quartiles", *(" ".join(map(str, counts["sides"])) for counts in summary.values()))
    console.print(table)


if __name__ == "__main__":
    typer.run(signs)
