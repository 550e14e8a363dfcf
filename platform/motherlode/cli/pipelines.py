"""`lode pipeline`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from motherlode.bars import JobBar, progress_bars
from motherlode.cli.lifecycle import Archived, listed
from motherlode.cli.terminal import (
    FAILED,
    Architecture,
    Seed,
    answered,
    aside,
    client,
    commit_words,
    compact,
    file_with_an_end,
    group,
    out,
    parsed,
    read_json,
    share,
    show_table,
)
from motherlode.resources.pipelines import waits_for
from worker_programs.wording import plural

if TYPE_CHECKING:
    from motherlode.documents import Forecast, Pipeline, Round


commands = group("The loop: train, score, select, label, commit, train again.")

TERMS = ("trigger", "budget", "stop", "needs")
Terms = Annotated[
    list[str] | None,
    typer.Option(
        "--set", help='budget.labels=500, trigger.new_labels=100, stop.stable={..}, needs.train={"gpus": 1}; repeatable'
    ),
]


@commands.command()
def create(
    name: str,
    dataset: Annotated[str, typer.Option(help="dataset whose head is trained on and whose pool is mined")],
    model: Annotated[
        str | None,
        typer.Option(help="model that gets the new versions; by default a new one with the pipeline's name"),
    ] = None,
    architecture: Architecture = None,
    strategy: Annotated[
        str,
        typer.Option(help="a name that `lode mine strategies` lists; auto chooses by the labels at hand, and says why"),
    ] = "auto",
    count: Annotated[
        int | None,
        typer.Option(help="labels asked for in each round; by default as many as suit the number of classes"),
    ] = None,
    control: Annotated[float, typer.Option(help="share of these labels whose samples are picked at random")] = 0.1,
    seed: Seed = 0,
    schedule_: Annotated[
        str | None, typer.Option("--schedule", help="when rounds start: five fields of cron, in UTC")
    ] = None,
    compose: Annotated[
        Path | None,
        typer.Option(
            exists=True, dir_okay=False, callback=file_with_an_end, help="JSON file of constraints on each batch"
        ),
    ] = None,
    config: Annotated[
        list[str] | None, typer.Option(help="setting of the trainings, such as recipe.steps=500; repeatable")
    ] = None,
    commit_grace: Annotated[
        int | None, typer.Option(help="seconds from the last answer to the commit; by default the platform's (30)")
    ] = None,
    warm_start: Annotated[
        bool, typer.Option("--warm-start", help="continue training from the previous weights")
    ] = False,
    terms: Terms = None,
) -> None:
    """Create a pipeline of a dataset, a model and a strategy."""
    others: dict[str, object] = {"schedule": schedule_, "compose": read_json(compose), "warm_start": warm_start or None}
    others["commit_grace"] = commit_grace
    given = {field: value for field, value in others.items() if value is not None}
    made = client().pipelines.create(name, dataset=dataset, model=model, architecture=architecture, strategy=strategy,
                                     count=count, control=control, seed=seed, config=parsed(config or []),
                                     **given, **_terms(terms))  # fmt: skip
    if not answered(made):
        out.print(f"pipeline {made['name']} trains {made['architecture']} as model {made['model']}, with "
                  f"{plural(made['count'], 'label')} a round; next: lode pipeline start {name}")  # fmt: skip


@commands.command("list")
def list_pipelines(archived: Archived = False) -> None:
    """List all pipelines."""
    found = listed(client().pipelines, archived)
    if answered(found):
        return
    rows = (
        (one["name"], one["dataset"], one["model"], one["strategy"]["name"], one["state"], one["current_round"],
         one["schedule_words"])
        for one in found
    )  # fmt: skip
    show_table("name", "dataset", "model", "strategy", "state", "round", "schedule", rows=rows)


@commands.command()
def start(name: str) -> None:
    """Begin the next round. Exit code 1: it failed at once."""
    client().pipelines.start_round(name)
    _tell_newest(name, _started_words)


def _tell_newest(name: str, words: Callable[[str, Round], str]) -> None:
    """Print the newest round. Raises typer.Exit if it failed at once."""
    newest = client().pipelines.rounds(name)[-1]
    failed = newest["state"] == "failed"
    if not answered(newest):
        out.print(f"{_state_words(name, newest)}: {newest['error']}" if failed else words(name, newest))
    if failed:
        raise typer.Exit(FAILED)


def _started_words(name: str, newest: Round) -> str:
    page = f"{client().url}/app/pipelines/{client().pipelines.get(name)['id']}"
    waits = "it will wait for labels in a queue:\nlode queue list, or the web page:"
    return f"{_state_words(name, newest)}; {waits}\n{page}"


def _state_words(name: str, newest: Round) -> str:
    return f"round {newest['number']} of {name} is {newest['state']}"


@commands.command()
def watch(name: str) -> None:
    """Follow the newest round until it has ended or needs somebody: to label, to review, or to release a hold."""
    round_, bars_of = None, dict[int, JobBar]()
    with progress_bars(aside()) as bars:
        for round_ in client().pipelines.watch(name):
            if job := round_["job"]:
                bar = bars_of.get(job["id"]) or bars_of.setdefault(job["id"], JobBar(bars))
                bar.show(job)
    if not answered(round_):
        none = f"{name} has no round yet: lode pipeline start {name}"
        out.print(f"round {round_['number']} of {name}: {_round_words(round_)}" if round_ else none)
    if round_ and round_["state"] in {"failed", "cancelled"}:
        raise typer.Exit(FAILED)


def _round_words(round_: Round) -> str:
    if words := waits_for(round_):
        return words
    if round_["state"] == "done":
        moved = "was promoted" if round_["promoted"] else "was not promoted"
        value = share(round_["value"])
        judged = f"with {round_['metric']} {value}" if value else "without a labelled sample to evaluate it on"
        return f"done; version {round_['model_version']} {judged} {moved}"
    return f"{round_['state']}: {round_['error']}" if round_["error"] else f"it is {round_['state']}"


@commands.command()
def show(name: str) -> None:
    """Show a pipeline and its rounds."""
    pipelines = client().pipelines
    found, rounds, control = pipelines.get(name), pipelines.rounds(name), pipelines.against_random(name)
    if answered({**found, "rounds": rounds, "against_random": control}):
        return
    out.print(f"{found['name']}: {found['strategy']['name']} on {found['dataset']}, {found['architecture']} -> "
              f"{found['model']}, {plural(found['count'], 'label')} a round; {found['state']}")  # fmt: skip
    show_table("", "", rows=_terms_told(found).items())
    rows = (
        (one["number"], one["state"], one["labels"], share(one["value"]), one["model_version"],
         {True: "yes", False: "no", None: None}[one["promoted"]], _lift(one), one["queue"], one["error"])
        for one in rounds
    )  # fmt: skip
    figure = rounds[0]["metric"] if rounds else "value"
    show_table("round", "state", "labels", figure, "model", "promoted", "lift", "queue", "error", rows=rows)
    out.print(control["sentence"])
    if rounds and (words := commit_words(rounds[-1]["auto_commit"])):
        out.print(f"{rounds[-1]['queue']}: {words}")


def _terms_told(pipeline: Pipeline) -> dict[str, Any]:
    spent, stopped = pipeline["spent"], pipeline["stopped"]
    return {
        "commits": f"{pipeline['commit_grace']} seconds after the last answer",
        "schedule": pipeline["schedule_words"],
        "next run": pipeline["next_run"],
        "trigger": compact(pipeline["trigger"]),
        "budget": compact(pipeline["budget"]),
        "spent": f"{plural(spent['labels'], 'label')} ({spent['labels_today']} today), {spent['money']:.2f} money, "
        f"{spent['compute_hours']:.2f} hours of computing",
        "stops by": compact(pipeline["stop"]),
        "needs": compact(pipeline["needs"]),
        "stopped": stopped and f"{stopped['rule']}: {stopped['reason']}",
    }


def _lift(one: Round) -> str | None:
    """Format how much more often the model was wrong on mined samples than on the random arm."""
    found = one["control"]
    return None if found is None or found["lift"] is None else f"{found['lift']:.1f}x"


@commands.command()
def schedule(
    name: str,
    cron: Annotated[
        str | None, typer.Argument(help='when rounds start: five fields of cron, in UTC, such as "0 6 * * 1-5"')
    ] = None,
    off: Annotated[bool, typer.Option("--off", help="start no more rounds by a schedule")] = False,
    terms: Terms = None,
) -> None:
    """Set when rounds begin by themselves, and when they stop. --set replaces a trigger, budget, stop or needs as a
    whole."""
    changes = _terms(terms)
    if off and cron is not None:
        raise typer.BadParameter("give either a schedule or --off")
    if off or cron is not None:
        changes["schedule"] = None if off else cron
    found = client().pipelines.change(name, **changes) if changes else client().pipelines.get(name)
    if not answered(found):
        show_table("", "", rows=_terms_told(found).items())


@commands.command()
def pause(name: str) -> None:
    """Pause the pipeline: no further step begins; the current step is finished."""
    paused = client().pipelines.pause(name)
    if not answered(paused):
        out.print(f"{name} is {paused['state']}")


@commands.command()
def resume(name: str) -> None:
    """Resume a paused pipeline."""
    resumed = client().pipelines.resume(name)
    if not answered(resumed):
        out.print(f"{name} is {resumed['state']}")


@commands.command()
def retry(
    name: str,
    step: Annotated[
        str | None, typer.Option("--from", help="step to begin with; by default the one where the round ended")
    ] = None,
) -> None:
    """Retry the round that failed or was cancelled. Exit code 1: it failed again at once."""
    client().pipelines.retry(name, step=step)
    _tell_newest(name, _state_words)


@commands.command()
def cancel(name: str) -> None:
    """Stop the open round; what is labelled and committed stays."""
    client().pipelines.cancel(name)
    newest = client().pipelines.rounds(name)[-1]
    if not answered(newest):
        out.print(_state_words(name, newest))


@commands.command()
def webhook(name: str) -> None:
    """Issue a new secret for the webhook that starts a round; it is shown only this once."""
    made = client().pipelines.webhook(name)
    if not answered(made):
        out.print(f"curl -X POST -H 'X-Motherlode-Secret: {made['secret']}' {made['url']}", soft_wrap=True)


@commands.command()
def curve(name: str) -> None:
    """Show the main figure of its models by number of labels, with its 95 % interval."""
    found = client().pipelines.curve(name)
    if answered(found):
        return
    rows = (
        (point["labels"], share(point["value"]), share(point["low"]), share(point["high"])) for point in found["points"]
    )
    figure = found["points"][0]["metric"] if found["points"] else "value"
    show_table("labels", figure, "low", "high", rows=rows)


@commands.command()
def forecast(
    name: str,
    target: Annotated[float, typer.Option(help="value that the metric of its curve should reach: 0.95 for 95 %")],
) -> None:
    """Forecast what a target needs: labels, rounds, hours of annotators and of training."""
    found = client().pipelines.forecast(name, target=target)
    if answered(found):
        return
    if found["labels"] is None:
        out.print(f"more than half of the curves through these points never reach {share(target)}")
    else:
        out.print(f"{share(target)} needs about {found['labels']} labels, {found['low']} to {found['high']}")
        out.print(f"to reach {share(target)}: {_work_words(found)}", soft_wrap=True)
    show_table(
        "fit", "labels", "error", rows=((fit["name"], fit["labels"], share(fit["rmse"])) for fit in found["fits"])
    )


def _work_words(found: Forecast) -> str:
    """Describe the work still to be done: `2,300 more labels (1,900-3,100), 11 annotator-hours, 3 rounds, 2 h of
    training`."""
    more, rounds = found["more"], found["rounds"]["value"]
    ends = "-".join("never" if end is None else f"{end:,}" for end in (more["low"], more["high"]))
    people, training = found["annotator_hours"]["value"], found["training_hours"]["value"]
    words = [f"{more['value']:,} more label{'' if more['value'] == 1 else 's'} ({ends})"]
    words.append("annotator-hours not known yet" if people is None else f"{hours(people)} annotator-hours")
    words.append(f"{rounds:,} round{'' if rounds == 1 else 's'}")
    words.append("training time not known yet" if training is None else f"{hours(training)} h of training")
    return ", ".join(words)


def hours(value: float) -> str:
    """Format hours with two significant digits; whole ones from ten on."""
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"


def _terms(settings: list[str] | None) -> dict[str, object]:
    """Parse `budget.labels=500` into `{"budget": {"labels": 500}}`; only parts that a pipeline has."""
    found = parsed(settings or [])
    for part in found:
        if part not in TERMS:
            training = "; settings of its trainings go with --config" if part in {"recipe", "params", "export"} else ""
            raise typer.BadParameter(f"{part!r}: a pipeline has {', '.join(TERMS)}{training}")
    return dict(found)
