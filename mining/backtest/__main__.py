"""`python -m backtest CONFIG.json`; the config is a `backtest.ReplayConfig`."""

import sys
import time
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from backtest.config import ReplayConfig, TrainSource
from backtest.learners import Learner
from backtest.probe import Embedded, Probe
from backtest.replay import replay
from worker_programs.events import Listener, run


def body(config: ReplayConfig, listener: Listener) -> Mapping[str, Any]:
    """Replay one plan; the result event carries the curve and the seconds it took."""
    started = time.perf_counter()
    curve = replay(_learner(config), config.plan, listener=listener)
    return asdict(curve) | {"seconds": time.perf_counter() - started}


def _learner(config: ReplayConfig) -> Learner:
    if isinstance(config.learner, TrainSource):
        from backtest.trained import Training  # torch is imported only where something is trained

        return Training.read(config.learner, config.classes, threads=config.threads)
    return Probe(Embedded.read(config.learner.data), config.classes)


if __name__ == "__main__":
    sys.exit(run(ReplayConfig, body))
