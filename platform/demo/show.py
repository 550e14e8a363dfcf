"""The demo as a person sees it: plain words, bars, two tables, one picture."""

import time
from pathlib import Path

from rich.console import Console

from demo.arms import Arms
from demo.loading import parts, write_truth
from demo.mnist import Digits, DigitsError, load_mnist, sklearn_digits
from demo.plan import Plan
from demo.plot import save_curve
from demo.report import Outcome, print_accuracy, print_times
from motherlode.bars import duration, progress_bars
from motherlode.client import Motherlode


def show_demo(client: Motherlode, plan: Plan, *, folder: Path, small: bool) -> None:
    """Load, run, report. `folder` keeps the downloaded digits, the truth and the picture."""
    console = Console()
    started = time.monotonic()
    console.print(f"[bold]The loop on real digits[/], at {client.url}/app/\n")
    console.print("1  Fetching handwritten digits")
    digits = fetch(console, folder / "cache" / "examples", small=small)
    mined, random = run_arms(
        client, plan, digits, console=console, truth_file=folder / "demo" / f"truth{plan.suffix}.jsonl"
    )
    console.print()
    print_accuracy(console, mined, random)
    console.print()
    print_times(console, [mined, random])
    picture = folder / "demo" / f"curve{plan.suffix}.png"
    save_curve(picture, mined=mined, random=random)
    page = f"{client.url}/app/pipelines/{client.pipelines.get(plan.mined.pipeline)['id']}"
    console.print(f"\nAll of it took {duration(time.monotonic() - started)}. The curve: {page}", soft_wrap=True)
    console.print(f"The picture: {picture}", soft_wrap=True, highlight=False)


def run_arms(client: Motherlode, plan: Plan, digits: Digits, *, console: Console, truth_file: Path) -> list[Outcome]:
    """Load both datasets and run both arms, with words and bars. Returns what the mined and the random arm measured."""
    truth = write_truth(digits, truth_file)
    mined, random = plan.mined.dataset, plan.random.dataset
    console.print(f"2  Loading them twice: {mined} to mine, {random} to pick from at random")
    with progress_bars(console) as bars:
        loadings = Arms(client, plan, bars).load(parts(digits, plan), digits.source)
    if not any(loading.images for loading in loadings):
        console.print("   They are there already")
    console.print(
        f"3  {plan.rounds} rounds of {plan.count} labels: train, score the pool, pick, label, commit, train again.\n"
        f"   A stand-in annotator answers through the API; watch it at {client.url}/app/label",
        soft_wrap=True,
    )
    with progress_bars(console) as bars:
        arms = Arms(client, plan, bars)
        arms.run(truth)
    return arms.outcomes(loadings)


def fetch(console: Console, cache: Path, *, small: bool) -> Digits:
    """MNIST, or the digits that scikit-learn ships where MNIST is not wanted or not to be had, saying so."""
    digits = sklearn_digits() if small else _mnist_or_shipped(console, cache)
    learn, test = len(digits.train_labels), len(digits.test_labels)
    console.print(f"   {digits.source}: {learn:,} to learn from, {test:,} to test on")
    return digits


def _mnist_or_shipped(console: Console, cache: Path) -> Digits:
    try:
        return load_mnist(cache)
    except DigitsError as error:
        console.print(f"   MNIST can't be had here ({error}): scikit-learn's digits take its place", markup=False)
        return sklearn_digits()
