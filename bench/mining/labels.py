"""How many labels mining saves: margin against random, on real digits, with paired seeds.

`python -m bench.mining.labels [--seeds 20] [--processes 2]`. Each replay trains with the architecture's own recipe,
exports to ONNX, scores the pool with that file and picks, with the control arm that mining jobs have; both strategies
of a seed start from the same labels. A replay is kept as soon as it is done, so a run that was stopped goes on.
"""

import argparse
import hashlib
import json
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from functools import cache
from multiprocessing import get_context
from pathlib import Path

import numpy as np

from backtest import REPLAY, Arm, Curve, Plan, Training, replay, report
from backtest.statistics import censored_median, first_reached
from bench.versioning.table import Line, show
from demo.mnist import load_digits
from training import Images
from worker_programs import files
from worker_programs.config import document

MINED, FAIR = "margin", "random"
CLASSES = [str(digit) for digit in range(10)]
ARCHITECTURE = "small_cnn"
KEPT = Path("build") / "bench-labels"
PROMISE = 0.5
"""Share of random's labels that margin needs at most, in the median over seeds."""


@dataclass(frozen=True, slots=True)
class Size:
    """What is measured, and where replays are kept."""

    seeds: int = 20
    start: int = 100
    count: int = 100
    rounds: int = 5
    pool: int = 60_000
    processes: int = 2
    steps: int | None = None
    """Of each training; None: by the architecture's own recipe."""
    kept: Path = KEPT
    digits: Path | None = None
    """Folder that keeps the downloaded digits; None: the user's cache."""


QUICK = Size(seeds=2, count=50, rounds=2, pool=2000, steps=40)


@dataclass(frozen=True, slots=True)
class Pair:
    """Both strategies with one seed."""

    seed: int
    default: Curve
    fair: Curve

    @property
    def share(self) -> float | None:
        """Labels that margin needs for random's final accuracy, as a share of all that random had; None:
        more than those."""
        needed = first_reached(self.default.labels, self.default.accuracy, self.fair.accuracy[-1])
        return None if needed is None else needed / self.fair.labels[-1]


def run(*, quick: bool = False) -> list[Line]:
    """The part `labels` of `make bench-mining`."""
    return measure(QUICK if quick else Size(), promised=not quick)


def measure(size: Size, *, promised: bool = True) -> list[Line]:
    """Replay what is not kept yet, and show the curves and the distribution over seeds."""
    print(f"\n{_learner(size)[1]}: {size.seeds} paired seeds of {size.start} + {size.rounds} x {size.count} labels")
    curves = dict(_replays(size))
    pairs = [Pair(seed, curves[MINED, seed], curves[FAIR, seed]) for seed in range(size.seeds)]
    _show_curves(pairs)
    return _show_shares(pairs, promised=promised)


def _replays(size: Size) -> Iterator[tuple[tuple[str, int], Curve]]:
    plans = [
        Plan(strategy=name, seed=seed, start=size.start, count=size.count, rounds=size.rounds)
        for seed in range(size.seeds)
        for name in (FAIR, MINED)
    ]
    missing = []
    for plan in plans:
        if (file := _file(size, plan)).exists():
            yield (plan.strategy, plan.seed), Curve(**json.loads(file.read_bytes()))
        else:
            missing.append(plan)
    print(f"{len(plans) - len(missing)} of {len(plans)} replays are kept in {size.kept}", flush=True)
    with ProcessPoolExecutor(size.processes, get_context("spawn")) as workers:
        for done in as_completed([workers.submit(_replayed, size, plan) for plan in missing]):
            plan, curve, seconds = done.result()
            ends = f"{curve.accuracy[0]:.2%} to {curve.accuracy[-1]:.2%}"
            print(f"  {plan.strategy} seed {plan.seed}: {ends} in {seconds:.0f} s", flush=True)
            yield (plan.strategy, plan.seed), curve


def _replayed(size: Size, plan: Plan) -> tuple[Plan, Curve, float]:
    """In a process of its own; the file is there when it returns."""
    started = time.perf_counter()
    curve = replay(_learner(size)[0], plan)
    files.write_json(_file(size, plan), asdict(curve))
    return plan, curve, time.perf_counter() - started


@cache
def _learner(size: Size) -> tuple[Training, str]:
    """The learner of this process, and where its images come from."""
    found = load_digits(size.digits)
    pool = Images(found.train_images[: size.pool, ..., None], found.train_labels[: size.pool])
    test = Images(found.test_images[..., None], found.test_labels)
    changes = {"steps": size.steps} if size.steps else {}
    return Training(pool, test, CLASSES, name=ARCHITECTURE, changes=changes), f"{found.source}, pool of {len(pool):,}"


def _file(size: Size, plan: Plan) -> Path:
    """Named by all that decides the curve but the code: empty the folder when that has changed."""
    decisive = [REPLAY, _learner(size)[1], ARCHITECTURE, size.steps, document(plan)]
    digest = hashlib.sha256(json.dumps(decisive, sort_keys=True).encode()).hexdigest()
    return size.kept / f"{plan.strategy}-{plan.seed}-{digest[:16]}.json"


def _show_curves(pairs: Sequence[Pair]) -> None:
    arms = [
        (Arm(FAIR), {pair.seed: pair.fair for pair in pairs}),
        (Arm(MINED), {pair.seed: pair.default for pair in pairs}),
    ]
    told = report(arms)
    fair, default = (row["points"] for row in told["curves"])
    print(f"\n  {'labels':>6}{FAIR:>26}{MINED:>26}      (accuracy in %, 95 % interval of the mean)")
    for left, right in zip(fair, default, strict=True):
        print(f"  {left['labels']:>6}" + "".join(f"{_band(point):>26}" for point in (left, right)))
    best = told["best"]
    print(f"\n  {best['headline']}. {best['reason']}" if best else "\n  a single seed proves nothing")


def _band(point: dict[str, float | None]) -> str:
    mean, low, high = (point[name] for name in ("mean", "low", "high"))
    interval = "" if low is None or high is None else f" ({100 * low:.2f} .. {100 * high:.2f})"
    return f"{100 * (mean or 0):.2f}{interval}"


def _show_shares(pairs: Sequence[Pair], *, promised: bool) -> list[Line]:
    """The distribution over seeds: a seed that never gets there counts as more than all labels."""
    ordered = sorted(pairs, key=lambda pair: (pair.share is None, pair.share))
    print(f"\nLabels {MINED} needs for random's final accuracy, as a share of random's labels, by seed\n")
    for pair in ordered:
        share = "more than all" if pair.share is None else f"{pair.share:6.1%}  {'#' * round(40 * pair.share)}"
        print(f"  seed {pair.seed:>3}  random ends at {pair.fair.accuracy[-1]:.2%}  {share}")
    told = censored_median([pair.share for pair in pairs])
    within = sum(pair.share is not None and pair.share <= PROMISE for pair in pairs)
    spread = ", ".join("-" if value is None else f"{value:.1%}" for value in (told.low, told.high))
    print(f"\n  median {_percent(told.median)} (95 % interval {spread})")
    print(f"  {within} of {len(pairs)} seeds within {PROMISE:.0%}; of the mean curves {_percent(_pooled(pairs))}")
    line = Line(
        f"share of random's labels, median of {len(pairs)} seeds",
        f"{PROMISE:.0%}",
        _percent(told.median),
        PROMISE / told.median if told.median else 0.0,
        1.0 if promised else None,
    )
    show("Labels needed for random's final accuracy (before: what is promised)", [line])
    return [line]


def _pooled(pairs: Sequence[Pair]) -> float | None:
    """The same of the curves' means."""
    default, fair = (np.mean([getattr(pair, name).accuracy for pair in pairs], axis=0) for name in ("default", "fair"))
    labels = pairs[0].fair.labels
    needed = first_reached(labels, default.tolist(), float(fair[-1]))
    return None if needed is None else needed / labels[-1]


def _percent(share: float | None) -> str:
    return "more than all" if share is None else f"{share:.1%}"


def main(argv: list[str] | None = None) -> int:
    """Returns 1 when the promise was not kept."""
    usual = Size()
    parser = argparse.ArgumentParser(prog="make bench-loop", description=(__doc__ or "").splitlines()[0])
    for name in ("seeds", "start", "count", "rounds", "pool", "processes"):
        parser.add_argument(f"--{name}", type=int, default=getattr(usual, name), help="(default: %(default)s)")
    parser.add_argument("--kept", type=Path, default=usual.kept, help="folder of finished replays")
    parser.add_argument("--digits", type=Path, help="folder that keeps the downloaded digits")
    lines = measure(Size(**vars(parser.parse_args(argv))))
    return int(any(line.verdict == "NO" for line in lines))


if __name__ == "__main__":
    sys.exit(main())
