"""The demo's output for people: plain words, bars, tables, one picture."""

import time
from collections.abc import Callable
from pathlib import Path

from rich.console import Console

from demo.arms import Arms
from demo.digits import fetch_digits
from demo.examples import Examples, write_truth
from demo.plan import SIGNS, Plan
from demo.plot import save_curve
from demo.report import Outcome, print_curves, print_times
from demo.traffic_signs import fetch_signs
from motherlode.bars import duration, progress_bars
from motherlode.client import Motherlode

FETCH: dict[str, Callable[..., Examples]] = {Plan.task: fetch_digits, SIGNS.task: fetch_signs}
"""The function that fetches the images of each demo."""


def show_demo(client: Motherlode, plan: Plan, *, folder: Path, small: bool) -> None:
    """Load, run, report. `folder` keeps the images, the truth and the picture."""
    console = Console()
    started = time.monotonic()
    console.print(f"[bold]{plan.heading}[/], at {client.url}/app/\n")
    console.print(f"1  {plan.fetching}")
    examples = FETCH[plan.task](plan, console, folder / "cache" / "examples", small=small)
    kept = f"{plan.pipelines}{{}}{plan.suffix}"
    mined, random = run_arms(
        client, plan, examples, console=console, truth_file=folder / "demo" / f"{kept.format('truth')}.jsonl"
    )
    console.print()
    print_curves(console, mined, random)
    console.print()
    print_times(console, [mined, random])
    picture = folder / "demo" / f"{kept.format('curve')}.png"
    save_curve(picture, mined=mined, random=random)
    page = f"{client.url}/app/pipelines/{client.pipelines.get(plan.mined.pipeline)['id']}"
    console.print(f"\nAll of it took {duration(time.monotonic() - started)}. The curve: {page}", soft_wrap=True)
    console.print(f"The picture: {picture}", soft_wrap=True, highlight=False)


def run_arms(
    client: Motherlode, plan: Plan, examples: Examples, *, console: Console, truth_file: Path
) -> list[Outcome]:
    """Load both datasets and run both arms, printing progress. Returns the outcomes of the mined and the random arm."""
    write_truth(examples.truth, truth_file)
    mined, random = plan.mined.dataset, plan.random.dataset
    console.print(f"2  Loading them into {mined}, forked as {random} for picks at random")
    with progress_bars(console) as bars:
        loadings = Arms(client, plan, bars).load(examples)
    if not any(loading.images or loading.forked for loading in loadings):
        console.print("   They are there already")
    console.print(
        f"3  {plan.rounds} rounds of {plan.count} labels: train, score the pool, pick, label, commit, train again.\n"
        f"   A stand-in annotator answers through the API; watch it at {client.url}/app/label",
        soft_wrap=True,
    )
    with progress_bars(console) as bars:
        arms = Arms(client, plan, bars)
        arms.run(examples.truth)
    return arms.outcomes(loadings)
