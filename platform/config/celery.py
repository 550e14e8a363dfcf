"""The Celery application: `celery -A config worker`, `celery -A config beat`."""

import logging
import logging.config
import os
import signal
from typing import Any

from celery import Celery
from celery.signals import (
    setup_logging,
    task_postrun,
    worker_init,
    worker_process_init,
    worker_process_shutdown,
    worker_ready,
    worker_shutting_down,
)
from celery.worker import state
from django.conf import settings
from django.db import DatabaseError, connections
from kombu.transport import TRANSPORT_ALIASES

from core import gc_pause, pending_migrations, tracing
from jobs import draining

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

logger = logging.getLogger(__name__)
# A Redis that goes away for a moment must not end the worker.
TRANSPORT_ALIASES.update(dict.fromkeys(["redis", "rediss"], "core.broker:Transport"))

app = Celery("motherlode")
app.config_from_object("django.conf:settings", namespace="CELERY")
SCHEDULE: dict[str, dict[str, Any]] = {
    "wake what stands still": {"task": "jobs.sweep", "schedule": 5.0, "options": {"expires": 10}},
    "advance rounds": {"task": "rounds.sweep", "schedule": 5.0, "options": {"expires": 10}},
    "look at sweeps": {"task": "sweeps.look", "schedule": 5.0, "options": {"expires": 10}},
    "collect what nothing refers to": {"task": "collector.collect", "schedule": 24 * 3600.0},
    "publish what was left behind": {"task": "publishing.sweep", "schedule": 5.0, "options": {"expires": 10}},
    "forget abandoned pushes": {"task": "publishing.forget_abandoned", "schedule": 3600.0},
    "forget abandoned archives": {"task": "catalog.forget_archive_uploads", "schedule": 3600.0},
    "undo commits that were given up": {"task": "catalog.undo_abandoned", "schedule": 5.0, "options": {"expires": 10}},
    "count what projects hold": {"task": "jobs.count_storage", "schedule": 60.0, "options": {"expires": 60}},
    "send notifications": {"task": "notifications.send", "schedule": 60.0, "options": {"expires": 60}},
    "forget old idempotency keys": {"task": "jobs.forget_old", "schedule": 3600.0},
}
SCHEDULED = frozenset(entry["task"] for entry in SCHEDULE.values())
app.conf.beat_schedule = SCHEDULE
app.autodiscover_tasks()


@setup_logging.connect(weak=False)
def log_as_the_web_does(**_: object) -> None:
    """Use the platform's log formats in place of Celery's. Output that is printed, also by workers' programs, becomes
    log records too."""
    logging.config.dictConfig(settings.LOGGING)
    app.log.redirect_stdouts("WARNING")  # type: ignore[arg-type]  # its stub forbids the name, its processes the number


@worker_init.connect(weak=False)
def settle(**_: object) -> None:
    """Wait for the tables of this code. Then freeze existing objects before the worker forks its processes: they share
    them."""
    pending_migrations.wait()
    connections.close_all()
    gc_pause.freeze()


@worker_process_init.connect(weak=False)
def begin_tracing(**_: object) -> None:
    """Start tracing in each process of the pool: a thread sends the spans, and a fork does not copy threads."""
    tracing.begin("worker")


@worker_process_init.connect(weak=False)
def give_back(**_: object) -> None:
    """Have each process of the pool give its shard back when it is ended."""
    draining.give_back_at_sigterm()


@worker_shutting_down.connect(weak=False)
def drain(how: str, **_: object) -> None:
    """Claim nothing more; the end comes after WORKER_GRACE_SECONDS."""
    if how == "Warm":
        draining.begin(settings.WORKER_GRACE_SECONDS)


@worker_process_shutdown.connect(weak=False)
def end_tracing(**_: object) -> None:
    """Send the remaining spans: nothing else runs at the end of such a process."""
    tracing.end()


@task_postrun.connect(weak=False)
def note_run(sender: Any, **facts: object) -> None:
    """Note when a scheduled task ended: one that no worker takes up any more is told of."""
    if sender.name not in SCHEDULED:
        return
    from core import scheduled  # models can be imported once the worker has set Django up

    try:
        scheduled.note(sender.name, well=facts["state"] == "SUCCESS")
    except DatabaseError:
        logger.warning("could not note that %s ran", sender.name, exc_info=True)


@worker_ready.connect(weak=False)
def show(sender: Any, **_: object) -> None:
    """Start the worker's heartbeat, which stops when the worker shuts down, and the port for its metrics."""
    from config.metrics import serve_host_metrics  # models can be imported once the worker has set Django up
    from jobs.heartbeat import of_worker

    serve_host_metrics()
    queues = [queue.name for queue in sender.task_consumer.queues]
    heartbeat = of_worker(
        sender.hostname,
        queues=queues,
        processes=lambda: sender.pool.info["processes"],
        is_busy=lambda: bool(state.reserved_requests),
        leave=lambda: os.kill(os.getpid(), signal.SIGTERM),  # it finishes what it has
    )
    heartbeat.start()
    worker_shutting_down.connect(lambda **_: heartbeat.stop(), weak=False)
