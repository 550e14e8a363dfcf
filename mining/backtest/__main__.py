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
from training.architectures import architecture
from worker_programs.config import ConfigError
from worker_programs.events import Listener, run


def body(config: ReplayConfig, listener: Listener) -> Mapping[str, Any]:
    """Replay one plan; the result event carries the curve and the seconds it took. Without a plan, fill this machine's
    cache of features and return the number of images."""
    started = time.perf_counter()
    if config.plan is None:
        made = {"images": _warm(config, listener)}
    else:
        made = asdict(replay(_learner(config, listener), config.plan, listener=listener))
    return made | {"seconds": time.perf_counter() - started}


def _learner(config: ReplayConfig, listener: Listener) -> Learner:
    source = config.learner
    if not isinstance(source, TrainSource):
        return Probe(Embedded.read(source.data), config.classes, task=config.task)
    family = architecture(source.architecture, source.params)
    family.check_task(config.task)
    if family.frozen:
        from backtest.frozen import Frozen  # torch is imported only where something is trained

        return Frozen.read(source, config.classes, task=config.task, threads=config.threads, listener=listener)
    from backtest.trained import Training

    return Training.read(source, config.classes, task=config.task, threads=config.threads)


def _warm(config: ReplayConfig, listener: Listener) -> int:
    source = config.learner
    if not isinstance(source, TrainSource) or not architecture(source.architecture, source.params).frozen:
        raise ConfigError({"plan": ["missing: only the features of a frozen trunk are there before a replay"]})
    from backtest.frozen import warm

    return warm(source, config.classes, threads=config.threads, listener=listener)


if __name__ == "__main__":
    sys.exit(run(ReplayConfig, body))
