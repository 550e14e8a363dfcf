"""The curve of a run as an event file for TensorBoard."""

import time
from collections.abc import Mapping
from pathlib import Path

from tensorboardX.proto.event_pb2 import Event
from tensorboardX.record_writer import RecordWriter
from tensorboardX.summary import scalar

FOLDER, FILE = "tensorboard", "events.out.tfevents.run"
FLUSH_SECONDS = 5.0


class EventFile:
    """Writes `tensorboard/events.out.tfevents.run` in a run's folder, anew; its name is fixed, like the artefact's."""

    def __init__(self, folder: Path) -> None:
        path = folder / FOLDER / FILE
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        self._records, self._flushed = RecordWriter(str(path)), time.monotonic()
        self._write(Event(file_version="brain.Event:2"))

    def point(self, step: int, values: Mapping[str, float]) -> None:
        """Write the values of all curves at `step`."""
        for name, value in values.items():
            self._write(Event(step=step, summary=scalar(name, value)))
        if time.monotonic() - self._flushed > FLUSH_SECONDS:
            self._records.flush()
            self._flushed = time.monotonic()

    def close(self) -> None:
        """Close the file."""
        self._records.close()

    def _write(self, event: Event) -> None:
        event.wall_time = time.time()
        self._records.write(event.SerializeToString())
