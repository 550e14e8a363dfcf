"""Room on the disk that the platform's own state lies on. Below a floor writes are refused, before one breaks half-way;
reads go on, and so does all else once there is room again."""

import errno
import shutil

from django.conf import settings
from django.db import DatabaseError

from core.errors import OutOfSpace

MIB = 1 << 20
FULL = {errno.ENOSPC, errno.EDQUOT}
DATABASE_FULL = ("database or disk is full", "could not extend file", "No space left on device")


def shortage() -> str | None:
    """What is wrong with the room on the disk; None when there is enough, or no disk of ours to look at."""
    floor: int = settings.MIN_FREE_BYTES
    if not floor or (left := free()) is None or left >= floor:
        return None
    return f"{left // MIB} MiB are free on the platform's disk, {floor // MIB} MiB must be: writes are refused"


def check() -> None:
    """Raise OutOfSpace while there is too little room."""
    if found := shortage():
        raise OutOfSpace(f"{found} until an operator frees space. Send it again then; nothing was changed.")


def free() -> int | None:
    """Bytes on the disk that our state lies on; None where there is none of ours."""
    return shutil.disk_usage(settings.VAR_DIR).free if settings.VAR_DIR.is_dir() else None


def is_cause_of(error: BaseException) -> bool:
    """Whether the error, or what it was raised from, says that a disk is full."""
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, OSError) and seen.errno in FULL:
            return True
        if isinstance(seen, DatabaseError) and any(said in str(seen) for said in DATABASE_FULL):
            return True
        seen = seen.__cause__ or seen.__context__
    return shortage() is not None
