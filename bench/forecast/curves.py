"""Learning curves that are real: of this platform's own trainings, and of a public database of curves.

The own ones are replays (`backtest.replay`, the code of a back-test) of three sets of images, with the network that is
trained, `small_cnn`, and with the linear probe; they are kept in `var/bench` curve by curve, so that a second run goes
on where the first one ended. The public ones are those of LCDB (Mohr et al. 2022, "LCDB 1.0", MIT licence): accuracies
of scikit-learn's learners on data sets of OpenML, out of the Python package `lcdb`, which is fetched once and read as
a file.
"""

import csv
import io
import json
import subprocess
import sys
import tarfile
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np

from backtest.config import Plan
from backtest.learners import Learner
from backtest.probe import Embedded, Probe
from backtest.replay import replay
from bench.training import corpus
from demo.mnist import Digits, sklearn_digits

PACKAGE, MEMBER = "lcdb==0.1.0", "lcdb-0.1.0/lcdb/database-accuracy.csv"
CANDIDATES, TESTED = 10_000, 5_000
SEEDS, STRATEGIES = {"probe": (0, 1), "small_cnn": (0,)}, ("random", "margin")
MIN_STEPS = 300
"""Of each training: the recipe's 500 where time is short."""
SETS = {"digits": (20, 40), "MNIST": (50, 100), "Fashion-MNIST": (50, 200)}
"""Labels at the start and labels of a round; `ROUNDS` of them."""
ROUNDS = 14
FEWEST_SIZES, LARGEST_AT_LEAST = 8, 1000
"""Of a public curve."""


@dataclass(frozen=True, slots=True)
class RealCurve:
    """`points` are (labels, accuracy on held-out samples), rising in labels."""

    name: str
    source: str
    points: tuple[tuple[int, float], ...]


def own(folder: Path, *, quick: bool) -> Iterator[RealCurve]:
    """The platform's: 3 sets x 2 strategies, of the probe with 2 seeds, of the network (not where quick) with 1."""
    for name, found in _sets():
        for kind in ("probe",) if quick else ("probe", "small_cnn"):
            learner: Learner | None = None
            for strategy in STRATEGIES:
                for seed in SEEDS[kind]:
                    file = folder / f"{name}-{kind}-{strategy}-{seed}.json"
                    if not file.exists():
                        learner = learner or _learner(kind, found)
                        _keep(
                            file, _replayed(f"{name}, {kind}, {strategy}, seed {seed}", learner, name, strategy, seed)
                        )
                    yield _read(file)


def public(folder: Path) -> list[RealCurve]:
    """Of LCDB: each pair of data set and learner, accuracies averaged over its repetitions, where there are at least 8
    sizes, the largest of 1,000 samples or more; in an order drawn at random."""
    file = folder / "lcdb.json"
    if not file.exists():
        with _database() as lines:
            found = _averaged(lines)
        folder.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps([asdict(curve) for curve in found]))
    rows = json.loads(file.read_text())
    order = np.random.default_rng(0).permutation(len(rows))
    return [_curve(rows[at]) for at in order]


def _sets() -> Iterator[tuple[str, Digits]]:
    yield "digits", sklearn_digits()
    yield "MNIST", corpus.digits(None)
    if (fashion := corpus.fashion()) is not None:
        yield "Fashion-MNIST", fashion


def _learner(kind: str, found: Digits) -> Learner:
    train, labels = found.train_images[:CANDIDATES], found.train_labels[:CANDIDATES]
    test, told = found.test_images[:TESTED], found.test_labels[:TESTED]
    if kind == "probe":
        flat = [images.reshape(len(images), -1).astype(np.float32) / 255 for images in (train, test)]
        return Probe(Embedded(flat[0], labels, flat[1], told), corpus.CLASSES)
    from backtest.trained import Training
    from training import Images

    pixels = [np.ascontiguousarray(images[..., None]) for images in (train, test)]
    return Training(
        Images(pixels[0], labels),
        Images(pixels[1], told),
        corpus.CLASSES,
        changes={"min_steps": MIN_STEPS, "epochs": 4.0},
    )


def _replayed(words: str, learner: Learner, name: str, strategy: str, seed: int) -> RealCurve:
    start, count = SETS[name]
    plan = Plan(strategy=strategy, seed=seed, start=start, count=count, rounds=ROUNDS, control=0.0)
    made = replay(learner, plan)
    return RealCurve(words, "own", tuple(zip(made.labels, made.accuracy, strict=True)))


def _keep(file: Path, curve: RealCurve) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    partial = file.with_suffix(".partial")
    partial.write_text(json.dumps(asdict(curve)))
    partial.replace(file)
    print(f"  {curve.name}: {curve.points[0][1]:.3f} -> {curve.points[-1][1]:.3f}", flush=True)


def _read(file: Path) -> RealCurve:
    return _curve(json.loads(file.read_text()))


def _curve(told: dict[str, Any]) -> RealCurve:
    return RealCurve(told["name"], told["source"], tuple((labels, value) for labels, value in told["points"]))


@contextmanager
def _database() -> Iterator[Iterable[str]]:
    """The lines of the database, out of the package that pip brings."""
    with tempfile.TemporaryDirectory(prefix="bench-lcdb-") as folder:
        command = [
            sys.executable,
            "-m",
            "pip",
            "download",
            "--quiet",
            "--no-deps",
            "--no-binary",
            ":all:",
            "--dest",
            folder,
        ]
        subprocess.run([*command, PACKAGE], check=True)
        (archive,) = Path(folder).glob("*.tar.gz")
        with tarfile.open(archive) as members:
            raw = members.extractfile(MEMBER)
            assert raw is not None
            yield io.TextIOWrapper(raw, encoding="ascii", newline="")


def _averaged(lines: Iterable[str]) -> list[RealCurve]:
    """The mean accuracy on held-out samples (`score_test`) at each size, over outer and inner seeds."""
    sums: dict[tuple[str, str], dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in csv.DictReader(lines):
        sums[row["openmlid"], row["learner"]][int(row["size_train"])].append(float(row["score_test"]))
    curves = []
    for (dataset, learner), sizes in sorted(sums.items()):
        most = max(map(len, sizes.values()))
        points = tuple((size, fmean(told)) for size, told in sorted(sizes.items()) if len(told) >= most / 2)
        if len(points) >= FEWEST_SIZES and points[-1][0] >= LARGEST_AT_LEAST:
            curves.append(RealCurve(f"OpenML {dataset}, {learner}", "LCDB", points))
    return curves
