"""`lode dataset`."""

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, BinaryIO, cast

import typer

from motherlode.archives import images_below, write_tar
from motherlode.bars import JobBar, progress_bars
from motherlode.cli.terminal import client, group, out, show_commit, show_table
from motherlode.documents import Split
from motherlode.errors import MotherlodeError
from motherlode.transport import Upload

commands = group("What we know: images, labels, versions.")


@commands.command()
def create(
    name: str,
    classes: Annotated[str, typer.Option(help="the classes' names, with commas between")],
    task: Annotated[str, typer.Option(help="classification or detection")] = "classification",
    description: str = "",
) -> None:
    """A new, empty dataset."""
    names = [one.strip() for one in classes.split(",")]
    made = client().datasets.create(name, classes=names, task=task, description=description)
    out.print(f"dataset {made['name']} with {len(made['classes'])} classes; next: lode dataset push {name} FOLDER")


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
    names = ("version", "parent", "added", "updated", "removed", "labelled", "message", "created")
    rows = ([one[field] for field in names] for one in client().datasets.versions(name))  # type: ignore[literal-required]  # its own fields
    show_table(*names, rows=rows)


@commands.command()
def push(
    name: str,
    source: Annotated[Path, typer.Argument(help="a folder of images, or a zip, tar or tar.gz of them", exists=True)],
    annotations: Annotated[Path | None, typer.Option(help="the annotation file", exists=True, dir_okay=False)] = None,
    form: Annotated[str, typer.Option("--format", help="of the annotations")] = "auto",
    split: Annotated[str | None, typer.Option(help="pool, train, val or test, for all of them")] = None,
    message: str = "",
    parent: Annotated[int | None, typer.Option(help="refuse unless this version is still the head")] = None,
) -> None:
    """Commit a folder or an archive of images."""
    with contextlib.ExitStack() as opened, progress_bars(out) as bars:
        archive = opened.enter_context(_archive(source))
        notes = opened.enter_context(annotations.open("rb")) if annotations else None
        bar = JobBar(bars, words=f"Uploading {source.name}")
        commit = client().datasets.push(
            name,
            Upload(archive_name(source), archive),
            annotations=Upload(annotations.name, notes) if annotations and notes else None,
            form=form,
            split=cast("Split | None", split),  # the platform says which splits there are
            message=message,
            parent=parent,
            on_progress=bar.show,
        )
    show_commit(name, commit)


def archive_name(source: Path) -> str:
    """What the archive of a folder or file is called."""
    return f"{source.resolve().name}.tar" if source.is_dir() else source.name


@contextlib.contextmanager
def _archive(source: Path) -> Iterator[BinaryIO]:
    if source.is_file():
        with source.open("rb") as file:
            yield file
        return
    with tempfile.TemporaryFile() as packed:
        if not write_tar(packed, images_below(source)):
            raise MotherlodeError(status=0, code="folder_empty", detail=f"{source} holds no images")
        yield packed
