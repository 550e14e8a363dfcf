"""Celery tasks of publication."""

import logging

from celery import shared_task

from jobs.tasks import wake
from publishing import services
from publishing.uploads import forget_abandoned

logger = logging.getLogger(__name__)


def publish_soon(kind: str, name: str) -> None:
    """Queue the job that publishes new versions, and wake it."""
    wake(services.request_publication(kind, name))


@shared_task(name="publishing.forget_abandoned")
def forget_abandoned_uploads() -> None:
    """Delete uploads of pushes that were never finished."""
    forget_abandoned()


@shared_task(name="publishing.sweep")
def sweep() -> None:
    """Publish versions that a lost wake-up left unpublished."""
    for kind, name in services.behind():
        logger.info("publishing %s/%s, which was left behind", kind, name)
        publish_soon(kind, name)
