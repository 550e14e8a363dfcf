"""`lode dataset push`, `pull` and `export`: data in and out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

import typer

from motherlode.bars import JobBar, StepBars, progress_bars
from motherlode.cli.filters import FilterText, SliceName
from motherlode.cli.terminal import (
    SHOWN_REJECTIONS,
    Message,
    NamesEncoding,
    VersionName,
    answered,
    aside,
    client,
    err,
    exit_as,
    file_with_an_end,
    out,
    place_for_a_file,
    show_commit,
    show_table,
    typed_folder,
    typed_path,
    write_whole,
)
from motherlode.errors import MotherlodeError
from motherlode.folders import origin_of
from motherlode.pulling import pull_version
from motherlode.pushing import Pushed, PushTerms, push_folder
from motherlode.resources.filters import both
from motherlode.resources.jobs import ENDED
from motherlode.transport import Upload
from worker_programs.filekinds import HEAD_BYTES, archive_kind
from worker_programs.wording import plural

if TYPE_CHECKING:
    from motherlode.documents import Commit, Export, LiveJob, SplitEnum


CONVERT = "convert TIFF, BMP, GIF, HEIC and AVIF to PNG or JPEG; the originals are kept"
KEEP_PARTIAL = "if a label can't hold some objects of an image, keep the others; without it, the image stays unlabelled"


def push(
    source: Annotated[
        Path, typer.Argument(help="a folder of images, or a zip, tar, tar.gz of them", parser=typed_path)
    ],
    name: Annotated[str | None, typer.Argument(help="the dataset; by default the one that was pulled here")] = None,
    annotations: Annotated[
        Path | None, typer.Option(help="the annotation file", exists=True, dir_okay=False, callback=file_with_an_end)
    ] = None,
    form: Annotated[str, typer.Option("--format", help="format of the annotations")] = "auto",
    split: Annotated[str | None, typer.Option(help="split of all the images: pool, train, val or test")] = None,
    message: Message = "",
    parent: Annotated[
        int | None, typer.Option(help="refuse unless this version is still the head; by default what was pulled")
    ] = None,
    onto: Annotated[
        Literal["head"] | None, typer.Option(help="head: commit onto it even if an older version was pulled here")
    ] = None,
    rebase: Annotated[bool, typer.Option(help="replay on the new head if nobody else touched these keys")] = False,
    delete: Annotated[bool, typer.Option(help="also remove the keys that the folder lacks")] = False,
    allow_near_duplicates: Annotated[bool, typer.Option(help="allow near-duplicates of test samples in train")] = False,
    keep_partial: Annotated[bool, typer.Option(help=KEEP_PARTIAL)] = False,
    strict: Annotated[bool, typer.Option(help="take all of it or nothing")] = False,
    replace_metadata: Annotated[
        bool, typer.Option(help="replace a sample's metadata by that of the annotations, instead of merging")
    ] = False,
    convert: Annotated[bool, typer.Option(help=CONVERT)] = False,
    names_encoding: NamesEncoding = None,
    direct: Annotated[bool, typer.Option(help="send an archive straight to the object store")] = False,
) -> None:
    """Commit a folder or an archive of images. Sends only what the platform lacks: after an interruption, run it again.

    Exit codes: 0 all was taken as it stands, 3 something was passed over, 4 nothing was taken, 1 another error.
    """
    source, name = _in_order(source, name)
    terms = PushTerms(
        form, cast("SplitEnum | None", split), message, parent, rebase, delete, annotations, allow_near_duplicates,
        keep_partial, strict, onto is not None, replace_metadata, convert, names_encoding,
    )  # fmt: skip
    if onto and parent is not None:
        raise typer.BadParameter("--onto head and --parent exclude each other")
    if source.is_dir():
        pushed = _push_folder(source, name, terms)
        commit, told = pushed.commit, asdict(pushed)
        sent = f"{pushed.sent_files:,} of them ({pushed.sent_bytes / 1e6:,.1f} MB) had to be sent"
        aside().print(f"{plural(pushed.files, 'image')}, {sent}")
        if delete and (pulled := origin_of(source).get("split")):
            err.print(f"  note: only {pulled} was pulled here, so nothing of the other splits was removed")
        if delete and origin_of(source).get("filter"):
            err.print("  note: only what passes a filter was pulled here, so nothing else was removed")
    else:
        if rebase or delete:
            raise typer.BadParameter("--rebase and --delete are for folders")
        _check_archive(source)
        commit = _push_archive(source, name, terms, direct=direct)
        told = {"commit": commit}
    if not answered(told):
        show_commit(name, commit)
    exit_as(commit)


def pull(
    name: str,
    folder: Annotated[
        Path, typer.Argument(parser=typed_folder, help="folder to write to; files already there are not fetched again")
    ],
    version: VersionName = "head",
    split: Annotated[str | None, typer.Option(help="only this split: pool, train, val or test")] = None,
    slice_: SliceName = None,
    filter_: FilterText = None,
    force: Annotated[bool, typer.Option("--force", help="overwrite what was edited here since the last pull")] = False,
) -> None:
    """Fetch the images of a version, each under its key, and their labels. After an interruption, run it again.

    Files edited or added since the last pull are not overwritten: exit code 1, and nothing is changed.
    """
    with progress_bars(err) as bars:
        pulled = pull_version(
            client(), name, folder, version, split=cast("SplitEnum | None", split), chosen=both(slice_, filter_),
            force=force, on_step=StepBars(bars).show,
        )  # fmt: skip
    if answered(asdict(pulled)):
        return
    fetched = f"{pulled.fetched_files:,} of them ({pulled.fetched_bytes / 1e6:,.1f} MB) had to be fetched"
    out.print(f"{name} version {pulled.version} is in {folder}: {plural(pulled.files, 'image')}, {fetched}")
    if kept := len(pulled.kept_originals):
        err.print(f"  left alone, as what the platform's image was made of: {plural(kept, 'file')}", soft_wrap=True)
    for key in pulled.left_out[:SHOWN_REJECTIONS]:
        err.print(f"  left out {key}: no file can be called that", soft_wrap=True)
    if (more := len(pulled.left_out) - SHOWN_REJECTIONS) > 0:
        err.print(f"  left out besides: {more:,}; --json lists them all")


def import_(
    address: Annotated[str, typer.Argument(help="s3://BUCKET/PREFIX")],
    name: Annotated[str, typer.Argument(help="the dataset")],
    source: Annotated[
        str | None, typer.Option(help="source, as an operator named it; needed where several have the bucket")
    ] = None,
    reference: Annotated[bool, typer.Option(help="leave the bytes where they are, and read them from there")] = False,
    form: Annotated[str, typer.Option("--format", help="format of the annotations")] = "auto",
    split: Annotated[str | None, typer.Option(help="split of all the images: pool, train, val or test")] = None,
    message: Message = "",
    parent: Annotated[int | None, typer.Option(help="refuse unless this version is still the head")] = None,
    keep_partial: Annotated[bool, typer.Option(help=KEEP_PARTIAL)] = False,
    strict: Annotated[bool, typer.Option(help="take all of it or nothing")] = False,
    convert: Annotated[bool, typer.Option(help=CONVERT)] = False,
) -> None:
    """Commit images from a bucket that an operator has set up as a source. Exit codes are those of `push`."""
    # Not with urllib: a key may hold '?' and '#', which it takes for the end of the path.
    bucket, _, prefix = address.removeprefix("s3://").partition("/")
    if not address.startswith("s3://") or not bucket:
        raise typer.BadParameter("name a place in a bucket: s3://BUCKET/PREFIX")
    with progress_bars(err) as bars:
        bar = JobBar(bars, words=f"Importing {address}")

        def show(job: LiveJob) -> None:
            bar.show(job)
            for line in () if job["state"] in ENDED else job["log"]:
                if line["level"] == "warning":  # it waits for the source, or is tried again
                    bars.console.print(line["message"], highlight=False, soft_wrap=True)

        commit = client().datasets.import_objects(
            name, source or _source_of(bucket), bucket, prefix=prefix,
            mode="reference" if reference else "copy", form=form, split=cast("SplitEnum | None", split),
            message=message, parent=parent, keep_partial=keep_partial, strict=strict, convert=convert,
            on_progress=show,
        )  # fmt: skip
    show_commit(name, commit)
    exit_as(commit)


def sources() -> None:
    """List the sources that images may be imported from."""
    found = client().datasets.sources()
    if answered(found):
        return
    rows = ((one["name"], f"s3://{bucket}/{prefix}") for one in found
            for bucket, prefixes in one["buckets"].items() for prefix in prefixes)  # fmt: skip
    show_table("source", "place", rows=rows)


def export(
    name: str,
    form: Annotated[str, typer.Option("--format", help="format of the zip; `lode dataset formats` lists them")],
    version: VersionName = "head",
    split: Annotated[str | None, typer.Option(help="only this split: pool, train, val or test")] = None,
    slice_: SliceName = None,
    filter_: FilterText = None,
    output: Annotated[
        Path | None,
        typer.Option(callback=place_for_a_file, help="where to write it; by default here, under its own name"),
    ] = None,
) -> None:
    """Export a version as a zip in one of the formats, and say what the format can't hold."""
    with progress_bars(err) as bars:
        writing = JobBar(bars, words=f"Writing {form}")
        wanted = cast("SplitEnum | None", split)  # the platform says which splits there are
        made = client().datasets.export(name, form, version=version, split=wanted, slice_name=slice_, chosen=filter_,
                                        on_progress=writing.show)  # fmt: skip
        writing.finish(made["samples"] or 0)
        part = made["slice"] or ("filtered" if made["filter"] else None)
        named = "-".join(filter(None, [name, f"v{made['version']}", made["split"], part, form]))
        target = output or Path(f"{named}.zip")
        write_whole(target, _counted(made, StepBars(bars)))
    if answered(made | {"file": str(target)}):
        return
    size = (made["bytes"] or 0) / 1e6
    out.print(f"{target} ({size:,.1f} MB): {plural(made['samples'] or 0, 'sample')} of version {made['version']}")
    if made["filter"]:
        out.print(f"  of {made['filter']}")
    for note in made["notes"]:
        err.print(f"  not kept: {note}")


def formats() -> None:
    """List the formats of annotations for import and export."""
    found = client().datasets.formats()
    if answered(found):
        return
    rows = ((one["name"], one["title"], ", ".join(one["tasks"])) for one in found)
    show_table("format", "what it is", "labels", rows=rows)


COMMANDS = (push, pull, import_, sources, export, formats)


def _source_of(bucket: str) -> str:
    """Return the name of the one source that has the bucket. Raises typer.BadParameter for none or several."""
    having = [one["name"] for one in client().datasets.sources() if bucket in one["buckets"]]
    if len(having) != 1:
        which = f"{', '.join(having)} have it: choose one with --source" if having else "no source has it"
        raise typer.BadParameter(f"s3://{bucket}: {which}; `lode dataset sources` lists what may be imported")
    return having[0]


def _counted(made: Export, bars: StepBars) -> Iterator[bytes]:
    done = 0
    for piece in client().datasets.download(made):
        yield piece
        done += len(piece)
        bars.show("fetch", done, made["bytes"] or 0)


def _in_order(source: Path, name: str | None) -> tuple[Path, str]:
    """Return the source and the dataset, which may be given in either order."""
    if name is not None and not source.exists() and typed_path(name).exists():
        return Path(name), str(source)
    if not source.exists():
        raise typer.BadParameter(f"there is no folder or file {source}")
    if name is None and (name := origin_of(source).get("dataset")) is None:
        raise typer.BadParameter("name the dataset: lode dataset push SOURCE NAME")
    return source, name


def _push_folder(source: Path, name: str, terms: PushTerms) -> Pushed:
    with progress_bars(err) as bars:
        committing = JobBar(bars, words="Committing")
        steps = StepBars(bars)
        return push_folder(client(), name, source, terms, on_step=steps.show, on_progress=committing.show)


def _check_archive(source: Path) -> None:
    """Raise MotherlodeError, before anything is sent, for a file that the platform would refuse by its first bytes."""
    with source.open("rb") as file:
        if archive_kind(file.read(HEAD_BYTES)) is None:
            told = f"{source} is none of what can be pushed: a folder of images, or a .zip, .tar or .tar.gz of them"
            other = "; a file of annotations goes along with them (--annotations)"
            raise MotherlodeError(status=0, code="archive_unsupported", detail=told + other)


def _push_archive(source: Path, name: str, terms: PushTerms, *, direct: bool) -> Commit:
    if direct and terms.annotations is not None:
        raise MotherlodeError(
            status=0, code="invalid", detail="--direct sends an archive alone: put the annotations in"
        )
    same = ("form", "split", "message", "parent", "allow_near_duplicates", "keep_partial", "strict", "replace_metadata",
            "convert", "names_encoding")  # fmt: skip
    given: dict[str, Any] = {name: getattr(terms, name) for name in same}
    with source.open("rb") as archive, progress_bars(err) as bars:
        bar = JobBar(bars, words=f"Uploading {source.name}")
        if direct:
            return client().datasets.push_directly(name, source.name, archive, **given, on_progress=bar.show)
        upload, notes = Upload(source.name, archive), terms.annotations
        told = Upload(notes.name, notes.read_bytes()) if notes else None
        return client().datasets.push(name, upload, annotations=told, **given, on_progress=bar.show)
