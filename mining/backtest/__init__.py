"""Back-tests: replay strategies on samples whose labels are known, before labels are paid for. No Django.

>>> import numpy as np
>>> from backtest import Embedded, Plan, Probe, replay
>>> rng = np.random.default_rng(0)
>>> labels = rng.integers(0, 3, 600)
>>> points = np.eye(3)[labels] + 0.3 * rng.normal(size=(600, 3))
>>> learner = Probe(Embedded(points[:500], labels[:500], points[500:], labels[500:]), ["a", "b", "c"])
>>> curve = replay(learner, Plan(strategy="margin", seed=0, start=5, count=10, rounds=3))
>>> curve.labels, curve.accuracy[-1] > 0.9
([5, 15, 25, 35], True)
"""

import importlib
from typing import TYPE_CHECKING, Any

from backtest.config import REPLAY, Plan, ProbeSource, ReplayConfig, TrainSource
from backtest.probe import Embedded, Probe
from backtest.replay import Curve, replay, replayable
from backtest.report import report
from backtest.verdict import Arm, chosen, concluded

if TYPE_CHECKING:
    from backtest.frozen import Frozen
    from backtest.trained import Training

__all__ = [
    "REPLAY",
    "Arm",
    "Curve",
    "Embedded",
    "Frozen",
    "Plan",
    "Probe",
    "ProbeSource",
    "ReplayConfig",
    "TrainSource",
    "Training",
    "chosen",
    "concluded",
    "replay",
    "replayable",
    "report",
]


_LATER = {"Frozen": "frozen", "Training": "trained"}


def __getattr__(name: str) -> Any:
    """Import modules that need torch on first use (PEP 562)."""
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"backtest.{_LATER[name]}"), name)
