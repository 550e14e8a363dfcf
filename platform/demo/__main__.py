"""`python -m demo`: run the active-learning loop on images that this machine has or makes, mined against random
labels."""

import os
from dataclasses import replace
from typing import Annotated

import typer

from demo.plan import PLANS, Plan
from demo.show import show_demo
from motherlode.access import var_folder
from motherlode.cli import ending_in_words
from motherlode.client import Motherlode

# A worker or the web process may be killed while the demo runs: the demo waits for them to come back.
PATIENCE_SECONDS = 120.0


def known_task(task: str) -> str:
    """Return the task if there is a demo of it."""
    if task not in PLANS:
        raise typer.BadParameter(f"there is no demo of {task!r}: choose {' or '.join(PLANS)}")
    return task


def demo(
    task: Annotated[str, typer.Option(callback=known_task, help=f"what is asked of an image: {' or '.join(PLANS)}")] = (
        Plan.task
    ),
    small: Annotated[
        bool, typer.Option("--small", help="few images: scikit-learn's 1,797 digits instead of MNIST, or 240 of signs")
    ] = False,
    seed: Annotated[int, typer.Option(help="decides which images start with a label")] = 0,
    rounds: Annotated[int | None, typer.Option(help="of each arm, instead of the demo's own", min=1)] = None,
    count: Annotated[int | None, typer.Option(help="labels asked for in each round, likewise", min=1)] = None,
    suffix: Annotated[str, typer.Option(help="of all names, for a second demo beside the first")] = "",
) -> None:
    """Run the active-learning loop: mined labels against random ones. Run again, it continues where it stopped."""
    plan = PLANS[task]
    plan = replace(plan, rounds=rounds or plan.rounds, count=count or plan.count, seed=seed, suffix=suffix)
    with Motherlode(patience=PATIENCE_SECONDS) as client:
        show_demo(client, plan, folder=var_folder(), small=small)


if __name__ == "__main__":
    os.umask(0o077)  # only the owner can read what it writes to `var/`, like everything there
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    app.command()(demo)
    ending_in_words(app)
