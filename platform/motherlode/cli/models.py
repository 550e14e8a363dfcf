"""`lode model`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from motherlode.bars import JobBar, progress_bars
from motherlode.cli.lifecycle import Archived, listed
from motherlode.cli.terminal import (
    CLASSES,
    MOST_ROWS,
    NOTHING_TAKEN,
    SOME_REFUSED,
    InProject,
    answered,
    aside,
    class_list,
    class_names,
    client,
    err,
    file_with_an_end,
    group,
    json_value,
    out,
    place_for_a_file,
    read_json,
    show_table,
    show_warnings,
    version_named,
    watch_job,
    write_whole,
)
from motherlode.errors import MotherlodeError
from motherlode.transport import Upload
from worker_programs.wording import plural

if TYPE_CHECKING:
    from motherlode.documents import GateResult, ModelVersion, Outcome, Predictions, Promotion


commands = group("What we have learned: models and their versions.")


@commands.command()
def create(
    name: str,
    classes: Annotated[str, typer.Option(help=f"those of its datasets, {CLASSES}")],
    task: Annotated[str, typer.Option(help="task type of the datasets it learns from")] = "classification",
    project: InProject = None,
) -> None:
    """Create a new model, without versions yet."""
    names = class_names(classes)
    made = client().models.create(name, classes=names, task=task, project=project)
    if not answered(made):
        out.print(f"model {made['name']} with {plural(len(made['classes']), 'class', 'classes')}")


@commands.command()
def architectures() -> None:
    """List the architectures that can be trained; --json also prints the schemas of their parameters and recipes."""
    found = client().models.architectures()
    if answered(found):
        return
    rows = ((one["name"], one["summary"], ", ".join(one["tasks"])) for one in found)
    show_table("architecture", "what it is", "tasks", rows=rows)


@commands.command("list")
def list_models(archived: Archived = False) -> None:
    """List all models."""
    found = listed(client().models, archived)
    if answered(found):
        return
    rows = (
        (
            one["name"],
            one["task"],
            one["latest"],
            ", ".join(f"{alias['name']}={alias['version']}" for alias in one["aliases"]),
        )
        for one in found
    )
    show_table("name", "task", "latest", "aliases", rows=rows)


@commands.command()
def show(name: str) -> None:
    """Show a model, version by version."""
    found = client().models.get(name)
    if answered({**found, "versions": client().models.versions(name)}):
        return
    out.print(f"{found['name']}: {found['task']} of {class_list(found['classes'])}\n", soft_wrap=True)
    rows = (
        (one["version"], one["architecture"], _trained_on(one), _judged_on(one), _headline(one),
         ", ".join(one["aliases"]), one["created"][:19])
        for one in client().models.versions(name)
    )  # fmt: skip
    show_table("version", "architecture", "trained on", "judged on", "headline", "aliases", "created", rows=rows)


@commands.command()
def download(
    name: str,
    version: Annotated[str, typer.Argument(help="a number or an alias")] = "production",
    path: Annotated[str, typer.Option(help="which of the version's files")] = "model.onnx",
    to: Annotated[
        Path | None,
        typer.Option(callback=place_for_a_file, help="where to write it; by default here, under its own name"),
    ] = None,
) -> None:
    """Fetch a file of a version, by default the ONNX model in production."""
    target = to or Path(Path(path).name)
    write_whole(target, client().models.artifact(name, version, path))
    if not answered({"file": str(target), "bytes": target.stat().st_size}):
        out.print(f"{target} ({target.stat().st_size / 1e6:.1f} MB)")


@commands.command()
def version(
    name: str,
    version: Annotated[str, typer.Argument(help="a number or an alias")] = "production",
) -> None:
    """Show a version: its origin, its figures, the gates' verdicts and its files."""
    found = client().models.version(name, version)
    if answered(found):
        return
    lineage = found["lineage"]
    out.print(f"{found['model']} v{found['version']}: {found['architecture']}, {found['digest']}", soft_wrap=True)
    rows: dict[str, Any] = {
        "trained on": _trained_on(found),
        "judged on": _judged_on(found),
        "run": lineage["run"],
        "parent": lineage["parent"],
        "made from": ", ".join(lineage["made_from"]) or None,
        "aliases": ", ".join(found["aliases"]) or None,
        "headline": _headline(found),
        "notes": found["notes"] or None,
    }
    show_table("", "", rows=rows.items())
    show_warnings(found["warnings"])
    _show_verdicts(found["gates"])
    out.print()
    show_table("file", "bytes", rows=((file["path"], file["size"]) for file in found["artifacts"]))


@commands.command()
def outcomes(
    name: str,
    version: Annotated[str, typer.Argument(help="a number or an alias")] = "production",
    kind: Annotated[str, typer.Option(help="missed, wrong, or cell (of the confusion matrix)")] = "wrong",
    class_name: Annotated[str | None, typer.Option("--class", help="only this class, with missed or wrong")] = None,
    label: Annotated[str | None, typer.Option(help="true class of the cell; for boxes also background")] = None,
    predicted: Annotated[
        str | None, typer.Option(help="predicted class of the cell; for boxes also background")
    ] = None,
    threshold: Annotated[
        float | None, typer.Option(help="lowest score of a prediction; by default as evaluated")
    ] = None,
    slice_name: Annotated[str | None, typer.Option("--slice", help="a slice that the version was evaluated on")] = None,
    order: Annotated[str, typer.Option(help="score: surest first; class: class by class")] = "score",
    limit: Annotated[int, typer.Option(min=1, max=MOST_ROWS, help="how many to list")] = 50,
) -> None:
    """List what a version missed, predicted wrongly or took for something else, one by one; boxes in pixels."""
    rows = client().models.outcomes(
        name, version, kind=kind, class_name=class_name, label=label, predicted=predicted, threshold=threshold,
        slice=slice_name, order=order,
    )  # fmt: skip
    found = islice(rows, limit)
    if answered(found):
        return
    show_table(
        "key", "true", "predicted", "score", "overlap", "box", "object",
        rows=(
            (one["key"] or "(erased)", one["label"], one["predicted"], f"{one['score']:.4f}",
             None if one["overlap"] is None else f"{one['overlap']:.2f}", _pixels(one, one["box"]),
             _pixels(one, one["object"]))
            for one in found
        ),
    )  # fmt: skip


def _pixels(one: Outcome, box: Sequence[float] | None) -> str | None:
    """Convert corners to whole pixels where the size of the image is known."""
    width, height = one["width"], one["height"]
    if box is None:
        return None
    if not width or not height:
        return ", ".join(f"{part:g}" for part in box)
    return ", ".join(f"{part * side:.0f}" for part, side in zip(box, (width, height, width, height), strict=True))


@commands.command()
def upload(
    name: str,
    onnx: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="the ONNX file")],
    dataset: Annotated[str | None, typer.Option(help="dataset to check and evaluate on, as name@v3")] = None,
    metadata: Annotated[
        Path | None,
        typer.Option(
            exists=True,
            dir_okay=False,
            callback=file_with_an_end,
            help="JSON file that says how it reads images (docs/howto/models.md)",
        ),
    ] = None,
) -> None:
    """Upload an ONNX file from elsewhere as a version, after the same checks as a trained one."""
    told: dict[str, object] = read_json(metadata) or {}
    if dataset:
        told["dataset"] = dataset
    with onnx.open("rb") as file, progress_bars(aside()) as bars:
        bar = JobBar(bars, words=f"Checking {onnx.name}")
        made = client().models.upload(name, Upload(onnx.name, file), metadata=told, on_progress=bar.show)
        bar.finish(1)
    if answered(made):
        return
    ready = "ready for TensorRT" if made["report"].get("ready") else "not ready for TensorRT, see its report.json"
    out.print(f"{name} has version {made['version']}, {ready}; {_headline(made) or 'not evaluated'}")


@commands.command()
def ensemble(
    name: str,
    versions: Annotated[list[str], typer.Argument(help="two versions or more, by number or alias")],
    dataset: Annotated[str | None, typer.Option(help="dataset to check and evaluate on, as name@v3")] = None,
    wait: Annotated[bool, typer.Option("--wait", help="follow it to its end")] = False,
) -> None:
    """Make one version from several: a file that averages their probabilities."""
    place, version = version_named(dataset) if dataset is not None else (None, None)
    job = client().models.ensemble(name, versions, dataset=place, version=version)["job"]
    if wait:
        made = client().models.made_by(name, watch_job(job["id"]))
        if not answered(made):
            out.print(f"{name} has version {made['version']}")
    elif not answered({"job": job}):
        out.print(f"job {job['id']}; next: lode job watch {job['id']}")


@commands.command()
def predict(
    name: str,
    images: Annotated[list[Path], typer.Argument(exists=True, dir_okay=False, help="files of images")],
    version: Annotated[str, typer.Option(help="a number or an alias")] = "production",
    top: Annotated[int, typer.Option(help="how many classes to show for each image")] = 5,
    artifact: Annotated[str, typer.Option(help="which of the version's ONNX files")] = "model.onnx",
) -> None:
    """Predict images with a version. Exit codes: 0 all were predicted, 3 some could not be read, 4 none could."""
    with ExitStack() as stack:
        uploads = [Upload(str(path), stack.enter_context(path.open("rb"))) for path in images]
        answer = client().models.predict(name, version, uploads, top=top, artifact=artifact)
    if not answered(answer):
        _show_predictions(answer)
    refused = sum(one["error"] is not None for one in answer["results"])
    if refused:
        raise typer.Exit(SOME_REFUSED if refused < len(answer["results"]) else NOTHING_TAKEN)


def _show_predictions(answer: Predictions) -> None:
    for one in answer["results"]:
        if one["error"]:
            code, detail = one["error"]["code"], one["error"]["detail"]
            err.print(Text.assemble(f"{one['name']}: ", (code, "red"), f" {detail}"), soft_wrap=True)
    told = [(one["name"], found) for one in answer["results"] for found in one["predictions"]]
    boxed = any("box" in found for _, found in told)
    rows = (
        [
            name,
            found["class"],
            f"{found['probability']:.2%}",
            f"{found['calibrated']:.2%}" if "calibrated" in found else None,
            *([", ".join(f"{part:g}" for part in found["box"])] if boxed else []),
        ]
        for name, found in told
    )
    show_table("image", "class", "probability", "calibrated", *(["box"] if boxed else []), rows=rows)


@commands.command()
def promote(
    name: str,
    version: Annotated[str, typer.Argument(help="a number or an alias")],
    reason: Annotated[str, typer.Option(help="reason, which is kept for ever")],
    alias: Annotated[str, typer.Option(help="alias to move")] = "production",
    override: Annotated[bool, typer.Option("--override", help="promote even if a gate fails")] = False,
) -> None:
    """Point an alias at a version, when every gate passes."""
    try:
        made = client().models.promote(name, version, reason=reason, alias=alias, override=override)
    except MotherlodeError as error:
        _show_verdicts(error.extra.get("gates", []))
        raise
    _show_move(name, made)


@commands.command()
def rollback(
    name: str,
    reason: Annotated[str, typer.Option(help="reason, which is kept for ever")],
    alias: Annotated[str, typer.Option(help="alias to move")] = "production",
    to: Annotated[int | None, typer.Option(help="previous version that you expect; refused if it is another")] = None,
) -> None:
    """Point an alias back at its previous version."""
    _show_move(name, client().models.roll_back(name, reason=reason, alias=alias, version=to))


@commands.command()
def gates(
    name: str,
    to: Annotated[
        Path | None,
        typer.Option("--set", exists=True, dir_okay=False, callback=file_with_an_end, help="JSON file of new gates"),
    ] = None,
    default: Annotated[bool, typer.Option("--default", help="go back to the default gates")] = False,
) -> None:
    """Show what a version must pass before an alias moves to it; --set changes it."""
    if to or default:
        found = client().models.change(name, gates=json_value(to.read_bytes(), str(to)) if to else None)
    else:
        found = client().models.get(name)
    if answered(found["gates"]):
        return
    for gate in found["gates"]:
        out.print_json(json.dumps(gate), indent=None)


@commands.command()
def note(name: str, version: Annotated[str, typer.Argument(help="a number or an alias")], text: str) -> None:
    """Write a version's notes."""
    if not answered(client().models.note(name, version, text)):
        out.print(f"{name} {version} is noted")


def _show_move(name: str, made: Promotion) -> None:
    if answered(made):
        return
    _show_verdicts(made["gates"])
    before = f", before at v{made['previous']}" if made["previous"] else ""
    out.print(f"{made['alias']} of {name} is at v{made['version']}{before}")


def _show_verdicts(verdicts: list[GateResult]) -> None:
    for one in verdicts:
        mark = ("passes", "green") if one["passed"] else ("fails", "red")
        aside().print(Text.assemble("  ", mark, f" {one['gate']}: {one['detail']}"), soft_wrap=True)


def _trained_on(made: ModelVersion) -> str | None:
    """Name the dataset version that a version's run was trained on. An ensemble learned through its members, and an
    upload elsewhere."""
    if made["architecture"] == "ensemble":
        return "through its members"
    return _data(made) if made["dataset_role"] == "trained" else None


def _judged_on(made: ModelVersion) -> str | None:
    """Name the dataset version that a version without a run was evaluated on; a trained one is on the version that it
    was trained on."""
    return _data(made) if made["dataset_role"] == "judged" else None


def _data(made: ModelVersion) -> str | None:
    return f"{made['dataset']} v{made['dataset_version']}" if made["dataset"] else None


def _headline(version: ModelVersion) -> str | None:
    """Format a version's main figure, as `accuracy 95.20%`; None for a version that was not evaluated."""
    name, value = version["headline"]["name"], version["headline"]["value"]
    return None if value is None else f"{name} {value:.2%}"
