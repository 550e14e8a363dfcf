"""`lode dataset`: create and show datasets. `transfers` moves data in and out, `history` has the versions."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import TYPE_CHECKING, Annotated

import typer

from motherlode.cli.lifecycle import Archived, listed
from motherlode.cli.terminal import (
    CLASSES,
    AsJson,
    InProject,
    class_names,
    client,
    group,
    out,
    plural,
    show_json,
    show_rejected,
    show_table,
)

if TYPE_CHECKING:
    from motherlode.documents import NearDuplicate, Version


commands = group("What we know: images, labels, versions.")

EveryOne = Annotated[bool, typer.Option("--all", help="every near-duplicate of the dataset")]


@commands.command()
def create(
    name: str,
    classes: Annotated[str, typer.Option(help=f"the classes' names, {CLASSES}")],
    task: Annotated[str, typer.Option(help="classification, multilabel, detection or segmentation")] = "classification",
    description: str = "",
    multi_label: Annotated[bool, typer.Option("--multi-label", help="the same as --task multilabel")] = False,
    project: InProject = None,
) -> None:
    """Create a new, empty dataset."""
    names = class_names(classes)
    made = client().datasets.create(
        name, classes=names, task=task, description=description, multi_label=multi_label, project=project
    )
    held = plural(len(made["classes"]), "class", "classes")
    out.print(f"dataset {made['name']} with {held}; next: lode dataset push FOLDER {name}")


@commands.command("list")
def list_datasets(archived: Archived = False, as_json: AsJson = False) -> None:
    """List all datasets."""
    found = listed(client().datasets, archived)
    if as_json:
        show_json(list(found))
        return
    rows = (
        (one["name"], one["task"], one["head"], one["counts"]["samples"], one["counts"]["labelled"]) for one in found
    )
    show_table("name", "task", "head", "samples", "labelled", rows=rows)


@commands.command()
def show(name: str, as_json: AsJson = False) -> None:
    """Show a dataset: counts and versions."""
    found = client().datasets.get(name)
    if as_json:
        show_json({**found, "versions": list(client().datasets.versions(name))})
        return
    counts = found["counts"]
    out.print(f"{found['name']}: {found['task']} of {', '.join(found['classes'])}")
    splits = ", ".join(f"{count} {split}" for split, count in counts["by_split"].items()) or "in no split"
    out.print(f"{plural(counts['samples'], 'sample')} ({splits}), {counts['labelled']} labelled\n")
    show_versions(client().datasets.versions(name))


@commands.command("near-duplicates")
def near_duplicates(
    name: str,
    limit: Annotated[int, typer.Option(help="how many to list", min=1)] = 50,
    check: Annotated[
        bool, typer.Option("--check", help="check again the near-duplicates that an older release found")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """List the near-duplicates of test samples: those kept out of train, and those allowed."""
    if check:
        done = client().datasets.check_near_duplicates(name)
        out.print(f"{done['checked']} checked: {done['confirmed']} confirmed, {done['forgotten']} forgotten; "
                  f"{plural(done['moved'], 'labelled sample')} went to train")  # fmt: skip
    counts = client().datasets.near_duplicate_counts(name)
    rows = list(islice(client().datasets.near_duplicates(name), limit))
    if as_json:
        show_json({"counts": counts, "results": rows})
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
def allow(name: str, key: Annotated[list[str] | None, typer.Argument()] = None, every: EveryOne = False) -> None:
    """Allow near-duplicates of test samples in train: these keys, or --all."""
    _decide(name, "allow", key, every=every)


@commands.command("keep-out")
def keep_out(name: str, key: Annotated[list[str] | None, typer.Argument()] = None, every: EveryOne = False) -> None:
    """Keep near-duplicates of test samples out of train: these keys, or --all."""
    _decide(name, "keep_out", key, every=every)


def _decide(name: str, decision: str, keys: list[str] | None, *, every: bool) -> None:
    if every == bool(keys):
        raise typer.BadParameter("name keys, or say --all")
    done = client().datasets.decide_near_duplicates(name, decision, keys=None if every else keys)
    where = f": version {done['version']}" if done["version"] else ""
    out.print(f"{done['near_duplicates']} decided, {plural(done['moved'], 'sample')} moved{where}")
    show_rejected(done["rejected"])


def show_versions(versions: Iterable[Version]) -> None:
    """Print versions as a table."""
    names = ("version", "parent", "added", "updated", "removed", "labelled", "author", "message", "created")
    show_table(*names, rows=([one[field] for field in names] for one in versions))  # type: ignore[literal-required]  # its own fields
