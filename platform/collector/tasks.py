"""The daily wake-up."""

import logging

from celery import shared_task

from collector.services import start_collection
from core.errors import Conflict
from jobs.tasks import wake

logger = logging.getLogger(__name__)


@shared_task(name="collector.collect")
def collect() -> None:
    """Start a collection unless one is under way."""
    try:
        wake(start_collection())
    except Conflict as error:
        logger.info("no collection today: %s", error.detail)
