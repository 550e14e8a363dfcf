"""`lode dataset`: create and show datasets. `transfers` moves data in and out, `history` has the versions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from motherlode.cli.lifecycle import Archived, listed
from motherlode.cli.terminal import (
    CLASSES,
    MOST_ROWS,
    Description,
    InProject,
    NamesEncoding,
    answered,
    aside,
    class_list,
    class_names,
    client,
    compact,
    err,
    file_with_an_end,
    group,
    out,
    show_rejected,
    show_table,
    valid_name,
)
from worker_programs.wording import plural

if TYPE_CHECKING:
    from formats.class_names import ToldClasses
    from motherlode.documents import CopiesLeftOut, NearDuplicate, Version


SHOWN_PLACES = 3
commands = group("What we know: images, labels, versions.")

SomeKeys = Annotated[list[str] | None, typer.Argument(help="keys of samples")]
EveryOne = Annotated[bool, typer.Option("--all", help="every near-duplicate of the dataset")]


@commands.command()
def create(
    name: str,
    classes: Annotated[str | None, typer.Option(help=f"the classes' names, {CLASSES}")] = None,
    classes_from: Annotated[
        Path | None,
        typer.Option(
            exists=True, callback=file_with_an_end,
            help="a folder, a zip or tar, or an annotation file that tells the classes: its folders of images, "
            "COCO's categories, YOLO's names, a table's column and the like",
        ),
    ] = None,
    task: Annotated[
        str | None,
        typer.Option(
            help="classification, multilabel, detection or segmentation; by default classification, or detection if "
            "--classes-from finds annotations of objects"
        ),
    ] = None,
    description: Description = "",
    multi_label: Annotated[bool, typer.Option("--multi-label", help="the same as --task multilabel")] = False,
    names_encoding: NamesEncoding = None,
    project: InProject = None,
) -> None:  # fmt: skip
    """Create a new, empty dataset."""
    if (classes is None) == (classes_from is None):
        raise typer.BadParameter("name the classes in --classes, or what tells them in --classes-from")
    valid_name(name)  # before the files are read
    told = _told_by(classes_from, names_encoding) if classes_from else None
    chosen = task or ("detection" if told and told.objects and not multi_label else "classification")
    made = client().datasets.create(
        name, classes=told.names if told else class_names(classes or ""), task=chosen, description=description,
        multi_label=multi_label, project=project,
    )  # fmt: skip
    if answered({**made, "classes_from": asdict(told) if told else None}):
        return
    held = plural(len(made["classes"]), "class", "classes")
    source = "FOLDER"
    if told:
        source = str(classes_from)
        _show_told(told, chosen if task is None else None)
    out.print(f"dataset {made['name']} with {held}; next: lode dataset push {source} {name}", soft_wrap=True)


def _told_by(source: Path, names_encoding: str | None) -> ToldClasses:
    from motherlode.classes import classes_told_by  # the parsers of formats are read by no other command

    return classes_told_by(source, names_encoding=names_encoding)


def _show_told(told: ToldClasses, task: str | None) -> None:
    """Print which classes were found and where; `task` is the one that followed from that, if none was named."""
    kind = "folder" if told.from_folders else "annotation file"
    more = len(told.places) - SHOWN_PLACES
    where = ", ".join(told.places[:SHOWN_PLACES]) + (f" and {more:,} more" if more > 0 else "")
    out.print(f"classes, of {plural(len(told.places), kind)} ({where}): {class_list(told.names)}", soft_wrap=True)
    if task:
        out.print(f"task: {task}; --task names another")
    for alike in told.alike:
        names = ", ".join(map(repr, alike))
        err.print(f"  {len(alike)} classes whose names differ in case or spaces alone: {names}. If they are one, name "
                  "the classes with --classes and mend the annotations", soft_wrap=True, highlight=False)  # fmt: skip
    if told.unread:
        err.print(f"  not read for classes, as broken or too large: {plural(len(told.unread), 'annotation file')}, the "
                  f"first {told.faults[0] if told.faults else told.unread[0]}", soft_wrap=True)  # fmt: skip
    if told.splits:
        folders = ", ".join(told.splits[:SHOWN_PLACES])
        words = (
            f"taken for splits, beside folders of classes: {folders}; if one is a class, name all classes in --classes"
        )
        err.print(f"  {words}", soft_wrap=True)


@commands.command("list")
def list_datasets(archived: Archived = False) -> None:
    """List all datasets."""
    found = listed(client().datasets, archived)
    if answered(found):
        return
    rows = (
        (one["name"], one["task"], one["head"], one["counts"]["samples"], one["counts"]["labelled"]) for one in found
    )
    show_table("name", "task", "head", "samples", "labelled", rows=rows)


@commands.command()
def show(name: str) -> None:
    """Show a dataset: counts and versions."""
    found = client().datasets.get(name)
    if answered({**found, "versions": client().datasets.versions(name)}):
        return
    counts = found["counts"]
    out.print(f"{found['name']}: {found['task']} of {class_list(found['classes'])}", soft_wrap=True)
    splits = ", ".join(f"{count} {split}" for split, count in counts["by_split"].items()) or "in no split"
    out.print(f"{plural(counts['samples'], 'sample')} ({splits}), {counts['labelled']} labelled\n")
    show_versions(client().datasets.versions(name))


@commands.command("near-duplicates")
def near_duplicates(
    name: str,
    limit: Annotated[int, typer.Option(help="how many to list", min=1, max=MOST_ROWS)] = 50,
    check: Annotated[
        bool, typer.Option("--check", help="check again the near-duplicates that an older release found")
    ] = False,
) -> None:
    """List the near-duplicates of test samples: those kept out of train, and those allowed."""
    if check:
        done = client().datasets.check_near_duplicates(name)
        aside().print(f"{done['checked']} checked: {done['confirmed']} confirmed, {done['forgotten']} forgotten; "
                  f"{plural(done['moved'], 'labelled sample')} went to train")  # fmt: skip
    counts = client().datasets.near_duplicate_counts(name)
    rows = islice(client().datasets.near_duplicates(name), limit)
    if answered({"counts": counts, "results": rows}):
        return
    are = "is" if counts["kept_out"] == 1 else "are"
    out.print(f"{plural(counts['kept_out'], 'sample')} {are} kept out of train, {counts['kept_out_labelled']} of them "
              f"labelled; {counts['allowed']} {'is' if counts['allowed'] == 1 else 'are'} allowed")  # fmt: skip
    if counts["in_train"]:
        out.print(f"{counts['in_train']} are in train until you decide: lode dataset keep-out, or allow")
    if counts["unchecked"]:
        out.print(f"{counts['unchecked']} were found by hashes alone: check them with --check")
    show_table("sample", "like", "split", "found by", "decision", rows=(
        (row["key"], row["of"], row["split"] or "-", row["found_by"], _decision(row)) for row in rows
    ))  # fmt: skip


def _decision(row: NearDuplicate) -> str:
    if row["allowed"]:
        return "allowed"
    return "undecided" if row["split"] == "train" else "kept out"


@commands.command()
def allow(name: str, key: SomeKeys = None, every: EveryOne = False) -> None:
    """Allow near-duplicates of test samples in train: these keys, or --all."""
    _decide(name, "allow", key, every=every)


@commands.command("keep-out")
def keep_out(name: str, key: SomeKeys = None, every: EveryOne = False) -> None:
    """Keep near-duplicates of test samples out of train: these keys, or --all."""
    _decide(name, "keep_out", key, every=every)


def _decide(name: str, decision: str, keys: list[str] | None, *, every: bool) -> None:
    if every == bool(keys):
        raise typer.BadParameter("name keys, or say --all")
    done = client().datasets.decide_near_duplicates(name, decision, keys=None if every else keys)
    if answered(done):
        return
    where = f": version {done['version']}" if done["version"] else ""
    out.print(f"{done['near_duplicates']} decided, {plural(done['moved'], 'sample')} moved{where}")
    show_rejected(done["rejected"])


@commands.command()
def copies(
    name: str,
    take_over: Annotated[
        bool, typer.Option("--take-over", help="give all of them those labels, in one commit")
    ] = False,
    key: Annotated[list[str] | None, typer.Option(help="with --take-over: only this sample; repeatable")] = None,
) -> None:
    """List unlabelled samples of the pool whose bytes a labelled sample has, and take over its label."""
    if take_over:
        done = client().datasets.take_over_labels(name, keys=key or None)
        if answered(done):
            return
        out.print(f"{plural(done['labelled'], 'label')} taken over: version {done['version']}")
        _show_left_out(done["left_out"])
        show_rejected(done["rejected"])
        return
    found = client().datasets.copies(name)
    if answered(found):
        return
    out.print(f"{plural(found['samples'], 'unlabelled sample')} of the pool with the bytes of labelled ones, "
              f"{found['ready']} of which can take over the label: lode dataset copies {name} --take-over")  # fmt: skip
    _show_left_out(found["left_out"])
    show_table("sample", "copy of", "split", "label", "take over", rows=(
        (row["key"], row["of"], row["split"], compact(row["label"]), WHY_NOT.get(row["reason"] or "", "yes"))
        for row in found["results"]
    ))  # fmt: skip


WHY_NOT = {
    "conflicting": "no: labelled copies carry different labels",
    "in_test": "no: the labelled copy is in test",
    "in_val": "no: the labelled copy is in val",
}


def _show_left_out(counts: CopiesLeftOut) -> None:
    for reason, number in counts.items():
        if number:
            out.print(f"left out: {number}, {WHY_NOT[reason].removeprefix('no: ')}")


def show_versions(versions: Iterable[Version]) -> None:
    """Print versions as a table."""
    names = ("version", "parent", "added", "updated", "removed", "labelled", "author", "message", "created")
    show_table(*names, rows=([one[field] for field in names] for one in versions))  # type: ignore[literal-required]  # its own fields
