"""The daily collection."""

import logging

from celery import shared_task

from core.errors import Conflict
from garbage_collection.services import start_collection
from jobs.tasks import wake

logger = logging.getLogger(__name__)


@shared_task(name="collector.collect")  # in rows of the beat, and in messages on their way
def collect() -> None:
    """Start a collection unless one is running."""
    try:
        wake(start_collection())
    except Conflict as error:
        logger.info("no collection today: %s", error.detail)
