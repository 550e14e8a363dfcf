"""Wake-ups of rounds, and the receivers that send them."""

import logging

from celery import shared_task
from kombu.exceptions import OperationalError

from jobs.tasks import wake
from rounds import loop
from rounds.models import Round

logger = logging.getLogger(__name__)
MESSAGE_LIFETIME = 60


def wake_round(round_id: int) -> None:
    """Have a worker look at the round soon; a silent broker is survived by the sweep."""
    try:
        advance.apply_async((round_id,), expires=MESSAGE_LIFETIME)
    except (OperationalError, OSError):
        logger.warning("the broker does not answer; round %s waits for the sweep", round_id)


@shared_task(name="rounds.advance")
def advance(round_id: int) -> None:
    """Take the steps that can be taken."""
    for job in loop.advance(round_id):
        wake(job)


@shared_task(name="rounds.sweep")
def sweep() -> None:
    """Look at every open round: a wake-up may have been lost."""
    for round_id in Round.objects.exclude(state__in=Round.ENDED).values_list("pk", flat=True):
        advance(round_id)
