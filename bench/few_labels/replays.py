"""One replay, which a process of its own can make: features in, a curve out, both kept."""

import hashlib
import json
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

import numpy as np

from acquisition import Pool, compose, strategy
from acquisition.pool import Indices
from backtest import REPLAY, Curve, Plan, replay
from backtest.probe import Embedded, Probe
from bench.few_labels.learners import SemiSupervisedProbe
from bench.similarity import BACKBONE
from worker_programs import files

ROUNDS = 11
"""Rounds of one label a class, after as many to begin with."""


@dataclass(frozen=True, slots=True)
class Case:
    """One replay: a set, a strategy, a seed, and whether pseudo-labels are learned from."""

    of: str
    strategy: str
    seed: int
    semi_supervised: bool


def replayed(case: Case, kept: Path) -> tuple[Case, Curve]:
    """Replay, and keep the curve: its file is there when this returns."""
    data = _embedded(case.of, kept)
    count = int(data.test_labels.max()) + 1
    classes = [str(number) for number in range(count)]
    learner = (SemiSupervisedProbe if case.semi_supervised else Probe)(data, classes)
    plan = Plan(strategy=case.strategy, seed=case.seed, start=count, count=count, rounds=ROUNDS)
    curve = replay(learner, plan, first=_first(learner, plan))
    files.write_json(replay_file(case, kept), asdict(curve))
    return case, curve


def _first(learner: Probe, plan: Plan) -> Indices | None:
    """Return the first labels of a strategy that needs no model; None: at random."""
    if plan.strategy == "random" or strategy(plan.strategy).asks_model:
        return None
    pool = Pool(ids=np.arange(len(learner.labels)), embeddings=learner.embedding, classes=learner.classes)
    picks = compose(pool, plan.strategy, count=plan.start, seed=plan.seed, control=plan.control)
    return np.array([pick.id for pick in picks], np.intp)


@cache
def _embedded(name: str, kept: Path) -> Embedded:
    return Embedded.read(features_file(name, kept))


def features_file(name: str, kept: Path) -> Path:
    """Where the features of a set are kept."""
    return kept / f"{BACKBONE}-{name.replace(' ', '-').lower()}.npz"


def replay_file(case: Case, kept: Path) -> Path:
    """Named by all that decides the curve but the code: empty the folder when that has changed."""
    decisive = json.dumps([REPLAY, BACKBONE, ROUNDS, asdict(case)])
    return kept / "replays" / f"{hashlib.sha256(decisive.encode()).hexdigest()[:24]}.json"
