"""Free space on the disk that holds the platform's own state. Below a minimum, writes are refused before one breaks
halfway; reads continue, and writes resume once there is space again."""

import errno
import shutil

from django.conf import settings
from django.db import DatabaseError

from core.errors import OutOfSpace

MIB = 1 << 20
FULL = {errno.ENOSPC, errno.EDQUOT}
DATABASE_FULL = ("database or disk is full", "could not extend file", "No space left on device")


def shortage() -> str | None:
    """Return a description of the shortage; None if there is enough space, or no local disk to check."""
    floor: int = settings.MIN_FREE_BYTES
    if not floor or (left := free()) is None or left >= floor:
        return None
    return f"{left // MIB} MiB are free on the platform's disk, {floor // MIB} MiB must be: writes are refused"


def check() -> None:
    """Raise OutOfSpace if there is too little space."""
    if found := shortage():
        raise OutOfSpace(f"{found} until an operator frees space. Send it again then; nothing was changed.")


def free() -> int | None:
    """Return the free bytes on the disk that holds our state; None if there is no local disk."""
    return shutil.disk_usage(settings.VAR_DIR).free if settings.VAR_DIR.is_dir() else None


def is_cause_of(error: BaseException) -> bool:
    """Whether the error, or one that caused it, reports a full disk, or there is too little space now."""
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, OSError) and seen.errno in FULL:
            return True
        if isinstance(seen, DatabaseError) and any(said in str(seen) for said in DATABASE_FULL):
            return True
        seen = seen.__cause__ or seen.__context__
    return shortage() is not None
