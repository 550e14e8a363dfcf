"""`python -m demo`: close the loop on real digits, mined against random labels."""

from typing import Annotated

import typer

from demo.plan import Plan
from demo.show import show_demo
from motherlode.access import var_folder
from motherlode.cli import ending_in_words
from motherlode.client import Motherlode

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
    plan = Plan(rounds=rounds, count=count, seed=seed, suffix=suffix)
    with Motherlode(patience=PATIENCE_SECONDS) as client:
        show_demo(client, plan, folder=var_folder(), small=small)


if __name__ == "__main__":
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    app.command()(demo)
    ending_in_words(app)
