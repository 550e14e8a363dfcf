"""`lode dataset`: make them, look at them. Data goes in and out in `transfers`, versions are in `history`."""

from collections.abc import Iterable
from typing import Annotated

import typer

from motherlode.cli.terminal import client, group, out, show_table
from motherlode.documents.datasets import Version

commands = group("What we know: images, labels, versions.")


@commands.command()
def create(
    name: str,
    classes: Annotated[str, typer.Option(help="the classes' names, with commas between")],
    task: Annotated[str, typer.Option(help="classification or detection")] = "classification",
    description: str = "",
    multi_label: Annotated[bool, typer.Option("--multi-label", help="a sample may have several classes")] = False,
) -> None:
    """A new, empty dataset."""
    names = [one.strip() for one in classes.split(",")]
    told = {"task": task, "description": description}
    made = client().datasets.create(name, classes=names, multi_label=multi_label, **told)
    out.print(f"dataset {made['name']} with {len(made['classes'])} classes; next: lode dataset push FOLDER {name}")


@commands.command("list")
def list_datasets() -> None:
    """All datasets."""
    rows = (
        (one["name"], one["task"], one["head"], one["counts"]["samples"], one["counts"]["labelled"])
        for one in client().datasets.all()
    )
    show_table("name", "task", "head", "samples", "labelled", rows=rows)


@commands.command()
def show(name: str) -> None:
    """One dataset: counts and versions."""
    found = client().datasets.get(name)
    counts = found["counts"]
    out.print(f"{found['name']}: {found['task']} of {', '.join(found['classes'])}")
    splits = ", ".join(f"{count} {split}" for split, count in counts["by_split"].items())
    out.print(f"{counts['samples']} samples ({splits}), {counts['labelled']} labelled\n")
    show_versions(client().datasets.versions(name))


def show_versions(versions: Iterable[Version]) -> None:
    """Print versions as a table."""
    names = ("version", "parent", "added", "updated", "removed", "labelled", "author", "message", "created")
    show_table(*names, rows=([one[field] for field in names] for one in versions))  # type: ignore[literal-required]  # its own fields
