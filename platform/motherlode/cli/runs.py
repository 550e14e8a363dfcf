"""`lode run`."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from motherlode.bars import amount
from motherlode.cli.terminal import (
    Architecture,
    Limit,
    Needs,
    Seed,
    answered,
    client,
    err,
    group,
    left_out_words,
    needs_told,
    out,
    parsed,
    place_for_a_file,
    refuse_ended,
    show_table,
    show_warnings,
    version_named,
    waiting_words,
    watch_job,
    write_whole,
)
from worker_programs.wording import plural

if TYPE_CHECKING:
    from motherlode.documents import InputsChanged, Run


commands = group("Trainings: start one, follow it, go on with it, do it again.")

Settings = Annotated[
    list[str] | None, typer.Option("--set", help="setting such as recipe.steps=500 or params.width=32; repeatable")
]


@commands.command()
def start(
    model: str,
    dataset: Annotated[str, typer.Option(help="a dataset, or name@v3")],
    architecture: Architecture = None,
    parent: Annotated[str | None, typer.Option(help="start from the weights of name@production or name@3")] = None,
    seed: Seed = 0,
    settings: Settings = None,
    needs: Needs = None,
    wait: Annotated[bool, typer.Option("--wait", help="follow it to its end")] = False,
) -> None:
    """Train, verify and register a version of a model."""
    name, version = version_named(dataset)
    config, needed = parsed(settings or []), needs_told(needs)
    forecast = client().runs.forecast(name, version=version, architecture=architecture, config=config, needs=needed)
    made = client().runs.create(model, dataset=name, version=version, architecture=architecture, config=config,
                                parent=parent, seed=seed, needs=needed)  # fmt: skip
    err.print(forecast["words"])
    _started(made, wait=wait)


@commands.command("list")
def list_runs(
    model: Annotated[str | None, typer.Option(help="only those of one model")] = None,
    limit: Limit = 20,
) -> None:
    """List the newest runs."""
    found = islice(client().runs.all(model=model), limit)
    if answered(found):
        return
    rows = (
        (one["id"], one["model"], f"{one['dataset']} v{one['version']}", one["architecture"], one["job"]["state"],
         one["model_version"], one["created"][:19])
        for one in found
    )  # fmt: skip
    show_table("run", "model", "dataset", "architecture", "state", "version", "created", rows=rows)


@commands.command()
def show(run: int) -> None:
    """Show a run: its inputs, its progress and its results."""
    found = client().runs.get(run)
    if answered(found):
        return
    job = found["job"]
    made = f"; it made version {found['model_version']}" if found["model_version"] else ""
    out.print(f"run {run} of {found['model']} is {job['state']}{made}")
    show_warnings(found["warnings"])
    if job["error"]:
        out.print(f"{job['error']['code']}: {job['error']['detail']}")
    rows: dict[str, Any] = {
        "dataset": f"{found['dataset']} v{found['version']}",
        "architecture": found["architecture"],
        "chosen": found["choice"]["reason"] if found["choice"] else None,
        "config": json.dumps(found["config"]),
        "seed": found["seed"],
        "left out": left_out_words(found["left_out"], "labelled samples"),
        "parent": found["parent"],
        "cloned from": found["cloned_from"],
        "read": _read_words(found),
        "exchanged": f"{amount(found['sent_bytes'])} sent by each process" if found["sent_bytes"] else None,
        "inputs changed": changed_words(found["inputs_changed"]),
        "needs": json.dumps(found["needs"]) if found["needs"] else None,
        "job": job["id"],
        "waits": job["missing"],
        "in line": waiting_words(job),
        "notes": found["notes"] or None,
    }
    show_table("", "", rows=rows.items())


@commands.command()
def watch(run: int) -> None:
    """Follow a run to its end."""
    ended = followed(run)
    if not answered(ended):
        out.print(ended_words(ended))


@commands.command()
def cancel(run: int) -> None:
    """Ask a run to stop; `lode run resume` continues it."""
    refuse_ended(f"run {run}", client().runs.get(run)["job"])
    cancelled = client().runs.cancel(run)
    if not answered(cancelled):
        out.print(f"run {run} is {cancelled['job']['state']}")


@commands.command()
def resume(
    run: int,
    wait: Annotated[bool, typer.Option("--wait", help="follow it to its end")] = False,
) -> None:
    """Resume a failed or cancelled run from its newest recovery snapshot."""
    _started(client().runs.resume(run), wait=wait)


@commands.command()
def register(
    run: int,
    wait: Annotated[bool, typer.Option("--wait", help="follow it to its end")] = False,
) -> None:
    """Export, verify and register the model that a trial of a sweep has trained."""
    _started(client().runs.register(run), wait=wait)


@commands.command()
def manifest(
    run: int,
    launcher: Annotated[str, typer.Option("--for", help="kubernetes or slurm")],
    nodes: Annotated[int, typer.Option(help="nodes that share its processes and needs")] = 1,
    least_nodes: Annotated[int | None, typer.Option(help="fewest nodes it goes on with; by default all")] = None,
    image: Annotated[str | None, typer.Option(help="container image that Kubernetes runs")] = None,
    queue: Annotated[str | None, typer.Option(help="Kueue's LocalQueue, or Slurm's partition")] = None,
    hours: Annotated[int | None, typer.Option(help="hours that Slurm gives it; by default 24")] = None,
) -> None:
    """Print the manifest that starts nodes for this run alone: for `kubectl apply -f -`, or for `sbatch`."""
    choices = {"nodes": nodes, "least_nodes": least_nodes, "image": image, "queue": queue, "hours": hours}
    made = client().runs.launch(run, launcher, **choices)
    if not answered({"launcher": launcher, "text": made}):
        typer.echo(made, nl=False)


@commands.command()
def clone(
    run: int,
    dataset: Annotated[str | None, typer.Option(help="another dataset, or name@v3")] = None,
    model: Annotated[str | None, typer.Option(help="another model of the same classes")] = None,
    architecture: Annotated[str | None, typer.Option(help="another architecture, with its own params")] = None,
    parent: Annotated[str | None, typer.Option(help="other weights to start from")] = None,
    seed: Annotated[int | None, typer.Option(help="another seed")] = None,
    settings: Settings = None,
    needs: Needs = None,
    wait: Annotated[bool, typer.Option("--wait", help="follow it to its end")] = False,
) -> None:
    """Train again with the same inputs, except for changes you give: unchanged, it gives the same weights."""
    name, version = version_named(dataset) if dataset is not None else (None, None)
    changes = {"dataset": name, "version": version, "model": model, "architecture": architecture, "parent": parent,
               "seed": seed, "config": parsed(settings or []), "needs": needs_told(needs)}  # fmt: skip
    given = {field: value for field, value in changes.items() if value not in (None, "", {})}
    made = client().runs.clone(run, **given)
    if words := changed_words(made["inputs_changed"]):
        err.print(f"It reads other samples than run {run} did: {words}. Its weights will differ.")
    elif made["inputs_changed"] is None:
        err.print(f"It is not known what run {run} read, so whether this reads the same is not known either.")
    _started(made, wait=wait)


@commands.command()
def note(run: int, text: str) -> None:
    """Write a run's notes."""
    if not answered(client().runs.note(run, text)):
        out.print(f"run {run} is noted")


@commands.command()
def snapshots(
    run: int,
    step: Annotated[int | None, typer.Option(help="download the checkpoint of this step")] = None,
    kind: Annotated[str | None, typer.Option(help="best or recovery, where a step has both")] = None,
    to: Annotated[
        Path | None,
        typer.Option(callback=place_for_a_file, help="where to write it; by default here, under its own name"),
    ] = None,
) -> None:
    """List the checkpoints kept while a run trained; with --step, download one."""
    if step is None:
        found = client().runs.snapshots(run)
        if answered(found):
            return
        rows = (
            (one["step"], one["kind"], json.dumps(one["metrics"]), amount(one["size"]), one["created"][:19])
            for one in found
        )
        show_table("step", "kind", "metrics", "size", "created", rows=rows)
        return
    target = to or Path(f"run-{run}-{step}.safetensors")
    write_whole(target, client().runs.snapshot(run, step, kind=kind))
    if answered({"file": str(target), "bytes": target.stat().st_size}):
        return
    out.print(f"{target} ({amount(target.stat().st_size)})")


def _started(run: Run, *, wait: bool) -> None:
    if wait:
        show_warnings(run["warnings"])
        watch(run["id"])
    elif not answered(run):
        show_warnings(run["warnings"])
        out.print(f"run {run['id']}; next: lode run watch {run['id']}")


def _read_words(run: Run) -> str | None:
    """Say what a run's training read, and how much of it was erased since."""
    read, lost = run["read"], run["lost"]
    if read is None:
        return None
    words = f"{plural(read['train']['samples'], 'sample')} to train, {read['validation']['samples']:,} to validate"
    gone = lost["train"] + lost["validation"] if lost else 0
    return f"{words}; {gone:,} of them were erased since" if gone else words


def changed_words(changed: InputsChanged | None) -> str | None:
    """Say how the inputs of a clone differ from those of the run it was cloned from; None where they don't."""
    if changed is None:
        return None
    parts = [
        f"{name} {', '.join(f'{count:,} {word}' for word, count in counts.items() if count)}"
        for name, counts in (("train", changed["train"]), ("validation", changed["validation"]))
        if any(counts.values())
    ]
    if not parts and changed["same"] is False:
        return "as many, but not the same"
    return "; ".join(parts) or None


def followed(run: int) -> Run:
    """Follow a run to its end and return it. Raises JobFailedError."""
    watch_job(client().runs.get(run)["job"]["id"])
    return client().runs.get(run)


def ended_words(run: Run) -> str:
    """Say what a run has made."""
    return f"run {run['id']} made version {run['model_version']} of {run['model']}"
