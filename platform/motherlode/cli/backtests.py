"""`lode backtest`."""

from __future__ import annotations

import json
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any

import typer

from motherlode.cli.lifecycle import Archived, listed
from motherlode.cli.terminal import (
    Limit,
    answered,
    client,
    group,
    left_out_words,
    out,
    parsed,
    share,
    show_table,
    version_named,
    watch_job,
)

if TYPE_CHECKING:
    from motherlode.documents import Backtest, BacktestRow, LabelsToTarget


commands = group("Which strategy would have saved labels: replays over labels that are there already.")


@commands.command()
def start(
    dataset: Annotated[str, typer.Argument(help="a dataset, or name@v3")],
    model: Annotated[
        str | None, typer.Option(help="train a probe over the features of name@production or name@3")
    ] = None,
    architecture: Annotated[
        str | None, typer.Option(help="architecture to train each time, in place of a probe")
    ] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", help="setting of the training, such as recipe.steps=100; repeatable")
    ] = None,
    strategy: Annotated[
        list[str] | None,
        typer.Option(
            help='strategy, with parameters as entropy:{"reduce": "sum"}; repeatable; random is always included'
        ),
    ] = None,
    name: Annotated[str | None, typer.Option(help="its name; by default one is made up")] = None,
    seeds: Annotated[int, typer.Option(help="replays of each strategy, paired")] = 20,
    rounds: Annotated[int, typer.Option(help="rounds of each replay")] = 10,
    count: Annotated[int, typer.Option(help="labels in each round; for boxes, images")] = 20,
    begin: Annotated[int, typer.Option("--start", help="labels before the first round")] = 20,
    target: Annotated[
        float | None, typer.Option(help="accuracy, for boxes mAP, up to which labels are counted: 0.9 for 90 %")
    ] = None,
    wait: Annotated[bool, typer.Option("--wait", help="follow it to its end")] = False,
) -> None:
    """Replay strategies on labelled samples, each from the same starts."""
    if (model is None) == (architecture is None):
        raise typer.BadParameter("name either --model (a probe over its features) or --architecture (trainings)")
    learner: dict[str, object] = {"kind": "probe", "model": model}
    if architecture:
        learner = {"kind": "train", "architecture": architecture, "config": parsed(settings or [])}
    place, version = version_named(dataset)
    made = client().backtests.create(place, version=version, learner=learner,
                                     strategies=[_strategy(one) for one in strategy or ["auto"]],
                                     name=name, seeds=seeds, rounds=rounds, count=count, start=begin,
                                     target=target)  # fmt: skip
    if wait:
        watch_job(made["job"]["id"])
        show(str(made["id"]))
    elif not answered(made):
        out.print(f"back-test {made['id']}; next: lode backtest watch {made['id']}, lode backtest show {made['id']}")


@commands.command()
def watch(backtest: str) -> None:
    """Follow a back-test to its end, and show its results."""
    watch_job(client().backtests.get(backtest)["job"]["id"])
    show(backtest)


@commands.command("list")
def list_backtests(limit: Limit = 20, archived: Archived = False) -> None:
    """List the newest back-tests."""
    found = islice(listed(client().backtests, archived), limit)
    if answered(found):
        return
    rows = (
        (one["id"], one["name"], one["job"]["state"], f"{one['dataset']} v{one['version']}",
         ", ".join(each["name"] for each in one["strategies"]), one["seeds"],
         _best(one))
        for one in found
    )  # fmt: skip
    show_table("id", "name", "state", "data", "strategies", "seeds", "best", rows=rows)


@commands.command()
def show(backtest: str) -> None:
    """Show a back-test: labels to the target, the paired tests, and which strategy is best, with the reason."""
    found = client().backtests.get(backtest)
    if answered(found):
        return
    out.print(f"{found['name']} on {found['dataset']} v{found['version']} is {found['job']['state']}")
    if words := left_out_words(found["left_out"], "labelled samples"):
        out.print(f"left out: {words}", soft_wrap=True)
    if found["best"]:
        out.print(f"{found['best']['headline']}. {found['best']['reason']}", soft_wrap=True)
    figure, drawn = found["figure"], _draws(found)
    counts = ("labels", *(("objects",) if drawn else ()))
    show_table("strategy", f"mean {figure}", *counts, f"{figure} at the end", "low", "high", rows=_ends(found))
    if found["labels_to_target"]:
        out.print(f"\nlabels to {share(found['target'])}")
        more = ("objects", "objects saved") if drawn else ()
        show_table("strategy", "median", "low", "high", "reached", "saved", *more, rows=_to_target(found))
    if found["tests"]:
        out.print(f"\nagainst random, paired by seed, in points of mean {figure}")
        show_table("strategy", "difference", "low", "high", "p", "wins", rows=_tests(found))


def _strategy(text: str) -> str | dict[str, Any]:
    """Parse `entropy:{"reduce": "sum"}` into the API's form."""
    name, colon, params = text.partition(":")
    if not colon:
        return name
    try:
        return {"name": name, "params": json.loads(params)}
    except ValueError as fault:
        raise typer.BadParameter(f'{text!r}: wants NAME, or NAME:JSON such as entropy:{{"reduce": "sum"}}') from fault


def _draws(backtest: Backtest) -> bool:
    """Whether the back-test's labels hold objects that people draw, which are then counted too."""
    return any(point["objects"] is not None for curve in backtest["curves"] for point in curve["points"])


def _best(row: BacktestRow) -> str | None:
    if row["best"] is None:
        return None
    return row["best"]["strategy"] if row["best"]["clear"] else "none clearly"


def _ends(backtest: Backtest) -> list[tuple[Any, ...]]:
    """Return the rows of the curves' table: the mean over all budgets and the last point of each."""
    return [
        (curve["strategy"], share(curve["mean_accuracy"]), last["labels"],
         *([] if last["objects"] is None else [round(last["objects"])]),
         share(last["mean"]), share(last["low"]), share(last["high"]))
        for curve in backtest["curves"]
        for last in curve["points"][-1:]
    ]  # fmt: skip


def _to_target(backtest: Backtest) -> list[tuple[Any, ...]]:
    return [
        (row["strategy"], *map(_whole, (row["median"], row["low"], row["high"])), f"{row['reached']} of {row['seeds']}",
         row["saved"] if row["saved"] is None else f"{'at least ' if row['saved_at_least'] else ''}{row['saved']:.0%}",
         *(_objects(row) if _draws(backtest) else ()))
        for row in backtest["labels_to_target"]
    ]  # fmt: skip


def _objects(row: LabelsToTarget) -> tuple[int | None, str | None]:
    saved = row["objects_saved"]
    return _whole(row["objects"]), None if saved is None else f"{saved:.0%}"


def _tests(backtest: Backtest) -> list[tuple[Any, ...]]:
    return [
        (test["strategy"], *(f"{100 * value:+.2f}" for value in (test["difference"], test["low"], test["high"])),
         f"{test['p_adjusted']:.2g}", f"{test['wins']} of {test['seeds']}")
        for test in backtest["tests"]
    ]  # fmt: skip


def _whole(labels: float | None) -> int | None:
    """Round a number of labels: a median may lie between two whole numbers."""
    return None if labels is None else round(labels)
