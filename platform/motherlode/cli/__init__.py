"""`lode`: the platform from a terminal. One file per noun."""

import signal
import sys
from collections.abc import Callable
from importlib import metadata
from types import FrameType
from typing import Annotated

INTERRUPTED, TERMINATED = 130, 143

try:
    import typer

    from motherlode.cli import (
        admin,
        adopting,
        audit,
        backtests,
        datasets,
        edits,
        encoders,
        filters,
        history,
        jobs,
        labels,
        lake,
        lifecycle,
        lineage,
        mining,
        models,
        notifications,
        people,
        pipelines,
        plans,
        projects,
        queues,
        runs,
        similar,
        status,
        sweeps,
        transfers,
        upkeep,
    )
    from motherlode.cli.terminal import FAILED, NOTHING_TAKEN, REFUSING_ALL, Commands, explain, show_notes
    from motherlode.errors import MotherlodeError
except KeyboardInterrupt:  # the commands take a while to import: Ctrl-C ends that in the same way
    sys.exit(INTERRUPTED)

__all__ = ["main"]


def main() -> None:
    """Run a command of `lode`. SIGTERM ends it as Ctrl-C does, with the words of what goes on without it."""
    terminated = False

    def terminate(_: int, frame: FrameType | None) -> None:
        nonlocal terminated
        terminated = True
        signal.default_int_handler(signal.SIGINT, frame)

    signal.signal(signal.SIGTERM, terminate)
    try:
        ending_in_words(lambda: build()())
    except SystemExit as left:
        sys.exit(TERMINATED if terminated and left.code == INTERRUPTED else left.code)


def ending_in_words(app: Callable[[], object]) -> None:
    """Run a command. Print an error with its code, what is wrong and how to fix it; the exit code is then 1, or 4 when
    everything sent was refused."""
    try:
        app()
    except MotherlodeError as error:
        explain(error)
        sys.exit(NOTHING_TAKEN if error.code in REFUSING_ALL else FAILED)
    except OSError as error:  # about local files: the transport raises its own errors
        explain(MotherlodeError(status=0, code="file_unusable", detail=_of_a_file(error)))
        sys.exit(FAILED)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except SystemExit as left:
        if left.code == INTERRUPTED:  # typer has made it of a Ctrl-C
            show_notes(left)
        raise


def _of_a_file(error: OSError) -> str:
    reason = error.strerror or str(error) or type(error).__name__
    return reason if error.filename is None else f"{error.filename}: {reason}"


def _print_version(asked: bool) -> None:
    if asked:
        print(f"lode {metadata.version('motherlode')}")
        raise typer.Exit


def options(
    _: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Print the client's version."),
    ] = False,
) -> None:
    """The client of a Motherlode platform."""


def build() -> typer.Typer:
    """Build the command line with all its commands."""
    app = Commands(
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        add_completion=False,
    )
    app.callback()(options)
    app.command()(status.status)
    dataset = datasets.commands
    for command in (
        *transfers.COMMANDS,
        *history.COMMANDS,
        *filters.COMMANDS,
        *edits.COMMANDS,
        *adopting.COMMANDS,
        *similar.COMMANDS,
    ):
        dataset.command(command.__name__.removesuffix("_").replace("_", "-"))(command)
    lifecycle.add_lifecycle(dataset, "dataset", lambda found: found.datasets)
    lifecycle.add_lifecycle(models.commands, "model", lambda found: found.models)
    lifecycle.add_lifecycle(queues.commands, "queue", lambda found: found.queues)
    lifecycle.add_lifecycle(pipelines.commands, "pipeline", lambda found: found.pipelines)
    lifecycle.add_lifecycle(backtests.commands, "back-test", lambda found: found.backtests)
    lifecycle.add_lifecycle(sweeps.commands, "sweep", lambda found: found.sweeps)
    app.add_typer(dataset, name="dataset")
    app.add_typer(admin.commands, name="admin")
    app.add_typer(backtests.commands, name="backtest")
    app.add_typer(encoders.commands, name="encoder")
    app.add_typer(jobs.commands, name="job")
    app.add_typer(labels.commands, name="label")
    app.add_typer(lake.commands, name="lake")
    app.add_typer(mining.commands, name="mine")
    app.add_typer(models.commands, name="model")
    app.add_typer(people.commands, name="people")
    app.add_typer(projects.commands, name="project")
    app.add_typer(pipelines.commands, name="pipeline")
    app.add_typer(queues.commands, name="queue")
    app.add_typer(runs.commands, name="run")
    app.add_typer(sweeps.commands, name="sweep")
    app.command()(jobs.workers)
    app.command()(queues.annotate)
    app.command()(upkeep.gc)
    app.command()(admin.doctor)
    app.command()(audit.audit)
    app.command()(lineage.lineage)
    app.command()(notifications.notifications)
    app.command()(plans.plan)
    return app
