"""A real program for `PersistentProgram`: it stays, and does what `do` in each config says. How long it waits for the
next comes by a variable that programs are given."""

import os
import signal
import sys
import time
from collections.abc import Mapping
from typing import Any

from pydantic.dataclasses import dataclass

from worker_programs.config import STRICT
from worker_programs.events import Listener, stay


class RefusedError(Exception):
    """What the config asks for cannot be had."""

    code = "refused"


@dataclass(frozen=True, config=STRICT)
class Config:
    do: str


def body(config: Config, listener: Listener) -> Mapping[str, Any]:
    listener.progress(1, 2, unit="images")
    if config.do == "refuse":
        raise RefusedError("not this one")
    if config.do == "break":
        raise ZeroDivisionError("a bug")
    if config.do == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    if config.do == "eat":
        held = []
        while True:
            held.append(b"x" * (16 << 20))
            time.sleep(0.01)
    if config.do == "hang":
        time.sleep(60)
    return {"pid": os.getpid()}


if __name__ == "__main__":
    sys.exit(stay(Config, body, idle_seconds=float(os.environ.get("CUDA_IDLE_SECONDS", "30"))))
