"""Health checks: whether this process is alive, and whether it can work."""

import threading
import time
from collections.abc import Callable
from dataclasses import asdict, replace

from celery import current_app
from django.conf import settings
from django.db import connection
from django.http import HttpRequest, JsonResponse
from redis import Redis

from blobs.digests import digests_of
from blobs.presence import Patrol
from blobs.refs import BlobRef
from blobs.services import store
from blobs.store import BlobStore
from core import disk_space, host_metrics, scheduled
from core.pending_migrations import in_words, missing
from core.version import VERSION
from jobs.fleet import versions

PATIENCE_SECONDS = 1.5
OK = "ok"


class Probe:
    """Checks one service in a thread of its own: a frozen service blocks only that thread."""

    def __init__(self, ask: Callable[[], object]) -> None:
        self.ask = ask
        self._lock = threading.Lock()
        self._asking: threading.Thread | None = None
        self._well = False

    def begin(self) -> threading.Thread:
        """Return the thread that asks the service: a new one, or the one that still waits for its answer."""
        with self._lock:
            if self._asking is None or not self._asking.is_alive():
                self._well = False
                self._asking = threading.Thread(target=self._run, name="probe", daemon=True)
                self._asking.start()
            return self._asking

    def said(self) -> str:
        """Return the result so far."""
        return OK if self._well else "does not answer"

    def _run(self) -> None:
        try:
            self.ask()
        except Exception:  # noqa: BLE001, S110 - whatever goes wrong, the service did not answer
            pass
        else:
            self._well = True


def _ask_database() -> None:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    finally:
        connection.close()  # of the probe's own thread


def _ask_schedule() -> None:
    """Read when beat and each scheduled task last ran."""
    try:
        schedule.runs = scheduled.last_runs()
    finally:
        connection.close()  # as above


def _ask_store() -> None:
    """Send one HEAD request; whether the object exists does not matter."""
    _quick_store().exists(BlobRef.alone(digests_of(b"")))


def _quick_store() -> BlobStore:
    quick = replace(store().config, connect_timeout=PATIENCE_SECONDS, read_timeout=PATIENCE_SECONDS, attempts=1)
    return BlobStore(quick)


def _go_round() -> None:
    try:
        patrol.look(_quick_store())
    finally:
        connection.close()  # as above


class _Tables:
    """What is known of the database's tables: what is missing, and the versions that run on it."""

    def __init__(self) -> None:
        self.missing = "not known yet"
        self.versions: list[dict[str, object]] = []

    def ask(self) -> None:
        """Look at the database. Versions are not known before the tables are there."""
        try:
            self.missing = in_words(missing())
            self.versions = (
                [] if self.missing else [asdict(one) | {"version": one.version or None} for one in versions()]
            )
        finally:
            connection.close()  # as above


def _ask_broker() -> None:
    url = settings.CELERY_BROKER_URL
    if url.startswith("redis"):
        with Redis.from_url(url, socket_timeout=PATIENCE_SECONDS, socket_connect_timeout=PATIENCE_SECONDS) as client:
            client.ping()
    elif url.startswith("amqp"):
        with current_app.connection_for_read(connect_timeout=PATIENCE_SECONDS) as broker:
            broker.connect()


PROBES = {"database": Probe(_ask_database), "object_store": Probe(_ask_store), "broker": Probe(_ask_broker)}
NEEDED = ("database", "object_store", "migrations")
patrol = Patrol()
PATROL = Probe(_go_round)
tables = _Tables()
TABLES = Probe(tables.ask)


class Schedule:
    """The last runs of scheduled tasks, as they were read last."""

    runs: dict[str, scheduled.LastRun] | None = None


schedule = Schedule()
SCHEDULE = Probe(_ask_schedule)


def services() -> dict[str, str]:
    """Return each service's state, after at most PATIENCE_SECONDS."""
    _wait_for(*PROBES.values())
    return {name: probe.said() for name, probe in PROBES.items()}


def live(request: HttpRequest) -> JsonResponse:  # noqa: ARG001 - a view's signature
    """Answer that the process is alive."""
    return JsonResponse({"status": "live"})


def ready(request: HttpRequest) -> JsonResponse:  # noqa: ARG001 - a view's signature
    """Return each service's state within 2 s, the version of this process, and those of workers and web processes: 503
    if the database or the object store does not answer, migrations are missing, or the patrol found an object missing.
    Without the broker, beat or its tasks, without a free thread, or without space on the disk, the platform is still
    `ready`: work waits, reads continue."""
    _wait_for(*PROBES.values(), PATROL, TABLES, SCHEDULE)
    checks = {name: probe.said() for name, probe in PROBES.items()}
    if checks["object_store"] == OK and (words := patrol.words()):
        checks["object_store"] = words
    checks["migrations"] = tables.missing or OK
    well = all(checks[name] == OK for name in NEEDED)
    checks |= _of_schedule()
    checks["web"] = host_metrics.full_web() or OK
    checks["disk"] = disk_space.shortage() or OK
    running = {"version": VERSION, "versions": tables.versions}
    status = "ready" if well else "unavailable"
    return JsonResponse({"status": status} | checks | running, status=200 if well else 503)


def _of_schedule() -> dict[str, str]:
    if SCHEDULE.said() != OK or schedule.runs is None:
        return dict.fromkeys(("beat", "schedule"), "unknown: the database does not answer")
    late = scheduled.late_tasks(schedule.runs)
    return {"beat": scheduled.beat_fault(schedule.runs) or OK, "schedule": "; ".join(late) or OK}


def _wait_for(*probes: Probe) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    for thread in [probe.begin() for probe in probes]:
        thread.join(max(0.0, deadline - time.monotonic()))
