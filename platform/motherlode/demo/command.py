"""`lode demo`."""

from typing import Annotated

import typer

from motherlode.access import var_folder
from motherlode.client import Motherlode
from motherlode.demo.plan import Plan

# A worker or the web process may be killed while the demo runs: it waits for them to come back.
PATIENCE_SECONDS = 120.0


def demo(
    small: Annotated[bool, typer.Option("--small", help="scikit-learn's 1,797 digits instead of MNIST")] = False,
    seed: Annotated[int, typer.Option(help="decides which images start with a label")] = 0,
    rounds: Annotated[int, typer.Option(help="of each arm", min=1)] = Plan.rounds,
    count: Annotated[int, typer.Option(help="labels asked for in each round", min=1)] = Plan.count,
    suffix: Annotated[str, typer.Option(help="of all names, for a second demo beside the first")] = "",
) -> None:
    """Close the loop on real digits: mined against random labels. Run again, it goes on where it stopped."""
    from motherlode.demo.show import show_demo  # numpy, OpenCV and matplotlib: no other command needs them

    plan = Plan(rounds=rounds, count=count, seed=seed, suffix=suffix)
    with Motherlode(patience=PATIENCE_SECONDS) as client:
        show_demo(client, plan, folder=var_folder(), small=small)
