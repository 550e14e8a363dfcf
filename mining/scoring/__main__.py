"""`python -m scoring CONFIG.json`; the config is a `scoring.ScoringConfig`."""

import sys
import time
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from export.runtime import ModelError, Session
from programs import files
from programs.events import Listener, run
from programs.manifest import read_manifest
from programs.readers import open_reader
from scoring.config import ScoringConfig
from scoring.pipeline import score


def body(config: ScoringConfig, listener: Listener) -> Mapping[str, Any]:
    """Score one shard and write its file; the result event names what was refused."""
    try:
        session = Session(config.model.read_bytes(), threads=config.threads)
    except OSError as error:
        raise ModelError("onnx_invalid", f"{config.model} cannot be read: {error.strerror}") from error
    started = time.perf_counter()
    samples = read_manifest(config.samples)
    scores, refused = score(
        session, samples, open_reader(config.blobs), batch_size=config.batch_size, listener=listener
    )
    files.write_bytes(config.out, scores.to_bytes())
    seconds = time.perf_counter() - started
    return {"scored": len(scores), "quarantined": [asdict(item) for item in refused], "seconds": seconds}


if __name__ == "__main__":
    sys.exit(run(ScoringConfig, body))
