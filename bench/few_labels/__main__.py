"""`make bench-labels`: replays what is not kept yet, set by set and seed by seed, and prints the tables."""

import argparse
import json
import os
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

from backtest import Curve
from bench.few_labels import __doc__ as about
from bench.few_labels.learners import Network
from bench.few_labels.replays import Case, features_file, replay_file, replayed
from bench.few_labels.report import show_budgets, show_lost
from bench.few_labels.sets import MADE_TO_LOSE, PUBLIC
from worker_programs import files

STRATEGIES = ("random", "margin", "typiclust", "uherding", "auto")
LOSING = ("random", "auto")
KEPT = Path("build") / "bench-few-labels"


def main() -> int:
    """Replay, and print."""
    parser = argparse.ArgumentParser(prog="make bench-labels", description=(about or "").splitlines()[0])
    parser.add_argument("--seeds", type=int, default=20, help="paired seeds of the public sets (default: %(default)s)")
    parser.add_argument(
        "--losing-seeds", type=int, default=50, help="seeds of the sets made to lose (default: %(default)s)"
    )
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1, help="(default: %(default)s)")
    parser.add_argument("--kept", type=Path, default=KEPT, help="folder of features and finished replays")
    parser.add_argument("--only", nargs="+", choices=[*PUBLIC, *MADE_TO_LOSE], help="some of the sets")
    options = parser.parse_args()
    asked = [name for name in PUBLIC | MADE_TO_LOSE if options.only is None or name in options.only]
    with TemporaryDirectory() as folder:
        network = Network(Path(folder))
        for name in asked:
            _prepare(name, network, options.kept)
    cases = [case for name in asked for case in _cases(name, options.seeds, options.losing_seeds)]
    curves = dict(_replays(cases, options.kept, options.processes))
    for name in asked:
        mine = {
            (case.strategy, case.semi_supervised, case.seed): found for case, found in curves.items() if case.of == name
        }
        if name in PUBLIC:
            show_budgets(name, STRATEGIES, mine)
    show_lost({name: _pairs(name, curves) for name in asked if name in MADE_TO_LOSE})
    return 0


def _pairs(name: str, curves: dict[Case, Curve]) -> list[tuple[Curve, Curve]]:
    seeds = sorted({case.seed for case in curves if case.of == name})
    return [tuple(curves[Case(name, arm, seed, semi_supervised=False)] for arm in LOSING) for seed in seeds]  # type: ignore[misc]


def _cases(name: str, seeds: int, losing: int) -> Iterator[Case]:
    """The seeds in order, so that what is kept of a run that was stopped is all of some seeds."""
    if name in MADE_TO_LOSE:
        yield from (Case(name, arm, seed, semi_supervised=False) for seed in range(losing) for arm in LOSING)
        return
    for seed in range(seeds):
        yield from (Case(name, arm, seed, semi) for arm in STRATEGIES for semi in (False, True))


def _replays(cases: list[Case], kept: Path, processes: int) -> Iterator[tuple[Case, Curve]]:
    missing = []
    for case in cases:
        if (file := replay_file(case, kept)).exists():
            yield case, Curve.read(json.loads(file.read_bytes()))
        else:
            missing.append(case)
    print(f"{len(cases) - len(missing):,} of {len(cases):,} replays are kept in {kept}", flush=True)
    missing.sort(key=lambda case: case.seed)
    started = time.perf_counter()
    with ProcessPoolExecutor(processes, get_context("spawn")) as workers:
        for number, done in enumerate(as_completed([workers.submit(replayed, case, kept) for case in missing]), 1):
            yield done.result()
            if number % 50 == 0 or number == len(missing):
                print(f"  {number:,} of {len(missing):,} in {time.perf_counter() - started:,.0f} s", flush=True)


def _prepare(name: str, network: Network, kept: Path) -> None:
    if (file := features_file(name, kept)).exists():
        return
    started, of = time.perf_counter(), (PUBLIC | MADE_TO_LOSE)[name]()
    files.write_bytes(file, network.embedded(of).to_bytes())
    print(f"{name}: {len(of.images):,} images and {len(of.test_images):,} to test on, features in "
          f"{time.perf_counter() - started:.0f} s", flush=True)  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
