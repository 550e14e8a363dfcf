"""A worker that was told to stop: it claims nothing more, and gives back what it has not finished after its grace.

SIGTERM begins it, wherever the worker runs: `make down`, `docker stop`, Kubernetes, Slurm. That is all it takes.
"""

import mmap
import os
import signal
import threading

_flag = mmap.mmap(-1, 1)  # shared with the processes of the pool, which are forked later


def begin(grace: float) -> None:
    """Stop claiming, in all processes of this worker's pool. After `grace` seconds end the shards that still run: each
    process gives its own back (`jobs.runner`)."""
    _flag[0] = 1
    end = threading.Timer(grace, os.kill, (os.getpid(), signal.SIGQUIT))  # Celery ends running tasks at SIGQUIT
    end.daemon = True
    end.start()


def is_draining() -> bool:
    """Whether this worker was told to stop."""
    return bool(_flag[0])


def give_back_at_sigterm() -> None:
    """Have SIGTERM raise SystemExit in this process of a pool, where Celery lets it kill: what runs then cleans up."""
    signal.signal(signal.SIGTERM, _leave)


def _leave(number: int, _frame: object) -> None:
    raise SystemExit(128 + number)
