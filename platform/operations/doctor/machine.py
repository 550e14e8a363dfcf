"""This machine: processes, disks, clocks, and the modes of the platform's own files."""

import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from datetime import UTC, timedelta
from email.utils import parsedate_to_datetime
from pathlib import Path

import psutil
import urllib3
from django.conf import settings
from django.db import connection
from django.db.models.functions import Now

from blobs.settings import StoreConfig
from core import disk_space, host_metrics, scheduled
from core.postgres import timeouts
from embedded.private import OTHERS
from embedded.state import running_state
from jobs.models import Beat
from operations.doctor.findings import Finding, tally

SKEW_SECONDS = 5.0
FREE_SHARE = 0.05
CLOCK_TIMEOUT = 5.0
SECRET_FILES = ("token", "secrets.json")
STORE_FOLDER = "s3"


def processes() -> list[Finding]:
    """Check the processes of the embedded profile; those of production are supervised elsewhere."""
    if not _is_embedded():
        return []
    state = running_state(settings.VAR_DIR / "supervisor.json", settings.VAR_DIR / "supervisor.lock")
    if state is None:
        return [Finding("processes", 1, "The platform is not running.", "`make up` starts it.")]
    ill = [f"{name} ({one.state}; its log: {one.log})" for name, one in state.processes.items()
           if one.state != "running" or not psutil.pid_exists(one.pid)]  # fmt: skip
    words = "Processes of the platform do not run."
    return tally(ill).finding("processes", words, "Their logs say why; `make down`, then `make up` starts all anew.")


def workers() -> list[Finding]:
    """Check that at least one worker is alive."""
    if Beat.objects.filter(seen__gte=Now() - timedelta(seconds=settings.WORKER_GONE_SECONDS)).exists():
        return []
    words = f"No worker was heard in the last {settings.WORKER_GONE_SECONDS:.0f} seconds: no job goes on."
    remedy = "Start one: `make up` does, and in production `celery -A config worker` (see deploy/compose.yaml)."
    return [Finding("workers", 1, words, remedy)]


def schedule() -> list[Finding]:
    """Check that beat runs, and that workers take up what it sends."""
    runs = scheduled.last_runs()
    if fault := scheduled.beat_fault(runs):
        remedy = "Start it: `make up` does, and in production `celery -A config beat` (see deploy/compose.yaml)."
        return [Finding("beat", 1, f"The scheduler is silent: {fault}.", remedy)]
    remedy = "Beat sends them and no worker takes them up: see which workers run, and what their logs say."
    return tally(scheduled.late_tasks(runs)).finding("schedule", "Scheduled tasks are late.", remedy)


def threads() -> list[Finding]:
    """Check that the web processes of this host have a free thread."""
    if not (fault := host_metrics.full_web()):
        return []
    remedy = "`motherlode_request_seconds` in /metrics says which requests take long; start more web processes."
    return [Finding("web", 1, f"The web is full: {fault}.", remedy)]


def disks() -> list[Finding]:
    """Check the free space of the disks that the platform writes to from here."""
    names = {
        "the platform's state": settings.VAR_DIR,
        "the cache": Path(os.environ.get("MOTHERLODE_CACHE_DIR") or settings.VAR_DIR),
        "temporary files": Path(tempfile.gettempdir()),
    }
    full = {}
    for what, folder in names.items():
        if folder.is_dir() and folder.stat().st_dev not in full:
            usage = shutil.disk_usage(folder)
            if usage.free < max(FREE_SHARE * usage.total, settings.MIN_FREE_BYTES):
                free, total = usage.free // disk_space.MIB, usage.total // disk_space.MIB
                full[folder.stat().st_dev] = f"{folder} ({what}): {free} MiB of {total} are free"
    remedy = "Free space: `lode gc` takes away what nothing refers to; or move the folder to a larger disk."
    return tally(full.values()).finding("disks", "Disks are nearly full.", remedy)


def modes() -> list[Finding]:
    """Check for files that other users of this machine can read. The S3 server's folder is skipped: it is closed to
    others itself, and the server sets its own modes below it."""
    remedy = "`chmod -R go-rwx` the folder with MOTHERLODE_VAR; the next `make up` does it too."
    return tally(_open_files()).finding("modes", "Files are open to other users of this machine.", remedy)


def _open_files() -> Iterator[str]:
    var = settings.VAR_DIR
    paths = _below(var) if _is_embedded() else (var / name for name in SECRET_FILES)
    for path in paths:
        with suppress(FileNotFoundError):  # a running platform's own files come and go
            mode = path.lstat().st_mode
            if not stat.S_ISLNK(mode) and mode & OTHERS:
                yield f"{path} ({stat.S_IMODE(mode):04o})"


def _below(folder: Path) -> Iterator[Path]:
    yield folder
    for root, folders, files in os.walk(folder):
        yield from (Path(root, name) for name in (*folders, *files))
        if Path(root) == folder and STORE_FOLDER in folders:
            folders.remove(STORE_FOLDER)


def _is_embedded() -> bool:
    return (settings.VAR_DIR / "secrets.json").is_file()


def database_clock() -> list[Finding]:
    """Compare the database's clock, which leases use, with this machine's."""
    if connection.vendor == "sqlite":  # it has none of its own
        return []
    with closing(connection.cursor()) as cursor:
        began = time.time()
        cursor.execute("SELECT EXTRACT(EPOCH FROM clock_timestamp())")
        theirs = float(cursor.fetchone()[0])
    return skew("the database", theirs - (began + time.time()) / 2)


def timeouts_in_force() -> list[Finding]:
    """Check that PostgreSQL ends sessions that hold locks and do nothing, and those that wait too long."""
    if connection.vendor == "sqlite":
        return []
    remedy = "`python manage.py migrate` sets them for the platform's role; then restart what runs."
    words = "PostgreSQL does not limit the platform's sessions: a process that freezes would keep its locks."
    return tally(timeouts.not_in_force(connection)).finding("timeouts", words, remedy)


def store_clock() -> list[Finding]:
    """Compare the object store's clock with this machine's, because the store refuses requests with a wrong time. (It
    returns whole seconds.)"""
    config = StoreConfig.from_env()
    url = f"{'https' if config.secure else 'http'}://{config.endpoint}/"
    said = None
    with urllib3.PoolManager(timeout=CLOCK_TIMEOUT, retries=1) as pool, suppress(urllib3.exceptions.HTTPError):
        began = time.time()
        said = pool.request("GET", url).headers.get("Date")
    if said is None:
        return []
    theirs = parsedate_to_datetime(said).astimezone(UTC).timestamp() + 0.5
    return skew("the object store", theirs - (began + time.time()) / 2)


def skew(whose: str, seconds: float) -> list[Finding]:
    """Report a clock that is `seconds` ahead of this machine's, if that is too much."""
    if abs(seconds) <= SKEW_SECONDS:
        return []
    words = f"The clock of {whose} is {abs(seconds):.0f} s {'ahead of' if seconds > 0 else 'behind'} this machine's."
    return [Finding("clocks", 1, words, "Let all machines set their clocks by NTP.")]
