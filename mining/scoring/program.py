"""The work of `python -m scoring`: run a model over the samples of a manifest and write one score file."""

import hashlib
import os
import time
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from blobs.opening import open_reader
from export.runtime import ModelError, Session
from scoring.config import ScoringConfig
from scoring.crops import describe
from scoring.histogram import doubt_histogram
from scoring.members import with_members
from scoring.pipeline import score
from scoring.table import Scores
from worker_programs import files
from worker_programs.events import Listener
from worker_programs.manifest import ManifestError, samples_of
from worker_programs.readers import SampleReader

MAX_SESSIONS = 4


class Program:
    """Called with one config after another; it keeps the last few models and the connections to the store open."""

    def __init__(self) -> None:
        self._sessions: OrderedDict[tuple[Any, ...], Session] = OrderedDict()
        self._readers: dict[str | None, SampleReader] = {}

    def __call__(self, config: ScoringConfig, listener: Listener) -> Mapping[str, Any]:
        """Score one shard and write its file; the result event names the refused images and the device that ran the
        model."""
        started = time.perf_counter()
        session = self._session(config, listener)
        reader = self._readers.setdefault(config.blobs, open_reader(config.blobs))
        scores, histogram = self._scores(config, session, reader, listener)
        files.write_bytes(config.out, scores.to_bytes())
        return {
            "scored": len(scores),
            "quarantined": [asdict(item) for item in scores.refused],
            "histogram": histogram,
            "provider": session.provider,
            "seconds": time.perf_counter() - started,
        }

    def _scores(
        self, config: ScoringConfig, session: Session, reader: SampleReader, listener: Listener
    ) -> tuple[Scores, dict[str, Any] | None]:
        """Return the scores, and for whole images a histogram of their certainties."""
        samples = samples_of(config.samples)
        if config.regions is not None:
            regions = np.load(config.regions, allow_pickle=False)
            return describe(session, samples, regions, reader, threads=session.threads, listener=listener), None
        scores = score(
            session,
            samples,
            reader,
            total=_lines(config.samples),
            batch_size=config.batch_size,
            threads=session.threads,
            mirrored=config.mirrored,
            listener=listener,
        )
        return scores, doubt_histogram(session.task.outputs.certainty(scores.probabilities))

    def _session(self, config: ScoringConfig, listener: Listener) -> Session:
        try:
            data = config.model.read_bytes()
        except OSError as error:
            raise ModelError("onnx_invalid", f"{config.model} cannot be read: {error.strerror}") from error
        threads = config.threads or len(os.sched_getaffinity(0))
        key = hashlib.sha256(data).hexdigest(), threads, config.dropout
        if key not in self._sessions:
            if config.dropout is not None:
                data = with_members(data, config.dropout)
            self._sessions[key] = Session(data, threads=threads, accelerated=True)
            listener.log(f"ONNX Runtime runs the model on {self._sessions[key].provider}, {threads} thread(s)")
            while len(self._sessions) > MAX_SESSIONS:
                self._sessions.popitem(last=False)
        self._sessions.move_to_end(key)
        return self._sessions[key]


def _lines(manifest: Path) -> int:
    """Count the samples that a manifest names, one a line."""
    try:
        data = manifest.read_bytes()
    except OSError as error:
        raise ManifestError(f"{manifest}: cannot be read: {error.strerror}") from error
    return data.count(b"\n") + (data[-1:] not in {b"", b"\n"})
