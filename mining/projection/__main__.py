"""`python -m projection CONFIG.json`; the config is a `projection.ProjectionConfig`. Progress counts vectors."""

import sys
import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from projection.config import ProjectionConfig
from projection.layout import laid_out
from worker_programs.config import ConfigError
from worker_programs.events import Listener, run


def body(config: ProjectionConfig, listener: Listener) -> Mapping[str, Any]:
    """Lay the vectors out and write their points, and the uniqueness of each."""
    started = time.perf_counter()
    try:
        vectors = np.load(config.vectors, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError) as fault:
        raise ConfigError({"vectors": [f"{config.vectors} is no .npy file: {fault}"]}) from fault
    if vectors.ndim != 2 or not vectors.size:
        raise ConfigError({"vectors": [f"must be of shape (N, D), not {vectors.shape}"]})
    total = len(vectors)

    def watch(_what: str, share: float) -> None:
        listener.progress(int(share * total), total, unit="samples")

    made = laid_out(vectors, config.layout, watch)
    np.savez(config.out, points=made.points, uniqueness=made.uniqueness)
    facts = {name: getattr(made, name) for name in ("variance", "components", "landmarks", "compared")}
    return facts | {"seconds": time.perf_counter() - started}


if __name__ == "__main__":
    sys.exit(run(ProjectionConfig, body))
