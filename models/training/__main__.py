"""`python -m training CONFIG.json`; the config is a `training.TrainingConfig`."""

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from training.config import MOST_PROCESSES, TrainingConfig
from worker_programs.events import Listener, run

_refusals: list[BaseException] = []
"""Errors of this process that have a code, unlike the error when another process died."""


def _body(config: TrainingConfig, listener: Listener) -> Mapping[str, Any]:
    from training.program import body  # torch is imported only once the config is known to be valid

    try:
        return body(config, listener)
    except Exception as fault:
        if hasattr(fault, "code"):
            _refusals.append(fault)
        raise


def _processes() -> int:
    """The number of processes that the config asks for; 1 if it can't be read, as the config is validated later."""
    try:
        asked = json.loads(Path(sys.argv[1]).read_bytes())["recipe"]["processes"]
    except (IndexError, KeyError, OSError, TypeError, ValueError):
        return 1
    return asked if isinstance(asked, int) and 1 < asked <= MOST_PROCESSES else 1


if __name__ == "__main__":
    wanted = _processes()
    if wanted == 1:
        sys.exit(run(TrainingConfig, _body))
    from blobs.lent_links import join
    from training.launching import STARTED, give_up, start

    if STARTED not in os.environ:
        sys.exit(start(sys.argv[1], wanted))
    join()
    ended = run(TrainingConfig, _body)
    if _refusals:
        give_up()
    sys.exit(ended)
