"""`lode encoder`: your own pairs of image and text encoders, for search by words and to train on."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from motherlode.bars import JobBar, progress_bars
from motherlode.cli.terminal import (
    InProject,
    answered,
    aside,
    client,
    file_with_an_end,
    group,
    out,
    read_json,
    show_table,
)
from motherlode.transport import Upload
from worker_programs.wording import plural

if TYPE_CHECKING:
    from motherlode.documents import Encoder

commands = group("Image and text encoders of yours (CLIP and its kind), to search by words with.")


@commands.command()
def add(
    name: str,
    image: Annotated[Path, typer.Option(exists=True, dir_okay=False, help="the image encoder, ONNX")],
    text: Annotated[Path, typer.Option(exists=True, dir_okay=False, help="the text encoder, ONNX")],
    tokenizer: Annotated[Path, typer.Option(exists=True, dir_okay=False, help="tokenizer.json")],
    preprocessor: Annotated[
        Path | None,
        typer.Option(exists=True, dir_okay=False, help="preprocessor_config.json: size, mean and std of the images"),
    ] = None,
    metadata: Annotated[
        Path | None,
        typer.Option(
            exists=True,
            dir_okay=False,
            callback=file_with_an_end,
            help="JSON file that says how they read (docs/howto/similar.md)",
        ),
    ] = None,
    text_length: Annotated[int | None, typer.Option(min=1, help="tokens that are read of a text")] = None,
    fill: Annotated[
        bool | None, typer.Option("--fill/--no-fill", help="fill shorter texts up to that length, as for SigLIP")
    ] = None,
    notes: Annotated[str | None, typer.Option(help="what it is, and under which licence")] = None,
    project: InProject = None,
) -> None:
    """Add a pair of encoders that were trained together, after the platform has run them on images and words."""
    told: dict[str, object] = read_json(metadata) or {}
    given = {"text_length": text_length, "fill": fill, "notes": notes}
    told |= {key: value for key, value in given.items() if value is not None}
    with ExitStack() as stack, progress_bars(aside()) as bars:
        bar = JobBar(bars, words=f"Checking {name}")
        paths = {"image": image, "text": text, "tokenizer": tokenizer, "preprocessor": preprocessor}
        files = {part: Upload(path.name, stack.enter_context(path.open("rb"))) for part, path in paths.items() if path}
        made = client().encoders.add(name, **files, metadata=told, project=project, on_progress=bar.show)
        bar.finish(1)
    _show_made(made)


@commands.command()
def fetch(
    name: str,
    sources: Annotated[
        Path,
        typer.Argument(
            exists=True,
            dir_okay=False,
            callback=file_with_an_end,
            help="JSON file with the `url` and `sha256` of `image`, `text` and `tokenizer` (docs/howto/similar.md)",
        ),
    ],
    project: InProject = None,
) -> None:
    """Let the platform fetch a pair of encoders from addresses of hosts that an operator allows, and check them."""
    with progress_bars(aside()) as bars:
        bar = JobBar(bars, words=f"Fetching {name}")
        made = client().encoders.fetch(name, read_json(sources) or {}, project=project, on_progress=bar.show)
        bar.finish(1)
    _show_made(made)


def _show_made(made: Encoder) -> None:
    if answered(made):
        return
    read = made["parameters"]
    size = " x ".join(str(side) for side in read["input_size"])
    words = f"reads images of {size} and {read['text_length']} tokens, and gives {made['width']} numbers"
    out.print(f"encoder {made['name']} {words}; next: lode dataset embed DATASET --encoder {made['name']}")
    if made["trunk_fault"]:
        out.print(f"it serves search alone; no model can be trained on it: {made['trunk_fault']}")


@commands.command("list")
def list_encoders() -> None:
    """List all encoders, the newest first."""
    found = client().encoders.all()
    if answered(found):
        return
    rows = (
        (
            one["name"],
            one["project"],
            one["width"],
            f"{one['size'] / 1e6:.1f} MB",
            "no" if one["trunk_fault"] else "yes",
            one["notes"],
            one["created"][:19],
        )
        for one in found
    )
    show_table("name", "project", "width", "size", "trains", "notes", "created", rows=rows)


@commands.command()
def remove(name: str) -> None:
    """Delete an encoder, with the embeddings that it made."""
    gone = client().encoders.remove(name)
    if not answered(gone):
        out.print(f"encoder {gone['name']} is gone, and {plural(gone['embeddings'], 'embedding')} with it")
        if gone["models"]:
            out.print(f"its file stays with the models that were trained on it: {', '.join(gone['models'])}")
