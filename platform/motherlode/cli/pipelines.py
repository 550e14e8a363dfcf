"""`lode pipeline`."""

from typing import Annotated

import typer

from motherlode.cli.terminal import client, group, out, show_table

commands = group("The loop: train, score, select, label, commit, train again.")


@commands.command()
def create(
    name: str,
    dataset: Annotated[str, typer.Option(help="its head is trained on and its pool mined")],
    model: Annotated[str, typer.Option(help="the model that gets the new versions")],
    architecture: Annotated[str, typer.Option(help="a name that GET /architectures lists")] = "small_cnn",
    strategy: Annotated[str, typer.Option(help="a name that GET /strategies lists")] = "margin",
    count: Annotated[int, typer.Option(help="labels asked for in each round")] = 100,
    control: Annotated[float, typer.Option(help="share of them that is picked at random")] = 0.1,
    seed: int = 0,
) -> None:
    """Bind a dataset, a model and a strategy."""
    made = client().pipelines.create(name, dataset=dataset, model=model, architecture=architecture, strategy=strategy,
                                     count=count, control=control, seed=seed)  # fmt: skip
    out.print(f"pipeline {made['name']}; next: lode pipeline round {name}")


@commands.command("list")
def list_pipelines() -> None:
    """All pipelines."""
    rows = (
        (one["name"], one["dataset"], one["model"], one["strategy"]["name"], one["state"], one["current_round"])
        for one in client().pipelines.all()
    )
    show_table("name", "dataset", "model", "strategy", "state", "round", rows=rows)


@commands.command("round")
def start_round(name: str) -> None:
    """Begin the next round."""
    client().pipelines.start_round(name)
    newest = client().pipelines.rounds(name)[-1]
    out.print(f"round {newest['number']} of {name} is {newest['state']}; it will wait for labels in a queue:")
    out.print("lode queue list, or the web page:")
    out.print(f"{client().url}/app/pipelines/{client().pipelines.get(name)['id']}")


@commands.command()
def show(name: str) -> None:
    """A pipeline and its rounds."""
    found = client().pipelines.get(name)
    out.print(f"{found['name']}: {found['strategy']['name']} on {found['dataset']}, {found['architecture']} -> "
              f"{found['model']}, {found['count']} labels a round; {found['state']}\n")  # fmt: skip
    rounds = client().pipelines.rounds(name)
    rows = (
        (one["number"], one["state"], one["labels"], _percent(one["accuracy"]), one["model_version"],
         {True: "yes", False: "no", None: None}[one["promoted"]], one["queue"], one["error"])
        for one in rounds
    )  # fmt: skip
    show_table("round", "state", "labels", "accuracy", "model", "promoted", "queue", "error", rows=rows)


@commands.command()
def curve(name: str) -> None:
    """Accuracy by number of labels, with its 95 % interval."""
    rows = (
        (point["labels"], _percent(point["accuracy"]), _percent(point["low"]), _percent(point["high"]))
        for point in client().pipelines.curve(name)["points"]
    )
    show_table("labels", "accuracy", "low", "high", rows=rows)


def _percent(share: float | None) -> str | None:
    return None if share is None else f"{share:.2%}"
