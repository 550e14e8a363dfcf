"""What the system says of processes, to wait for their end."""

import psutil


def is_running(pid: int) -> bool:
    """Whether a process runs: not if it is gone, at whatever moment of the question, or waits for its parent."""
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False
