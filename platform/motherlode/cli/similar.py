"""`lode dataset embed` and `similar`: find samples similar to one, a part of one, an image of yours, or words."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from motherlode.cli.filters import FilterText, SliceName
from motherlode.cli.terminal import (
    answered,
    aside,
    client,
    compact,
    file_with_an_end,
    out,
    show_table,
    version_named,
    watch_job,
)
from motherlode.resources.filters import both
from motherlode.transport import Upload
from worker_programs.wording import plural

if TYPE_CHECKING:
    from motherlode.documents import Embeddings, Job

DatasetVersion = Annotated[str, typer.Argument(metavar="DATASET", help="a dataset, or name@v3")]
ByModel = Annotated[
    str | None,
    typer.Option(help="model whose embeddings to use, like signs@production; by default ImageNet's features"),
]
ByEncoder = Annotated[str | None, typer.Option(help="encoder whose embeddings to use instead: see lode encoder list")]
LENGTHS = 4


def embed(
    dataset: DatasetVersion,
    model: ByModel = None,
    encoder: ByEncoder = None,
    wait: Annotated[bool, typer.Option("--wait", help="follow it to its end")] = False,
) -> None:
    """Compute the missing embeddings of a version, so that similar samples can be found."""
    name, version = _named(dataset)
    told = client().datasets.embed(name, version, model=model, encoder=encoder)
    job = told["job"]
    if job is not None and wait:
        aside().print(_computes(told, job))
        watch_job(job["id"])
        told = client().datasets.embeddings(name, version, model=model, encoder=encoder)
    if answered(told):
        return
    if job is None:
        whole = plural(told["embedded"], "sample")
        have = "has its embedding" if told["embedded"] == 1 else "have embeddings"
        out.print(f"all {whole} of version {told['version']} {have} by {told['by']}")
    elif wait:
        out.print(f"{told['embedded']:,} of {plural(told['samples'], 'sample')} have embeddings")
    else:
        out.print(_computes(told, job))
    if told["unreadable"]:
        out.print(f"{told['unreadable']:,} are images that {told['by']} can't read")


def similar(
    dataset: DatasetVersion,
    key: Annotated[str | None, typer.Argument(help="a sample's key")] = None,
    image: Annotated[
        Path | None,
        typer.Option(
            exists=True, dir_okay=False, callback=file_with_an_end, help="or an image file of yours, which is not kept"
        ),
    ] = None,
    text: Annotated[str | None, typer.Option(help="or words to search for, like “a red car”")] = None,
    crop: Annotated[str | None, typer.Option(help="part of the image, in pixels: x,y,width,height")] = None,
    model: ByModel = None,
    encoder: ByEncoder = None,
    limit: Annotated[int, typer.Option(help="how many to list", min=1, max=500)] = 20,
    slice_: SliceName = None,
    filter_: FilterText = None,
) -> None:
    """Find the samples of a version most similar to one of them, an image or words: the nearest first."""
    name, version = _named(dataset)
    if sum(one is not None for one in (key, image, text)) != 1:
        raise typer.BadParameter("name a sample's KEY, an --image, or a --text: one of them")
    chosen = both(slice_, filter_)
    if text is not None:
        if crop is not None or model is not None:
            raise typer.BadParameter("--crop and --model are of a search by an image: leave them out beside --text")
        found = client().datasets.like_words(name, text, version, encoder=encoder, chosen=chosen, limit=limit)
    else:
        to = str(key) if image is None else Upload(image.name, image.read_bytes())
        found = client().datasets.similar(
            name, to, version, crop=_lengths(crop), model=model, encoder=encoder, chosen=chosen, limit=limit
        )
    if answered(found):
        return
    what = text or (image.name if image is not None else str(key))
    out.print(f"like {what}, of {plural(found['compared'], 'sample')} of version {found['version']}, by {found['by']}")
    if words := found["words"]:
        out.print(words["about"])
        if words["read"] < words["tokens"]:
            out.print(f"of the words' {words['tokens']} tokens the first {words['read']} were read")
        if unknown := words["unknown"]:
            out.print(unknown["detail"])
    show_table("similarity", "sample", "split", "label", rows=(
        (f"{row['similarity']:.4f}", row["key"], row["split"], compact(row["label"])) for row in found["results"]
    ))  # fmt: skip
    if found["missing"]:
        by = f" --model {model}" if model else f" --encoder {encoder}" if encoder else ""
        out.print(
            f"not compared, for want of an embedding: {found['missing']:,}; next: lode dataset embed {dataset}{by}"
        )


def _computes(told: Embeddings, job: Job) -> str:
    computed = f"computes {plural(told['missing'], 'embedding')} of version {told['version']} by {told['by']}"
    return f"job {job['id']} {computed if told['missing'] else 'makes what reads words'}"


def _named(dataset: str) -> tuple[str, str]:
    name, version = version_named(dataset)
    return name, version or "head"


def _lengths(crop: str | None) -> tuple[int, int, int, int] | None:
    if crop is None:
        return None
    words = [word.strip() for word in crop.split(",")]
    if len(words) != LENGTHS or not all(word.isdecimal() for word in words):
        raise typer.BadParameter("--crop is x,y,width,height in pixels, like 40,60,128,96")
    x, y, width, height = map(int, words)
    return x, y, width, height


COMMANDS = (embed, similar)
