"""How often a long-lived process looks for garbage in cycles."""

import gc

YOUNG = 50_000


def settle() -> None:
    """Call this once all is imported. What is there stays for good and is not looked through again; what comes is
    looked through less often than by default: a commit makes a hundred thousand objects without a cycle, and a third
    of its time went into the search for one."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG, 20, 50)
