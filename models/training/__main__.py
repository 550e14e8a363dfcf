"""`python -m training CONFIG.json`; the config is a `training.TrainingConfig`."""

import sys
from collections.abc import Mapping
from typing import Any

from training.config import TrainingConfig
from worker_programs.events import Listener, run


def _body(config: TrainingConfig, listener: Listener) -> Mapping[str, Any]:
    from training.program import body  # torch is imported only once the config is known to be valid

    return body(config, listener)


if __name__ == "__main__":
    sys.exit(run(TrainingConfig, _body))
