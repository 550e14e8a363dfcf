"""`lode model`."""

from pathlib import Path
from typing import Annotated

import typer

from motherlode.cli.terminal import client, group, out, show_table, write_whole

commands = group("What we have learned: models and their versions.")


@commands.command()
def create(
    name: str,
    classes: Annotated[str, typer.Option(help="those of its datasets, with commas between")],
    task: Annotated[str, typer.Option(help="classification or detection")] = "classification",
) -> None:
    """A new model, without versions yet."""
    names = [one.strip() for one in classes.split(",")]
    made = client().models.create(name, classes=names, task=task)
    out.print(f"model {made['name']} with {len(made['classes'])} classes")


@commands.command("list")
def list_models() -> None:
    """All models."""
    rows = (
        (
            one["name"],
            one["task"],
            one["latest"],
            ", ".join(f"{alias['name']}={alias['version']}" for alias in one["aliases"]),
        )
        for one in client().models.all()
    )
    show_table("name", "task", "latest", "aliases", rows=rows)


@commands.command()
def show(name: str) -> None:
    """One model, version by version."""
    found = client().models.get(name)
    out.print(f"{found['name']}: {found['task']} of {', '.join(found['classes'])}\n")
    rows = (
        (one["version"], one["architecture"], f"{one['dataset']} v{one['dataset_version']}", _percent(one["metrics"]),
         ", ".join(one["aliases"]), one["created"][:19])
        for one in client().models.versions(name)
    )  # fmt: skip
    show_table("version", "architecture", "trained on", "accuracy", "aliases", "created", rows=rows)


@commands.command()
def download(
    name: str,
    version: Annotated[str, typer.Argument(help="a number or an alias")] = "production",
    path: Annotated[str, typer.Option(help="which of the version's files")] = "model.onnx",
    to: Annotated[Path | None, typer.Option(help="where to write it; by default here, under its own name")] = None,
) -> None:
    """Fetch a file of a version, by default the ONNX model in production."""
    target = to or Path(Path(path).name)
    write_whole(target, client().models.artifact(name, version, path))
    out.print(f"{target} ({target.stat().st_size / 1e6:.1f} MB)")


def _percent(metrics: dict[str, float]) -> str | None:
    return f"{metrics['accuracy']:.2%}" if "accuracy" in metrics else None
