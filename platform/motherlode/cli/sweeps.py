"""`lode sweep`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any

import typer

from motherlode.bars import progress_bars
from motherlode.cli.lifecycle import Archived
from motherlode.cli.runs import ended_words, followed
from motherlode.cli.terminal import (
    FAILED,
    Architecture,
    Limit,
    Seed,
    answered,
    aside,
    client,
    group,
    out,
    parsed,
    show_table,
    version_named,
)

if TYPE_CHECKING:
    from motherlode.documents import Sweep, SweepRow, Trial


commands = group("Searches over training settings and architectures; each trial is a run.")
RANGE = re.compile(r"(?P<low>[^,:]+)\.\.(?P<high>[^,:]+)(?::(?P<how>log|[^:]+))?")


@commands.command()
def create(
    model: str,
    dataset: Annotated[str, typer.Option(help="a dataset, or name@v3")],
    search: Annotated[
        list[str],
        typer.Option(
            help="recipe.learning_rate=1e-4..1e-1:log, params.width=16..64:16, recipe.optimiser=adamw,sgd; repeatable"
        ),
    ],
    architecture: Architecture = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="setting of every trial, such as recipe.steps=500; repeatable")
    ] = None,
    name: Annotated[str | None, typer.Option(help="its name; by default one is made up")] = None,
    seed: Seed = 0,
    metric: Annotated[
        str | None, typer.Option(help="metric to optimise: the headline of the task type, or loss")
    ] = None,
    trials: Annotated[int | None, typer.Option(help="number of trials; by default 20, or all points of a grid")] = None,
    parallel: Annotated[int, typer.Option(help="trials at once")] = 2,
    sampler: Annotated[str, typer.Option(help="tpe, random or grid")] = "tpe",
    pruner: Annotated[str, typer.Option(help="median, halving or none")] = "median",
    startup: Annotated[int, typer.Option(help="complete trials before the median prunes any")] = 5,
    warmup: Annotated[int, typer.Option(help="evaluations of each trial before it may be pruned")] = 1,
    wait: Annotated[bool, typer.Option("--wait", help="follow it to its end")] = False,
) -> None:
    """Search settings: trials train and are judged on split val."""
    place, version = version_named(dataset)
    options = {"name": name, "seed": seed, "metric": metric, "trials": trials, "parallel": parallel, "sampler": sampler,
               "pruner": pruner, "startup": startup, "warmup": warmup}  # fmt: skip
    made = client().sweeps.create(
        model, dataset=place, version=version, architecture=architecture, config=parsed(settings or []),
        space=_space(search), **options,
    )  # fmt: skip
    if wait:
        watch(made["name"])
    elif not answered(made):
        out.print(f"{made['name']}; next: lode sweep watch {made['name']}, lode sweep best {made['name']}")


@commands.command("list")
def list_sweeps(
    model: Annotated[str | None, typer.Option(help="only those of one model")] = None,
    limit: Limit = 20,
    archived: Archived = False,
) -> None:
    """List the newest sweeps."""
    sweeps = client().sweeps
    found: Iterator[SweepRow] = islice(sweeps.archived() if archived else sweeps.all(model=model), limit)
    if answered(found):
        return
    rows = (
        (one["id"], one["name"], one["state"], one["model"], f"{one['dataset']} v{one['version']}",
         f"{_ended(one)} of {one['trials']}", _best(one))
        for one in found
    )  # fmt: skip
    show_table("id", "name", "state", "model", "data", "trials", "best", rows=rows)


@commands.command()
def show(sweep: str) -> None:
    """Show a sweep with its trials, the best first, and which settings matter."""
    found, trials = client().sweeps.get(sweep), list(client().sweeps.trials(sweep))
    if answered({"sweep": found, "trials": trials}):
        return
    out.print(f"{found['name']} of {found['model']} on {found['dataset']} v{found['version']} is {found['state']}")
    counts = ", ".join(f"{count} {state}" for state, count in found["counts"].items() if count)
    out.print(f"{_ended(found)} of {found['trials']} trials have ended{f': {counts}' if counts else ''}")
    if found["error"]:
        out.print(found["error"], soft_wrap=True)
    sign = -1 if found["direction"] == "maximize" else 1
    ranked = sorted(trials, key=lambda one: (one["value"] is None, sign * (one["value"] or 0), one["number"]))
    names = list(found["space"])
    rows = (
        (one["number"], one["run"], one["state"], None if one["value"] is None else f"{one['value']:.4g}",
         *map(_word, (one["params"][name] for name in names)), one["reason"] or None)
        for one in ranked
    )  # fmt: skip
    show_table("trial", "run", "state", found["metric"], *names, "reason", rows=rows)
    if found["importance"]:
        out.print()
        shares = [(one["name"], f"{one['share']:.0%}") for one in found["importance"]]
        show_table("setting", "share of the variance", rows=shares)


@commands.command()
def watch(sweep: str) -> None:
    """Follow a sweep to its end, and show its results. Ctrl-C leaves it running."""
    with progress_bars(aside()) as bars:
        bar = bars.add_task("trials", total=None)

        def told(found: Sweep) -> None:
            words = f"trials, {found['counts']['running']} running; best {_best(found) or 'none yet'}"
            bars.update(bar, completed=_ended(found), total=found["trials"], description=words)

        ended = client().sweeps.wait(sweep, on_progress=told)
    show(sweep)
    if ended["state"] != "succeeded":
        raise typer.Exit(FAILED)


@commands.command()
def best(sweep: str) -> None:
    """Show the best trial so far: its settings, and how to make a version of it."""
    found = client().sweeps.get(sweep)
    trial = found["best"]
    told = answered(trial)
    if trial is None:
        aside().print(f"no trial of {found['name']} is complete yet")
        raise typer.Exit(FAILED)
    if told:
        return
    out.print(f"trial {trial['number']}, run {trial['run']}: {found['metric']} {trial['value']:.4g}")
    show_table("setting", "value", rows=[(name, _word(value)) for name, value in trial["params"].items()])
    made = trial["model_version"]
    out.print(f"it is {found['model']} v{made}" if made else f"next: lode run register {trial['run']}")


@commands.command()
def register(
    sweep: str,
    best: Annotated[int, typer.Option(help="how many of its complete trials to register, best first")] = 1,
    wait: Annotated[bool, typer.Option("--wait", help="follow them to their end")] = False,
) -> None:
    """Export, verify and register the best trials, each as a version of the model."""
    told = client().sweeps.register(sweep, best=best)
    for trial in told["trials"]:
        made, asked = trial["model_version"], trial["run"] in told["started"]
        state = f"is version {made}" if made else "is queued" if asked else f"was asked for: {trial['job_state']}"
        aside().print(f"trial {trial['number']}, run {trial['run']}, {state}")
    for run in told["started"] if wait else ():
        aside().print(ended_words(followed(run)))
    if wait:
        now = {trial["number"]: trial for trial in client().sweeps.trials(sweep)}
        told["trials"] = [now[trial["number"]] for trial in told["trials"]]
    answered(told)


@commands.command()
def cancel(sweep: str) -> None:
    """Stop the running trials and start no others; what is complete stays."""
    cancelled = client().sweeps.cancel(sweep)
    if not answered(cancelled):
        out.print(f"{sweep} is {cancelled['state']}")


def _space(search: list[str]) -> dict[str, Any]:
    """Parse all `--search`. Raises BadParameter for a setting that two of them name."""
    space: dict[str, Any] = {}
    for text in search:
        name, values = _searched(text)
        if name in space:
            raise typer.BadParameter(f"{text!r}: {name} is searched already; name all its values in one --search")
        space[name] = values
    return space


def _searched(text: str) -> tuple[str, dict[str, Any]]:
    """Parse `recipe.learning_rate=1e-4..1e-1:log` into the API's form."""
    name, found, words = text.partition("=")
    if not (name and found and words):
        raise typer.BadParameter(
            f"{text!r}: wants NAME=LOW..HIGH, NAME=LOW..HIGH:log, NAME=LOW..HIGH:STEP or NAME=A,B,C"
        )
    if match := RANGE.fullmatch(words):
        how = match["how"]
        ends = {"low": _number(match["low"], text), "high": _number(match["high"], text)}
        return name, ends | ({} if how is None else {"log": True} if how == "log" else {"step": _number(how, text)})
    return name, {"choices": [_value(word.strip()) for word in words.split(",")]}


def _number(word: str, text: str) -> int | float:
    value = _value(word)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise typer.BadParameter(f"{text!r}: {word!r} is not a number")
    return value


def _value(word: str) -> Any:
    """Parse a value as JSON, else keep it as text."""
    try:
        return json.loads(word)
    except ValueError:
        return word


def _word(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _ended(sweep: Sweep | SweepRow) -> int:
    return sum(count for state, count in sweep["counts"].items() if state != "running" and isinstance(count, int))


def _best(sweep: Sweep | SweepRow) -> str | None:
    trial: Trial | None = sweep["best"]
    return None if trial is None or trial["value"] is None else f"{sweep['metric']} {trial['value']:.4g}"
